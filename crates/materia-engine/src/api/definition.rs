//! Definitions: what an editor shows, checks, saves and tries.

use super::{ApiError, Engine, SaveFailure};
use crate::editor::trial::{self, TrialContext};
use crate::editor::{self, SaveContext};

pub use crate::editor::trial::{TrialReport, TrialRequest};
pub use crate::editor::{
    CheckReport, CheckRequest, ConfigFile, DefinitionsReport, EditTarget, LoadoutDefinition,
    MateriaDefinition, SaveConflict, SaveEdit, SaveReport, SaveRequest, Section,
};

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
