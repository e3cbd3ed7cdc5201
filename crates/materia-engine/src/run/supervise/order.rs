//! What a supervisor reads when it is started.
//!
//! Owns the document. It passes from one process of this program to another of the same version, so
//! it has no format number and is never kept.

use std::path::PathBuf;

use materia_model::name::RunId;
use materia_model::run::RunStart;
use materia_model::template::wire::PackedPlan;
use serde::{Deserialize, Serialize};

/// The order of a supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub struct SupervisorOrder {
    /// The directory of all runs.
    pub root: PathBuf,
    /// The run.
    pub run: RunId,
    /// Whether there must be no run of that id yet.
    pub fresh: bool,
    /// How the generation begins; who supervises it is added when that is known.
    pub start: RunStart,
    /// The names of variables and values that are secret (S3).
    pub secret: Vec<String>,
    /// What agents inside read about the recipe: one JSON text for each record, because a recipe may
    /// nest deeper than JSON is read.
    pub context: Vec<String>,
    /// What runs.
    pub plan: PackedPlan,
    /// Where what flows between commands is spooled.
    pub spool: PathBuf,
}
