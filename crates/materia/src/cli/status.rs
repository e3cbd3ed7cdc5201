//! `materia status`: how the active cast stands, or the last one.

use clap::Args;
use materia_engine::verb::{cast, cast_status, casts};

use super::cast::failure;
use super::config::{Config, project};
use crate::failure::Failure;
use crate::view::{Screen, Voice};
use crate::world::World;

/// Say where a cast is, what is left of its budget and what it needs from you
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  materia status\n  materia status 2026-01-01T00-00 --json")]
pub(super) struct Status {
    /// Its id, the beginning of its id, or its directory; the running one or the newest where
    /// nothing is said
    #[arg(value_name = "ID")]
    id: Option<String>,

    #[command(flatten)]
    config: Config,
}

impl Status {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, Failure> {
        let cwd = project(world)?;
        let folder = cast::casts(cwd, &self.config.files(world)?);
        let report = casts::looked_at(cwd, &folder, self.id.as_deref())
            .and_then(|cast| cast_status::status(&cast, &world.clock()))
            .map_err(|error| failure(&error))?;
        screen.report(&report, voice);
        Ok(0)
    }
}
