//! The lifecycle records of a run's journal.
//!
//! Owns their names and fields. Messages are in the same journal; this module reads only the two
//! types that end a run. A journal outlives versions of the program: a missing field has a default,
//! an unknown one is skipped.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::state::RunStatus;

/// A generation started.
pub const RUN_START: &str = "run.start";
/// A generation ended; exactly one for each.
pub const RUN_END: &str = "run.end";
/// A command was started.
pub const COMMAND_START: &str = "command.start";
/// A command ended.
pub const COMMAND_DONE: &str = "command.done";
/// A message was posted.
pub const MESSAGE: &str = "message";
/// A run was spawned by a program inside this one.
pub const CHILD_START: &str = "child.start";
/// Such a run ended.
pub const CHILD_END: &str = "child.end";

/// The start of a generation, with its whole configuration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunStart {
    /// The unique id of this start.
    pub generation: String,
    pub run: String,
    /// The session that owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The parent run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The directory of its commands.
    pub cwd: String,
    /// What started it.
    pub origin: RunOrigin,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The template, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The cast that it drives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cast: Option<DrivenCast>,
    /// The agent of the run: an `actor::ActorSettings`, which `actor` reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub values: Map<String, Value>,
    /// The artifacts it declares.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub artifacts: BTreeMap<String, DeclaredArtifact>,
    /// Its mailbox contract.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mailbox: Option<Value>,
    /// When it ends by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retire_when: Option<RetireWhen>,
    /// The action when its session ends.
    #[serde(skip_serializing_if = "OnSessionEnd::is_keep")]
    pub on_session_end: OnSessionEnd,
    /// Its supervisor process.
    pub supervisor: RunSupervisor,
}

/// The origin of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunOrigin {
    /// `spawn`.
    #[default]
    Spawn,
    /// A tool that runs in the background.
    Tool,
    Recipe,
    Cast,
    /// An agent as an actor.
    Agent,
}

/// The cast that a run drives.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "DrivenCast"))]
pub struct DrivenCast {
    /// Its id.
    pub id: String,
    /// Its directory.
    pub dir: String,
    /// Its loadout.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub loadout: String,
}

/// An artifact that a run declares.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredArtifact {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Whether the run fails without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

/// When a run ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "RunRetireWhen")
)]
pub enum RetireWhen {
    /// When every run that was spawned inside it is over, and there was one.
    ChildrenTerminal,
}

/// The action when the session of a run ends (A9).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnSessionEnd {
    /// None.
    #[default]
    Keep,
    Kill,
}

impl OnSessionEnd {
    fn is_keep(&self) -> bool {
        *self == Self::Keep
    }
}

/// The supervisor of a run: one process of one boot of the machine (A3).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSupervisor {
    pub pid: i32,
    /// Its start time, in clock ticks since boot.
    pub start: u64,
    pub boot: String,
}

/// A command was started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CommandStart {
    /// The number of the command in this generation, from 1.
    pub n: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The command; long words are truncated.
    pub argv: Vec<String>,
}

/// A command ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CommandDone {
    pub n: u64,
    /// Its exit code, as a shell would give it.
    pub code: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Whether a timeout ended it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    pub duration_ms: u64,
}

/// A generation ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunEnd {
    pub generation: String,
    pub status: RunStatus,
    /// The exit code of its root, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    /// The signal that ended its root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The evidence for the end, if no supervisor observed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// Whether something failed although the run succeeded.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub degraded: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Value>,
}

/// A run was spawned inside this one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChildStart {
    pub run: String,
    pub generation: String,
}

/// A run that was spawned inside this one ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChildEnd {
    pub run: String,
    pub generation: String,
    pub status: RunStatus,
}

/// A request to the supervisor of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunControl {
    /// End everything; the run counts as killed.
    Kill,
    /// End everything; the run counts as cancelled.
    Cancel,
}

impl RunControl {
    /// The type of such a message.
    pub fn word(self) -> &'static str {
        match self {
            Self::Kill => "control.kill",
            Self::Cancel => "control.cancel",
        }
    }

    /// The status of the run afterwards.
    pub fn status(self) -> RunStatus {
        match self {
            Self::Kill => RunStatus::Killed,
            Self::Cancel => RunStatus::Cancelled,
        }
    }

    /// The request in a message record to a generation of a run, if it is one.
    pub fn of(data: &Value, run: &str, generation: &str) -> Option<Self> {
        let text = |key: &str| data.get(key).and_then(Value::as_str);
        let ours = text("to").and_then(|to| to.strip_prefix("run:")) == Some(run);
        if !ours || text("generation").is_some_and(|meant| meant != generation) {
            return None;
        }
        [Self::Kill, Self::Cancel]
            .into_iter()
            .find(|control| text("type") == Some(control.word()))
    }
}
