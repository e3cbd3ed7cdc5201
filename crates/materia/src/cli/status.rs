//! `materia status`: shows the state of the active cast, or of the last one.

use clap::Args;
use materia_engine::api::{ApiError, CastStatusRequest};

use super::config::Config;
use crate::view::{OutputFormat, Screen};
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
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let request = CastStatusRequest {
            config: self.config.named(),
            cast: self.id,
        };
        screen.report(&world.engine().cast_status(&request)?, format);
        Ok(0)
    }
}
