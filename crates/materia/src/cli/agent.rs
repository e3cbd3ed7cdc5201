//! `materia agent`: one turn of an agent, and which agents there are.

mod act;
mod attach;
mod context;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use materia_engine::agent::Roster;
use materia_engine::agent_turn::{self, Asked, Choosing, Error};
use materia_model::agent::FailureKind;
use materia_model::materia::Tools;
use materia_model::name::RunId;

use super::cast::foreground;
use super::config::{Config, project};
use super::input::{read_bounded, read_text};
use crate::view::{AgentView, Screen, TrustPrompt, Voice};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

/// Ask an agent once, or see which agents there are
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia agent list\n  echo \"what does this project do?\" | materia agent run --tools readOnly"
)]
pub(super) struct Agent {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Run(Run),
    List(List),
    #[command(hide = true)]
    Act(act::Act),
}

/// Ask an agent for one turn
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    echo \"what does this project do?\" | materia agent run --tools readOnly\n  \
    materia agent run --prompt-file review.md --system reviewer.md --timeout 600 --json\n  \
    git diff > change.txt; materia agent run --prompt-file review.md --attach change.txt\n  \
    materia agent run --session notes --prompt-file question.md\n\n\
    The answer alone is on stdout. Exits with 0 when there is one, 1 when the turn failed, 6 when there is no such agent or \
    its login was refused.")]
struct Run {
    /// The agent to ask
    #[arg(long, value_name = "A")]
    agent: Option<String>,

    /// The model: provider/id, provider:id or id
    #[arg(long, value_name = "M")]
    model: Option<String>,

    /// How hard it thinks
    #[arg(long, value_name = "LEVEL")]
    thinking: Option<String>,

    /// The tools it may use: none, readOnly, coding, or names with commas between them
    #[arg(long, value_name = "SCOPE", default_value = "coding")]
    tools: String,

    /// A file with what it is told besides the prompt, as a part of its instructions
    #[arg(long, value_name = "F")]
    system: Option<PathBuf>,

    /// A file with the prompt; `-`, and nothing, read it from stdin
    #[arg(long, value_name = "F")]
    prompt_file: Option<PathBuf>,

    /// A file whose text goes with the prompt, under a heading; several, one on each line of the
    /// word
    #[arg(long, value_name = "F")]
    attach: Vec<String>,

    /// Go on with the session of this name, or begin it
    #[arg(long, value_name = "S")]
    session: Option<RunId>,

    /// How many seconds it may take
    #[arg(long, value_name = "S", default_value_t = 3600.0)]
    timeout: f64,

    #[command(flatten)]
    config: Config,
}

/// See which agents there are
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia agent list\n  materia agent list --json | jq '.chosen.name'"
)]
struct List {
    #[command(flatten)]
    config: Config,
}

impl Agent {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        match self.what {
            What::Run(run) => run.run(world, screen, voice),
            What::List(list) => {
                let (roster, choosing) = roster(&list.config, None, world)?;
                let found = agent_turn::list(&roster, &choosing);
                screen.report(&found, voice);
                Ok(if found.ok {
                    0
                } else {
                    ErrorKind::Agent.exit_code()
                })
            }
            What::Act(_) => act::Act::run(world, screen),
        }
    }
}

impl Run {
    fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let roster = trusted(&self.config, self.agent.as_deref(), world, screen, voice)?;
        let timeout = Duration::try_from_secs_f64(self.timeout)
            .ok()
            .filter(|time| !time.is_zero());
        let timeout = timeout.ok_or_else(|| {
            ApiError::new(ErrorKind::Invalid, "usage", "the timeout is not above 0")
                .hint("write seconds: --timeout 600")
        })?;
        let system = self
            .system
            .as_deref()
            .map(|path| read_text(world, path))
            .transpose()?;
        let prompt = match self
            .prompt_file
            .as_deref()
            .filter(|path| path.as_os_str() != "-")
        {
            Some(path) => read_text(world, path)?,
            None => read_bounded(&mut std::io::stdin().lock(), "stdin")?,
        };
        if prompt.trim().is_empty() {
            return Err(
                ApiError::new(ErrorKind::Invalid, "usage", "the prompt is empty")
                    .hint("write it to stdin, or name a file with --prompt-file"),
            );
        }
        let prompt = match self.attach.as_slice() {
            [] => prompt,
            files => attach::attached(&prompt, files, world)?,
        };
        let prompt = context::told(prompt, world);
        let home = self.session.as_ref().map(|_| world.home()).transpose()?;
        let asked = Asked {
            prompt: &prompt,
            system: system.as_deref(),
            tools: &scope(&self.tools),
            model: self.model.as_deref(),
            thinking: self.thinking.as_deref(),
            session: home
                .zip(self.session)
                .map(|(home, name)| home.sessions().join(name.as_str())),
            timeout,
            cwd: project(world)?,
        };
        let mut view = AgentView::new(screen, voice);
        let report = agent_turn::run(&asked, &roster, &mut foreground()?, &mut view)
            .map_err(|error| failure(&error))?;
        view.report(&report);
        Ok(match report.error.map(|error| error.kind) {
            None => 0,
            Some(FailureKind::Auth | FailureKind::Unavailable) => ErrorKind::Agent.exit_code(),
            Some(_) => ErrorKind::Failed.exit_code(),
        })
    }
}

/// The agents that this machine and the config have, and what had a say in that.
pub(super) fn roster(
    config: &Config,
    flag: Option<&str>,
    world: &World,
) -> Result<(Roster, Choosing), ApiError> {
    let choosing = agent_turn::choosing(
        &config.files(world)?,
        world.home().ok().as_ref(),
        world.engine().trusts_everything(),
    );
    Ok((
        Roster::new(&choosing.settings, flag, project(world)?),
        choosing,
    ))
}

/// The same where an agent is to be started: a project that names agents and is not trusted is
/// refused, as in a cast.
pub(super) fn trusted(
    config: &Config,
    flag: Option<&str>,
    world: &World,
    screen: Screen,
    voice: Voice,
) -> Result<Roster, ApiError> {
    let (roster, choosing) = roster(config, flag, world)?;
    if choosing.untrusted.is_none() {
        return Ok(roster);
    }
    let files = config.files(world)?;
    let mut prompt = TrustPrompt::new(world, screen, voice);
    world.engine().require_trust(&files, &mut prompt)?;
    Ok(self::roster(config, flag, world)?.0)
}

pub(super) fn scope(words: &str) -> Tools {
    match words {
        "none" => Tools::None,
        "readOnly" => Tools::ReadOnly,
        "coding" => Tools::Coding,
        names => {
            let names = names
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty());
            Tools::Custom(names.map(str::to_owned).collect())
        }
    }
}

pub(super) use act::player;

/// An agent that is not there, as it leaves the house.
pub(super) fn missing(missing: &materia_engine::agent::Missing) -> ApiError {
    ApiError::from_error(ErrorKind::Agent, "no_agent", missing).hint(missing.hint.clone())
}

fn failure(error: &Error) -> ApiError {
    let typed = |kind, code: &str| ApiError::from_error(kind, code, error);
    match error {
        Error::Missing(missing) => typed(ErrorKind::Agent, "no_agent").hint(missing.hint.clone()),
        Error::Foreign { owner, .. } => typed(ErrorKind::Invalid, "foreign_session")
            .hint(format!("ask with --agent {owner}, or name another session")),
        Error::Dir(_) | Error::Session(_) | Error::Unreadable(_) => {
            typed(ErrorKind::Failed, "storage").hint("make room and check who may write there")
        }
        Error::Interrupted => typed(ErrorKind::Interrupted, "interrupted"),
    }
}
