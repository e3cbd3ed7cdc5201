//! `materia cast-show`: shows the steps, events and files of one cast.

use clap::Args;
use materia_engine::api::{ApiError, CastParts, CastShowRequest};

use super::config::Config;
use crate::view::{OutputFormat, Screen};
use crate::world::World;

/// Show what a cast did, step by step
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia cast-show\n  materia cast-show 2026-01-01T00-00 --artifacts\n  \
    materia cast-show 2026-01-01T00-00 --events --json\n\n\
    A step is one visit of a socket; `materia fork ID --at STEP` begins a new cast behind one."
)]
pub(super) struct CastShow {
    /// Its id, the beginning of its id, or its directory; the running one or the newest where
    /// nothing is said
    #[arg(value_name = "ID")]
    id: Option<String>,

    /// Every event of its log
    #[arg(long)]
    events: bool,

    /// Every file in its directory
    #[arg(long)]
    artifacts: bool,

    #[command(flatten)]
    config: Config,
}

impl CastShow {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let request = CastShowRequest {
            parts: CastParts {
                events: self.events,
                artifacts: self.artifacts,
                ..CastParts::default()
            },
            config: self.config.named(),
            cast: self.id,
        };
        screen.report(&world.engine().cast_show(&request)?, format);
        Ok(0)
    }
}
