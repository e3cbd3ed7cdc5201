//! `grid`: a loadout as a picture or a document.

use std::path::PathBuf;

use super::{ApiError, Engine};
use crate::editor::grid;

pub use crate::editor::grid::{GridFormat, GridReport};

/// The loadout to show.
#[derive(Debug, Clone, Default)]
pub struct GridRequest {
    /// Its name or id; without it, the active one.
    pub loadout: Option<String>,
    /// The config file on top of all others.
    pub config: Option<PathBuf>,
}

impl Engine {
    /// Compiles a loadout, so that it can be shown.
    pub fn grid(&self, request: &GridRequest) -> Result<GridReport, ApiError> {
        let files = self.config_files(request.config.as_deref())?;
        let named = request.loadout.as_deref();
        Ok(grid::grid(files.snapshot().config(), named)?)
    }
}
