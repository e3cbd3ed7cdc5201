//! `materia validate`: says everything that is wrong with config files.

use std::path::{Path, PathBuf};

use clap::Args;
use materia_engine::editor::validate::{Validation, validate};

use crate::view::{Screen, Voice};
use crate::world::World;
use materia_engine::api::ErrorKind;

/// Say everything that is wrong with loadout configs and recipes
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  materia validate .pi/pi-materia.json\n  \
    materia validate flow.json --json | jq '.files[].issues[]'\n\n\
    Exits with 2 when a file has errors; warnings alone are fine.")]
pub(super) struct Validate {
    /// Config files, each checked on top of what ships, and recipes
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

impl Validate {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> u8 {
        let project = world.cwd.as_deref().unwrap_or(Path::new(""));
        let library = super::input::library(world).ok();
        told(
            &validate(library.as_ref(), project, &self.files),
            screen,
            voice,
        )
    }
}

/// Says what was found, and gives the exit code.
pub(super) fn told(validation: &Validation, screen: Screen, voice: Voice) -> u8 {
    screen.report(validation, voice);
    if validation.ok {
        0
    } else {
        ErrorKind::Invalid.exit_code()
    }
}
