//! `plan`: how many turns a loadout takes at most, without asking a model.

use std::path::PathBuf;

use super::{ApiError, Engine};
use crate::cast::start;
use crate::editor::plan;

pub use crate::editor::plan::{PlanEstimate, PlanRange, PlanReport, PlanSocket};

/// The loadout to plan.
#[derive(Debug, Clone, Default)]
pub struct PlanRequest {
    /// Its name or id; without it, the active one.
    pub loadout: Option<String>,
    /// How long the lists are that its loops work through.
    pub items: u64,
    /// The config file on top of all others.
    pub config: Option<PathBuf>,
}

impl Engine {
    /// Plans a loadout, with an estimate from the project's earlier casts.
    pub fn plan(&self, request: &PlanRequest) -> Result<PlanReport, ApiError> {
        let files = self.config_files(request.config.as_deref())?;
        let snapshot = files.snapshot();
        let config = snapshot.config();
        let casts = start::place(self.project()?, config.settings());
        let named = request.loadout.as_deref();
        Ok(plan::plan(config, named, request.items, &casts)?)
    }
}
