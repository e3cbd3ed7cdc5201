//! Quests, runs and messages as the page asks for them; the answers are the facade's own reports.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A quest to add.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct QuestRequest {
    pub(in crate::web) request: String,
    pub(in crate::web) title: Option<String>,
    pub(in crate::web) loadout: Option<String>,
}

/// What becomes of a quest that is there.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", tag = "do", deny_unknown_fields)]
pub(in crate::web) enum QuestChange {
    /// Before all others.
    First {},
    /// Before another one.
    Before { target: String },
    /// Behind another one.
    After { target: String },
    /// It waits for another turn.
    Requeue {},
    /// It is taken off the board.
    Remove {},
}

/// Quests to be run.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::web) struct QuestsRun {
    /// This one first.
    pub(in crate::web) quest: Option<String>,
    /// Only one.
    pub(in crate::web) once: bool,
    pub(in crate::web) agent_script: Option<String>,
}

/// A message to somebody.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct MessageRequest {
    pub(in crate::web) to: String,
    #[serde(rename = "type")]
    pub(in crate::web) kind: String,
    #[cfg_attr(feature = "test-fakes", ts(type = "unknown"))]
    pub(in crate::web) body: Option<Value>,
    /// As whom it is said, in a room.
    #[serde(default)]
    #[cfg_attr(feature = "test-fakes", ts(optional))]
    pub(in crate::web) from: Option<String>,
    /// The message that this answers.
    #[serde(default, rename = "replyTo")]
    #[cfg_attr(feature = "test-fakes", ts(optional))]
    pub(in crate::web) reply_to: Option<String>,
}

/// Everything about one run; each part is what `inspect --json` says.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
pub(in crate::web) struct RunView {
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    pub(in crate::web) status: Value,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    pub(in crate::web) messages: Value,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    pub(in crate::web) room: Value,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    pub(in crate::web) roster: Value,
    /// What waits for the run, and what was taken.
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    pub(in crate::web) mailbox: Value,
    #[cfg_attr(
        feature = "test-fakes",
        ts(type = "{ pid: number, parent: number, depth: number, command: string }[]")
    )]
    pub(in crate::web) processes: Value,
}

/// What a run wrote.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
pub(in crate::web) struct Output {
    #[cfg_attr(feature = "test-fakes", ts(type = "\"stdout\" | \"stderr\""))]
    pub(in crate::web) stream: &'static str,
    /// Where it stands in what was written.
    #[cfg_attr(feature = "test-fakes", ts(type = "number"))]
    pub(in crate::web) from: u64,
    #[cfg_attr(feature = "test-fakes", ts(type = "number"))]
    pub(in crate::web) to: u64,
    pub(in crate::web) text: String,
}

/// A tool as it should be.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::web) struct ToolRequest {
    pub(in crate::web) name: String,
    /// A command line, or JSON when it begins with `{`, `[` or `"`.
    pub(in crate::web) template: String,
    pub(in crate::web) description: Option<String>,
    /// `name`, `name:type` or `name:type=default`.
    pub(in crate::web) args: Vec<String>,
    /// Whether it runs detached.
    pub(in crate::web) detached: bool,
    /// Whether a tool of this name is changed.
    pub(in crate::web) update: bool,
}
