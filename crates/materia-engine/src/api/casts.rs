//! `casts`: the casts of the project.

use std::path::{Path, PathBuf};

use super::{ApiError, Engine};
use crate::cast::{Folder, list, start};

pub use crate::cast::ObservedStatus;
pub use crate::cast::glance::{CastPosition, ItemAt, UsageSummary};
pub use crate::cast::list::{CastListItem, CastListReport, CastProblem};

/// Which casts to list.
#[derive(Debug, Clone, Default)]
pub struct CastListRequest {
    /// At most so many.
    pub limit: Option<usize>,
    /// Only those with this status.
    pub status: Option<ObservedStatus>,
    /// A config file on top of the others.
    pub config: Option<PathBuf>,
}

impl Engine {
    /// Lists the casts of the project, the newest first.
    pub fn casts(&self, request: &CastListRequest) -> Result<CastListReport, ApiError> {
        let folder = self.cast_root(request.config.as_deref())?;
        Ok(list::list(
            &folder,
            request.limit,
            request.status,
            self.clock(),
        ))
    }

    /// The directory of the project's casts.
    pub(super) fn cast_root(&self, config: Option<&Path>) -> Result<PathBuf, ApiError> {
        Ok(start::casts(self.project()?, &self.config_files(config)?))
    }

    /// The cast with this id, beginning of an id or directory; without one the newest that runs, or
    /// else the newest.
    pub(super) fn find_cast(
        &self,
        cast: Option<&str>,
        config: Option<&Path>,
    ) -> Result<Folder, ApiError> {
        Ok(list::looked_at(
            self.project()?,
            &self.cast_root(config)?,
            cast,
        )?)
    }
}
