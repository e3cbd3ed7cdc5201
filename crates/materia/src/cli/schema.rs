//! `materia schema`: prints the JSON Schemas of user-written documents, for editors.

use clap::{Args, ValueEnum};
use materia_model::cast::event;
use materia_model::{loadout, message, recipe};

use crate::view::Screen;

/// Print the JSON Schema of a kind of document, for editors
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  materia schema loadout > materia.schema.json\n\n\
    Name it in your config as \"$schema\"."
)]
pub(super) struct Schema {
    /// The kind of document
    #[arg(value_enum, value_name = "KIND")]
    kind: Kind,
}

/// What has a schema.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// The log of a cast
    Events,
    /// Configs with loadouts and materia
    Loadout,
    /// Messages between actors
    Message,
    /// Recipes
    Recipe,
}

impl Schema {
    pub(super) fn run(self, screen: Screen) -> u8 {
        match self.kind {
            Kind::Events => screen.document(&event::schema()),
            Kind::Loadout => screen.document(&loadout::schema()),
            Kind::Message => screen.document(&message::schema()),
            Kind::Recipe => screen.document(&recipe::schema()),
        }
        0
    }
}
