//! The vocabulary of agents: kinds of turns, their outcomes, and usage.
//!
//! Owns the kinds of turns and failures and the counting of usage. Names no agent and knows no
//! protocol: both live in `engine::agent`, which returns these types.

mod kind;
mod usage;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use kind::AgentFailureKind;
pub use usage::Usage;

/// The purpose of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnKind {
    /// The work of the socket; the first turn of a conversation.
    Work,
    /// One more turn in a conversation.
    Refine,
    /// The turn that asks for the final answer of a conversation.
    Finalise,
    /// The same answer again, in the form that the contract requires.
    Repair,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnOutcome {
    /// The text of the last message, or the reason why there is none.
    pub reply: Result<String, AgentFailure>,
    /// The usage of all model calls of the turn.
    pub usage: Usage,
    /// The usage by model, if the agent reports the model.
    pub models: BTreeMap<String, Usage>,
    pub agent: Option<String>,
    /// The handle to resume the conversation with, if the agent kept it.
    pub session: Option<String>,
}

impl TurnOutcome {
    /// An end with only an answer and its usage.
    pub fn new(reply: Result<String, AgentFailure>, usage: Usage) -> Self {
        Self {
            reply,
            usage,
            models: BTreeMap::new(),
            agent: None,
            session: None,
        }
    }
}

/// Why a turn gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentFailure {
    pub kind: AgentFailureKind,
    /// The agent's error message.
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// How long the provider asks us to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl AgentFailure {
    /// Creates a failure of the given kind.
    pub fn new(kind: AgentFailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            retry_after_ms: None,
        }
    }

    /// Classifies an error text, with its HTTP status if known.
    pub fn read(status: Option<u16>, message: &str) -> Self {
        let kind =
            AgentFailureKind::of_status(status.or_else(|| kind::status_in(message)), message);
        Self {
            retry_after_ms: kind::wait_in(message),
            ..Self::new(kind, message)
        }
    }

    /// Adds a hint for the user.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
