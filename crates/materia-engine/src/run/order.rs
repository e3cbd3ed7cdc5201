//! What a supervisor is told when it is started, and what it answers.
//!
//! Owns both documents. They pass from one process of this program to another of the same version, so they have no format
//! number and are never kept.

use std::path::PathBuf;

use materia_model::name::RunId;
use materia_model::run::Start;
use materia_model::template::wire::Wire;
use serde::{Deserialize, Serialize};

use super::error::Error;

/// What a supervisor is told.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// The directory of all runs.
    pub root: PathBuf,
    /// The run.
    pub run: RunId,
    /// Whether there must be no run of that id yet.
    pub fresh: bool,
    /// How the generation begins; the supervisor adds who it is.
    pub start: Start,
    /// The names of variables and values that are secret (S3).
    pub secret: Vec<String>,
    /// What agents inside are told about the recipe: one JSON text for each record, because a recipe may nest deeper than
    /// JSON is read.
    pub context: Vec<String>,
    /// What runs.
    pub plan: Wire,
    /// Where what flows between commands is spooled.
    pub spool: PathBuf,
}

/// What a supervisor answers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// It runs, and that is durable.
    Runs {
        /// Its process id.
        pid: i32,
    },
    /// It did not begin.
    Refused(Refusal),
}

/// Why a supervisor did not begin.
#[derive(Debug, Serialize, Deserialize)]
pub enum Refusal {
    /// The run is running.
    Active {
        /// Who supervises it.
        pid: Option<i32>,
    },
    /// The id is taken.
    Taken,
    /// Something failed; nothing was left behind.
    Failed {
        /// What.
        message: String,
        /// What to do about it.
        hint: String,
    },
}

impl Refusal {
    /// The refusal as an error about a run.
    pub(super) fn into_error(self, run: String) -> Error {
        match self {
            Self::Active { pid } => Error::Active { run, pid },
            Self::Taken => Error::Taken(run),
            Self::Failed { message, hint } => Error::NotStarted { run, message, hint },
        }
    }
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        match error {
            Error::Active { pid, .. } => Self::Active { pid },
            Error::Taken(_) => Self::Taken,
            other => Self::Failed { message: with_causes(&other), hint: other.hint() },
        }
    }
}

/// An error and what led to it, in one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}
