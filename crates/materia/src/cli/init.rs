//! `materia init`: writes a starter config and a recipe, and explains them.

use clap::Args;
use materia_engine::verb::init;

use super::config::project;
use crate::failure::{Failure, Kind};
use crate::view::{Screen, Voice};
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
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, Failure> {
        let operator = world.within().is_none() && world.session(None).is_none();
        let report = init::init(project(world)?, &world.home()?, operator, &world.clock())?;
        screen.report(&report, voice);
        Ok(0)
    }
}

impl From<init::Error> for Failure {
    fn from(error: init::Error) -> Self {
        match error {
            init::Error::Read(error) => error.into(),
            init::Error::Trust(error) => (&error).into(),
            init::Error::Dir(_) | init::Error::Write(_) => {
                Self::from_error(Kind::Failed, "storage", &error)
                    .hint("check who may write here, or name another directory with `-C`")
            }
        }
    }
}
