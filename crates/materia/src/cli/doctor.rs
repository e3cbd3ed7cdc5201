//! `materia doctor`: says what the promises need on this host, and whether it is there.

use clap::Args;
use materia_engine::doctor;

use super::agent::roster;
use super::config::{Config, project};
use crate::view::{Screen, Voice};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind};

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
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let (roster, choosing) = roster(&self.config, None, world)?;
        let diagnosis = doctor::doctor(&world.home()?, project(world)?, &roster, &choosing)
            .map_err(|error| ApiError::from_error(ErrorKind::Interrupted, "interrupted", &error))?;
        screen.report(&diagnosis, voice);
        Ok(if diagnosis.ok {
            0
        } else {
            ErrorKind::Failed.exit_code()
        })
    }
}
