//! The status of a run, proved (A6, P4).
//!
//! Owns looking. The journal has the recorded status. A run counts as active only while its
//! supervisor, identified by process and boot, is alive, or the run's lock is held. Otherwise it is
//! over: the process that notices ends the remaining processes and records the end.

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

/// How many runs are looked at concurrently.
const SIDE_BY_SIDE: usize = 16;

/// The recorded status, whether or not it is still true. A run without a journal is starting.
pub fn recorded(place: &RunDir) -> Result<RunState, Error> {
    Ok(RunLog::<RunState>::read(&place.journal())?.into_fold())
}

/// The status of a run. If its supervisor died, ends and records the run first, and writes missing
/// documents.
pub fn look(place: &RunDir, clock: &Clock) -> Result<RunState, Error> {
    open(place, clock).map(RunLog::into_fold)
}

/// Like `look`, and returns the journal as far as it was read.
pub fn open<F: LogFold>(place: &RunDir, clock: &Clock) -> Result<RunLog<F>, Error> {
    let mut log = RunLog::new(&place.journal());
    prove_again(place, &mut log, clock)?;
    Ok(log)
}

/// Like `open`, for a journal that was read before: reads only new records.
pub fn prove_again<F: LogFold>(
    place: &RunDir,
    log: &mut RunLog<F>,
    clock: &Clock,
) -> Result<(), Error> {
    prove(place, log, clock)?;
    complete(place, log.state(), clock);
    Ok(())
}

/// Proves the status of a run. Returns whether the journal had it already. Writes no documents, so
/// that a listing of all runs does not write into finished ones.
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
    // No process is starting it, so it does not exist.
    if log.state().status == RunStatus::Starting {
        return Err(gone(place));
    }
    Ok(false)
}

/// The status of each run, and whether its journal had it already. Looks at them concurrently,
/// because processes of a dead supervisor get time to end.
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
            // If no thread can be spawned, this thread does all the work.
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

/// The status of a run that has begun: waits for a process that is starting it.
pub fn open_begun<F: LogFold>(place: &RunDir, clock: &Clock) -> Result<RunLog<F>, Error> {
    let mut log = RunLog::new(&place.journal());
    for _ in 0..LOOKS {
        prove_again(place, &mut log, clock)?;
        if log.state().status != RunStatus::Starting {
            return Ok(log);
        }
        // The wait ends when the start fails; if it succeeds, the supervisor keeps the lock.
        let _held = Lock::acquire_unsigned(&place.lock(), LockMode::Shared, LockWait::For(PAUSE));
    }
    Err(Error::StillThere {
        run: place.id().to_string(),
        status: RunStatus::Starting,
    })
}

/// The recorded supervisor of the last generation.
pub fn supervisor(state: &RunState) -> Option<ProcessIdentity> {
    let known = &state.start.as_ref()?.supervisor;
    Some(ProcessIdentity {
        pid: known.pid,
        start_time: known.start,
        boot_id: known.boot.clone(),
    })
}

/// Fails if the request was for another generation (A3).
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

/// Takes a run's lock. Fails if the directory was moved meanwhile, because then the lock protects
/// nothing.
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

/// Writes the documents of a run that is over, if the process that recorded the end was killed
/// before it wrote them.
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

/// Ends the processes that a dead supervisor left, and records the end; does nothing if the last
/// generation has ended. The lock proves that no process supervises the run. `asked` is a request
/// that could not be recorded.
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
        // We are one of the processes that would be ended: a process outside the run will do it.
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
        // The run is over in any case; the next look records it.
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

/// Ends the processes that a dead supervisor left, and returns the evidence that it is dead.
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
