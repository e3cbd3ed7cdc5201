//! Why a file is not trusted, and the other errors of trust.

use std::collections::BTreeMap;
use std::path::PathBuf;

use materia_model::text;
use serde::Serialize;

use crate::store::atomic::{DocumentReadError, WriteError};
use crate::store::dir::DirError;
use crate::store::lock::LockError;

/// Maximum number of changes in a message.
const MAX_LISTED_CHANGES: usize = 5;

/// A file that the user does not trust in its current form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustRefusal {
    /// The file.
    pub root: PathBuf,
    /// The changes since the user agreed; `None` if they never agreed.
    pub changes: Option<Vec<TrustChange>>,
}

/// One file that is different.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TrustChange {
    /// The file.
    pub file: String,
    /// In which way.
    pub how: TrustChangeKind,
}

/// In which way a file is different.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum TrustChangeKind {
    /// Its bytes are others.
    Changed,
    /// It was not there, or not named.
    Added,
    /// It is not there, or not named any more.
    Removed,
}

impl std::fmt::Display for TrustRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let root = text::quoted_within(&self.root.to_string_lossy(), 4096);
        match &self.changes {
            None => write!(
                f,
                "the project's {root} is not trusted, and what it says would run"
            ),
            Some(changes) => {
                let mut listed: Vec<String> = changes
                    .iter()
                    .take(MAX_LISTED_CHANGES)
                    .map(TrustChange::sentence)
                    .collect();
                if changes.len() > MAX_LISTED_CHANGES {
                    listed.push(text::count(
                        changes.len() - MAX_LISTED_CHANGES,
                        "other file",
                    ));
                }
                write!(
                    f,
                    "the project's {root} is not trusted as it is now: {}",
                    text::list(&listed, "and")
                )
            }
        }
    }
}

impl TrustChange {
    /// The change in a few words.
    pub fn sentence(&self) -> String {
        let how = match self.how {
            TrustChangeKind::Changed => "has changed",
            TrustChangeKind::Added => "is new",
            TrustChangeKind::Removed => "is gone",
        };
        format!("{} {how}", text::quoted(&self.file))
    }
}

/// The differences between two sets of files.
pub(super) fn changes(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
) -> Vec<TrustChange> {
    let mut all: Vec<TrustChange> = now
        .iter()
        .filter_map(|(file, hash)| match before.get(file) {
            Some(known) if known == hash => None,
            Some(_) => Some(TrustChange {
                file: file.clone(),
                how: TrustChangeKind::Changed,
            }),
            None => Some(TrustChange {
                file: file.clone(),
                how: TrustChangeKind::Added,
            }),
        })
        .collect();
    let gone = before.keys().filter(|file| !now.contains_key(*file));
    all.extend(gone.map(|file| TrustChange {
        file: file.clone(),
        how: TrustChangeKind::Removed,
    }));
    all
}

/// Why a trust check, grant or revocation failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The user does not trust its current form.
    #[error("{0}")]
    Refused(Box<TrustRefusal>),
    /// The user was asked and did not agree.
    #[error("you did not agree, so nothing was run")]
    Declined,
    /// The user cannot be asked.
    #[error("trust needs somebody who reads what would run, and there is no terminal here")]
    NoTerminal,
    /// A program inside a cast or a run asked for trust (S2).
    #[error("a program inside a cast or a run cannot agree to what a project brings")]
    InsideRun,
    /// The project differs from what the user was shown.
    #[error("what the project brings is not what you were shown")]
    ChangedMeanwhile,
    /// There is no grant for this path.
    #[error("{} is not trusted", text::quoted(&.0.to_string_lossy()))]
    Unknown(PathBuf),
    /// The ledger cannot be read.
    #[error("what you trust cannot be read")]
    Read(#[from] DocumentReadError),
    /// The ledger cannot be written.
    #[error("what you trust cannot be written")]
    Write(#[from] WriteError),
    /// The profile directory cannot be created.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// Another process holds the lock of the ledger.
    #[error("what you trust cannot be written now")]
    Lock(#[from] LockError),
}

impl Error {
    /// Whether the profile is read-only.
    pub fn is_read_only(&self) -> bool {
        let mut cause: Option<&dyn std::error::Error> = Some(self);
        while let Some(error) = cause {
            if let Some(io) = error.downcast_ref::<std::io::Error>() {
                use std::io::ErrorKind::{
                    NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem,
                };
                return matches!(
                    io.kind(),
                    PermissionDenied | ReadOnlyFilesystem | NotFound | NotADirectory
                );
            }
            cause = error.source();
        }
        false
    }
}
