//! Errors of saving and importing, which carry more than [`ApiError`] does.

use materia_model::finding::Finding;
use serde::Serialize;

use super::{ApiError, ErrorReport};
use crate::editor::import::ImportError;
use crate::editor::{SaveConflict, SaveError};

/// Why nothing was saved.
#[derive(Debug)]
pub struct SaveFailure {
    /// The error.
    pub error: ApiError,
    /// What another editor wrote meanwhile, if that is the reason.
    pub conflict: Option<Box<SaveConflict>>,
}

/// Why nothing was saved, and what another editor wrote meanwhile.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ConflictReport<'a> {
    #[serde(flatten)]
    report: ErrorReport<'a>,
    conflict: &'a SaveConflict,
}

impl SaveFailure {
    /// The conflict in its JSON form, if there is one.
    pub fn conflict_report(&self) -> Option<ConflictReport<'_>> {
        Some(ConflictReport {
            report: self.error.report(),
            conflict: self.conflict.as_deref()?,
        })
    }
}

impl From<ApiError> for SaveFailure {
    fn from(error: ApiError) -> Self {
        Self {
            error,
            conflict: None,
        }
    }
}

impl From<SaveError> for SaveFailure {
    fn from(error: SaveError) -> Self {
        Self {
            error: (&error).into(),
            conflict: match error {
                SaveError::Conflict(conflict) => Some(conflict),
                _ => None,
            },
        }
    }
}

impl From<SaveFailure> for ApiError {
    fn from(failure: SaveFailure) -> Self {
        failure.error
    }
}

/// Why nothing was imported.
#[derive(Debug, Clone)]
pub struct ImportFailure {
    /// The findings about the file.
    pub findings: Vec<Finding>,
    /// The error.
    pub error: ApiError,
}

impl From<ApiError> for ImportFailure {
    fn from(error: ApiError) -> Self {
        let findings = Vec::new();
        Self { findings, error }
    }
}

impl From<ImportError> for ImportFailure {
    fn from(error: ImportError) -> Self {
        let api = ApiError::from(&error);
        let findings = match error {
            ImportError::Wrong(findings) => findings,
            _ => Vec::new(),
        };
        Self {
            findings,
            error: api,
        }
    }
}
