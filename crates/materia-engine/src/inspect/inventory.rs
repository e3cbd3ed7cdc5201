//! `coordinator`, `session:S` and `session:all`: the runs that the caller may see.
//!
//! Owns whose runs are listed (A9), the order in which the list is truncated, and the report on
//! unreadable runs.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use materia_model::name::RunId;
use materia_model::run::{RunState, RunStatus};
use materia_model::time::Timestamp;
use serde::Serialize;

use super::StatusFilter;
use crate::clock::Clock;
use crate::run::{self, Error, RunDir, RunListItem, RunRoot};
use crate::store::journal::{From, Reader};

/// The runs of a session.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Inventory {
    /// Always true.
    pub ok: bool,
    /// The session; none for all of them.
    pub session: Option<String>,
    /// Where runs are.
    pub root: String,
    /// Its runs, by id; the first of them, where only so many were asked for.
    pub runs: Vec<RunListItem>,
    /// How many there are.
    pub total: usize,
    /// How many of them are not over.
    pub active: usize,
    /// Whether some are not shown.
    pub incomplete: bool,
    /// How many runs belong to others.
    pub other_runs: usize,
    /// How many other sessions there are.
    pub other_sessions: usize,
    /// Runs that cannot be read, and why.
    pub broken: BTreeMap<String, String>,
    /// How many more cannot be read, of which it is not known whose they are.
    pub unreadable: usize,
    /// What one can do next.
    pub next: Vec<String>,
}

/// Lists the runs of a session; all runs if `None`.
pub fn inventory(
    root: &RunRoot,
    session: Option<&str>,
    caller: Option<&str>,
    filter: StatusFilter,
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
    // A caller with a session sees its own runs, regardless of the request.
    let owner = session.or(caller);
    let ours = |run: &RunListItem| owner.is_none_or(|owner| run.session.as_deref() == Some(owner));
    let (runs, others): (Vec<RunListItem>, Vec<RunListItem>) =
        list.runs.into_iter().partition(ours);
    let sessions: BTreeSet<&str> = others
        .iter()
        .filter_map(|run| run.session.as_deref())
        .collect();
    let runs: Vec<RunListItem> = runs
        .into_iter()
        .filter(|run| filter.fits(run.status))
        .collect();
    let (broken, unreadable) = broken(root, list.broken, owner);
    Ok(Inventory {
        ok: true,
        session: owner.map(str::to_owned),
        root: root.path().to_string_lossy().into_owned(),
        other_runs: others.len(),
        other_sessions: sessions.len(),
        total: runs.len(),
        active: runs.iter().filter(|run| !run.status.is_terminal()).count(),
        incomplete: false,
        next: next(&runs),
        runs,
        broken,
        unreadable,
    })
}

impl Inventory {
    /// Keeps only the first runs, in the order of interest: active ones, then the newest.
    pub fn first(mut self, most: usize) -> Self {
        self.runs.sort_by_key(rank);
        self.runs.truncate(most);
        self.incomplete = self.runs.len() < self.total;
        self
    }
}

fn rank(run: &RunListItem) -> (bool, Reverse<Option<Timestamp>>) {
    (run.status.is_terminal(), Reverse(run.started_at))
}

/// Suggests an active run and a failed one; otherwise the newest.
fn next(runs: &[RunListItem]) -> Vec<String> {
    let look = |run: &RunListItem| format!("materia inspect run:{}", run.run);
    let newest = |fits: fn(RunStatus) -> bool| {
        runs.iter()
            .filter(|run| fits(run.status))
            .min_by_key(|run| rank(run))
    };
    let failed = newest(|status| matches!(status, RunStatus::Failed | RunStatus::Exited));
    let failed = failed.map(|run| format!("{} --view tail", look(run)));
    let active = newest(|status| !status.is_terminal()).map(look);
    let mut next: Vec<String> = active.into_iter().chain(failed).collect();
    if next.is_empty() {
        next.extend(newest(|_| true).map(look));
    }
    next
}

/// The unreadable runs that belong to the caller, and the number of those with an unknown owner.
fn broken(
    root: &RunRoot,
    found: Vec<(RunId, Error)>,
    owner: Option<&str>,
) -> (BTreeMap<String, String>, usize) {
    let (mut ours, mut unknown) = (BTreeMap::new(), 0);
    for (id, error) in found {
        match owner.map(|owner| (owner, beginning(&root.place(&id)))) {
            Some((_, None)) => unknown += 1,
            Some((owner, Some(state))) if state.session() != Some(owner) => {}
            _ => {
                ours.insert(id.to_string(), error.with_causes());
            }
        }
    }
    (ours, unknown)
}

/// The state of a damaged journal before the damage; `None` if it does not include a start.
fn beginning(place: &RunDir) -> Option<RunState> {
    let mut state = RunState::default();
    let records = Reader::open(&place.journal(), From::Beginning).ok()?;
    for record in records.map_while(Result::ok) {
        state.apply(&record);
    }
    state.start.is_some().then_some(state)
}
