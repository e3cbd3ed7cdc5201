//! What people and programs see. The only room that prints.
//!
//! Owns the screen, its colours and the two voices: for people, and `--json` for programs. Says what the verbs
//! report and computes nothing of its own. stdout is data, stderr is talk.

pub mod style;
mod screen;
mod doctor;
mod loadout;
mod template;
mod utility;
mod live;
mod run;
mod validate;

pub use run::RunView;
pub use screen::{Report, Screen};
pub use template::Words;

/// Who is listening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Voice {
    /// A person.
    Human,
    /// A program: exactly one JSON document on stdout.
    Json,
}
