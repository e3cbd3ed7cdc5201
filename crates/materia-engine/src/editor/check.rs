//! Checks a definition while it is edited.
//!
//! Owns the request, the report and the check that saving uses too. Writes nothing.

use std::path::Path;

use materia_model::finding::{Finding, Severity};
use materia_model::picture;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::draft::ConfigDraft;
use super::report::about;
use super::{Edit, EditTarget, Section};
use crate::config::{ConfigFiles, ConfigSnapshot};
use crate::home::Home;

/// A draft to check.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct CheckRequest {
    /// The kind of the definition.
    pub section: Section,
    /// Its name.
    pub name: String,
    /// What it should say.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
    pub value: Value,
    /// The file it would be saved to.
    pub target: EditTarget,
}

/// What would be wrong with a draft, and what its file would say.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CheckReport {
    /// Whether the loadout could be cast, or the materia be used.
    pub usable: bool,
    /// What is wrong or strange about it.
    pub issues: Vec<Finding>,
    /// The graph of a loadout that compiles, as `materia grid --format json` has it.
    pub grid: Option<Value>,
    /// The text of the file as it is.
    pub before: String,
    /// The text that the file would have.
    pub after: String,
}

/// Checks a draft of one definition. Refused if its current file cannot be edited.
pub fn check(
    files: ConfigFiles,
    home: &Home,
    project: &Path,
    request: &CheckRequest,
) -> Result<CheckReport, Vec<Finding>> {
    let edit = Edit {
        section: request.section,
        name: &request.name,
        value: Some(&request.value),
    };
    let file = request.target.file(home, project);
    let draft = ConfigDraft::new(files, request.target, &file, [edit])?;
    let snapshot = draft.files.snapshot();
    let (issues, grid) = judge(&snapshot, edit);
    let usable = issues.iter().all(|issue| issue.severity != Severity::Error)
        && (edit.section == Section::Materia || grid.is_some());
    Ok(CheckReport {
        usable,
        issues,
        grid,
        before: draft.before.unwrap_or_default(),
        after: draft.after,
    })
}

/// The findings about one definition, and the graph of a loadout that compiles.
pub(super) fn judge(
    snapshot: &ConfigSnapshot<'_>,
    edit: Edit<'_>,
) -> (Vec<Finding>, Option<Value>) {
    let config = snapshot.config();
    let mut issues = about(edit.section, edit.name, config.findings());
    let compiled = match edit.section {
        Section::Loadout => config.compile(edit.name),
        Section::Materia => None,
    };
    let mut grid = None;
    if let Some(compiled) = compiled {
        grid = compiled.graph.as_ref().map(picture::json);
        issues.extend(compiled.findings);
    }
    (issues, grid)
}
