//! `materia casts`: lists the casts of the project.

use clap::Args;
use clap::builder::PossibleValuesParser;
use materia_engine::api::{ApiError, CastListRequest, ObservedStatus};

use super::config::Config;
use crate::view::{OutputFormat, Screen};
use crate::world::World;

/// The number of casts shown to people without `--limit`.
const DEFAULT_LIMIT: usize = 20;

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
    #[arg(long, value_name = "STATUS", value_parser = PossibleValuesParser::new(ObservedStatus::ALL.map(ObservedStatus::as_str)), hide_possible_values = true)]
    status: Option<String>,

    #[command(flatten)]
    config: Config,
}

impl Casts {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let is_named = |status: &ObservedStatus| self.status.as_deref() == Some(status.as_str());
        let request = CastListRequest {
            limit: self
                .limit
                .or((format == OutputFormat::Human).then_some(DEFAULT_LIMIT)),
            status: ObservedStatus::ALL.into_iter().find(is_named),
            config: self.config.named(),
        };
        screen.report(&world.engine().casts(&request)?, format);
        Ok(0)
    }
}
