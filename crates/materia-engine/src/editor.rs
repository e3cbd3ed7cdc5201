//! Shows, checks and saves loadouts and materia for an editor.
//!
//! Owns what its parts share: the target file, one edit, and the version by which two editors of
//! one definition detect each other. A draft is checked as part of the file that it would produce,
//! so an editor gets exactly the findings of a cast. Never stores a draft.

pub mod loadout;
pub mod trial;
pub mod init;
pub mod grid;
pub mod plan;
pub mod validate;
pub mod import;
mod active;
mod draft;
mod report;
mod check;
mod refusal;
mod save;

use std::path::{Path, PathBuf};

use materia_model::loadout::{ConfigLayer, ConfigScope};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::config::PROJECT_FILE;
use crate::home::Home;

pub use active::{
    ActiveLoadoutError, ActiveLoadoutReport, ActiveLoadoutRequest, ActiveReach, choose_active,
};
pub use check::{CheckReport, CheckRequest, check};
pub use report::{
    ConfigFile, DefinitionsReport, LoadoutDefinition, MateriaDefinition, definitions,
};
pub use save::{
    SaveConflict, SaveContext, SaveEdit, SaveError, SaveReport, SaveRequest, lock_editors, save,
};

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
    /// The member of a config that holds them.
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
pub enum EditTarget {
    /// The person's own.
    User,
    /// The project's.
    Project,
}

impl EditTarget {
    /// Its layer.
    pub fn scope(self) -> ConfigScope {
        match self {
            Self::User => ConfigScope::User,
            Self::Project => ConfigScope::Project,
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

/// A definition and its new value.
#[derive(Debug, Clone, Copy)]
struct Edit<'a> {
    section: Section,
    name: &'a str,
    /// The new value; `None` removes it from the file.
    value: Option<&'a Value>,
}

/// The version of a definition in one file: a hash of its exact text.
fn version(layer: &ConfigLayer, section: Section, name: &str) -> Option<String> {
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

#[cfg(test)]
mod tests;
