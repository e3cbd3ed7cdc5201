//! Pruning of runs, and the sweep of old ones.
//!
//! Owns pruning and sweeping. Each removal holds the run's lock, after the run's own journal said
//! that it is over. The age of a directory or a recorded pid proves nothing. Never archives a run
//! and never copies artifacts itself.

use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use materia_model::run::{KEPT_FOR, OnSessionEnd, RunControl, RunState, is_overdue};

use super::archive::{self, Pruned};
use super::preserve;
use super::terminal::terminal;
use super::undelivered;
use crate::clock::Clock;
use crate::run::look::status::take;
use crate::run::{Error, RunDir, RunLog, RunRoot, Stopped, list, open, stop_opened};
use crate::store::lock::{LockError, LockWait};
use crate::store::{stream, tree};

/// How often old runs are swept automatically.
const SWEEP_EVERY: Duration = Duration::from_secs(24 * 3600);

/// Removes a run that is over; `keep` copies its artifacts first. `generation` restricts the
/// request to one generation.
pub fn prune(
    root: &RunRoot,
    place: &RunDir,
    generation: Option<&str>,
    keep: bool,
    clock: &Clock,
) -> Result<Pruned, Error> {
    let (_lock, state) = terminal(place, generation, clock)?;
    let preserved = if keep {
        preserve::preserve(root, place, place.dir(), &state)?
    } else {
        Vec::new()
    };
    undelivered::hand_over(root, place)?;
    tree::remove(place.dir(), &Clock::system().fresh_id())?;
    Ok(Pruned {
        run: place.id().to_string(),
        preserved,
    })
}

/// Ends the runs of a session that are configured to end with it (A9).
pub fn end_session(
    root: &RunRoot,
    session: &str,
    clock: &Clock,
) -> Result<Vec<(String, Stopped)>, Error> {
    let mut ended = Vec::new();
    let active = list(root, clock)?
        .runs
        .into_iter()
        .filter(|run| !run.status.is_terminal());
    for run in active.filter(|run| run.session.as_deref() == Some(session)) {
        let Ok(id) = run.run.parse() else { continue };
        let place = root.place(&id);
        let mut log: RunLog<RunState> = open(&place, clock)?;
        let start = log.state().start.as_ref();
        if start.is_some_and(|start| start.on_session_end == OnSessionEnd::Kill) {
            let stopped = stop_opened(&place, &mut log, RunControl::Kill, None, clock)?;
            ended.push((run.run, stopped));
        }
    }
    Ok(ended)
}

/// Removes runs that have been over for longer than `kept_for`, and returns their ids.
pub fn sweep(root: &RunRoot, kept_for: Duration, clock: &Clock) -> Result<Vec<String>, Error> {
    let mut removed = Vec::new();
    let over = list(root, clock)?
        .runs
        .into_iter()
        .filter(|run| run.status.is_terminal());
    for run in over {
        let Ok(id) = run.run.parse() else { continue };
        let place = root.place(&id);
        // Check the age first, because it is cheap and most runs are young. The journal, read under
        // the lock, decides.
        let kept = i64::try_from(kept_for.as_millis()).unwrap_or(i64::MAX);
        let age = run
            .ended_at
            .map(|ended| clock.now().as_millis().saturating_sub(ended.as_millis()));
        if age.is_none_or(|age| age <= kept) {
            continue;
        }
        match terminal(&place, None, clock) {
            Ok((_lock, state)) if is_overdue(&state, clock.now(), kept_for) => {
                preserve::forget(root, &state);
                undelivered::hand_over(root, &place)?;
                tree::remove(place.dir(), &Clock::system().fresh_id())?;
                removed.push(run.run);
            }
            Ok(_)
            | Err(
                Error::NotTerminal { .. }
                | Error::NotFound { .. }
                | Error::Lock(LockError::Held { .. }),
            ) => {}
            Err(error) => return Err(error),
        }
    }
    for place in root
        .ids()
        .unwrap_or_default()
        .iter()
        .map(|id| root.place(id))
    {
        remove_what_never_began(&place);
    }
    undelivered::sweep(root, kept_for, clock);
    archive::sweep(root);
    for folder in [root.preserved(), root.path().to_owned()]
        .iter()
        .filter(|folder| folder.is_dir())
    {
        tree::sweep(folder).map_err(Error::io("sweep", folder))?;
    }
    Ok(removed)
}

/// Removes run directories whose launcher was killed before `run.start`. A launcher in progress
/// holds the lock.
fn remove_what_never_began(place: &RunDir) {
    let never =
        || place.lock().exists() && !place.journal().exists() && !place.tombstone().exists();
    if !never() {
        return;
    }
    let Ok(_lock) = take(place, LockWait::No) else {
        return;
    };
    if never() {
        let _next_time = tree::remove(place.dir(), &Clock::system().fresh_id());
    }
}

/// Sweeps at most once a day. Errors are ignored: the next sweep retries.
pub fn sweep_daily(root: &RunRoot, clock: &Clock) {
    let stamp = root.path().join(".swept");
    let last = std::fs::metadata(&stamp).ok().map(|stamp| stamp.mtime());
    let every = i64::try_from(SWEEP_EVERY.as_secs()).unwrap_or(i64::MAX);
    let fresh = last.is_some_and(|last| clock.now().as_millis() / 1000 - last < every);
    if fresh || !root.path().is_dir() {
        return;
    }
    // Set the time first: of several concurrent processes only one sweeps, and a failure is not
    // repeated by every spawn.
    if stream::nudge(&stamp, 64).is_ok() && last.is_some() {
        let _next_time = sweep(root, KEPT_FOR, clock);
    }
}
