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
}

/// Everything about one run; each part is what `inspect --json` says.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
pub(in crate::web) struct RunView {
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    pub(in crate::web) status: Value,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    pub(in crate::web) tail: Value,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    pub(in crate::web) messages: Value,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    pub(in crate::web) room: Value,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    pub(in crate::web) roster: Value,
}
