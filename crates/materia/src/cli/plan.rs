//! `materia plan`: computes how many turns a loadout takes at most, without calling a model.

use clap::Args;
use materia_engine::api::{ApiError, PlanRequest};

use super::config::Config;
use crate::view::{OutputFormat, Screen};
use crate::world::World;

/// Say how many turns a loadout takes at most, without asking a model
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia plan\n  materia plan Release --items 20\n\n\
    `smooth` is a cast in which everything is accepted at once; `at most` takes every way back as often as its limit \
    allows. An answer that must be JSON may need one repair, which is counted; turns that fail and are tried again are not."
)]
pub(super) struct Plan {
    /// Its name or id; without it, the active one
    #[arg(value_name = "LOADOUT")]
    loadout: Option<String>,

    /// How long the lists are that its loops work through
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u64).range(0..=100_000))]
    items: u64,

    #[command(flatten)]
    config: Config,
}

impl Plan {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let plan = world.engine().plan(&PlanRequest {
            loadout: self.loadout,
            items: self.items,
            config: self.config.named(),
        })?;
        if format == OutputFormat::Human {
            screen.findings(&plan.warnings);
        }
        screen.report(&plan, format);
        Ok(0)
    }
}
