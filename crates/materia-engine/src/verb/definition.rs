//! `definition`: loadouts and materia as an editor sees them, checks them and saves them.
//!
//! Owns drafts (edits that stand in no file yet), the version by which two editors of one
//! definition notice each other, and the order of saving: refuse, check, compare, write. A draft is
//! checked by reading the file as it would be, so an editor hears exactly what a cast would. Never
//! keeps a draft.

mod save;

use std::path::{Path, PathBuf};

use materia_model::finding::{Finding, Severity, Source};
use materia_model::loadout::layer::Edit as Policy;
use materia_model::loadout::{Config, Layer, Scope};
use materia_model::picture;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::loadout::NotUsable;
use crate::config::{self, Files, PROJECT_FILE, Places, ReadError};
use crate::home::Home;

pub use save::{Conflict, SaveError, Saved, Wish, save};

/// Which kind of definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// A graph of sockets.
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// A definition as an editor shows it.
#[derive(Debug, Clone)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// The highest layer that says something about it.
    pub source: &'static str,
    /// Who may change it.
    pub policy: Policy,
    /// What all layers together say.
    pub value: Value,
    /// What each file that can be edited says by itself: its scope, and the version of that.
    pub own: Vec<(&'static str, String)>,
}

/// Everything that can be edited, and what there is to edit it with.
#[derive(Debug)]
pub struct Shelf {
    /// The loadouts.
    pub loadouts: Vec<Definition>,
    /// The materia.
    pub materia: Vec<Definition>,
    /// The files in the order of their layers: scope, path, and whether it is there.
    pub files: Vec<(Scope, PathBuf, bool)>,
}

/// Everything there is.
pub fn shelf(files: &Files, home: &Home, project: &Path) -> Shelf {
    let config = Config::load(files.layers());
    let policies: Vec<(String, Policy)> = config
        .loadouts()
        .map(|one| (one.name.to_owned(), one.edit))
        .collect();
    let loadouts = config.written_loadouts().into_iter().map(|one| Definition {
        policy: policies
            .iter()
            .find(|(name, _)| name == one.name)
            .map_or(Policy::Open, |(_, edit)| *edit),
        own: versions(files.layers(), Section::Loadout, one.name),
        name: one.name.to_owned(),
        source: one.scope.as_str(),
        value: one.value,
    });
    let loadouts = loadouts.collect();
    let materia = config.written_materia().into_iter().map(|one| Definition {
        policy: if is_locked(&one.value) {
            Policy::Locked
        } else {
            Policy::Open
        },
        own: versions(files.layers(), Section::Materia, one.name),
        name: one.name.to_owned(),
        source: one.scope.as_str(),
        value: one.value,
    });
    let materia = materia.collect();
    let there = |scope| files.layers().iter().position(|layer| layer.scope == scope);
    let mut places = Vec::new();
    for target in [Target::User, Target::Project] {
        places.push((
            target.scope(),
            target.file(home, project),
            there(target.scope()).is_some(),
        ));
    }
    for scope in [Scope::Environment, Scope::Flag] {
        if let Some(path) = there(scope).and_then(|at| files.path(at)) {
            places.push((scope, path.to_owned(), true));
        }
    }
    Shelf {
        loadouts,
        materia,
        files: places,
    }
}

fn versions(layers: &[Layer], section: Section, name: &str) -> Vec<(&'static str, String)> {
    let editable = layers
        .iter()
        .filter(|layer| matches!(layer.scope, Scope::User | Scope::Project));
    editable
        .filter_map(|layer| Some((layer.scope.as_str(), version(layer, section, name)?)))
        .collect()
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

/// What would be wrong, if these edits were made.
#[derive(Debug)]
pub struct Judged {
    /// Whether the loadout could be cast, or the materia be used.
    pub usable: bool,
    /// What is wrong or strange about it.
    pub issues: Vec<Finding>,
    /// The graph, where a loadout was asked for and it compiles.
    pub grid: Option<Value>,
    /// The text that the file would have.
    pub text: String,
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
pub fn judge(
    places: Places<'_>,
    file: &Path,
    target: Target,
    edit: &Edit,
) -> Result<Judged, NotDrafted> {
    let (files, text) = drafted(places, file, target, std::slice::from_ref(edit))?;
    let (usable, issues, grid) = judged(&files, edit);
    Ok(Judged {
        usable,
        issues,
        grid,
        text,
    })
}

fn judged(files: &Files, edit: &Edit) -> (bool, Vec<Finding>, Option<Value>) {
    let config = Config::load(files.layers());
    let prefix = materia_model::document::path_member(edit.section.name(), &edit.name);
    let own = |finding: &&Finding| {
        let rest = finding
            .path
            .as_deref()
            .and_then(|path| path.strip_prefix(&prefix));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let mut issues: Vec<Finding> = config.findings().iter().filter(own).cloned().collect();
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
pub fn text_of(file: &Path) -> Result<String, ReadError> {
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
