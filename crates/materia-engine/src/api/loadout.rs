//! `loadout`: which loadouts there are, which one is active, and what is wrong with them.

use std::path::PathBuf;

use super::{ApiError, Engine, ValidateReport};
use crate::editor::{self, loadout, validate};

pub use crate::editor::loadout::{LoadoutSummary, LoadoutsReport};
pub use crate::editor::{ActiveLoadoutReport, ActiveLoadoutRequest, ActiveReach};

/// Which loadouts to list.
#[derive(Debug, Clone, Default)]
pub struct LoadoutsRequest {
    /// The config file on top of all others.
    pub config: Option<PathBuf>,
}

/// Which config files to check.
#[derive(Debug, Clone, Default)]
pub struct ValidateLoadoutsRequest {
    /// The files, each on top of what ships; without any, those that are in effect here.
    pub files: Vec<PathBuf>,
    /// The config file on top of all others, where those in effect are checked.
    pub config: Option<PathBuf>,
}

impl Engine {
    /// Lists the loadouts.
    pub fn loadouts(&self, request: &LoadoutsRequest) -> Result<LoadoutsReport, ApiError> {
        let files = self.config_files(request.config.as_deref())?;
        Ok(loadout::list(files.snapshot().config()))
    }

    /// Makes a loadout the active one.
    pub fn choose_active(
        &self,
        request: &ActiveLoadoutRequest,
    ) -> Result<ActiveLoadoutReport, ApiError> {
        let home = self.home()?;
        let files = self.config_files(None)?;
        Ok(editor::choose_active(files, &home, request, self.clock())?)
    }

    /// Checks config files, or those that are in effect here.
    pub fn validate_loadouts(
        &self,
        request: &ValidateLoadoutsRequest,
    ) -> Result<ValidateReport, ApiError> {
        if request.files.is_empty() {
            let files = self.config_files(request.config.as_deref())?;
            return Ok(validate::in_effect(files.snapshot().config()));
        }
        Ok(validate::validate(None, self.project()?, &request.files))
    }
}
