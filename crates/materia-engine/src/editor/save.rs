//! Saving what an editor made: refuse, check, compare, write, all of it or nothing.
//!
//! Owns the refusals and the comparison of versions. Editors of one machine take turns by a lock in
//! the profile; a text editor that knows no lock is noticed by the version.

use std::path::{Path, PathBuf};

use materia_model::finding::{Finding, Severity};
use materia_model::loadout::{Config, Scope};
use materia_model::text::quoted;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Edit, NotDrafted, Section, Target, drafted, is_locked, judged, version};
use crate::config::{Files, Places, ReadError};
use crate::home::Home;
use crate::store::atomic::{self, WriteError};
use crate::store::dir::{self, DirError};
use crate::store::lock::{Holder, Lock, LockError, Mode, Wait};

/// The longest name of a definition, in characters.
const LONGEST_NAME: usize = 120;

/// What is to be saved, all of it or nothing.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SaveRequest {
    /// The file.
    pub target: Target,
    /// The definitions.
    pub edits: Vec<SaveEdit>,
    /// Whether it is saved although it has errors.
    #[serde(default)]
    pub even_broken: bool,
}

/// One definition as it should be, and the version that the editor began with.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct SaveEdit {
    /// Its kind.
    pub section: Section,
    /// Its name.
    pub name: String,
    /// What it should say; nothing takes it out of the file.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown> | null"))]
    pub value: Option<Value>,
    /// The version of what the file said when the editor read it; nothing where it said nothing.
    pub base: Option<String>,
}

/// What was saved.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SaveReport {
    /// The file.
    pub file: PathBuf,
    /// Whether it says anything else now.
    pub changed: bool,
    /// The versions after it, in the order of the edits; nothing for what was taken out.
    pub versions: Vec<Option<String>>,
}

/// What the file says by now, where another editor changed it meanwhile.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SaveConflict {
    /// The definition.
    pub name: String,
    /// What it says now; nothing where it is gone.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown> | null"))]
    pub current: Option<Value>,
    /// The version of that.
    pub version: Option<String>,
}

/// Why nothing was saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// It ships with the program.
    #[error("{} ships with materia and is not changed", quoted(.0))]
    Shipped(String),
    /// It is locked.
    #[error("{} is locked", quoted(.0))]
    Locked(String),
    /// It is no name.
    #[error("{} is no name for a definition: {why}", quoted(name))]
    BadName {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Somebody else changed it meanwhile.
    #[error("{} was changed by somebody else", quoted(&.0.name))]
    Conflict(Box<SaveConflict>),
    /// It would be broken.
    #[error("what would be saved has errors")]
    Broken(Vec<Finding>),
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A directory cannot be made.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// Somebody else is saving, and does not end.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<NotDrafted> for SaveError {
    fn from(why: NotDrafted) -> Self {
        match why {
            NotDrafted::Read(error) => Self::Read(error),
            NotDrafted::Broken(findings) => Self::Broken(findings),
        }
    }
}

/// Saves definitions into one file. What is broken is saved only where the person says so.
pub fn save(
    home: &Home,
    places: Places<'_>,
    request: &SaveRequest,
) -> Result<SaveReport, SaveError> {
    let target = request.target;
    let named = target.file(home, places.project);
    // A link stays a link: what it points to is replaced.
    let file = named.canonicalize().unwrap_or(named);
    dir::create_private(home.profile())?;
    let patience = Wait::For(std::time::Duration::from_secs(10));
    let turn = home.profile().join("edit.lock");
    let _turn = Lock::acquire(&turn, Mode::Exclusive, patience, &Holder::current())?;
    let before = Files::find(places)?;
    for edit in &request.edits {
        refuse(&before, target, edit)?;
    }
    let edits: Vec<Edit> = request.edits.iter().map(Edit::from).collect();
    let (after, text) = drafted(places, &file, target, &edits)?;
    if !request.even_broken {
        refuse_broken(&after, &edits)?;
    }
    let changed = own_text(&before, target) != Some(&*text);
    if changed {
        make_folder(&file, target)?;
        atomic::write(&file, text.as_bytes())?;
    }
    let layer = after
        .layers()
        .iter()
        .find(|layer| layer.scope == target.scope());
    let versions = edits
        .iter()
        .map(|edit| version(layer?, edit.section, &edit.name))
        .collect();
    Ok(SaveReport {
        file,
        changed,
        versions,
    })
}

impl From<&SaveEdit> for Edit {
    fn from(edit: &SaveEdit) -> Self {
        Self {
            section: edit.section,
            name: edit.name.clone(),
            value: edit.value.clone(),
        }
    }
}

fn make_folder(file: &Path, target: Target) -> Result<(), DirError> {
    match (target, file.parent()) {
        (Target::Project, Some(parent)) if !parent.exists() => dir::create_private(parent),
        _ => Ok(()),
    }
}

fn refuse(files: &Files, target: Target, edit: &SaveEdit) -> Result<(), SaveError> {
    let bad = |why| {
        Err(SaveError::BadName {
            name: edit.name.clone(),
            why,
        })
    };
    if edit.name.trim() != edit.name || edit.name.is_empty() {
        return bad("it is empty or has blanks around it");
    }
    if edit.name.chars().count() > LONGEST_NAME || edit.name.chars().any(char::is_control) {
        return bad("it is too long or has control characters in it");
    }
    let config = Config::load(files.layers());
    let shipped = files
        .layers()
        .iter()
        .filter(|layer| layer.scope == Scope::Default);
    if edit.section == Section::Loadout
        && shipped
            .into_iter()
            .any(|layer| layer.document.own("loadouts", &edit.name).is_some())
    {
        return Err(SaveError::Shipped(edit.name.clone()));
    }
    let written = match edit.section {
        Section::Loadout => config.written_loadouts(),
        Section::Materia => config.written_materia(),
    };
    if let Some(one) = written.iter().find(|one| one.name == edit.name)
        && is_locked(&one.value)
        && edit
            .value
            .as_ref()
            .is_some_and(|value| unlocked(value) != unlocked(&one.value))
    {
        return Err(SaveError::Locked(edit.name.clone()));
    }
    let layer = files
        .layers()
        .iter()
        .find(|layer| layer.scope == target.scope());
    let current = layer.and_then(|layer| version(layer, edit.section, &edit.name));
    if current == edit.base {
        return Ok(());
    }
    let value = layer.and_then(|layer| layer.document.own(edit.section.name(), &edit.name));
    let current_value = value.map(materia_model::document::Node::to_value);
    // Two editors that want the same are of one mind.
    if current_value.is_some() && current_value == edit.value {
        return Ok(());
    }
    let conflict = SaveConflict {
        name: edit.name.clone(),
        current: current_value,
        version: current,
    };
    Err(SaveError::Conflict(Box::new(conflict)))
}

fn unlocked(value: &Value) -> Value {
    let mut value = value.clone();
    if let Some(members) = value.as_object_mut() {
        members.shift_remove("lockState");
    }
    value
}

fn refuse_broken(after: &Files, edits: &[Edit]) -> Result<(), SaveError> {
    let mut broken = Vec::new();
    for edit in edits.iter().filter(|edit| edit.value.is_some()) {
        let (_, issues, _) = judged(after, edit);
        broken.extend(
            issues
                .into_iter()
                .filter(|issue| issue.severity == Severity::Error),
        );
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(SaveError::Broken(broken))
    }
}

fn own_text(files: &Files, target: Target) -> Option<&str> {
    let layer = files
        .layers()
        .iter()
        .find(|layer| layer.scope == target.scope())?;
    Some(layer.document.source().text())
}
