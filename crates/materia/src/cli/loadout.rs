//! `materia loadout`: lists and validates loadouts, and selects the active one.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use materia_engine::api::{
    ActiveLoadoutRequest, ActiveReach, ApiError, LoadoutsRequest, ValidateLoadoutsRequest,
};

use super::config::Config;
use super::validate::told;
use crate::view::{OutputFormat, Screen};
use crate::world::World;

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
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let engine = world.engine();
        match self.verb {
            Verb::List { config } => {
                let config = config.named();
                screen.report(&engine.loadouts(&LoadoutsRequest { config })?, format);
                Ok(0)
            }
            Verb::Use { name } => {
                let reach = ActiveReach::User;
                let request = ActiveLoadoutRequest { name, reach };
                screen.report(&engine.choose_active(&request)?, format);
                Ok(0)
            }
            Verb::Validate { files, config } => {
                let config = config.named();
                let report =
                    engine.validate_loadouts(&ValidateLoadoutsRequest { files, config })?;
                Ok(told(&report, screen, format))
            }
        }
    }
}
