//! The interface to an agent: one turn, one answer, and its activity meanwhile.
//!
//! Owns the trait that every agent implements and its types. A turn is described in the terms of
//! the model. How an agent is started, driven and stopped stays behind the trait.

use std::path::Path;
use std::time::Duration;

use materia_model::agent::{TurnKind, TurnOutcome};
use materia_model::materia::AgentTools;
use serde::Serialize;

use super::roster::MissingAgent;
use crate::process::{ProcessSet, WatchId};

/// The default time limit of a turn.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(3600);

/// A request for one turn of an agent.
#[derive(Debug, Clone, Copy)]
pub struct AgentTurn<'a> {
    /// The socket, or another name of the caller.
    pub socket: &'a str,
    /// The role that is played.
    pub materia: &'a str,
    /// The key of the current item.
    pub item: Option<&'a str>,
    /// The kind of answer expected.
    pub kind: TurnKind,
    /// The prompt.
    pub prompt: &'a str,
    /// Additional text for its instructions.
    pub system: Option<&'a str>,
    /// The tools it may use.
    pub tools: &'a AgentTools,
    /// The model it asks for: `provider/id`, `provider:id` or `id`.
    pub model: Option<&'a str>,
    /// How hard it thinks.
    pub thinking: Option<&'a str>,
    /// The agent to use instead of the default.
    pub agent: Option<&'a str>,
    /// What it remembers of earlier turns.
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
        /// An existing directory of ours, for agents whose session directory can be set.
        folder: &'a Path,
        /// The session of the previous turn. It is continued in a copy: until our log has the end
        /// of a turn, that turn can be repeated from its beginning.
        from: Option<&'a str>,
    },
}

/// The result of a turn.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// It ended with an answer or a failure.
    Ended(TurnOutcome),
    /// The user interrupted it, and none of its processes is left running.
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

/// What the watcher of a turn wants.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TurnCommand {
    /// Continue.
    #[default]
    GoOn,
    /// Send this text to the agent while it works.
    Steer(String),
    /// End the turn, for this reason.
    Stop(String),
}

/// Watches a turn.
pub trait Watch {
    /// Receives an activity and returns what to do.
    fn see(&mut self, activity: &Activity) -> TurnCommand;

    /// The descriptor of the process set that wakes it during a turn, if there is one.
    fn wakes(&self) -> Option<WatchId> {
        None
    }

    /// Called when that descriptor is readable. It has read the descriptor when it returns.
    fn woken(&mut self) -> Vec<TurnCommand> {
        Vec::new()
    }
}

/// A watcher that ignores everything.
#[derive(Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn see(&mut self, _: &Activity) -> TurnCommand {
        TurnCommand::GoOn
    }
}

/// Plays turns of agents.
pub trait Backend {
    /// Whether a role can be played whose materia names this agent, or none. Checked before
    /// anything is started.
    fn can_play(&self, _agent: Option<&str>) -> Result<(), MissingAgent> {
        Ok(())
    }

    /// Plays one turn to its end. An interrupt that the process set reports ends it early.
    fn ask(
        &mut self,
        turn: &AgentTurn<'_>,
        processes: &mut ProcessSet,
        watch: &mut dyn Watch,
    ) -> Answer;
}
