//! Archived runs: how they are moved to the archive, and how they are removed from it.
//!
//! Owns the archive and the tombstones. A tombstone is created in the archive under the future name
//! of the run, and then exchanged with the run's directory in one atomic step. A process killed
//! before that leaves the run in place; one killed after it has archived the run. The journal of an
//! archived run identifies it; a path in a tombstone is only reported, never removed.

use std::path::{Path, PathBuf};

use materia_model::name::RunId;
use materia_model::run::RunState;
use serde::Serialize;
use serde_json::json;

use super::preserve::preserve;
use super::terminal::{PAUSE, terminal};
use super::undelivered;
use crate::clock::Clock;
use crate::run::look::status::take;
use crate::run::place::{JOURNAL, TOMBSTONE};
use crate::run::{Error, RunDir, RunRoot, check_generation, check_owner, recorded};
use crate::store::lock::{Lock, LockError, LockMode, LockWait};
use crate::store::{atomic, dir, tree};

/// The location of an archived run.
#[derive(Debug, Clone, Serialize)]
pub struct Archived {
    /// The run.
    pub run: String,
    /// Its directory.
    pub archive_dir: PathBuf,
    /// Whether it had been archived before.
    pub already: bool,
}

/// The remains of a pruned run.
#[derive(Debug, Clone, Serialize)]
pub struct Pruned {
    /// The run.
    pub run: String,
    /// Copies of its artifacts.
    pub preserved: Vec<PathBuf>,
}

/// Moves a run that is over to the archive, and leaves a tombstone. A run that was archived before
/// stays where it is.
pub fn archive(
    root: &RunRoot,
    place: &RunDir,
    generation: Option<&str>,
    clock: &Clock,
) -> Result<Archived, Error> {
    let (run, already) = (place.id().to_string(), false);
    match terminal(place, generation, clock) {
        Ok((_lock, state)) => {
            let archive_dir = entomb(root, place, &state, clock)?;
            Ok(Archived {
                run,
                archive_dir,
                already,
            })
        }
        // Another process archived it, just now or earlier.
        Err(Error::NotFound { .. }) => archived(root, place, generation, None),
        Err(error) => Err(error),
    }
}

/// The directory of an existing run, for a session. Reports that a run was archived only to its
/// owner (A9).
pub fn find(root: &RunRoot, id: &RunId, caller: Option<&str>) -> Result<RunDir, Error> {
    match root.find(id) {
        Err(Error::Archived { run, dir }) => {
            let state = recorded(&root.place(id).moved(dir.clone()))?;
            check_owner(&state, &run, caller)?;
            Err(Error::Archived { run, dir })
        }
        found => found,
    }
}

/// The location of a run that was archived before.
pub fn archived(
    root: &RunRoot,
    place: &RunDir,
    generation: Option<&str>,
    caller: Option<&str>,
) -> Result<Archived, Error> {
    let Err(Error::Archived { run, dir }) = root.find(place.id()) else {
        return Err(Error::NotFound {
            run: place.id().to_string(),
            close: None,
        });
    };
    let state = recorded(&place.moved(dir.clone()))?;
    check_owner(&state, &run, caller)?;
    check_generation(place, &state, generation)?;
    Ok(Archived {
        run,
        archive_dir: dir,
        already: true,
    })
}

/// Removes the archived runs with an id that belong to the caller, and the tombstone. `keep` copies
/// their artifacts first.
pub fn prune_archived(
    root: &RunRoot,
    place: &RunDir,
    generation: Option<&str>,
    caller: Option<&str>,
    keep: bool,
) -> Result<Pruned, Error> {
    let run = place.id().to_string();
    archived(root, place, generation, caller)?;
    let (mut gone, mut preserved) = (Vec::new(), Vec::new());
    for copy in root.archived(place).into_iter().map(|dir| place.moved(dir)) {
        let lock = match take(&copy, LockWait::For(PAUSE)) {
            Err(Error::NotFound { .. }) => continue,
            taken => taken?,
        };
        let state = recorded(&copy)?;
        if check_owner(&state, &run, caller).is_err() {
            continue;
        }
        if keep {
            preserved.extend(preserve(root, place, copy.dir(), &state)?);
        }
        gone.push((copy, lock));
    }
    // The order matters: if we are killed here, the remaining runs are still found in the archive.
    remove_tombstone(place)?;
    for (copy, _lock) in gone {
        tree::remove(copy.dir(), &Clock::system().fresh_id())?;
    }
    Ok(Pruned { run, preserved })
}

/// Removes files that killed processes left in the archive. Errors are ignored: the next sweep
/// retries.
pub(super) fn sweep(root: &RunRoot) {
    let archive = root.archive();
    if !archive.is_dir() {
        return;
    }
    let _next_time = tree::sweep(&archive);
    let Ok(_alone) = turn(root, LockMode::Exclusive, LockWait::No) else {
        return;
    };
    let entries = std::fs::read_dir(&archive).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    for stub in folders
        .map(|entry| entry.path())
        .filter(|dir| !dir.join(JOURNAL).exists())
    {
        clear(&stub);
    }
}

fn entomb(
    root: &RunRoot,
    place: &RunDir,
    state: &RunState,
    clock: &Clock,
) -> Result<PathBuf, Error> {
    dir::create_private(&root.archive())?;
    // With this lock, a stub that exists was left by a killed process.
    let _turn = turn(root, LockMode::Shared, LockWait::For(PAUSE))?;
    let stub = free(root, place, clock)?;
    let moved = write_tombstone(&stub, place, state, clock)
        .and_then(|()| undelivered::hand_over(root, place))
        .and_then(|()| Ok(tree::exchange_unsynced(place.dir(), &stub)?));
    if let Err(error) = moved {
        clear(&stub);
        return Err(error);
    }
    dir::sync(&root.archive())?;
    dir::sync(root.path())?;
    Ok(stub)
}

/// Creates a new directory in the archive.
fn free(root: &RunRoot, place: &RunDir, clock: &Clock) -> Result<PathBuf, Error> {
    let name = format!(
        "{}-{}",
        place.id(),
        clock.now().to_string().replace([':', '.'], "-")
    );
    let mut number = 1;
    loop {
        let name = if number == 1 {
            name.clone()
        } else {
            format!("{name}-{number}")
        };
        let stub = root.archive().join(name);
        if dir::create_new(&stub)? {
            return Ok(stub);
        }
        number += 1;
    }
}

fn write_tombstone(
    stub: &Path,
    place: &RunDir,
    state: &RunState,
    clock: &Clock,
) -> Result<(), Error> {
    let tombstone = json!({
        "archived": true,
        "archive_dir": stub,
        "original_state_dir": place.dir(),
        "run": place.id(),
        "status": state.status,
        "ts": clock.now(),
    });
    Ok(atomic::write_json(
        &place.moved(stub.to_owned()).tombstone(),
        1,
        &tombstone,
    )?)
}

/// Removes a directory that contains only a tombstone, or an incomplete one. Any other file stays.
fn clear(stub: &Path) {
    let _none = atomic::sweep(stub);
    let _next_time = dir::remove_file(&stub.join(TOMBSTONE)).and_then(|()| dir::remove_empty(stub));
}

fn remove_tombstone(place: &RunDir) -> Result<(), Error> {
    if !place.dir().is_dir() {
        return Ok(());
    }
    match take(place, LockWait::For(PAUSE)) {
        // It was started again meanwhile, and is a different run.
        Ok(_lock) if place.journal().exists() => Ok(()),
        Ok(_lock) => Ok(tree::remove(place.dir(), &Clock::system().fresh_id())?),
        Err(Error::NotFound { .. } | Error::Lock(LockError::Held { .. })) => Ok(()),
        Err(error) => Err(error),
    }
}

/// The lock of the archive. Processes that create a stub share it; a process that removes stubs of
/// others holds it exclusively.
fn turn(root: &RunRoot, mode: LockMode, wait: LockWait) -> Result<Lock, Error> {
    Ok(Lock::acquire_unsigned(
        &root.archive().join(".lock"),
        mode,
        wait,
    )?)
}
