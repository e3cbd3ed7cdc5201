//! The beginning of a generation: what is on disk before its supervisor gets its order (A1, A3).
//!
//! Owns taking the lock, the files and records written under it (logs, journal, `run.start`,
//! durably), and rolling them back. The process that begins a generation holds the run's lock, so
//! no other process begins or ends one meanwhile. Other processes see the generation from
//! `run.start` on. Starts no process.

use std::path::Path;
use std::time::Duration;

use materia_model::run::{RUN_END, RUN_START, RunEnd, RunStart, RunState, RunStatus};

use super::contacts;
use crate::clock::Clock;
use crate::process::ProcessIdentity;
use crate::run::look::status::{self, settle};
use crate::run::ownership;
use crate::run::snapshot;
use crate::run::{Error, RunDir, RunLog, RunRoot, journal, recorded};
use crate::store::lock::{Lock, LockError, LockWait};
use crate::store::{dir, stream, tree};

/// How often a start waits for the process that cleans up after an earlier generation, and how long
/// each time.
const PATIENCE: usize = 100;
const PAUSE: Duration = Duration::from_millis(100);

/// The sequence number after a first `run.start`, which follows the journal's header.
const BEHIND_THE_START: u64 = 3;

/// Records the beginning, durably. `made` says that the directory is new.
pub(super) fn record(
    root: &RunRoot,
    place: &RunDir,
    start: &RunStart,
    made: bool,
    clock: &Clock,
) -> Result<(), Error> {
    for path in [place.stdout(), place.stderr()] {
        stream::open_empty(&path).map_err(Error::io("open", path))?;
    }
    let journal = journal(place, clock)?;
    journal.append(RUN_START, start)?;
    journal.commit()?;
    let _by_the_next_message = contacts::write(place, start, made, &journal);
    if made {
        dir::sync_new(root.path())?;
    } else {
        snapshot::forget(place);
    }
    Ok(())
}

/// The beginning that is rolled back.
#[derive(Debug, Clone, Copy)]
pub(super) struct StartedFiles<'a> {
    pub(super) place: &'a RunDir,
    pub(super) generation: &'a str,
    /// Whether its directory was created for it.
    pub(super) made: bool,
}

impl StartedFiles<'_> {
    /// Rolls back a failed beginning that was not reported to the caller. If another process has
    /// written to the journal meanwhile, or the run has earlier generations, records the generation
    /// as ended instead.
    pub(super) fn take_back(self, why: &str, _lock: &Lock, clock: &Clock) {
        let Ok(state) = recorded(self.place) else {
            return;
        };
        let ours = state
            .start
            .clone()
            .filter(|start| start.generation == self.generation);
        let first = state.start.is_none() || (ours.is_some() && state.generations == 1);
        let there = self.place.journal().exists();
        let journal = there.then(|| journal(self.place, clock).ok()).flatten();
        // No other process can write while we hold the write lock, or after the journal is removed.
        let turn = journal.as_ref().and_then(|journal| journal.hold().ok());
        let alone = turn
            .as_ref()
            .is_none_or(|turn| turn.next_seq() <= BEHIND_THE_START);
        let (generation, status) = (self.generation.to_owned(), RunStatus::Failed);
        let end = RunEnd {
            generation,
            status,
            error: Some(why.to_owned()),
            ..RunEnd::default()
        };
        if first && alone && self.made {
            let _still_there = tree::remove(self.place.dir(), self.generation);
        } else if let Some(journal) = journal
            .as_ref()
            .filter(|_| ours.is_some() && !state.status.is_terminal())
        {
            drop(turn);
            if journal.append_durable(RUN_END, &end).is_err() {
                return;
            }
            if let Ok(state) = recorded(self.place) {
                snapshot::write(self.place, &state, clock.now());
            }
        }
        if let Some(start) = ours {
            let root = RunRoot::new(self.place.dir().parent().unwrap_or_else(|| Path::new("/")));
            ownership::ended(&root, &start, &end, clock);
        }
    }
}

/// Takes the lock for life. Waits for a process that cleans up after an earlier generation; fails
/// if the run is active. A directory that was just created has no earlier generation.
pub(super) fn own(place: &RunDir, made: bool, clock: &Clock) -> Result<Lock, Error> {
    let mut wait = LockWait::No;
    for _ in 0..PATIENCE {
        match status::take(place, wait) {
            Ok(lock) if made && !place.journal().exists() => return Ok(lock),
            Ok(lock) => {
                let mut log = RunLog::<RunState>::new(&place.journal());
                settle(place, &mut log, &lock, None, clock)?;
                return Ok(lock);
            }
            Err(Error::Lock(LockError::Held { .. })) => {
                let state = recorded(place)?;
                let supervisor = status::supervisor(&state).filter(|_| !state.status.is_terminal());
                if let Some(supervisor) = supervisor.filter(ProcessIdentity::is_alive) {
                    return Err(Error::Active {
                        run: place.id().to_string(),
                        pid: Some(supervisor.pid),
                    });
                }
                wait = LockWait::For(PAUSE);
            }
            // It was archived or pruned meanwhile.
            Err(Error::NotFound { .. }) => {
                dir::create_unsynced(place.dir())?;
            }
            Err(error) => return Err(error),
        }
    }
    Err(Error::Active {
        run: place.id().to_string(),
        pid: None,
    })
}

#[cfg(test)]
mod tests {
    use materia_model::run::MESSAGE;
    use serde_json::json;

    use super::*;

    /// A first generation that has begun, and its lock.
    fn begun(root: &RunRoot) -> (RunDir, Lock) {
        let place = root.place(&"a".parse().unwrap());
        dir::create_private(place.dir()).unwrap();
        let lock = own(&place, true, &Clock::system()).unwrap();
        let start = RunStart {
            generation: "g".to_owned(),
            run: "a".to_owned(),
            ..RunStart::default()
        };
        record(root, &place, &start, true, &Clock::system()).unwrap();
        (place, lock)
    }

    #[test]
    fn what_nobody_has_written_to_is_removed() {
        let temp = tempfile::tempdir().unwrap();
        let (place, lock) = begun(&RunRoot::new(temp.path()));
        let (generation, made) = ("g", true);
        let beginning = StartedFiles {
            place: &place,
            generation,
            made,
        };
        StartedFiles {
            generation: "another",
            ..beginning
        }
        .take_back("killed", &lock, &Clock::system());
        assert!(place.exists(), "it is somebody else's");
        beginning.take_back("killed", &lock, &Clock::system());
        assert!(!place.dir().exists());
    }

    #[test]
    fn a_directory_that_was_there_before_is_not_ours_to_remove() {
        let temp = tempfile::tempdir().unwrap();
        let place = RunRoot::new(temp.path()).place(&"a".parse().unwrap());
        dir::create_private(place.dir()).unwrap();
        let lock = own(&place, false, &Clock::system()).unwrap();
        let beginning = StartedFiles {
            place: &place,
            generation: "g",
            made: false,
        };
        beginning.take_back("killed", &lock, &Clock::system());
        assert!(place.dir().exists());
    }

    #[test]
    fn a_message_that_was_accepted_meanwhile_stays() {
        let temp = tempfile::tempdir().unwrap();
        let (place, lock) = begun(&RunRoot::new(temp.path()));
        journal(&place, &Clock::system())
            .unwrap()
            .append_durable(MESSAGE, &json!({"id": "m"}))
            .unwrap();
        let beginning = StartedFiles {
            place: &place,
            generation: "g",
            made: true,
        };
        beginning.take_back("killed", &lock, &Clock::system());
        let state = recorded(&place).unwrap();
        let end = state.ended.unwrap().end;
        assert_eq!(
            (end.status, end.error.as_deref(), state.seq),
            (RunStatus::Failed, Some("killed"), 4)
        );
    }
}
