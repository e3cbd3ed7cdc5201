//! `materia fork`: starts a new cast from a finished step of another one.

use clap::Args;
use materia_engine::api::{ApiError, ForkReport, ForkRequest};

use super::cast::AgentArgs;
use super::config::Config;
use crate::view::{CastView, OutputFormat, Screen};
use crate::world::World;

/// Begin a new cast behind a finished step of another one
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  materia fork 2026-01-01T00-00 --at 3\n  \
    materia fork 2026-01-01T00-00 --at Socket-4:1 --hold\n\n\
    `materia cast-show ID` numbers the steps. The new cast has everything that the other one had come to behind that \
    step, and goes on from there; the other one stays as it is. The files of the project are not turned back: do that \
    with your version control.")]
pub(super) struct Fork {
    /// The id of the other cast, the beginning of its id, or its directory
    #[arg(value_name = "ID")]
    id: String,

    /// A finished step: its number, or its socket and visit
    #[arg(long, value_name = "STEP")]
    at: String,

    /// Only make the new cast; `materia resume` goes on with it
    #[arg(long)]
    hold: bool,

    /// Answer at once and let the new cast run on by itself
    #[arg(long, conflicts_with = "hold")]
    detach: bool,

    #[command(flatten)]
    config: Config,

    #[command(flatten)]
    agents: AgentArgs,
}

impl Fork {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let request = ForkRequest {
            cast: self.id,
            at: self.at,
            hold: self.hold,
            options: self.agents.options(self.config, self.detach),
        };
        let mut view = CastView::new(world, screen, format);
        match world.engine().fork(&request, &mut view)? {
            ForkReport::Held(status) => {
                screen.report(&status, format);
                Ok(0)
            }
            ForkReport::Driven(report) => {
                view.report(&report);
                Ok(report.exit_code())
            }
        }
    }
}
