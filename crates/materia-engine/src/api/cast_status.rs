//! `status`: where a cast is and what it needs.

use std::path::PathBuf;

use super::{ApiError, Engine};
use crate::cast::status;

pub use crate::cast::status::{BudgetShare, BudgetUnit, CastStatusReport, SocketProgress};

/// Which cast to report on.
#[derive(Debug, Clone, Default)]
pub struct CastStatusRequest {
    /// Its id, the beginning of its id, or its directory. Without one it is the newest that runs, or
    /// else the newest.
    pub cast: Option<String>,
    /// A config file on top of the others.
    pub config: Option<PathBuf>,
}

impl Engine {
    /// Reports where a cast is, what is left of its budget and what it needs.
    pub fn cast_status(&self, request: &CastStatusRequest) -> Result<CastStatusReport, ApiError> {
        let folder = self.find_cast(request.cast.as_deref(), request.config.as_deref())?;
        Ok(status::status(&folder, self.clock())?)
    }
}
