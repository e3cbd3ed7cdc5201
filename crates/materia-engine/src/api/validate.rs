//! `validate`: what is wrong with files.

use std::path::{Path, PathBuf};

use super::Engine;
use crate::editor::validate;

pub use crate::editor::validate::{ValidateReport, ValidatedFile};

/// Files to check.
#[derive(Debug, Clone, Default)]
pub struct ValidateRequest {
    /// Config files, each checked on top of what ships, and recipes.
    pub files: Vec<PathBuf>,
}

impl Engine {
    /// Checks config files and recipes.
    pub fn validate(&self, request: &ValidateRequest) -> ValidateReport {
        // Absolute paths can be checked without a working directory, configs without a home.
        let project = self.project().unwrap_or(Path::new(""));
        validate::validate(self.library().ok().as_ref(), project, &request.files)
    }
}
