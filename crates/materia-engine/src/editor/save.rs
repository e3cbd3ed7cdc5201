//! Saves the edits of an editor: refuse, check, compare, write; all of them or none.
//!
//! Owns the order of saving, and the rule that what the user saves with our own editor stays
//! trusted (S1). A lock in the profile serializes editors on one machine. Changes of a text editor,
//! which does not take the lock, are detected by the version. Never reads a config file: the caller
//! passes the files, and trust is recorded for the exact text that was written.

use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::finding::Finding;
use materia_model::text::quoted;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::draft::ConfigDraft;
use super::refusal::{refuse, refuse_broken};
use super::{Edit, EditTarget, Section, version};
use crate::clock::Clock;
use crate::config::ConfigFiles;
use crate::home::Home;
use crate::store::atomic::{self, WriteError};
use crate::store::dir::{self, DirError};
use crate::store::lock::{Holder, Lock, LockError, LockMode, LockWait};
use crate::trust::{self, ProjectTrust};

/// How long to wait for another editor's lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// What is to be saved, all of it or nothing.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SaveRequest {
    /// The file.
    pub target: EditTarget,
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
    /// The name is invalid.
    #[error("{} is no name for a definition: {why}", quoted(name))]
    BadName {
        /// The name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Another editor changed it meanwhile.
    #[error("{} was changed by somebody else", quoted(&.0.name))]
    Conflict(Box<SaveConflict>),
    /// The result would have errors.
    #[error("what would be saved has errors")]
    Broken(Vec<Finding>),
    /// A directory cannot be created.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// Another editor holds the lock.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The trust ledger cannot be read or written.
    #[error(transparent)]
    Trust(#[from] trust::Error),
}

/// The context that saving needs besides the request.
#[derive(Debug, Clone, Copy)]
pub struct SaveContext<'a> {
    /// The user's directories.
    pub home: &'a Home,
    /// The project's directory.
    pub project: &'a Path,
    /// The clock.
    pub clock: &'a Clock,
}

impl SaveEdit {
    pub(super) fn edit(&self) -> Edit<'_> {
        Edit {
            section: self.section,
            name: &self.name,
            value: self.value.as_ref(),
        }
    }
}

/// Waits until no other editor saves. Read the config files after this and before the lock is
/// dropped.
pub fn lock_editors(home: &Home) -> Result<Lock, SaveError> {
    dir::create_private(home.profile())?;
    let path = home.profile().join("edit.lock");
    let wait = LockWait::For(LOCK_TIMEOUT);
    Ok(Lock::acquire(
        &path,
        LockMode::Exclusive,
        wait,
        &Holder::current(),
    )?)
}

/// Saves definitions to one file. Saves a result with errors only if the request allows it.
///
/// If the project was fully trusted before, it stays trusted: the user wrote the difference. If
/// not, saving a part of it does not make the rest trusted.
pub fn save(
    files: ConfigFiles,
    request: &SaveRequest,
    context: SaveContext<'_>,
) -> Result<SaveReport, SaveError> {
    let SaveContext {
        home,
        project,
        clock,
    } = context;
    let target = request.target;
    let named = target.file(home, project);
    // Keep a symbolic link: replace its target.
    let file = named.canonicalize().unwrap_or(named);
    let was_trusted = {
        let before = files.snapshot();
        for edit in &request.edits {
            refuse(&before, target, edit)?;
        }
        ProjectTrust::inspect_snapshot(&before, Some(home))?
            .require()
            .is_ok()
    };
    let edits = request.edits.iter().map(SaveEdit::edit);
    let draft = ConfigDraft::new(files, target, &file, edits).map_err(SaveError::Broken)?;
    let after = draft.files.snapshot();
    if !request.even_broken {
        refuse_broken(&after, &request.edits)?;
    }
    let changed = draft.before.as_ref() != Some(&draft.after);
    if changed {
        make_folder(&file, target)?;
        atomic::write(&file, draft.after.as_bytes())?;
    }
    if was_trusted {
        ProjectTrust::inspect_snapshot(&after, Some(home))?.grant(home, clock)?;
    }
    let layer = draft.files.layer(target.scope());
    let versions = request
        .edits
        .iter()
        .map(|edit| version(layer?, edit.section, &edit.name))
        .collect();
    Ok(SaveReport {
        file,
        changed,
        versions,
    })
}

fn make_folder(file: &Path, target: EditTarget) -> Result<(), DirError> {
    match (target, file.parent()) {
        (EditTarget::Project, Some(parent)) if !parent.exists() => dir::create_private(parent),
        _ => Ok(()),
    }
}
