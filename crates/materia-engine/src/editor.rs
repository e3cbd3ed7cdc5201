//! `definition`: loadouts and materia as an editor sees them, checks them and saves them.
//!
//! Owns drafts (edits that stand in no file yet), the version by which two editors of one
//! definition notice each other, and the order of saving: refuse, check, compare, write. A draft is
//! checked by reading the file as it would be, so an editor hears exactly what a cast would. Never
//! keeps a draft.

pub mod loadout;
pub mod trial;
pub mod init;
pub mod grid;
pub mod plan;
pub mod validate;
pub mod import;
mod report;
mod save;

use std::path::{Path, PathBuf};

use materia_model::finding::{Finding, Severity, Source};
use materia_model::loadout::{Config, Layer, Scope};
use materia_model::picture;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::config::{self, Files, PROJECT_FILE, Places, ReadError};
use crate::editor::loadout::NotUsable;
use crate::home::Home;

pub use report::{
    ConfigFile, DefinitionsReport, LoadoutDefinition, MateriaDefinition, definitions,
};
pub use save::{SaveConflict, SaveEdit, SaveError, SaveReport, SaveRequest, save};

use report::about;

/// Which kind of definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Section {
    /// A graph of sockets.
    #[serde(rename = "loadouts")]
    Loadout,
    /// What a socket can hold.
    Materia,
}

impl Section {
    /// The member of a config that has them.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loadout => "loadouts",
            Self::Materia => "materia",
        }
    }
}

/// Whose file is edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// The person's own.
    User,
    /// The project's.
    Project,
}

impl Target {
    /// Where it stands among the layers.
    pub fn scope(self) -> Scope {
        match self {
            Self::User => Scope::User,
            Self::Project => Scope::Project,
        }
    }

    /// Its file.
    pub fn file(self, home: &Home, project: &Path) -> PathBuf {
        match self {
            Self::User => home.config(),
            Self::Project => project.join(PROJECT_FILE),
        }
    }
}

/// One definition as it should be.
#[derive(Debug, Clone)]
pub struct Edit {
    /// Its kind.
    pub section: Section,
    /// Its name.
    pub name: String,
    /// What it should say; nothing takes it out of the file.
    pub value: Option<Value>,
}

/// The version of what one file says about a definition: a hash of its very text.
fn version(layer: &Layer, section: Section, name: &str) -> Option<String> {
    let span = layer.document.own(section.name(), name)?.span.clone();
    Some(hash(layer.document.source().text().get(span)?))
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn is_locked(value: &Value) -> bool {
    value.get("lockState").and_then(Value::as_str) == Some("locked")
}

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
    pub target: Target,
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

/// The layers as they would be, and the new text of the file.
pub fn drafted(
    places: Places<'_>,
    file: &Path,
    target: Target,
    edits: &[Edit],
) -> Result<(Files, String), NotDrafted> {
    let before = match config::read(file) {
        Ok(text) => text,
        Err(ReadError::Missing { .. }) => "{}\n".to_owned(),
        Err(error) => return Err(error.into()),
    };
    let name = file.to_string_lossy();
    let mut text = before;
    for edit in edits {
        let source = Source::new(&name, &text);
        text = config::with_definition(
            &source,
            edit.section.name(),
            &edit.name,
            edit.value.as_ref(),
        )
        .map_err(NotDrafted::Broken)?;
    }
    Ok((
        Files::find(places)?.drafted(target.scope(), file, &text),
        text,
    ))
}

/// Why there is no draft.
#[derive(Debug, thiserror::Error)]
pub enum NotDrafted {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file as it is cannot be edited.
    #[error("the file cannot be edited")]
    Broken(Vec<Finding>),
}

/// Checks a draft of one definition.
pub fn check(
    home: &Home,
    places: Places<'_>,
    request: CheckRequest,
) -> Result<CheckReport, NotDrafted> {
    let file = request.target.file(home, places.project);
    let edit = Edit {
        section: request.section,
        name: request.name,
        value: Some(request.value),
    };
    let (files, after) = drafted(places, &file, request.target, std::slice::from_ref(&edit))?;
    let (usable, issues, grid) = judged(&files, &edit);
    Ok(CheckReport {
        usable,
        issues,
        grid,
        before: text_of(&file)?,
        after,
    })
}

fn judged(files: &Files, edit: &Edit) -> (bool, Vec<Finding>, Option<Value>) {
    let config = Config::load(files.layers());
    let mut issues = about(edit.section, &edit.name, config.findings());
    let compiled = match edit.section {
        Section::Loadout => config.compile(&edit.name),
        Section::Materia => None,
    };
    let mut grid = None;
    if let Some(compiled) = compiled {
        grid = compiled.graph.as_ref().map(picture::json);
        issues.extend(compiled.findings);
    }
    let usable = issues.iter().all(|issue| issue.severity != Severity::Error)
        && (edit.section == Section::Materia || grid.is_some());
    (usable, issues, grid)
}

/// The text of a config file by its layer, as a person would see it in an editor.
fn text_of(file: &Path) -> Result<String, ReadError> {
    match config::read(file) {
        Err(ReadError::Missing { .. }) => Ok(String::new()),
        read => read,
    }
}

impl From<NotDrafted> for NotUsable {
    fn from(why: NotDrafted) -> Self {
        match why {
            NotDrafted::Broken(findings) => Self::Broken(findings),
            NotDrafted::Read(error) => Self::Broken(vec![
                Finding::error(error.code(), error.to_string()).hint(error.hint()),
            ]),
        }
    }
}

#[cfg(test)]
mod tests;
