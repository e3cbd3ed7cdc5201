//! `cast-show`: what one cast did, and the files it made.

use std::path::PathBuf;

use materia_model::text;

use super::{ApiError, Engine, ErrorKind};
use crate::cast::{artifact, show};

pub use crate::cast::artifact::ArtifactReport;
pub use crate::cast::show::{CastEventRecord, CastParts, CastShowReport, CastStep, StepOutcome};
pub use crate::cast::{CastUsage, UsageSum};

/// Which cast to show, and what of it.
#[derive(Debug, Clone, Default)]
pub struct CastShowRequest {
    /// Its id, the beginning of its id, or its directory. Without one it is the newest that runs, or
    /// else the newest.
    pub cast: Option<String>,
    /// What to show besides the steps.
    pub parts: CastParts,
    /// A config file on top of the others.
    pub config: Option<PathBuf>,
}

/// Which file of a cast to read.
#[derive(Debug, Clone, Default)]
pub struct ArtifactRequest {
    /// The cast, as in [`CastShowRequest`].
    pub cast: Option<String>,
    /// The path of the file in the directory of the cast.
    pub path: String,
}

impl Engine {
    /// Shows what a cast did, step by step.
    pub fn cast_show(&self, request: &CastShowRequest) -> Result<CastShowReport, ApiError> {
        let folder = self.find_cast(request.cast.as_deref(), request.config.as_deref())?;
        Ok(show::show(&folder, request.parts, self.clock())?)
    }

    /// Reads the beginning of a file of a cast.
    pub fn artifact(&self, request: &ArtifactRequest) -> Result<ArtifactReport, ApiError> {
        let folder = self.find_cast(request.cast.as_deref(), None)?;
        artifact::artifact(&folder, &request.path).map_err(|_| {
            let message = format!("the cast has no file {}", text::quoted(&request.path));
            ApiError::new(ErrorKind::NotFound, "artifact_not_found", message)
        })
    }
}
