//! The records of a run's journal that concern its life.
//!
//! Owns their names and particulars. Messages stand in the same journal; of them only the two that
//! end a run are read here. A journal outlives versions: what is missing has a default, what is
//! unknown is skipped.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::state::RunStatus;

/// A generation began.
pub const RUN_START: &str = "run.start";
/// A generation is over; exactly one for each.
pub const RUN_END: &str = "run.end";
/// A command was started.
pub const COMMAND_START: &str = "command.start";
/// A command is over.
pub const COMMAND_DONE: &str = "command.done";
/// Something was posted.
pub const MESSAGE: &str = "message";
/// A run was spawned by a program inside this one.
pub const CHILD_START: &str = "child.start";
/// Such a run is over.
pub const CHILD_END: &str = "child.end";

/// How a generation began, and everything that it runs by.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunStart {
    /// The id of this start; every start has another.
    pub generation: String,
    pub run: String,
    /// The session that owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The run inside which it was spawned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// Where its commands run.
    pub cwd: String,
    /// Who wanted it.
    pub origin: RunOrigin,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipe_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The template, as it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The cast that it drives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cast: Option<DrivenCast>,
    /// The agent that it is: an `actor::Order`, which is read where actors are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Value>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub values: Map<String, Value>,
    /// What it promises to make.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub artifacts: BTreeMap<String, DeclaredArtifact>,
    /// What it accepts and emits, and how it is delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mailbox: Option<Value>,
    /// When it ends by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retire_when: Option<RetireWhen>,
    /// What happens to it when its session ends.
    #[serde(skip_serializing_if = "OnSessionEnd::is_keep")]
    pub on_session_end: OnSessionEnd,
    /// Who watches over it.
    pub supervisor: RunSupervisor,
}

/// Who wanted a run.
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

/// Something that a run promises to make.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeclaredArtifact {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// Whether the run has failed without it.
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

/// What happens to a run when its session ends (A9).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnSessionEnd {
    /// Nothing.
    #[default]
    Keep,
    Kill,
}

impl OnSessionEnd {
    fn is_keep(&self) -> bool {
        *self == Self::Keep
    }
}

/// Who watches over a run: one process of one boot of the machine (A3).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunSupervisor {
    pub pid: i32,
    /// When it started, in clock ticks since boot.
    pub start: u64,
    pub boot: String,
}

/// A command was started.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CommandStart {
    /// Which command of this generation, from 1.
    pub n: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// The command; long words are cut.
    pub argv: Vec<String>,
}

/// A command is over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CommandDone {
    pub n: u64,
    /// Its exit code, as a shell would give it.
    pub code: i32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    /// Whether a deadline ended it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub timed_out: bool,
    pub duration_ms: u64,
}

/// A generation is over.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct RunEnd {
    pub generation: String,
    pub status: RunStatus,
    /// The exit code of its root, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<i32>,
    /// The signal that ended its root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signal: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How we know, where nobody was there to see it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
    /// Whether something failed on the way to a success.
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

/// A run that was spawned inside this one is over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChildEnd {
    pub run: String,
    pub generation: String,
    pub status: RunStatus,
}

/// What a message asks of whoever watches over a run.
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

    /// What the run is afterwards.
    pub fn status(self) -> RunStatus {
        match self {
            Self::Kill => RunStatus::Killed,
            Self::Cancel => RunStatus::Cancelled,
        }
    }

    /// What a message record asks of a generation of a run, if it asks that.
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
