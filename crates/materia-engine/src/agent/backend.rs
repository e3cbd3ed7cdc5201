//! What is asked of an agent: one turn, one answer, and what is seen of it meanwhile.
//!
//! Owns the trait that every agent answers through and the words around it. What a turn is about
//! comes in the words of the model; how an agent is started, spoken to and stopped stays behind the
//! trait.

use std::path::Path;
use std::time::Duration;

use materia_model::agent::{TurnKind, TurnOutcome};
use materia_model::materia::AgentTools;
use serde::Serialize;

use super::roster::MissingAgent;
use crate::process::{ProcessSet, WatchId};

/// How long a turn may take that says nothing else.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(3600);

/// One turn, as an agent is asked for it.
#[derive(Debug, Clone, Copy)]
pub struct AgentTurn<'a> {
    /// The socket, or what else asks.
    pub socket: &'a str,
    /// The role that is played.
    pub materia: &'a str,
    /// The key of the current item.
    pub item: Option<&'a str>,
    /// What is asked for.
    pub kind: TurnKind,
    /// Everything the agent is told.
    pub prompt: &'a str,
    /// What it is told besides, as a part of its instructions.
    pub system: Option<&'a str>,
    /// The tools it may use.
    pub tools: &'a AgentTools,
    /// The model it asks for: `provider/id`, `provider:id` or `id`.
    pub model: Option<&'a str>,
    /// How hard it thinks.
    pub thinking: Option<&'a str>,
    /// Who should play, where that is not the general choice.
    pub agent: Option<&'a str>,
    /// What it remembers.
    pub memory: AgentMemory<'a>,
    /// How long it may take.
    pub timeout: Duration,
    /// The project directory.
    pub cwd: &'a Path,
}

/// What an agent remembers of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentMemory<'a> {
    /// Nothing before, and nothing afterwards.
    None,
    /// What was said, so that the turn can be followed by another one.
    Kept {
        /// A directory of ours that exists, for agents that keep sessions where they are told to.
        folder: &'a Path,
        /// The session of the turn before. It is continued in a copy: until our log has the end of
        /// a turn, that turn can be played again from where it began.
        from: Option<&'a str>,
    },
}

/// What came of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// It ended, well or not.
    Ended(TurnOutcome),
    /// The person interrupted it, and nothing of it is left running.
    Interrupted,
}

/// What is seen of a turn while it runs. Nothing depends on it; it is not kept for ever.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Activity {
    /// A piece of what the agent says.
    Text {
        /// The piece.
        text: String,
    },
    /// A tool begins to work.
    ToolStart {
        /// Its name.
        name: String,
        /// What it was asked for, in short.
        input: String,
    },
    /// A tool is done.
    ToolEnd {
        /// Its name.
        name: String,
        /// Whether it did what it should.
        ok: bool,
    },
    /// What the turn used so far.
    Usage {
        /// All model calls together.
        #[serde(flatten)]
        usage: materia_model::agent::Usage,
    },
    /// Something that was said to it while it works has reached it.
    Heard {
        /// What was said.
        text: String,
    },
    /// Something that a person should know: a retry, a scope of tools that the agent cannot keep.
    Notice {
        /// The sentence.
        text: String,
    },
}

/// What whoever watches a turn wants.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TurnCommand {
    /// That it goes on.
    #[default]
    GoOn,
    /// That the agent hears this while it works.
    Steer(String),
    /// That it ends, and why.
    Stop(String),
}

/// Somebody who watches a turn.
pub trait Watch {
    /// Something was seen.
    fn see(&mut self, activity: &Activity) -> TurnCommand;

    /// The descriptor of the process set that wakes it while a turn runs, where there is one.
    fn wakes(&self) -> Option<WatchId> {
        None
    }

    /// It was woken, and has read that descriptor when it returns.
    fn woken(&mut self) -> Vec<TurnCommand> {
        Vec::new()
    }
}

/// Nobody.
#[derive(Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn see(&mut self, _: &Activity) -> TurnCommand {
        TurnCommand::GoOn
    }
}

/// Something that plays agents.
pub trait Backend {
    /// Whether a role can be played whose materia names this agent, or none; asked before anything
    /// is started.
    fn can_play(&self, _agent: Option<&str>) -> Result<(), MissingAgent> {
        Ok(())
    }

    /// Plays one turn to its end; an interrupt that the process set tells ends it early.
    fn ask(
        &mut self,
        turn: &AgentTurn<'_>,
        processes: &mut ProcessSet,
        watch: &mut dyn Watch,
    ) -> Answer;
}
