//! `export`: a cast as a report for other people.

use std::path::{Path, PathBuf};

use super::{ApiError, Engine, ErrorKind};
use crate::cast::export;

pub use crate::cast::export::{CastExport, ExportReport};

/// Which cast to export.
#[derive(Debug, Clone, Default)]
pub struct CastExportRequest {
    /// Its id, the beginning of its id, or its directory. Without one it is the newest that runs, or
    /// else the newest.
    pub cast: Option<String>,
    /// A config file on top of the others.
    pub config: Option<PathBuf>,
}

impl Engine {
    /// Collects what the report of a cast shows, without secrets.
    pub fn export_cast(&self, request: &CastExportRequest) -> Result<CastExport, ApiError> {
        let folder = self.find_cast(request.cast.as_deref(), request.config.as_deref())?;
        Ok(export::cast(&folder, self.variables(), self.clock())?)
    }

    /// Writes the rendered report of a cast to a file, replacing what is there.
    pub fn save_export(
        &self,
        export: &CastExport,
        text: &str,
        file: &Path,
    ) -> Result<ExportReport, ApiError> {
        let path = self.path(file);
        export::save(&path, text).map_err(|error| {
            let message = format!("{}: {error}", path.display());
            ApiError::new(ErrorKind::Failed, "not_written", message)
                .hint("name a file in a directory that you can write to")
        })?;
        Ok(ExportReport {
            ok: true,
            cast_id: export.cast.cast_id.clone(),
            file: path.display().to_string(),
            bytes: text.len(),
        })
    }
}
