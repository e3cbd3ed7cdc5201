//! Output for people and programs. The only module that prints.
//!
//! Owns the screen, its colours and the two output formats: text for people, and `--json` for
//! programs. Renders the engine's reports and computes nothing itself. Results go to stdout,
//! messages to stderr.

pub mod style;
mod screen;
mod actor;
mod agent;
mod doctor;
mod grid;
mod inspect;
mod mail;
mod loadout;
mod message;
mod recipe;
mod template;
mod trust;
mod utility;
mod block;
mod ticker;
mod strip;
mod stage;
mod step;
mod live;
mod relay;
mod run;
mod skill;
mod spawn;
mod status;
mod waiting;
mod cast;
pub mod amounts;
mod casts;
mod cast_show;
mod cast_status;
mod demo;
mod init;
mod plan;
mod budget;
mod quest;
mod validate;
mod ui;
mod page;
mod import;

pub use actor::ActorView;
pub use agent::AgentView;
pub use cast::CastView;
pub use grid::painted;
pub use inspect::FollowView;
pub use message::{NewsView, ReceiveView};
pub use page::page;
pub use run::RunView;
pub use screen::{Report, Screen};
pub use template::Words;
pub use trust::TrustPrompt;
pub use ui::{Agents, Serving};
pub use utility::UtilityView;
pub use waiting::WaitView;

use crate::world::World;
use materia_engine::api::Audience;

/// The format in which results and errors are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// Text for people.
    Human,
    /// Exactly one JSON document on stdout, for programs.
    Json,
}

impl OutputFormat {
    /// The audience to pass to the engine.
    pub fn audience(self) -> Audience {
        match self {
            Self::Human => Audience::Person,
            Self::Json => Audience::Program,
        }
    }

    /// The format that the raw arguments ask for. Used for errors before or outside argument
    /// parsing.
    pub fn of(world: &World) -> Self {
        if world.args.iter().any(|word| word == "--json") {
            Self::Json
        } else {
            Self::Human
        }
    }
}
