//! Why something is not trusted, and what else can go wrong with trust.

use std::collections::BTreeMap;
use std::path::PathBuf;

use materia_model::text;
use serde::Serialize;

use crate::store::atomic::{ReadError, WriteError};
use crate::store::dir::DirError;
use crate::store::lock::LockError;

/// The most changes that a message lists.
const MOST_LISTED: usize = 5;

/// Something that the person does not trust as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The file.
    pub root: PathBuf,
    /// What is different from what the person agreed to; nothing where they never did.
    pub changes: Option<Vec<Change>>,
}

/// One file that is different.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TrustChange"))]
pub struct Change {
    /// The file.
    pub file: String,
    /// In which way.
    pub how: How,
}

/// In which way a file is different.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "TrustChangeKind")
)]
pub enum How {
    /// Its bytes are others.
    Changed,
    /// It was not there, or not named.
    Added,
    /// It is not there, or not named any more.
    Removed,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let root = text::quoted_within(&self.root.to_string_lossy(), 4096);
        match &self.changes {
            None => write!(
                f,
                "the project's {root} is not trusted, and what it says would run"
            ),
            Some(changes) => {
                let mut listed: Vec<String> =
                    changes.iter().take(MOST_LISTED).map(Change::told).collect();
                if changes.len() > MOST_LISTED {
                    listed.push(text::count(changes.len() - MOST_LISTED, "other file"));
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

impl Change {
    /// The change in a few words.
    pub fn told(&self) -> String {
        let how = match self.how {
            How::Changed => "has changed",
            How::Added => "is new",
            How::Removed => "is gone",
        };
        format!("{} {how}", text::quoted(&self.file))
    }
}

/// What is different between two sets of files.
pub(super) fn changes(
    before: &BTreeMap<String, String>,
    now: &BTreeMap<String, String>,
) -> Vec<Change> {
    let mut all: Vec<Change> = now
        .iter()
        .filter_map(|(file, hash)| match before.get(file) {
            Some(known) if known == hash => None,
            Some(_) => Some(Change {
                file: file.clone(),
                how: How::Changed,
            }),
            None => Some(Change {
                file: file.clone(),
                how: How::Added,
            }),
        })
        .collect();
    let gone = before.keys().filter(|file| !now.contains_key(*file));
    all.extend(gone.map(|file| Change {
        file: file.clone(),
        how: How::Removed,
    }));
    all
}

/// Why trust was not found, granted or revoked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The person does not trust it as it is.
    #[error("{0}")]
    Refused(Box<Refusal>),
    /// Nothing of this name is trusted.
    #[error("{} is not trusted", text::quoted(&.0.to_string_lossy()))]
    Unknown(PathBuf),
    /// The ledger cannot be read.
    #[error("what you trust cannot be read")]
    Read(#[from] ReadError),
    /// The ledger cannot be written.
    #[error("what you trust cannot be written")]
    Write(#[from] WriteError),
    /// The profile directory cannot be made.
    #[error(transparent)]
    Dir(#[from] DirError),
    /// Somebody else writes the ledger and does not end.
    #[error("what you trust cannot be written now")]
    Lock(#[from] LockError),
}

impl Error {
    /// Whether nobody may write there at all.
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
