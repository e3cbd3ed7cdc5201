//! `materia cast`: runs a request through a loadout.

use std::path::PathBuf;

use clap::Args;
use materia_engine::api::{AgentChoice, ApiError, CastOptions, CastRequest};

use super::config::Config;
use crate::view::{CastView, OutputFormat, Screen};
use crate::world::World;

/// Drive a request through a loadout
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    materia cast --config hello.json \"say hello\"\n  \
    materia cast --config flow.json --loadout Review \"look at the last commit\"\n  \
    materia cast --agent pi \"fix the failing test\"\n  \
    materia cast --config flow.json --agent-script replies.json --json \"try it without a model\"\n\n\
    Everything that happens is kept in the cast's directory, which the last line names. Exits with 0 when the cast is \
    complete or paused, 1 when it failed, 2 when the definition is wrong and nothing was started, 6 without an agent, 7 \
    at a limit. Ctrl-C stops the running step and leaves the cast resumable.")]
pub(super) struct Cast {
    /// What should be done
    #[arg(value_name = "REQUEST")]
    request: String,

    /// The loadout to use instead of the active one
    #[arg(long, value_name = "NAME")]
    loadout: Option<String>,

    /// Answer at once and let the cast run on by itself
    #[arg(long)]
    detach: bool,

    #[command(flatten)]
    config: Config,

    #[command(flatten)]
    agents: AgentArgs,
}

/// Which agents play.
#[derive(Debug, Clone, Args)]
pub(super) struct AgentArgs {
    /// The agent that plays roles which name none
    #[arg(long, value_name = "A")]
    pub(super) agent: Option<String>,

    /// A file with the replies of a scripted agent
    #[arg(long, value_name = "F", conflicts_with = "agent")]
    pub(super) agent_script: Option<PathBuf>,
}

impl Cast {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let request = CastRequest {
            request: self.request,
            loadout: self.loadout,
            options: self.agents.options(self.config, self.detach),
        };
        let mut view = CastView::new(world, screen, format);
        let report = world.engine().cast(&request, &mut view)?;
        view.report(&report);
        Ok(report.exit_code())
    }
}

impl AgentArgs {
    /// The agents in the form of an engine request.
    pub(super) fn choice(self) -> AgentChoice {
        AgentChoice {
            agent: self.agent,
            script: self.agent_script,
        }
    }

    /// The options in the form of an engine request.
    pub(super) fn options(self, config: Config, detach: bool) -> CastOptions {
        CastOptions {
            config: config.named(),
            agents: self.choice(),
            detach,
        }
    }
}
