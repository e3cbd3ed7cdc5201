//! `materia spawn`: starts a run that outlives this command.

use std::path::PathBuf;

use clap::Args;
use materia_engine::api::{
    AgentOptions, ApiError, CastRequest, ErrorKind, RunOptions, SpawnAgentRequest, SpawnRequest,
};
use materia_model::run::{OnSessionEnd, RetireWhen};

use super::cast::AgentArgs;
use super::config::Config;
use super::input::Template;
use crate::view::style;
use crate::view::{OutputFormat, Screen, TrustPrompt};
use crate::world::World;

/// Start a run that goes on by itself
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    materia spawn --template 'cargo test' --as run:tests\n  \
    materia spawn pipeline-repo-health artifact_path=health.md --as run:health\n  \
    materia spawn --template '{\"template\": \"make {goal=all}\"}' goal=check --artifact log=build.log\n  \
    materia spawn --agent pi --as run:reviewer \"review the last commit\"\n  \
    materia message run:reviewer chat.message \"and the tests?\"\n  \
    materia inspect run:tests\n  \
    materia wait run:tests\n\n\
    Answers once the run is on disk and its supervisor runs. Exits with 2 when the template or its values are \
    wrong, 4 when a run of that id is running.")]
// A detached run has no stdin. The hidden option lets us report that, rather than an unknown
// option.
#[command(mut_arg("stdin", |stdin| stdin.hide(true)))]
pub(super) struct Spawn {
    #[command(flatten)]
    template: Template,

    /// Cast a request with this loadout instead; the request is the one word
    #[arg(long, value_name = "NAME", conflicts_with_all = ["template", "file", "values"])]
    loadout: Option<String>,

    #[command(flatten)]
    config: Config,

    #[command(flatten)]
    player: AgentArgs,

    #[command(flatten)]
    role: RoleArgs,

    /// The run's address: run:ID
    #[arg(long = "as", value_name = "ADDRESS")]
    address: Option<String>,

    /// Something that the run will make; the path may name values such as {state_dir}, and may be
    /// an object: {"path": …, "kind", "media_type", "required"}
    #[arg(long, value_name = "NAME=PATH")]
    artifact: Vec<String>,

    /// What it takes and sends, and how its messages are delivered: {"accepts": […], "emits": […],
    /// "deliver": "stdin"}
    #[arg(long, value_name = "JSON")]
    mailbox: Option<String>,

    /// The session that owns the run
    #[arg(long, value_name = "S")]
    session: Option<String>,

    /// End the run by itself when the runs that were spawned inside it are over: children_terminal
    #[arg(long, value_name = "WHEN", value_parser = ["children_terminal"])]
    retire_when: Option<String>,

    /// What happens when its session ends: keep or kill
    #[arg(long, value_name = "WHAT", value_parser = ["keep", "kill"], default_value = "keep", hide_default_value = true)]
    on_session_end: String,
}

impl Spawn {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        if self.template.has_stdin() {
            let message = "a run that goes on by itself has no stdin";
            return Err(ApiError::new(ErrorKind::Invalid, "usage", message)
                .hint("give it a file by a value, or send it messages"));
        }
        if let Some(loadout) = self.loadout.clone() {
            return self.cast(loadout, world, screen, format);
        }
        if self.player.agent.is_some() || self.player.agent_script.is_some() {
            return self.agent(world, screen, format);
        }
        self.role.check_unused()?;
        let options = self.options();
        let report = world.engine().spawn(SpawnRequest {
            template: self.template.request()?,
            artifacts: self.artifact,
            options,
        })?;
        if let Some(reason) = &report.not_counted {
            let message = format!("this launch is not counted: {reason}");
            screen.talk(style::Role::Warning, "warning", &message);
        }
        screen.report(&report, format);
        Ok(0)
    }

    /// The options that apply to every kind of run.
    fn options(&self) -> RunOptions {
        RunOptions {
            address: self.address.clone(),
            session: self.session.clone(),
            mailbox: self.mailbox.clone(),
            retire_when: self
                .retire_when
                .as_ref()
                .map(|_| RetireWhen::ChildrenTerminal),
            on_session_end: if self.on_session_end == "kill" {
                OnSessionEnd::Kill
            } else {
                OnSessionEnd::Keep
            },
        }
    }

    /// Spawns an agent: a run that takes each message as the prompt of a turn.
    fn agent(self, world: &World, screen: Screen, format: OutputFormat) -> Result<u8, ApiError> {
        if self.template.is_named() {
            return Err(
                ApiError::new(ErrorKind::Invalid, "usage", "an agent runs no template")
                    .hint("materia spawn --agent NAME --as run:ID \"what it is asked first\""),
            );
        }
        let request = SpawnAgentRequest {
            run: self.options(),
            agent: self.player.choice(),
            message: Some(self.template.words().join(" ")),
            options: self.role.options(self.config),
        };
        let mut prompt = TrustPrompt::new(world, screen, format);
        let report = world.engine().spawn_agent(request, &mut prompt)?;
        screen.report(&report, format);
        Ok(0)
    }

    /// Spawns a cast: it gets an address and a session like any other run.
    fn cast(
        self,
        loadout: String,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let [request] = self.template.words() else {
            return Err(ApiError::new(
                ErrorKind::Invalid,
                "usage",
                "a loadout is cast with one request",
            )
            .hint("materia spawn --loadout NAME \"what should be done\""));
        };
        let request = CastRequest {
            request: request.clone(),
            loadout: Some(loadout),
            options: self.player.options(self.config, true),
        };
        let run = RunOptions {
            address: self.address,
            session: self.session,
            ..RunOptions::default()
        };
        let mut prompt = TrustPrompt::new(world, screen, format);
        let spawned = world.engine().spawn_cast(&request, &run, &mut prompt)?;
        screen.report(&spawned, format);
        Ok(0)
    }
}

/// How an agent plays that is a run.
#[derive(Debug, Args)]
pub(super) struct RoleArgs {
    /// The model of an agent: provider/id, provider:id or id
    #[arg(long, value_name = "M")]
    model: Option<String>,

    /// How hard an agent thinks
    #[arg(long, value_name = "LEVEL")]
    thinking: Option<String>,

    /// The tools an agent may use: none, readOnly, coding, or names with commas between them
    #[arg(long, value_name = "SCOPE")]
    tools: Option<String>,

    /// A file with what an agent is told besides, as a part of its instructions
    #[arg(long, value_name = "F")]
    system: Option<PathBuf>,

    /// How many seconds a turn of an agent may take
    #[arg(long, value_name = "S")]
    turn_timeout: Option<f64>,
}

impl RoleArgs {
    fn options(self, config: Config) -> AgentOptions {
        AgentOptions {
            model: self.model,
            thinking: self.thinking,
            tools: self.tools,
            system: self.system,
            timeout: self.turn_timeout,
            config: config.named(),
        }
    }

    /// Rejects options that only apply to an agent.
    fn check_unused(&self) -> Result<(), ApiError> {
        let used = [
            ("--model", self.model.is_some()),
            ("--thinking", self.thinking.is_some()),
            ("--tools", self.tools.is_some()),
            ("--system", self.system.is_some()),
            ("--turn-timeout", self.turn_timeout.is_some()),
        ];
        match used.into_iter().find(|(_, used)| *used) {
            None => Ok(()),
            Some((option, _)) => {
                let message = format!("`{option}` is for an agent");
                Err(ApiError::new(ErrorKind::Invalid, "usage", message)
                    .hint("name one with --agent"))
            }
        }
    }
}
