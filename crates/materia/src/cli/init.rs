//! `materia init`: writes a starter config and a recipe, and explains them.

use clap::Args;
use materia_engine::api::ApiError;

use crate::view::{OutputFormat, Screen};
use crate::world::World;

/// Write a starter loadout and a recipe into this project, and explain them
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia init\n  materia -C ~/src/visitors init\n\n\
    Nothing is overwritten: a file that is there stays as it is, and is told. The config it writes is trusted at once; \
    change it, and `materia trust` asks again."
)]
pub(super) struct Init {}

impl Init {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        screen.report(&world.engine().init()?, format);
        Ok(0)
    }
}
