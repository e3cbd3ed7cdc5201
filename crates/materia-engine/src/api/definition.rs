//! Definitions: what an editor shows, checks, saves and tries.

use serde::Serialize;

use super::{ApiError, Engine, ErrorReport};
use crate::editor::trial::{self, TrialContext};
use crate::editor::{self, SaveContext, SaveError};

pub use crate::editor::trial::{TrialReport, TrialRequest};
pub use crate::editor::{
    CheckReport, CheckRequest, ConfigFile, DefinitionsReport, LoadoutDefinition, MateriaDefinition,
    SaveConflict, SaveEdit, SaveReport, SaveRequest, Section, Target,
};

/// Why nothing was saved.
#[derive(Debug)]
pub struct SaveFailure {
    /// The error.
    pub error: ApiError,
    /// What another editor wrote meanwhile, where that is the reason.
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
    /// The conflict as programs read it, where there is one.
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

impl Engine {
    /// Everything that can be edited.
    pub fn definitions(&self) -> Result<DefinitionsReport, ApiError> {
        let files = self.config_files(None)?;
        Ok(editor::definitions(
            &files.snapshot(),
            &self.home()?,
            self.project()?,
        ))
    }

    /// Checks a definition as it is being edited.
    pub fn check_definition(&self, request: &CheckRequest) -> Result<CheckReport, ApiError> {
        let files = self.config_files(None)?;
        editor::check(files, &self.home()?, self.project()?, request)
            .map_err(ApiError::from_findings)
    }

    /// Saves definitions, all of them or none.
    pub fn save_definition(&self, request: &SaveRequest) -> Result<SaveReport, SaveFailure> {
        let home = self.home().map_err(ApiError::from)?;
        let _lock = editor::lock_editors(&home)?;
        let files = self.config_files(None)?;
        let context = SaveContext {
            home: &home,
            project: self.project()?,
            clock: self.clock(),
        };
        Ok(editor::save(files, request, context)?)
    }

    /// Runs a utility once, as it is or as it is being edited.
    pub fn trial(&self, request: &TrialRequest) -> Result<TrialReport, ApiError> {
        let context = TrialContext {
            project: self.project()?,
            library: &self.library()?,
            home: &self.home()?,
            user_home: self.user_home(),
            accepts: self.trusts_everything(),
        };
        Ok(trial::trial(self.config_files(None)?, request, context)?)
    }
}

#[cfg(test)]
mod tests;
