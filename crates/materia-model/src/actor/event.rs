//! The records of turns in a run's journal.
//!
//! Owns their names and fields. A journal outlives versions of the program: a missing field has a
//! default, an unknown one is skipped.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::agent::{AgentFailure, Usage};

/// A turn began.
pub const TURN_START: &str = "turn.start";
/// The agent read a message while a turn ran.
pub const TURN_HEARD: &str = "turn.heard";
/// Usage of a turn so far. The last such record counts if a turn has no end.
pub const TURN_USAGE: &str = "turn.usage";
/// A turn ended, with its outcome.
pub const TURN_END: &str = "turn.end";

/// The maximum size of a prompt or an answer in a record, in bytes. A file of the run holds the
/// whole answer.
pub const LONGEST_TEXT: usize = 192 << 10;

/// The agent of a run and its configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ActorSettings {
    /// The agent's name in documents.
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// The tools it may use, as the user writes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<String>,
    /// Text to add to its instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The script of a scripted agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// The config file that overrides all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<String>,
    /// How long a turn may take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

/// A turn began.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActorTurnStart {
    /// The number of the turn in the run, from 1.
    pub turn: u64,
    /// The message that it answers.
    pub message: String,
    /// The sender of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The prompt that the agent gets, truncated.
    pub prompt: String,
}

/// The agent read a message while a turn ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActorMessageSeen {
    pub turn: u64,
    pub message: String,
    /// The sender of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The text of the message, truncated.
    pub text: String,
}

/// Usage of a turn so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActorTurnUsage {
    pub turn: u64,
    /// The sum over its model calls.
    pub usage: Usage,
}

/// A turn ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ActorTurnEnd {
    pub turn: u64,
    /// The messages that it answers: the one that started it, and those read during it.
    pub messages: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// `ok`, or the kind of failure.
    pub outcome: String,
    /// The answer, truncated.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The file of the run with the whole answer, if it was truncated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<AgentFailure>,
    /// The sum over all model calls.
    pub usage: Usage,
    /// The usage by model.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, Usage>,
    /// The session handle to resume the conversation with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}
