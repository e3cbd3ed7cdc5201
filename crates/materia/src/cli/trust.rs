//! `materia trust`: shows what this project would run, and records the user's consent.

use std::path::PathBuf;

use clap::Args;
use materia_engine::api::ApiError;

use crate::view::{OutputFormat, Screen, TrustPrompt};
use crate::world::World;

/// Agree to what this project's own config would run
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia trust\n  materia trust --show\n  materia trust --list\n  \
    materia trust --revoke .\n\n\
    Shows what would run and asks. What you agree to is kept by the SHA-256 of every file: one changed byte, and you are \
    asked again. Needs a terminal; a program that runs inside a cast or a run cannot agree for you. `MATERIA_TRUST=1` accepts \
    for one process, such as in CI."
)]
pub(super) struct Trust {
    /// Show what would run, and agree to nothing
    #[arg(long, conflicts_with_all = ["list", "revoke"])]
    show: bool,

    /// List everything that you agreed to
    #[arg(long, conflicts_with = "revoke")]
    list: bool,

    /// Take it back: for a file, or for everything in a directory
    #[arg(long, value_name = "PATH")]
    revoke: Option<PathBuf>,
}

impl Trust {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let engine = world.engine();
        if self.list {
            screen.report(&engine.trust_list()?, format);
        } else if let Some(path) = &self.revoke {
            screen.report(&engine.trust_revoke(path)?, format);
        } else if self.show {
            screen.report(&engine.trust_show()?, format);
        } else {
            let mut prompt = TrustPrompt::new(world, screen, format);
            screen.report(&engine.trust(&mut prompt)?, format);
        }
        Ok(0)
    }
}
