//! Loadouts, materia and the files they stand in.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Issue;

/// Everything that can be edited.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(in crate::web) struct Config {
    /// The loadout that a cast uses when nobody names one.
    pub(in crate::web) active: Option<String>,
    /// The loadouts.
    pub(in crate::web) loadouts: Vec<Loadout>,
    /// The materia.
    pub(in crate::web) materia: Vec<Materia>,
    /// The files, lowest layer first.
    pub(in crate::web) files: Vec<ConfigFile>,
    /// What is wrong outside of loadouts.
    pub(in crate::web) issues: Vec<Issue>,
}

/// A loadout.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(in crate::web) struct Loadout {
    pub(in crate::web) name: String,
    pub(in crate::web) id: String,
    /// `default`, `user`, `project` or `explicit`.
    pub(in crate::web) source: String,
    pub(in crate::web) shipped: bool,
    pub(in crate::web) locked: bool,
    pub(in crate::web) active: bool,
    pub(in crate::web) usable: bool,
    pub(in crate::web) description: Option<String>,
    /// What all layers together say.
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    pub(in crate::web) value: Value,
    /// The version of what each file says, by scope.
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, string>"))]
    pub(in crate::web) own: BTreeMap<String, String>,
    pub(in crate::web) issues: Vec<Issue>,
}

/// A materia.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(in crate::web) struct Materia {
    pub(in crate::web) name: String,
    pub(in crate::web) source: String,
    /// Whether the program ships a materia of this name.
    pub(in crate::web) shipped: bool,
    pub(in crate::web) locked: bool,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    pub(in crate::web) value: Value,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, string>"))]
    pub(in crate::web) own: BTreeMap<String, String>,
    pub(in crate::web) issues: Vec<Issue>,
}

/// A config file.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
pub(in crate::web) struct ConfigFile {
    pub(in crate::web) scope: String,
    pub(in crate::web) path: String,
    pub(in crate::web) exists: bool,
}

/// Which kind of definition.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(in crate::web) enum SectionName {
    Loadouts,
    Materia,
}

/// Whose file is edited.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(in crate::web) enum TargetName {
    User,
    Project,
}

/// A draft to check.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::web) struct CheckRequest {
    pub(in crate::web) section: SectionName,
    pub(in crate::web) name: String,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    pub(in crate::web) value: Value,
    pub(in crate::web) target: TargetName,
}

/// What would be wrong with a draft.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(in crate::web) struct CheckAnswer {
    pub(in crate::web) usable: bool,
    pub(in crate::web) issues: Vec<Issue>,
    /// The graph of a loadout, as `materia grid --format json` has it.
    #[cfg_attr(feature = "test-fakes", ts(type = "unknown"))]
    pub(in crate::web) grid: Option<Value>,
    /// The file as it is.
    pub(in crate::web) before: String,
    /// The file as it would be.
    pub(in crate::web) after: String,
}

/// What is to be saved.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::web) struct SaveRequest {
    pub(in crate::web) target: TargetName,
    pub(in crate::web) edits: Vec<SaveEdit>,
    /// Whether it is saved although it has errors.
    #[serde(default)]
    pub(in crate::web) even_broken: bool,
}

/// One definition to be saved.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::web) struct SaveEdit {
    pub(in crate::web) section: SectionName,
    pub(in crate::web) name: String,
    /// Nothing takes it out of the file.
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown> | null"))]
    pub(in crate::web) value: Option<Value>,
    /// The version that the editor began with; nothing where the file did not have it.
    pub(in crate::web) base: Option<String>,
}

/// What was saved.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
pub(in crate::web) struct SaveAnswer {
    pub(in crate::web) file: String,
    pub(in crate::web) changed: bool,
    pub(in crate::web) versions: Vec<Option<String>>,
}

/// Somebody else saved first.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
pub(in crate::web) struct ConflictAnswer {
    pub(in crate::web) ok: bool,
    pub(in crate::web) error: ErrorBody,
    pub(in crate::web) conflict: Conflict,
}

/// An error in short.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
pub(in crate::web) struct ErrorBody {
    pub(in crate::web) code: String,
    pub(in crate::web) message: String,
    pub(in crate::web) hint: Option<String>,
}

/// What the file says by now.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
pub(in crate::web) struct Conflict {
    pub(in crate::web) name: String,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown> | null"))]
    pub(in crate::web) current: Option<Value>,
    pub(in crate::web) version: Option<String>,
}

/// Another active loadout.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub(in crate::web) struct ActiveRequest {
    pub(in crate::web) name: String,
}

/// What came of choosing another active loadout.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
pub(in crate::web) struct ActiveAnswer {
    pub(in crate::web) loadout: String,
    pub(in crate::web) file: String,
    pub(in crate::web) warnings: Vec<Issue>,
}

/// A utility to be tried.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(in crate::web) struct TrialRequest {
    pub(in crate::web) materia: String,
    /// The materia as it is being edited, and the file it would be saved to.
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown> | null"))]
    pub(in crate::web) value: Option<Value>,
    pub(in crate::web) target: TargetName,
    pub(in crate::web) request: String,
    #[cfg_attr(feature = "test-fakes", ts(type = "Record<string, unknown>"))]
    #[serde(default)]
    pub(in crate::web) state: Map<String, Value>,
    #[cfg_attr(feature = "test-fakes", ts(type = "unknown"))]
    #[serde(default)]
    pub(in crate::web) item: Option<Value>,
}

/// What came of it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(in crate::web) struct TrialAnswer {
    pub(in crate::web) argv: Vec<String>,
    pub(in crate::web) code: Option<i32>,
    pub(in crate::web) signal: Option<String>,
    pub(in crate::web) timed_out: bool,
    #[cfg_attr(feature = "test-fakes", ts(type = "number"))]
    pub(in crate::web) duration_ms: u64,
    pub(in crate::web) input: String,
    pub(in crate::web) stdout: String,
    pub(in crate::web) stderr: String,
    #[cfg_attr(feature = "test-fakes", ts(type = "unknown"))]
    pub(in crate::web) result: Option<Value>,
    pub(in crate::web) problem: Option<String>,
}
