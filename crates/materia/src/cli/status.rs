//! `materia status`: how the active cast stands, or the last one.

use clap::Args;
use materia_engine::cast::list;
use materia_engine::cast::start;
use materia_engine::cast::status;

use super::cast::failure;
use super::config::{Config, project};
use crate::view::{Screen, Voice};
use crate::world::World;
use materia_engine::api::ApiError;

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
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let cwd = project(world)?;
        let folder = start::casts(cwd, &self.config.files(world)?);
        let report = list::looked_at(cwd, &folder, self.id.as_deref())
            .and_then(|cast| status::status(&cast, &world.clock()))
            .map_err(|error| failure(&error))?;
        screen.report(&report, voice);
        Ok(0)
    }
}
