//! What is kept of runs that are over, and how it goes.
//!
//! Owns archiving, pruning and the sweep of what is old. Each happens under the run's lock, after its own journal said
//! that it is over; a directory's age and a number that once was a process prove nothing. Declared artifacts can be kept
//! when a run is pruned, each under its own name, so that none replaces another.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::run::{Control, KEPT_FOR, OnSessionEnd, State, is_overdue};
use serde::Serialize;
use serde_json::json;

use super::control::{Stopped, stop};
use super::error::Error;
use super::index::list;
use super::parting;
use super::place::{Place, Root};
use super::status::{look, settle, take};
use crate::clock::Clock;
use crate::store::lock::{Lock, LockError, Wait};
use crate::store::{atomic, dir, stream, tree};

/// How long whoever holds the lock for a moment is waited for.
const PAUSE: Duration = Duration::from_secs(1);
/// How often old runs are looked for by themselves.
const SWEEP_EVERY: Duration = Duration::from_secs(24 * 3600);

/// Where an archived run is now.
#[derive(Debug, Clone, Serialize)]
pub struct Archived {
    /// The run.
    pub run: String,
    /// Its directory.
    pub archive_dir: PathBuf,
}

/// What is left of a pruned run.
#[derive(Debug, Clone, Serialize)]
pub struct Pruned {
    /// The run.
    pub run: String,
    /// Copies of its artifacts.
    pub preserved: Vec<PathBuf>,
}

/// Moves a run that is over to the archive, and leaves a tombstone.
pub fn archive(root: &Root, place: &Place, clock: &Clock) -> Result<Archived, Error> {
    let (lock, state) = terminal(place, clock)?;
    dir::create_private(&root.archive())?;
    parting::leave(root, place)?;
    let moment = clock.now().to_string().replace([':', '.'], "-");
    let mut number = 1;
    let archive_dir = loop {
        let name = format!("{}-{moment}", place.id());
        let name = if number == 1 { name } else { format!("{name}-{number}") };
        let to = root.archive().join(name);
        if tree::rename(place.dir(), &to)? {
            break to;
        }
        number += 1;
    };
    drop(lock);
    dir::create_unsynced(place.dir())?;
    let tombstone = json!({
        "archived": true,
        "archive_dir": archive_dir,
        "original_state_dir": place.dir(),
        "run": place.id(),
        "status": state.status,
        "ts": clock.now(),
    });
    atomic::write_json(&place.tombstone(), 1, &tombstone)?;
    Ok(Archived { run: place.id().to_string(), archive_dir })
}

/// Removes a run that is over; `preserve` copies its artifacts first.
pub fn prune(root: &Root, place: &Place, preserve: bool, clock: &Clock) -> Result<Pruned, Error> {
    let (_lock, state) = terminal(place, clock)?;
    let preserved = if preserve { preserve_artifacts(root, &state)? } else { Vec::new() };
    parting::leave(root, place)?;
    tree::remove(place.dir(), &Clock::system().fresh_id())?;
    Ok(Pruned { run: place.id().to_string(), preserved })
}

/// Ends the runs of a session that want to end with it (A9).
pub fn end_session(root: &Root, session: &str, clock: &Clock) -> Result<Vec<(String, Stopped)>, Error> {
    let mut ended = Vec::new();
    let open = list(root, clock)?.runs.into_iter().filter(|run| !run.status.is_terminal());
    for run in open.filter(|run| run.session.as_deref() == Some(session)) {
        let Ok(id) = run.run.parse() else { continue };
        let place = root.place(&id);
        let start = look(&place, clock)?.start;
        if start.is_some_and(|start| start.on_session_end == OnSessionEnd::Kill) {
            ended.push((run.run, stop(&place, Control::Kill, None, clock)?));
        }
    }
    Ok(ended)
}

/// Removes runs that have been over for longer than they are kept, and says which.
pub fn sweep(root: &Root, kept_for: Duration, clock: &Clock) -> Result<Vec<String>, Error> {
    let mut removed = Vec::new();
    let over = list(root, clock)?.runs.into_iter().filter(|run| run.status.is_terminal());
    for run in over {
        let Ok(id) = run.run.parse() else { continue };
        let place = root.place(&id);
        // Cheap first: most are young. What counts is what the journal says under the lock.
        let kept = i64::try_from(kept_for.as_millis()).unwrap_or(i64::MAX);
        let age = run.ended_at.map(|ended| clock.now().as_millis().saturating_sub(ended.as_millis()));
        if age.is_none_or(|age| age <= kept) {
            continue;
        }
        match terminal(&place, clock) {
            Ok((_lock, state)) if is_overdue(&state, clock.now(), kept_for) => {
                parting::leave(root, &place)?;
                tree::remove(place.dir(), &Clock::system().fresh_id())?;
                removed.push(run.run);
            }
            Ok(_)
            | Err(Error::NotTerminal { .. } | Error::NotFound { .. } | Error::Lock(LockError::Held { .. })) =>
                {}
            Err(error) => return Err(error),
        }
    }
    for place in root.ids().unwrap_or_default().iter().map(|id| root.place(id)) {
        remove_what_never_began(&place);
    }
    parting::sweep(root, kept_for, clock);
    if root.path().is_dir() {
        tree::sweep(root.path()).map_err(Error::io("sweep", root.path()))?;
    }
    Ok(removed)
}

/// Removes what somebody left who was killed before he had begun a run. Whoever is about to holds its lock.
fn remove_what_never_began(place: &Place) {
    let never = || place.lock().exists() && !place.journal().exists() && !place.tombstone().exists();
    if !never() {
        return;
    }
    let Ok(_lock) = take(place, Wait::No) else { return };
    if never() {
        let _next_time = tree::remove(place.dir(), &Clock::system().fresh_id());
    }
}

/// Sweeps once a day, whoever comes first. Nobody waits for it to succeed.
pub fn sweep_daily(root: &Root, clock: &Clock) {
    let stamp = root.path().join(".swept");
    let last = std::fs::metadata(&stamp).ok().map(|stamp| stamp.mtime());
    let every = i64::try_from(SWEEP_EVERY.as_secs()).unwrap_or(i64::MAX);
    let fresh = last.is_some_and(|last| clock.now().as_millis() / 1000 - last < every);
    if fresh || !root.path().is_dir() {
        return;
    }
    // Marked first: of several who come at once, one sweeps, and a failure does not come back with every spawn.
    if stream::nudge(&stamp, 64).is_ok() && last.is_some() {
        let _next_time = sweep(root, KEPT_FOR, clock);
    }
}

/// The lock of a run that is over, and how it ended.
fn terminal(place: &Place, clock: &Clock) -> Result<(Lock, State), Error> {
    let run = place.id().to_string();
    let state = look(place, clock)?;
    if !state.status.is_terminal() && state.start.is_some() {
        return Err(Error::NotTerminal { run, status: state.status });
    }
    let lock = take(place, Wait::For(PAUSE))?;
    let state = settle(place, &lock, None, clock)?;
    if state.status.is_terminal() {
        return Ok((lock, state));
    }
    Err(Error::NotTerminal { run, status: state.status })
}

fn preserve_artifacts(root: &Root, state: &State) -> Result<Vec<PathBuf>, Error> {
    let mut preserved = Vec::new();
    let Some(start) = &state.start else { return Ok(preserved) };
    // The generation makes the place unique, the artifact's name makes the file unique.
    let folder = root.preserved().join(format!("{}-{}", start.run, start.generation));
    for (name, declared) in &start.artifacts {
        let from = Path::new(&start.cwd).join(&declared.path);
        let Some(base) = from.file_name() else { continue };
        let to = folder.join(name).join(base);
        if to.exists() || !from.is_file() {
            continue;
        }
        dir::create_private(&folder.join(name))?;
        if tree::preserve(&from, &to).map_err(Error::io("keep a copy of", &from))? {
            preserved.push(to);
        }
    }
    Ok(preserved)
}
