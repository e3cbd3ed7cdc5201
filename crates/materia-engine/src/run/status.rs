//! How a run stands, proved (A6, P4).
//!
//! Owns looking: the journal says what was recorded; that a run still runs is believed only while
//! its supervisor, this very process of this very boot, is alive, or somebody holds the run's lock.
//! Otherwise it is over: what it left is ended, and its end recorded, by whoever noticed.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use materia_model::run::{Control, End, Ended, RUN_END, State, Status};

use super::error::Error;
use super::place::{Place, Root};
use super::{family, journal, snapshot};
use crate::clock::Clock;
use crate::process::{DEFAULT_GRACE, Identity, end_detached, is_part_of};
use crate::store::journal::{From, JournalError, Reader};
use crate::store::lock::{Lock, LockError, Mode, Wait};

/// How long one look waits for somebody who starts a run, and how often.
const PAUSE: Duration = Duration::from_millis(10);
const LOOKS: usize = 2000;

/// How many runs are looked at at the same time.
const SIDE_BY_SIDE: usize = 16;

/// What the journal says, whether or not it is still true. A run whose journal is not there yet is
/// starting.
pub fn recorded(place: &Place) -> Result<State, Error> {
    let mut state = State::default();
    let reader = match Reader::open(&place.journal(), From::Beginning) {
        Ok(reader) => reader,
        Err(JournalError::Missing(_)) => return Ok(state),
        Err(error) => return Err(error.into()),
    };
    for record in reader {
        state.apply(&record?);
    }
    Ok(state)
}

/// What the journal says up to where a generation began: what came behind that has not been looked
/// at yet.
pub(super) fn recorded_at_start(place: &Place, generation: &str) -> Result<State, Error> {
    let mut state = State::default();
    for record in Reader::open(&place.journal(), From::Beginning)? {
        state.apply(&record?);
        if state.generation() == generation {
            break;
        }
    }
    Ok(state)
}

/// How a run stands. One whose supervisor died is ended and recorded first, and what is missing of
/// its documents written.
pub fn look(place: &Place, clock: &Clock) -> Result<State, Error> {
    let (state, _) = prove(place, clock)?;
    complete(place, &state, clock);
    Ok(state)
}

/// How a run stands, and whether that is what its journal said before anybody asked. Nothing is
/// written for others: whoever looks at all runs writes nothing into those that are over.
fn prove(place: &Place, clock: &Clock) -> Result<(State, bool), Error> {
    let state = recorded(place)?;
    if state.status.is_terminal()
        || supervisor(&state).is_some_and(|supervisor| supervisor.is_alive())
    {
        return Ok((state, true));
    }
    match take(place, Wait::No) {
        Ok(lock) => match settle(place, &lock, None, clock)? {
            // Nobody starts it, so it never was.
            state if state.status == Status::Starting => Err(Error::NotFound {
                run: place.id().to_string(),
                close: None,
            }),
            state => Ok((state, false)),
        },
        // Somebody supervises it, or is cleaning up after whoever did; or starts it.
        Err(Error::Lock(LockError::Held { .. })) => recorded(place).map(|state| (state, false)),
        Err(error) => Err(error),
    }
}

/// How each of many runs stands, and whether its journal said so by itself. They are looked at side
/// by side: what somebody left who died is given time to end.
pub(super) fn look_all(places: &[Place], clock: &Clock) -> Vec<Result<(State, bool), Error>> {
    let (next, seen) = (
        AtomicUsize::new(0),
        Mutex::new(Vec::with_capacity(places.len())),
    );
    let looks = || {
        while let Some((index, place)) = claim(places, &next) {
            let looked = prove(place, clock);
            seen.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push((index, looked));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..places.len().min(SIDE_BY_SIDE) {
            // Where there is no thread to be had, we do it all.
            let _fewer = std::thread::Builder::new().spawn_scoped(scope, looks);
        }
        looks();
    });
    let mut seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    seen.sort_unstable_by_key(|(index, _)| *index);
    seen.into_iter().map(|(_, looked)| looked).collect()
}

fn claim<'p>(places: &'p [Place], next: &AtomicUsize) -> Option<(usize, &'p Place)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, places.get(index)?))
}

/// How a run stands once it has begun: whoever starts it is waited for.
pub fn look_begun(place: &Place, clock: &Clock) -> Result<State, Error> {
    for _ in 0..LOOKS {
        let state = look(place, clock)?;
        if state.status != Status::Starting {
            return Ok(state);
        }
        // Given up when the start fails; where it succeeds, its supervisor goes on holding it.
        let _held = Lock::acquire_unsigned(&place.lock(), Mode::Shared, Wait::For(PAUSE));
    }
    Err(Error::StillThere {
        run: place.id().to_string(),
        status: Status::Starting,
    })
}

/// Who supervises the last generation, as it was recorded.
pub fn supervisor(state: &State) -> Option<Identity> {
    let known = &state.start.as_ref()?.supervisor;
    Some(Identity {
        pid: known.pid,
        start_time: known.start,
        boot_id: known.boot.clone(),
    })
}

/// Takes a run's lock: the directory may be moved away meanwhile, and then a lock protects nothing.
pub(super) fn take(place: &Place, wait: Wait) -> Result<Lock, Error> {
    let path = place.lock();
    match Lock::acquire_unsigned(&path, Mode::Exclusive, wait) {
        Ok(lock) if lock.is_current(&path) => Ok(lock),
        Err(LockError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            Err(gone(place))
        }
        Ok(_) => Err(gone(place)),
        Err(error) => Err(error.into()),
    }
}

/// Writes the documents of a run that is over where whoever recorded that was killed before it
/// could.
pub(super) fn complete(place: &Place, state: &State, clock: &Clock) {
    if state.ended.is_none() || !state.status.is_terminal() || snapshot::has_result(place) {
        return;
    }
    // Where somebody has it, that is who writes them; and it may have begun again.
    if let Ok(_lock) = take(place, Wait::No)
        && let Ok(state) = recorded(place)
    {
        snapshot::write(place, &state, clock.now());
    }
}

fn gone(place: &Place) -> Error {
    Error::NotFound {
        run: place.id().to_string(),
        close: None,
    }
}

/// Ends what a supervisor left that died, and records that; nothing where the last generation has
/// ended. The lock shows that nobody supervises. `asked` is what it was asked where that could not
/// be written down.
pub(super) fn settle(
    place: &Place,
    _lock: &Lock,
    asked: Option<Control>,
    clock: &Clock,
) -> Result<State, Error> {
    let mut state = recorded(place)?;
    let Some(start) = state
        .start
        .clone()
        .filter(|_| state.status == Status::Running)
    else {
        return Ok(state);
    };
    let mark = place.mark(&start.generation);
    let status = asked
        .or(state.asked)
        .map_or(Status::Exited, Control::status);
    let gone = format!("its supervisor, process {}, is gone", start.supervisor.pid);
    if is_part_of(&mark) {
        // Whoever asks is a part of what would be ended: somebody else will do it.
        state.status = status;
        return Ok(state);
    }
    let here = Identity::of_self().map(|own| own.boot_id);
    let evidence = if here.as_ref() == Some(&start.supervisor.boot) {
        let swept = end_detached(&mark, DEFAULT_GRACE);
        match (swept.ended, swept.survivors.len()) {
            (0, 0) => gone,
            (1, 0) => format!("{gone}; it left 1 process that was ended"),
            (ended, 0) => format!("{gone}; it left {} that were ended", processes(ended)),
            (_, left) => format!("{gone}; it left {} that cannot be ended", processes(left)),
        }
    } else {
        "the machine was started anew since".to_owned()
    };
    let end = End {
        generation: start.generation.clone(),
        status,
        evidence: Some(evidence),
        ..End::default()
    };
    match record_end(place, &end, clock) {
        // It is over all the same; the next look records it.
        Err(error) if error.is_full_disk() => {
            let evidence = end.evidence.as_deref().unwrap_or_default();
            let evidence = Some(format!(
                "{evidence}; not recorded yet: {}",
                error.with_causes()
            ));
            let (at, end) = (clock.now(), End { evidence, ..end });
            (state.status, state.ended) = (status, Some(Box::new(Ended { end, at })));
            return Ok(state);
        }
        recorded => recorded?,
    }
    let state = recorded(place)?;
    snapshot::write(place, &state, clock.now());
    let root = Root::new(place.dir().parent().unwrap_or_else(|| Path::new("/")));
    family::ended(&root, &start, &end, clock);
    Ok(state)
}

fn record_end(place: &Place, end: &End, clock: &Clock) -> Result<(), Error> {
    journal(place, clock)?.append_durable(RUN_END, end)?;
    Ok(())
}

fn processes(count: usize) -> String {
    if count == 1 {
        "1 process".to_owned()
    } else {
        format!("{count} processes")
    }
}
