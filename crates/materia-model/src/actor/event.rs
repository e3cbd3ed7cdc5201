//! The records of turns in a run's journal.
//!
//! Owns their names and particulars. A journal outlives versions: what is missing has a default,
//! what is unknown is skipped.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::agent::{AgentFailure, Usage};

/// A turn began.
pub const TURN_START: &str = "turn.start";
/// A message was heard while a turn ran.
pub const TURN_HEARD: &str = "turn.heard";
/// What a turn used so far; the last of them counts where a turn has no end.
pub const TURN_USAGE: &str = "turn.usage";
/// A turn is over, and what it came to.
pub const TURN_END: &str = "turn.end";

/// How much of a prompt or an answer stands in a record, in bytes; all of an answer stands in a
/// file of the run.
pub const LONGEST_TEXT: usize = 192 << 10;

/// Who plays, and how: what a run is told to be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ActorSettings {
    /// The agent's name in documents.
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thinking: Option<String>,
    /// The tools it may use, as a person writes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<String>,
    /// What it is told besides, as a part of its instructions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The file that a scripted agent plays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// The config on top of all others.
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
    /// Which turn of the run, from 1.
    pub turn: u64,
    /// The message that it answers.
    pub message: String,
    /// Who sent that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What the agent is told, bounded.
    pub prompt: String,
}

/// A message was heard while a turn ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActorMessageSeen {
    pub turn: u64,
    pub message: String,
    /// Who sent that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What it said, bounded.
    pub text: String,
}

/// What a turn used so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ActorTurnUsage {
    pub turn: u64,
    /// All its model calls together.
    pub usage: Usage,
}

/// A turn is over.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ActorTurnEnd {
    pub turn: u64,
    /// The messages that it answers: the one it began with, and those that were heard.
    pub messages: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// `ok`, or what kind of failure it was.
    pub outcome: String,
    /// The answer, bounded.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// The file of the run that has all of it, where the answer is longer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<AgentFailure>,
    /// What all model calls used.
    pub usage: Usage,
    /// The same by model.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, Usage>,
    /// What takes the conversation up again.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}
