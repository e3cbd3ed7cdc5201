//! How a run stands, proved (A6, P4).
//!
//! Owns looking: the journal says what was recorded; that a run still runs is believed only while
//! its supervisor, this very process of this very boot, is alive, or the run's lock is held.
//! Otherwise it is over: the process that notices ends what it left, and records its end.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use materia_model::run::{RUN_END, RunControl, RunEnd, RunOutcome, RunStart, RunState, RunStatus};

use crate::clock::Clock;
use crate::process::{DEFAULT_GRACE, ProcessIdentity, end_detached, is_part_of};
use crate::run::ownership;
use crate::run::snapshot;
use crate::run::{Error, LogFold, RunDir, RunLog, RunRoot};
use crate::store::lock::{Lock, LockError, LockMode, LockWait};

/// How long one look waits for a process that starts a run, and how often.
const PAUSE: Duration = Duration::from_millis(10);
const LOOKS: usize = 2000;

/// How many runs are looked at at the same time.
const SIDE_BY_SIDE: usize = 16;

/// What the journal says, whether or not it is still true. A run whose journal is not there yet is
/// starting.
pub fn recorded(place: &RunDir) -> Result<RunState, Error> {
    Ok(RunLog::<RunState>::read(&place.journal())?.into_fold())
}

/// How a run stands. One whose supervisor died is ended and recorded first, and what is missing of
/// its documents written.
pub fn look(place: &RunDir, clock: &Clock) -> Result<RunState, Error> {
    open(place, clock).map(RunLog::into_fold)
}

/// The same, with its journal as far as it was read for that.
pub fn open<F: LogFold>(place: &RunDir, clock: &Clock) -> Result<RunLog<F>, Error> {
    let mut log = RunLog::new(&place.journal());
    prove_again(place, &mut log, clock)?;
    Ok(log)
}

/// The same for a journal that was read before: only what was added since is read.
pub fn prove_again<F: LogFold>(
    place: &RunDir,
    log: &mut RunLog<F>,
    clock: &Clock,
) -> Result<(), Error> {
    prove(place, log, clock)?;
    complete(place, log.state(), clock);
    Ok(())
}

/// Proves how a run stands; whether that is what its journal said before. No documents are written:
/// a listing of all runs writes nothing into those that are over.
fn prove<F: LogFold>(place: &RunDir, log: &mut RunLog<F>, clock: &Clock) -> Result<bool, Error> {
    log.catch_up_or_restart()?;
    let state = log.state();
    if state.status.is_terminal()
        || supervisor(state).is_some_and(|supervisor| supervisor.is_alive())
    {
        return Ok(true);
    }
    match take(place, LockWait::No) {
        Ok(lock) => settle(place, log, &lock, None, clock)?,
        // Another process supervises it, cleans up after its supervisor, or starts it.
        Err(Error::Lock(LockError::Held { .. })) => {
            log.catch_up_or_restart()?;
            return Ok(false);
        }
        Err(error) => return Err(error),
    }
    // No process starts it, so it never was.
    if log.state().status == RunStatus::Starting {
        return Err(gone(place));
    }
    Ok(false)
}

/// How each of many runs stands, and whether its journal said so by itself. They are looked at side
/// by side: what a dead supervisor left is given time to end.
pub(super) fn look_all(places: &[RunDir], clock: &Clock) -> Vec<Result<(RunState, bool), Error>> {
    let (next, seen) = (
        AtomicUsize::new(0),
        Mutex::new(Vec::with_capacity(places.len())),
    );
    let looks = || {
        while let Some((index, place)) = claim(places, &next) {
            let mut log = RunLog::<RunState>::new(&place.journal());
            let looked = prove(place, &mut log, clock).map(|said| (log.into_fold(), said));
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

fn claim<'p>(places: &'p [RunDir], next: &AtomicUsize) -> Option<(usize, &'p RunDir)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, places.get(index)?))
}

/// How a run stands once it has begun: a process that starts it is waited for.
pub fn open_begun<F: LogFold>(place: &RunDir, clock: &Clock) -> Result<RunLog<F>, Error> {
    let mut log = RunLog::new(&place.journal());
    for _ in 0..LOOKS {
        prove_again(place, &mut log, clock)?;
        if log.state().status != RunStatus::Starting {
            return Ok(log);
        }
        // Given up when the start fails; where it succeeds, its supervisor goes on holding it.
        let _held = Lock::acquire_unsigned(&place.lock(), LockMode::Shared, LockWait::For(PAUSE));
    }
    Err(Error::StillThere {
        run: place.id().to_string(),
        status: RunStatus::Starting,
    })
}

/// Who supervises the last generation, as it was recorded.
pub fn supervisor(state: &RunState) -> Option<ProcessIdentity> {
    let known = &state.start.as_ref()?.supervisor;
    Some(ProcessIdentity {
        pid: known.pid,
        start_time: known.start,
        boot_id: known.boot.clone(),
    })
}

/// Refuses what was meant for another generation (A3).
pub fn check_generation(
    place: &RunDir,
    state: &RunState,
    asked: Option<&str>,
) -> Result<(), Error> {
    match asked.filter(|asked| *asked != state.generation()) {
        None => Ok(()),
        Some(asked) => Err(Error::OtherGeneration {
            run: place.id().to_string(),
            asked: asked.to_owned(),
            current: state.generation().to_owned(),
        }),
    }
}

/// Takes a run's lock: the directory may be moved away meanwhile, and then a lock protects nothing.
pub(in crate::run) fn take(place: &RunDir, wait: LockWait) -> Result<Lock, Error> {
    let path = place.lock();
    match Lock::acquire_unsigned(&path, LockMode::Exclusive, wait) {
        Ok(lock) if lock.is_current(&path) => Ok(lock),
        Err(LockError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            Err(gone(place))
        }
        Ok(_) => Err(gone(place)),
        Err(error) => Err(error.into()),
    }
}

/// Writes the documents of a run that is over where the process that recorded that was killed
/// before it could.
pub(super) fn complete(place: &RunDir, state: &RunState, clock: &Clock) {
    if state.ended.is_none() || !state.status.is_terminal() || snapshot::has_result(place) {
        return;
    }
    // A lock holder writes them itself; and the run may have begun again.
    if let Ok(_lock) = take(place, LockWait::No)
        && let Ok(state) = recorded(place)
    {
        snapshot::write(place, &state, clock.now());
    }
}

fn gone(place: &RunDir) -> Error {
    Error::NotFound {
        run: place.id().to_string(),
        close: None,
    }
}

/// Ends what a dead supervisor left, and records that; nothing where the last generation has ended.
/// The lock shows that no process supervises. `asked` is what it was asked where that could not be
/// recorded.
pub(in crate::run) fn settle<F: LogFold>(
    place: &RunDir,
    log: &mut RunLog<F>,
    _lock: &Lock,
    asked: Option<RunControl>,
    clock: &Clock,
) -> Result<(), Error> {
    log.catch_up_or_restart()?;
    let state = log.fold_mut().run_mut();
    let running = state.status == RunStatus::Running;
    let Some(start) = state.start.clone().filter(|_| running) else {
        return Ok(());
    };
    let mark = place.mark(&start.generation);
    let status = asked
        .or(state.asked)
        .map_or(RunStatus::Exited, RunControl::status);
    if is_part_of(&mark) {
        // We are a part of what would be ended: a process outside will do it.
        state.status = status;
        return Ok(());
    }
    let end = RunEnd {
        generation: start.generation.clone(),
        status,
        evidence: Some(end_leftovers(&start, &mark)),
        ..RunEnd::default()
    };
    let recorded = log
        .journal(clock)
        .and_then(|journal| journal.append_durable(RUN_END, &end))
        .map_err(Error::from);
    match recorded {
        // It is over all the same; the next look records it.
        Err(error) if error.is_full_disk() => {
            let evidence = end.evidence.as_deref().unwrap_or_default();
            let evidence = Some(format!(
                "{evidence}; not recorded yet: {}",
                error.with_causes()
            ));
            let ended = RunOutcome {
                end: RunEnd { evidence, ..end },
                at: clock.now(),
            };
            let state = log.fold_mut().run_mut();
            (state.status, state.ended) = (status, Some(Box::new(ended)));
            return Ok(());
        }
        recorded => recorded?,
    };
    log.catch_up()?;
    snapshot::write(place, log.state(), clock.now());
    let root = RunRoot::new(place.dir().parent().unwrap_or_else(|| Path::new("/")));
    ownership::ended(&root, &start, &end, clock);
    Ok(())
}

/// Ends the processes that a dead supervisor left, and says how we know that it is dead.
fn end_leftovers(start: &RunStart, mark: &str) -> String {
    let here = ProcessIdentity::of_self().map(|own| own.boot_id);
    if here.as_ref() != Some(&start.supervisor.boot) {
        return "the machine was started anew since".to_owned();
    }
    let gone = format!("its supervisor, process {}, is gone", start.supervisor.pid);
    let swept = end_detached(mark, DEFAULT_GRACE);
    match (swept.ended, swept.survivors.len()) {
        (0, 0) => gone,
        (1, 0) => format!("{gone}; it left 1 process that was ended"),
        (ended, 0) => format!("{gone}; it left {} that were ended", processes(ended)),
        (_, left) => format!("{gone}; it left {} that cannot be ended", processes(left)),
    }
}

fn processes(count: usize) -> String {
    if count == 1 {
        "1 process".to_owned()
    } else {
        format!("{count} processes")
    }
}
