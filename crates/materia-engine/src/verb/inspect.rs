//! `inspect`: what there is to know about runs, sessions and this program.
//!
//! Owns the targets, their views, and the reports. Every look is proved (P4), and ownership fails closed (A9): a caller
//! with a session sees its own runs and how many others there are, nothing more.

pub mod mail;
pub mod room;
mod target;
pub mod triage;

use std::collections::{BTreeMap, BTreeSet};

use materia_model::run::Status;
use serde::Serialize;

pub use target::{Filter, Target, TargetError};

use super::status::RunStatus;
use crate::clock::Clock;
use crate::process::{Below, below};
use crate::run::{self, Entry, Error, Listed, Place, Root, Tail};

/// How many lines of output are shown where nothing is said.
pub const LINES: usize = 40;

/// A run's status.
#[derive(Debug, Serialize)]
pub struct Shown {
    /// Always true.
    pub ok: bool,
    /// How it stands.
    #[serde(flatten)]
    pub run: RunStatus,
    /// What one can do next.
    pub next: Vec<String>,
}

/// The end of a run's output.
#[derive(Debug, Serialize)]
pub struct ShownTail {
    /// Always true.
    pub ok: bool,
    /// The run.
    pub run: String,
    /// How it stands.
    pub status: Status,
    /// The last lines.
    #[serde(flatten)]
    pub tail: Tail,
}

/// What a run promised to make and what is there, or everything in its directory.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownFiles {
    /// Always true.
    pub ok: bool,
    /// The run.
    pub run: String,
    /// How it stands.
    pub status: Status,
    /// Its directory.
    pub state_dir: String,
    /// Its artifacts.
    pub artifacts: BTreeMap<String, Entry>,
    /// The files in its directory and their sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub files: Option<BTreeMap<String, u64>>,
}

/// The runs of a session.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Inventory {
    /// Always true.
    pub ok: bool,
    /// The session; none for all of them.
    pub session: Option<String>,
    /// Where runs are.
    pub root: String,
    /// Its runs.
    pub runs: Vec<Listed>,
    /// How many runs belong to others.
    pub other_runs: usize,
    /// How many other sessions there are.
    pub other_sessions: usize,
    /// Runs that cannot be read, and why.
    pub broken: BTreeMap<String, String>,
    /// What one can do next.
    pub next: Vec<String>,
}

/// This program.
#[derive(Debug, Serialize)]
pub struct Runtime {
    /// Always true.
    pub ok: bool,
    /// Our name.
    pub name: &'static str,
    /// Our version.
    pub version: &'static str,
    /// Where runs are.
    pub runs: String,
    /// Where recipes are.
    pub recipes: String,
}

/// Opens a run that the caller may see, and proves how it stands.
pub fn open(
    root: &Root,
    id: &materia_model::name::RunId,
    caller: Option<&str>,
    clock: &Clock,
) -> Result<(Place, materia_model::run::State), Error> {
    let place = root.find(id)?;
    run::check_owner(&run::recorded(&place)?, id.as_str(), caller)?;
    let state = run::look(&place, clock)?;
    Ok((place, state))
}

/// `run:X --view status`.
pub fn status(place: &Place, state: &materia_model::run::State) -> Shown {
    let run = RunStatus::of(place, state);
    let next = run.next();
    Shown { ok: true, run, next }
}

/// `run:X --view tail`.
pub fn tail(place: &Place, state: &materia_model::run::State, lines: usize) -> Result<ShownTail, Error> {
    let tail = run::tail(place, lines)?;
    Ok(ShownTail { ok: true, run: place.id().to_string(), status: state.status, tail })
}

/// The processes of a run, its supervisor first.
pub fn processes(state: &materia_model::run::State) -> Vec<Below> {
    let alive = !state.status.is_terminal();
    run::supervisor(state).filter(|_| alive).map(|supervisor| below(&supervisor)).unwrap_or_default()
}

/// `run:X --view artifacts`, and `--view files`, which also lists the directory.
pub fn files(place: &Place, state: &materia_model::run::State, all: bool) -> Result<ShownFiles, Error> {
    let artifacts = state.start.as_ref().map(|start| run::manifest(start, u64::MAX)).unwrap_or_default();
    Ok(ShownFiles {
        ok: true,
        run: place.id().to_string(),
        status: state.status,
        state_dir: place.dir().to_string_lossy().into_owned(),
        artifacts,
        files: if all { Some(run::directory(place)?) } else { None },
    })
}

/// `coordinator`, `session:S` and `session:all`.
pub fn inventory(
    root: &Root,
    session: Option<&str>,
    caller: Option<&str>,
    filter: Filter,
    clock: &Clock,
) -> Result<Inventory, Error> {
    if let (Some(session), Some(caller)) = (session, caller)
        && session != caller
    {
        return Err(Error::SessionMismatch {
            run: "*".to_owned(),
            owner: Some(session.to_owned()),
            caller: caller.to_owned(),
        });
    }
    let list = run::list(root, clock)?;
    // Who has a session sees its own, whatever it asked for.
    let owner = session.or(caller);
    let ours = |run: &Listed| owner.is_none_or(|owner| run.session.as_deref() == Some(owner));
    let (runs, others): (Vec<Listed>, Vec<Listed>) = list.runs.into_iter().partition(ours);
    let sessions: BTreeSet<&str> = others.iter().filter_map(|run| run.session.as_deref()).collect();
    let runs: Vec<Listed> = runs.into_iter().filter(|run| filter.fits(run.status)).collect();
    let next = runs.iter().rev().take(2).map(|run| format!("materia inspect run:{}", run.run)).collect();
    let broken = if owner.is_some() { Vec::new() } else { list.broken };
    Ok(Inventory {
        ok: true,
        session: owner.map(str::to_owned),
        root: root.path().to_string_lossy().into_owned(),
        other_runs: others.len(),
        other_sessions: sessions.len(),
        runs,
        broken: broken.into_iter().map(|(id, error)| (id.to_string(), error.to_string())).collect(),
        next,
    })
}

/// `tool:materia --view status`.
pub fn runtime(home: &crate::home::Home) -> Runtime {
    Runtime {
        ok: true,
        name: "materia",
        version: env!("CARGO_PKG_VERSION"),
        runs: home.runs().to_string_lossy().into_owned(),
        recipes: home.recipes().to_string_lossy().into_owned(),
    }
}
