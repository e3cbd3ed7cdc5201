//! `materia agent`: runs one turn of an agent, or lists the agents.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use materia_engine::api::{
    AgentListRequest, AgentOptions, AgentPrompt, AgentRequest, ApiError, ErrorKind,
};
use materia_model::name::RunId;

use super::config::Config;
use super::input;
use crate::view::{ActorView, AgentView, OutputFormat, Screen};
use crate::world::World;

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
    /// Play the agent that this run is
    #[command(hide = true)]
    Act,
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
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        match self.what {
            What::Run(run) => run.run(world, screen, format),
            What::List(list) => {
                let config = list.config.named();
                let agents = world.engine().agents(&AgentListRequest { config })?;
                screen.report(&agents, format);
                Ok(agents.exit_code())
            }
            What::Act => {
                world.engine().act(&mut ActorView::new(screen))?;
                Ok(ErrorKind::Interrupted.exit_code())
            }
        }
    }
}

impl Run {
    fn run(self, world: &World, screen: Screen, format: OutputFormat) -> Result<u8, ApiError> {
        let prompt = self.prompt_file.unwrap_or_else(|| PathBuf::from("-"));
        let request = AgentRequest {
            agent: self.agent,
            options: AgentOptions {
                model: self.model,
                thinking: self.thinking,
                tools: Some(self.tools),
                system: self.system,
                timeout: Some(self.timeout),
                config: self.config.named(),
            },
            prompt: AgentPrompt::Input(input::input(prompt)?),
            attachments: self.attach,
            conversation: self.session,
        };
        let mut view = AgentView::new(world, screen, format);
        let report = world.engine().ask_agent(request, &mut view)?;
        view.report(&report);
        Ok(report.exit_code())
    }
}
