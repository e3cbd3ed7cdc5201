//! How things are spelled between the page and us.
//!
//! Owns the shapes of requests and answers, and with them the client's types: `web/src/types.ts` is
//! written from these by a test, which fails when the two differ. Never computes anything.

mod actor;
mod cast;
mod config;
#[cfg(feature = "test-fakes")]
mod types;

use materia_model::finding::{Finding, Severity};
use serde::Serialize;

#[cfg(feature = "test-fakes")]
pub use types::types;

pub(super) use actor::{
    MessageRequest, Output, QuestChange, QuestRequest, QuestsRun, RunView, ToolRequest,
};
pub(super) use cast::{
    Artifact, ArtifactQuery, BudgetRequest, CastState, CastView, CastsQuery, Doing, Done,
    ForkRequest, Forked, GoOnRequest, LiveQuery, StartRequest, Told, TrustRequest,
};
pub(super) use config::{
    ActiveAnswer, ActiveRequest, CheckAnswer, CheckRequest, Config, ConfigFile, Conflict,
    ConflictAnswer, ErrorBody, Loadout, Materia, SaveAnswer, SaveEdit, SaveRequest, SectionName,
    TargetName, TrialAnswer, TrialRequest,
};

/// Who we are.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub(super) struct About {
    /// Our version.
    pub(super) version: String,
    /// The project directory.
    pub(super) project: String,
    /// Its last part.
    pub(super) project_name: String,
}

/// One thing that is wrong with a document.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "test-fakes", derive(ts_rs::TS))]
pub(super) struct Issue {
    /// `error` or `warning`.
    #[cfg_attr(feature = "test-fakes", ts(type = "\"error\" | \"warning\""))]
    pub(super) severity: &'static str,
    /// A stable name.
    pub(super) code: String,
    /// One sentence.
    pub(super) message: String,
    /// The path of the value in its document.
    pub(super) path: Option<String>,
    /// The file.
    pub(super) file: Option<String>,
    /// The line, from 1.
    #[cfg_attr(feature = "test-fakes", ts(type = "number | null"))]
    pub(super) line: Option<usize>,
    /// The column, from 1.
    #[cfg_attr(feature = "test-fakes", ts(type = "number | null"))]
    pub(super) column: Option<usize>,
    /// What to write instead.
    pub(super) hint: Option<String>,
}

impl From<&Finding> for Issue {
    fn from(finding: &Finding) -> Self {
        let place = finding.place.as_ref();
        Self {
            severity: if finding.severity == Severity::Error {
                "error"
            } else {
                "warning"
            },
            code: finding.code.to_owned(),
            message: finding.message.clone(),
            path: finding.path.clone(),
            file: place.map(|place| place.file.to_string()),
            line: place.map(|place| place.line),
            column: place.map(|place| place.column),
            hint: finding.hint.clone(),
        }
    }
}

/// Findings as issues.
pub(super) fn issues<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Vec<Issue> {
    findings.into_iter().map(Issue::from).collect()
}
