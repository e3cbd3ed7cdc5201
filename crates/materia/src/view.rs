//! What people and programs see. The only room that prints.
//!
//! Owns the screen, its colours and the two voices: for people, and `--json` for programs. Says
//! what the verbs report and computes nothing of its own. stdout is data, stderr is talk.

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

/// Who is listening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// A person.
    Human,
    /// A program: exactly one JSON document on stdout.
    Json,
}

impl OutputFormat {
    /// For whom the engine answers.
    pub fn audience(self) -> Audience {
        match self {
            Self::Human => Audience::Person,
            Self::Json => Audience::Program,
        }
    }

    /// Who listens, as far as the bare words tell: for failures before, or outside, the parsing of
    /// them.
    pub fn of(world: &World) -> Self {
        if world.args.iter().any(|word| word == "--json") {
            Self::Json
        } else {
            Self::Human
        }
    }
}
