//! The vocabulary of agents: what a turn is asked for, how it ends, and what it costs.
//!
//! Owns the kinds of turns and failures and the counting of usage. Names no agent and knows no
//! protocol: what is specific to one lives in `engine::agent`, which answers in these words.

mod kind;
mod usage;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use kind::AgentFailureKind;
pub use usage::Usage;

/// What a turn is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnKind {
    /// The work of the socket; the first reply of a conversation.
    Work,
    /// One more reply in a conversation.
    Refine,
    /// The final answer of a conversation.
    Finalise,
    /// The same answer again, this time as the contract asks.
    Repair,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnOutcome {
    /// The text of the last message, or why there is none.
    pub reply: Result<String, AgentFailure>,
    /// What all model calls of the turn cost together.
    pub usage: Usage,
    /// The same by model, where the agent says which it asked.
    pub models: BTreeMap<String, Usage>,
    pub agent: Option<String>,
    /// What takes the conversation up again, where it was kept.
    pub session: Option<String>,
}

impl TurnOutcome {
    /// An end of which no more is known than its answer and its cost.
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
    /// What the agent said about it.
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// How long the provider wants to be left alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl AgentFailure {
    /// A failure of a kind.
    pub fn new(kind: AgentFailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            retry_after_ms: None,
        }
    }

    /// The failure that an error text tells, with an HTTP status where one is known.
    pub fn read(status: Option<u16>, message: &str) -> Self {
        let kind =
            AgentFailureKind::of_status(status.or_else(|| kind::status_in(message)), message);
        Self {
            retry_after_ms: kind::wait_in(message),
            ..Self::new(kind, message)
        }
    }

    /// The same failure, with what the person can do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
