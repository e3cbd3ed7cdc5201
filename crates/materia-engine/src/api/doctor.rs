//! `doctor`: what the promises need on this host, and which agents are found.

use std::path::PathBuf;

use super::{ApiError, Engine, ErrorKind};
use crate::agent::Roster;
use crate::{agent_turn, doctor};

pub use crate::doctor::{
    CheckHealth, DoctorAgent, DoctorCheck, DoctorReport, ExistingState, StatePaths,
};

/// What the diagnosis is about.
#[derive(Debug, Clone, Default)]
pub struct DoctorRequest {
    /// The config file on top of all others.
    pub config: Option<PathBuf>,
}

impl Engine {
    /// Tries everything that the promises need on this host.
    pub fn doctor(&self, request: &DoctorRequest) -> Result<DoctorReport, ApiError> {
        let files = self.config_files(request.config.as_deref())?;
        let home = self.home()?;
        let project = self.project()?;
        let agents = agent_turn::agent_config(&files, Some(&home), self.trusts_everything());
        let roster = Roster::new(&agents.settings, None, project);
        doctor::doctor(&home, project, &roster, &agents)
            .map_err(|error| ApiError::from_error(ErrorKind::Interrupted, "interrupted", &error))
    }
}
