//! Converts the errors of reading, executing, spawning and importing templates, and of utilities.

use std::io;

use super::{ApiError, ErrorKind};
use crate::editor::import::ImportError;
use crate::launch::artifact::DeclarationError;
use crate::launch::run::Error as RunError;
use crate::launch::spawn::RunSpawnError;
use crate::recipe::source::SourceError;
use crate::store::text::TextError;
use crate::utility::{UtilityError, UtilityErrorKind};

impl ApiError {
    /// An unexpected I/O error.
    pub(crate) fn system(error: &io::Error) -> Self {
        Self::from_error(ErrorKind::Internal, "internal", error).hint("see `materia doctor`")
    }
}

impl From<TextError> for ApiError {
    fn from(error: TextError) -> Self {
        let (kind, code, hint) = match &error {
            TextError::Unreadable { error, .. } => {
                let kind = match error.kind() {
                    io::ErrorKind::NotFound => ErrorKind::NotFound,
                    _ => ErrorKind::Invalid,
                };
                let hint = "name a file that exists and that you may read";
                (kind, "unreadable", hint)
            }
            TextError::TooLarge(_) => {
                let hint = "split it, or pass large data by a file";
                (ErrorKind::Invalid, "too_large", hint)
            }
            TextError::NotText { .. } => (ErrorKind::Invalid, "not_text", "write it as UTF-8"),
        };
        Self::from_error(kind, code, &error).hint(hint)
    }
}

impl From<SourceError> for ApiError {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Text(error) => error.into(),
            SourceError::Invalid(findings) => Self::from_findings(findings),
            SourceError::Values { .. } => {
                Self::from_error(ErrorKind::Invalid, "invalid_values", &error)
                    .hint("write {\"name\": \"value\"}")
            }
            SourceError::Recipe(error) => error.into(),
            SourceError::NoHome(error) => error.into(),
        }
    }
}

impl From<RunError> for ApiError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Source(error) => error.into(),
            RunError::Stages(error) => Self::from_error(ErrorKind::Failed, "not_written", &error)
                .hint("make room in TMPDIR"),
            RunError::NoDirectory(_) => {
                Self::from_error(ErrorKind::Invalid, "no_directory", &error)
                    .hint("go to a directory that exists, or use -C")
            }
            RunError::Stdin(error) => error.into(),
            RunError::Execute(error) => Self::system(&error),
            RunError::OutputLost(_) => Self::from_error(ErrorKind::Failed, "output_lost", &error)
                .hint("make room in TMPDIR"),
        }
    }
}

impl From<RunSpawnError> for ApiError {
    fn from(error: RunSpawnError) -> Self {
        match error {
            RunSpawnError::Invalid(findings) => Self::from_findings(findings),
            RunSpawnError::Run(error) => error.into(),
        }
    }
}

impl From<DeclarationError> for ApiError {
    fn from(error: DeclarationError) -> Self {
        Self::from_error(ErrorKind::Invalid, "invalid_artifact", &error).hint(error.hint())
    }
}

impl From<&ImportError> for ApiError {
    fn from(error: &ImportError) -> Self {
        let (kind, code, hint) = match error {
            ImportError::Missing(_) => (ErrorKind::NotFound, "not_found", "name the file"),
            ImportError::Unreadable { .. } => {
                let hint = "name a text file that you can read";
                (ErrorKind::Invalid, "unreadable", hint)
            }
            ImportError::Taken(_) => {
                let hint = "name another directory, or move that file away";
                (ErrorKind::Conflict, "exists", hint)
            }
            ImportError::NotWritten { .. } => {
                let hint = "name a directory that you can write to";
                (ErrorKind::Failed, "not_written", hint)
            }
            ImportError::Wrong(_) => {
                let hint = "name a file of that kind";
                (ErrorKind::Invalid, "invalid_import", hint)
            }
        };
        Self::from_error(kind, code, error).hint(hint)
    }
}

impl From<&UtilityError> for ApiError {
    fn from(error: &UtilityError) -> Self {
        let (kind, code) = match error.why {
            UtilityErrorKind::Wrong => (ErrorKind::Invalid, "invalid_input"),
            UtilityErrorKind::Failed => (ErrorKind::Failed, "utility_failed"),
            UtilityErrorKind::Interrupted => (ErrorKind::Interrupted, "interrupted"),
        };
        Self::new(kind, code, &error.message).hint(&error.hint)
    }
}
