//! `materia doctor`: checks whether this machine has what materia's guarantees need.

use clap::Args;
use materia_engine::api::{ApiError, DoctorRequest};

use super::config::Config;
use crate::view::{OutputFormat, Screen};
use crate::world::World;

/// Check what the promises need on this machine, and which agents are found
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia doctor\n  materia doctor --json | jq '.checks[] | select(.health != \"good\")'\n\n\
    Exits with 1 when a promise cannot be kept here."
)]
pub(super) struct Doctor {
    #[command(flatten)]
    config: Config,
}

impl Doctor {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let config = self.config.named();
        let report = world.engine().doctor(&DoctorRequest { config })?;
        screen.report(&report, format);
        Ok(report.exit_code())
    }
}
