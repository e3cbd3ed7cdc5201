//! `import`: recipes of other tools become recipes of this one.

use std::path::PathBuf;

use materia_model::import::ShellLines;

use super::{Engine, ImportFailure};
use crate::editor::import;

pub use crate::editor::import::{ImportReport, ImportedRecipe};

/// A file of another tool.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// What kind of file it is, and where.
    pub source: ImportSource,
    /// The directory that the recipes are written into; without it they are only reported.
    pub into: Option<PathBuf>,
}

/// What is imported.
#[derive(Debug, Clone)]
pub enum ImportSource {
    /// A goose recipe, with its sub-recipes.
    Goose(PathBuf),
    /// A justfile.
    Justfile {
        /// The file; without it, the one in the project directory.
        file: Option<PathBuf>,
        /// Whether lines that need a shell are run by one.
        shell: ShellLines,
    },
}

impl Engine {
    /// Converts a file of another tool into recipes.
    pub fn import(&self, request: &ImportRequest) -> Result<ImportReport, ImportFailure> {
        let project = self.project()?;
        let path = |path: &PathBuf| self.path(path);
        let into = request.into.as_ref().map(path);
        Ok(match &request.source {
            ImportSource::Goose(file) => import::goose(&self.path(file), into.as_deref())?,
            ImportSource::Justfile { file, shell } => {
                let file = file.as_ref().map(path);
                import::justfile(file.as_deref(), project, *shell, into.as_deref())?
            }
        })
    }
}
