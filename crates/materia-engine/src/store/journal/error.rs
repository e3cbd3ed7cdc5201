//! Why a journal was not opened, read or written.
//!
//! Owns the errors of the journal and a hint for each. A message names the file, and for damage the
//! line and the byte offset. It never contains the content of the journal.

use std::io;
use std::path::{Path, PathBuf};

use materia_model::record::{RecordError, RecordWriteError};

use crate::store::lock::LockError;
use crate::store::{shown, typed};

/// Why an operation on a journal failed.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// It does not exist.
    #[error("there is no journal {}", shown(.0))]
    Missing(PathBuf),
    /// It was removed while we had it open, and a new one was created at its path.
    #[error("{} was removed and begun anew meanwhile", shown(.0))]
    Replaced(PathBuf),
    /// Another process holds its lock, or the lock cannot be taken.
    #[error("the journal {}", if matches!(.0, LockError::Held { .. }) { "is in use" } else { "cannot be locked" })]
    Held(#[from] LockError),
    /// An I/O error; the journal is unchanged and can still be used.
    #[error("cannot {action} {}", shown(file))]
    Io {
        /// The operation that failed.
        action: &'static str,
        /// The journal.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The record cannot be written; the journal is unchanged.
    #[error("cannot write a record to {}", shown(file))]
    Unwritable {
        /// The journal.
        file: PathBuf,
        /// The cause.
        source: RecordWriteError,
    },
    /// The content on disk is not what was written. Nothing was changed.
    #[error("{} is damaged at line {line}, byte {offset}: {damage}", shown(file))]
    Damaged {
        /// The segment.
        file: PathBuf,
        /// The line number, from 1.
        line: u64,
        /// The byte offset of the line.
        offset: u64,
        /// What is wrong with the line.
        damage: Damage,
    },
    /// A newer program wrote it.
    #[error(
        "{} has journal format {found}, this program knows formats up to {known}",
        shown(file)
    )]
    Newer {
        /// The segment.
        file: PathBuf,
        /// Its format number.
        found: u64,
        /// The newest format number that we know.
        known: u32,
    },
    /// A checkpoint does not match the journal.
    #[error("the checkpoint of record {seq} does not fit {}", shown(file))]
    StaleCheckpoint {
        /// The journal.
        file: PathBuf,
        /// The number of its record.
        seq: u64,
    },
    /// After an earlier failure the state on disk is unknown, so this handle refuses writes.
    #[error("{} cannot be written any more: {why}", shown(file))]
    Broken {
        /// The journal.
        file: PathBuf,
        /// The earlier failure.
        why: String,
    },
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// It is not a valid record.
    #[error(transparent)]
    Line(#[from] RecordError),
    /// Its number is not the expected one.
    #[error("record {expected} has to stand here, it is record {found}")]
    Sequence {
        /// The expected number.
        expected: u64,
        /// The number found.
        found: u64,
    },
    /// Its number is too large to be real.
    #[error("no journal has a record {0}")]
    TooGreat(u64),
    /// The first line is not a header.
    #[error("a segment has to begin with a `journal` record: {0}")]
    NoHeader(String),
    /// A closed segment ends with an incomplete line.
    #[error("the last line of a closed segment is not finished")]
    Unfinished,
    /// A segment is missing.
    #[error("record {expected} has to follow, and the next segment begins with record {found}")]
    MissingSegment {
        /// The expected number.
        expected: u64,
        /// The first number found.
        found: u64,
    },
    /// The file is shorter than this handle has seen it.
    #[error("the file was cut from outside: it had {expected} bytes and has {found}")]
    Shrunk {
        /// The size seen before.
        expected: u64,
        /// The size found.
        found: u64,
    },
}

impl JournalError {
    /// What the user or the caller can do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Missing(_) => "check the path; a journal is made by its first writer".to_owned(),
            Self::Replaced(_) => {
                "nothing was changed; look again, and try again where it is still meant".to_owned()
            }
            Self::Held(error) => error.hint().to_owned(),
            Self::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull => {
                "free some disk space and try again; nothing was lost".to_owned()
            }
            Self::Io { .. } => {
                "check that the file is ours and the disk is well, and try again".to_owned()
            }
            Self::Unwritable { .. } => {
                "put large things into an artifact and record its path".to_owned()
            }
            Self::Damaged { file, line, .. } => format!(
                "nothing was changed; look at it with `sed -n {line}p {}`, restore it from a backup, or move it \
                 away to begin a new one",
                typed(file)
            ),
            Self::Newer { .. } => "use the newer version of the program that wrote it".to_owned(),
            Self::StaleCheckpoint { .. } => "open the journal without the checkpoint".to_owned(),
            Self::Broken { .. } => {
                "open the journal again: opening checks what is on disk".to_owned()
            }
        }
    }

    pub(super) fn io(action: &'static str, file: &Path) -> impl Fn(io::Error) -> Self + use<> {
        let file = file.to_owned();
        move |source| Self::Io {
            action,
            file: file.clone(),
            source,
        }
    }
}
