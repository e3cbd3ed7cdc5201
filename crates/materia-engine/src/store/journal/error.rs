//! Why a journal was not opened, read or written.
//!
//! Owns the errors of the journal and the next step for each. A message names the file, and for
//! damage the line and the byte; it never contains what stands in the journal.

use std::io;
use std::path::{Path, PathBuf};

use materia_model::record::{RecordError, RecordWriteError};

use crate::store::lock::LockError;
use crate::store::{shown, typed};

/// What went wrong with a journal.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// There is none.
    #[error("there is no journal {}", shown(.0))]
    Missing(PathBuf),
    /// It was removed while we had it open, and another one was begun in its place.
    #[error("{} was removed and begun anew meanwhile", shown(.0))]
    Replaced(PathBuf),
    /// It is in use in a way that excludes us, or nobody can know whether it is.
    #[error("the journal {}", if matches!(.0, LockError::Held { .. }) { "is in use" } else { "cannot be locked" })]
    Held(#[from] LockError),
    /// The system refused; the journal is as it was and can still be used.
    #[error("cannot {action} {}", shown(file))]
    Io {
        /// What was tried.
        action: &'static str,
        /// The journal.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The record cannot be written; the journal is as it was.
    #[error("cannot write a record to {}", shown(file))]
    Unwritable {
        /// The journal.
        file: PathBuf,
        /// Why.
        source: RecordWriteError,
    },
    /// What is on disk is not what was written. Nothing was changed.
    #[error("{} is damaged at line {line}, byte {offset}: {damage}", shown(file))]
    Damaged {
        /// The segment.
        file: PathBuf,
        /// The line, from 1.
        line: u64,
        /// Where the line begins, in bytes.
        offset: u64,
        /// What is wrong with it.
        damage: Damage,
    },
    /// It was written by a newer program.
    #[error(
        "{} has journal format {found}, this program knows formats up to {known}",
        shown(file)
    )]
    Newer {
        /// The segment.
        file: PathBuf,
        /// Its format number.
        found: u64,
        /// The newest number we know.
        known: u32,
    },
    /// A checkpoint does not fit the journal.
    #[error("the checkpoint of record {seq} does not fit {}", shown(file))]
    StaleCheckpoint {
        /// The journal.
        file: PathBuf,
        /// The record it claims.
        seq: u64,
    },
    /// An earlier failure left it unclear what is on disk, so this handle writes no more.
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
    /// It is no record.
    #[error(transparent)]
    Line(#[from] RecordError),
    /// It is not the record that has to come here.
    #[error("record {expected} has to stand here, it is record {found}")]
    Sequence {
        /// The number that follows.
        expected: u64,
        /// The number that stands there.
        found: u64,
    },
    /// Its number is one that no journal reaches.
    #[error("no journal has a record {0}")]
    TooGreat(u64),
    /// The first line is not a header.
    #[error("a segment has to begin with a `journal` record: {0}")]
    NoHeader(String),
    /// An unfinished line in a segment that was closed.
    #[error("the last line of a closed segment is not finished")]
    Unfinished,
    /// A segment is missing.
    #[error("record {expected} has to follow, and the next segment begins with record {found}")]
    MissingSegment {
        /// The number that follows.
        expected: u64,
        /// The first number there is.
        found: u64,
    },
    /// The file has fewer bytes than this handle has seen.
    #[error("the file was cut from outside: it had {expected} bytes and has {found}")]
    Shrunk {
        /// What we have seen.
        expected: u64,
        /// What there is.
        found: u64,
    },
}

impl JournalError {
    /// What the person, or the caller, can do about it.
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
