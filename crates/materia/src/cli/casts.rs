//! `materia casts`: lists the casts of the project.

use clap::Args;
use materia_engine::cast::list;
use materia_engine::cast::start;

use super::config::{Config, project};
use crate::view::{Screen, Voice};
use crate::world::World;
use materia_engine::api::ApiError;

/// How many casts a person sees when they do not say.
const USUAL: usize = 20;

/// List the casts of this project, the newest first
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia casts\n  materia casts --status interrupted\n  \
    materia casts --json | jq '.casts[].castId'\n\n\
    A cast is `running` only while the process that drives it lives; one whose driver died is `interrupted` and \
    can be resumed. People see the newest 20, programs all of them, unless --limit says otherwise."
)]
pub(super) struct Casts {
    /// At most so many
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// Only those that are running, interrupted, paused, complete, failed or aborted
    #[arg(long, value_name = "STATUS", value_parser = ["running", "interrupted", "paused", "complete", "failed", "aborted", "unreadable"], hide_possible_values = true)]
    status: Option<String>,

    #[command(flatten)]
    config: Config,
}

impl Casts {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        let folder = start::casts(project(world)?, &self.config.files(world)?);
        let limit = self.limit.or((voice == Voice::Human).then_some(USUAL));
        let filter = list::Filter {
            limit,
            status: self.status.as_deref(),
        };
        screen.report(&list::list(&folder, &filter, &world.clock()), voice);
        Ok(0)
    }
}
