//! A run that is over, and locked, so that it cannot be started meanwhile.
//!
//! Owns the proof. A request for one generation is never applied to another (A3).

use std::time::Duration;

use materia_model::run::RunState;

use crate::clock::Clock;
use crate::run::look::status::{settle, take};
use crate::run::{Error, RunDir, RunLog, check_generation, open};
use crate::store::lock::{Lock, LockWait};

/// How long to wait for a process that holds the lock briefly.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// Locks a run that is over. Returns the lock and how the run ended.
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
