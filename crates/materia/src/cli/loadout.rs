//! `materia loadout`: which loadouts there are, which one is active, what is wrong with them.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use materia_engine::config::Places;
use materia_engine::editor::loadout;
use materia_engine::editor::validate;

use super::config::{self, Config};
use super::validate::told;
use crate::view::{Screen, Voice};
use crate::world::World;
use materia_engine::api::ApiError;

/// List loadouts, check them, or make one the active one
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia loadout list\n  materia loadout use Planning-Consult\n  \
    materia loadout validate"
)]
pub(super) struct Loadout {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// List the loadouts; the active one is marked
    #[command(after_help = "Examples:\n  materia loadout list")]
    List {
        #[command(flatten)]
        config: Config,
    },
    /// Make a loadout the active one, in your own config
    #[command(after_help = "Examples:\n  materia loadout use Planning-Consult")]
    Use {
        /// Its name or id
        #[arg(value_name = "NAME")]
        name: String,
    },
    /// Check files, or without any the configs that are in effect here
    #[command(
        after_help = "Examples:\n  materia loadout validate\n  materia loadout validate .pi/pi-materia.json"
    )]
    Validate {
        /// Config files
        #[arg(value_name = "FILE", conflicts_with = "config")]
        files: Vec<PathBuf>,

        #[command(flatten)]
        config: Config,
    },
}

impl Loadout {
    pub(super) fn run(self, world: &World, screen: Screen, voice: Voice) -> Result<u8, ApiError> {
        match self.verb {
            Verb::List { config } => {
                screen.report(&loadout::list(&config.files(world)?), voice);
                Ok(0)
            }
            Verb::Use { name } => {
                let home = world.home()?;
                config::launched(&home);
                let places = Places {
                    home: Some(&home),
                    project: config::project(world)?,
                    environment: config::environment(world),
                    flag: None,
                };
                let chosen = loadout::choose_active(&home, places, &name, loadout::Reach::Own)?;
                screen.report(&chosen, voice);
                Ok(0)
            }
            Verb::Validate { files, config } if files.is_empty() => Ok(told(
                &validate::in_effect(&config.files(world)?),
                screen,
                voice,
            )),
            Verb::Validate { files, .. } => Ok(told(
                &validate::validate(None, config::project(world)?, &files),
                screen,
                voice,
            )),
        }
    }
}
