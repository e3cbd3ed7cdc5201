//! What waits for the user besides casts: a project to trust, and messages to answer.

use serde::Serialize;

use super::trust::TrustReport;
use super::{ApiError, Engine};
use crate::inspect::triage;
use crate::trust::ProjectTrust;

use crate::inspect::triage::Attention;

/// What waits for the user besides casts.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct NeedsReport {
    /// What the project brings, where the person has not agreed to it.
    pub trust: Option<TrustReport>,
    /// Messages whose senders wait for an answer.
    pub attention: Vec<Attention>,
}

impl Engine {
    /// What waits for the user besides casts.
    pub fn needs(&self) -> Result<NeedsReport, ApiError> {
        let (files, home) = (self.config_files(None)?, self.home()?);
        let project = ProjectTrust::inspect(&files, Some(&home)).ok();
        let project =
            project.filter(|project| !self.trusts_everything() && project.require().is_err());
        let waiting = triage::waiting(&self.runs()?, None, self.clock())?;
        Ok(NeedsReport {
            trust: project.map(ProjectTrust::into_report),
            attention: waiting.attention_messages,
        })
    }
}
