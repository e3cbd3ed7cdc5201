//! `inspect`: reports on runs, sessions and this program.
//!
//! Owns the targets, their views, and the reports. Every status is proved (P4), and ownership fails
//! closed (A9): a caller with a session sees its own runs and the number of other runs, nothing
//! more.

pub mod run_status;
pub mod wait;
pub mod top;
pub mod report;
pub mod follow;
mod inventory;
pub mod mail;
mod output;
pub mod overview;
mod recipes;
pub mod room;
mod target;
pub mod triage;

use std::collections::BTreeMap;

use materia_model::name::RunId;
use materia_model::run::{RunState, RunStatus};
use materia_model::run_fold::RunFold;
use serde::Serialize;

pub use inventory::{Inventory, inventory};
pub use output::{TailReport, tail};
pub use recipes::{RecipeCounts, RecipeStatusReport, recipes};
pub use target::{InspectTarget, StatusFilter, TargetError};

use crate::clock::Clock;
use crate::inspect::run_status::RunSnapshot;
use crate::process::{RunProcess, below};
use crate::run::{self, ArtifactEntry, Error, RunDir, RunLog, RunRoot};

/// The default number of lines, messages, members or runs.
pub const LINES: usize = 40;

/// A run's status.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RunStatusReport {
    /// Always true.
    pub ok: bool,
    /// How it stands.
    #[serde(flatten)]
    pub run: RunSnapshot,
    /// What one can do next.
    pub next: Vec<String>,
}

/// The declared artifacts of a run and their state, or all files in its directory.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FilesReport {
    /// Always true.
    pub ok: bool,
    /// The run.
    pub run: String,
    /// The status of the run.
    pub status: RunStatus,
    /// Its directory.
    pub state_dir: String,
    /// Its artifacts.
    pub artifacts: BTreeMap<String, ArtifactEntry>,
    /// The files in its directory and their sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<BTreeMap<String, u64>>,
}

/// This program.
#[derive(Debug, Serialize)]
pub struct RuntimeReport {
    /// Always true.
    pub ok: bool,
    /// The name of the program.
    pub name: &'static str,
    /// The version of the program.
    pub version: &'static str,
    /// The directory of all runs.
    pub runs: String,
    /// The directory of recipes.
    pub recipes: String,
}

/// Opens a run that the caller may see, and proves its status.
pub fn open(
    root: &RunRoot,
    id: &RunId,
    caller: Option<&str>,
    clock: &Clock,
) -> Result<(RunDir, RunLog), Error> {
    let place = run::find(root, id, caller)?;
    let mut log = RunLog::read(&place.journal())?;
    run::check_owner(log.state(), id.as_str(), caller)?;
    run::prove_again(&place, &mut log, clock)?;
    Ok((place, log))
}

/// `run:X --view status`.
pub fn status(place: &RunDir, fold: &RunFold) -> RunStatusReport {
    let run = RunSnapshot::of(place, fold);
    let next = run.next();
    RunStatusReport {
        ok: true,
        run,
        next,
    }
}

/// The processes of a run, its supervisor first.
pub fn processes(state: &RunState) -> Vec<RunProcess> {
    let alive = !state.status.is_terminal();
    run::supervisor(state)
        .filter(|_| alive)
        .map(|supervisor| below(&supervisor))
        .unwrap_or_default()
}

/// `run:X --view artifacts`, and `--view files`, which also lists the directory.
pub fn files(place: &RunDir, state: &RunState, all: bool) -> Result<FilesReport, Error> {
    let artifacts = state
        .start
        .as_ref()
        .map(|start| run::manifest(start, u64::MAX))
        .unwrap_or_default();
    Ok(FilesReport {
        ok: true,
        run: place.id().to_string(),
        status: state.status,
        state_dir: place.dir().to_string_lossy().into_owned(),
        artifacts,
        files: if all {
            Some(run::directory(place)?)
        } else {
            None
        },
    })
}

/// `tool:materia --view status`.
pub fn runtime(home: &crate::home::Home) -> RuntimeReport {
    RuntimeReport {
        ok: true,
        name: "materia",
        version: env!("CARGO_PKG_VERSION"),
        runs: home.runs().to_string_lossy().into_owned(),
        recipes: home.recipes().to_string_lossy().into_owned(),
    }
}
