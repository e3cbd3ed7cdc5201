//! What a cast asks of an agent: one turn, one answer.
//!
//! Owns the trait that every agent answers through. What a turn is about comes in the words of the model; how an
//! agent is started, spoken to and stopped stays behind the trait.

use std::path::Path;

use materia_model::agent::{TurnEnd, TurnKind};
use materia_model::materia::Materia;

use crate::process::Nursery;

/// One turn, as an agent is asked for it.
#[derive(Debug, Clone, Copy)]
pub struct Turn<'a> {
    /// The socket.
    pub socket: &'a str,
    /// The role that is played: tools, model and thinking are in it.
    pub materia: &'a Materia,
    /// The key of the current item.
    pub item: Option<&'a str>,
    /// What is asked for.
    pub kind: TurnKind,
    /// Everything the agent is told.
    pub prompt: &'a str,
    /// The project directory.
    pub cwd: &'a Path,
}

/// What came of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// It ended, well or not.
    Ended(TurnEnd),
    /// The person interrupted it, and nothing of it is left running.
    Interrupted,
}

/// Something that plays agents.
pub trait Backend {
    /// Plays one turn to its end; an interrupt that the nursery tells ends it early.
    fn ask(&mut self, turn: &Turn<'_>, nursery: &mut Nursery) -> Answer;
}
