//! A run that is over, and locked: it cannot be started while something is done with it.
//!
//! Owns the proof. What is asked of one generation is not done to another (A3).

use std::time::Duration;

use materia_model::run::RunState;

use crate::clock::Clock;
use crate::run::look::status::{settle, take};
use crate::run::{Error, RunDir, RunLog, check_generation, open};
use crate::store::lock::{Lock, LockWait};

/// How long a process is waited for that holds the lock for a moment.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// The lock of a run that is over, and how it ended.
pub(super) fn terminal(
    place: &RunDir,
    generation: Option<&str>,
    clock: &Clock,
) -> Result<(Lock, RunState), Error> {
    let run = place.id().to_string();
    let mut log: RunLog<RunState> = open(place, clock)?;
    let state = log.state();
    check_generation(place, state, generation)?;
    if !state.status.is_terminal() && state.start.is_some() {
        return Err(Error::NotTerminal {
            run,
            status: state.status,
        });
    }
    let lock = take(place, LockWait::For(PAUSE))?;
    settle(place, &mut log, &lock, None, clock)?;
    let state = log.into_fold();
    check_generation(place, &state, generation)?;
    if state.status.is_terminal() {
        return Ok((lock, state));
    }
    Err(Error::NotTerminal {
        run,
        status: state.status,
    })
}
