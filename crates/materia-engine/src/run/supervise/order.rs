//! The document that a supervisor reads when it starts.
//!
//! Owns the document. It is passed between two processes of the same program version, so it has no
//! format number and is never stored.

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
    /// Whether the run must not exist yet.
    pub fresh: bool,
    /// The start record of the generation; the supervisor is added when it is known.
    pub start: RunStart,
    /// The names of variables and values that are secret (S3).
    pub secret: Vec<String>,
    /// The document about the recipe for agents inside the run: one JSON text per record, because a
    /// recipe may be nested deeper than the JSON parser allows.
    pub context: Vec<String>,
    /// The plan to execute.
    pub plan: PackedPlan,
    /// The directory for spooled data between commands.
    pub spool: PathBuf,
}
