//! Waiting for runs to end, without looking again and again.
//!
//! Owns the wait: the kernel tells the end of a supervisor, however it ended, and the journal says how the run did. A run
//! whose supervisor is dead is settled by the first look.

use std::time::{Duration, Instant};

use materia_model::run::State;

use super::error::Error;
use super::place::Place;
use super::status::{look, supervisor};
use crate::clock::{self, Clock};
use crate::process::Exits;
use crate::store::lock::{Holder, Lock, Mode, Wait};

/// How long one wait for somebody takes whose end the kernel does not tell us.
const PAUSE: Duration = Duration::from_secs(1);

/// How long a supervisor that has recorded the end is waited for, so that nothing of the run is left when we say so.
const LINGER: Duration = Duration::from_secs(2);

/// What waiting found, in the order of the runs.
#[derive(Debug)]
pub struct Awaited {
    /// How each run stands.
    pub states: Vec<State>,
    /// Whether the time was over first.
    pub timed_out: bool,
}

/// Which runs have to be over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Every one.
    All,
    /// One.
    Any,
}

/// Waits until runs are over, or until the time is.
pub fn wait(places: &[Place], until: Until, time: Option<Duration>, clock: &Clock) -> Result<Awaited, Error> {
    let deadline = time.and_then(clock::deadline_in);
    let mut states = vec![State::default(); places.len()];
    let mut exits: Exits<usize> = Exits::default();
    let mut due: Vec<usize> = (0..places.len()).collect();
    loop {
        let mut unseen = Vec::new();
        for index in std::mem::take(&mut due) {
            states[index] = look(&places[index], clock)?;
            if states[index].status.is_terminal() {
                continue;
            }
            match supervisor(&states[index]) {
                Some(supervisor) => unseen.extend(exits.add(&supervisor, index)),
                None => unseen.push(index),
            }
        }
        let over = states.iter().filter(|state| state.status.is_terminal()).count();
        if over == states.len() || (until == Until::Any && over > 0) {
            linger(&states);
            return Ok(Awaited { states, timed_out: false });
        }
        if deadline.is_some_and(|deadline| clock::until(deadline).is_zero()) {
            return Ok(Awaited { states, timed_out: true });
        }
        due = match unseen.first() {
            None => exits.next(deadline),
            // It is being started or cleaned up after, or its supervisor is where we see no processes: its lock tells.
            Some(index) => {
                let left = deadline.map_or(PAUSE, |deadline: Instant| clock::until(deadline).min(PAUSE));
                let lock = places[*index].lock();
                let _held = Lock::acquire(&lock, Mode::Shared, Wait::For(left), &Holder::current());
                let mut due = exits.next(clock::deadline_in(Duration::ZERO));
                due.extend(unseen);
                due
            }
        };
    }
}

/// Waits until the supervisors of runs that are over are gone: all they do by then is tell others.
fn linger(states: &[State]) {
    let deadline = clock::deadline_in(LINGER);
    let mut exits = Exits::default();
    for state in states.iter().filter(|state| state.status.is_terminal()) {
        if let Some(supervisor) = supervisor(state) {
            exits.add(&supervisor, ());
        }
    }
    while !exits.is_empty() && deadline.is_some_and(|deadline| !clock::until(deadline).is_zero()) {
        exits.next(deadline);
    }
}
