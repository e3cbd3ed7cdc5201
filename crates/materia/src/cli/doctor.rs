//! `materia doctor`: says what the promises need on this host, and whether it is there.

use clap::Args;

use crate::failure::Failure;
use crate::view::{Screen, Voice};
use crate::world::World;

/// Check what the promises need on this machine, and which agents are found
#[derive(Debug, Args)]
pub(super) struct Doctor {}

impl Doctor {
    pub(super) fn run(self, world: &World, _screen: Screen, _voice: Voice) -> Result<u8, Failure> {
        let _home = world.home()?;
        Ok(0)
    }
}
