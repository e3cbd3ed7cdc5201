//! Ending a run from outside (A6).
//!
//! Owns the request and the wait for its effect. The request is durable before the supervisor is
//! woken. The supervisor ends the whole process tree with grace and escalation, records the end and
//! exits. If the supervisor is dead or does not exit, the caller does its work. Repeating the
//! request, or sending it to a run that is over, changes nothing.

use std::time::Duration;

use materia_model::run::{MESSAGE, RunControl, RunState, RunStatus};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::clock::{self, Clock};
use crate::process::{DEFAULT_GRACE, Exits, Signal};
use crate::run::look::status::{settle, take};
use crate::run::{
    Error, LogFold, RunDir, RunLog, check_generation, open_begun, prove_again, supervisor,
};
use crate::store::lock::{Lock, LockMode, LockWait};

/// How long a supervisor may take, after the grace period of its commands, before it is killed.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long one look waits for another process that cleans up after a run.
const PAUSE: Duration = Duration::from_millis(200);
/// How many looks to take before giving up.
const LOOKS: usize = 100;

/// The result of a request to end a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stopped {
    /// Whether this request ended it.
    pub stopped: bool,
    /// Whether the end is in the run's journal.
    pub recorded: bool,
    /// The status of the run.
    pub status: RunStatus,
    /// The generation that the request was for.
    pub generation: String,
    /// Why this request did not end it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Ends a run, and waits until none of its processes is left. `request` is the message to record;
/// without one, a plain request is recorded.
pub fn stop(
    place: &RunDir,
    control: RunControl,
    request: Option<Map<String, Value>>,
    clock: &Clock,
) -> Result<Stopped, Error> {
    let mut log: RunLog<RunState> = open_begun(place, clock)?;
    stop_opened(place, &mut log, control, request, clock)
}

/// Like `stop`, for a run that has begun and whose journal was read: it is not read again.
pub fn stop_opened<F: LogFold>(
    place: &RunDir,
    log: &mut RunLog<F>,
    control: RunControl,
    request: Option<Map<String, Value>>,
    clock: &Clock,
) -> Result<Stopped, Error> {
    let state = log.state().clone();
    let meant = request
        .as_ref()
        .and_then(|request| request.get("body")?.get("generation")?.as_str());
    check_generation(place, &state, meant)?;
    let generation = state.generation().to_owned();
    if state.status.is_terminal() {
        return Ok(Stopped {
            stopped: false,
            recorded: false,
            status: state.status,
            generation,
            reason: Some("not running".to_owned()),
        });
    }
    let mut message = request.unwrap_or_else(|| made_up(place, control));
    message.insert("generation".to_owned(), json!(generation));
    match record(log, &message, clock) {
        Err(error) if error.is_full_disk() => return by_force(place, log, control, clock),
        recorded => recorded?,
    }
    crate::run::ring(place);
    if let Some(supervisor) = supervisor(&state) {
        let mut exits = Exits::default();
        exits.add(&supervisor, ());
        exits.next(clock::deadline_in(DEFAULT_GRACE + PATIENCE));
        if !exits.is_empty() {
            // The supervisor is stuck or stopped. The look below ends its remaining processes.
            let _gone = supervisor.signal(Signal::KILL);
            exits.next(clock::deadline_in(PATIENCE));
        }
    }
    for _ in 0..LOOKS {
        prove_again(place, log, clock)?;
        let now = log.state();
        if now.generation() != generation || now.status.is_terminal() {
            let ours = now.generation() == generation && now.status == control.status();
            let otherwise = match now.status {
                RunStatus::Killed | RunStatus::Cancelled if now.generation() == generation => {
                    "another request ended it first"
                }
                _ => "it ended by itself meanwhile",
            };
            let reason = (!ours).then(|| otherwise.to_owned());
            return Ok(Stopped {
                stopped: ours,
                recorded: true,
                status: now.status,
                generation,
                reason,
            });
        }
        let _held = Lock::acquire_unsigned(&place.lock(), LockMode::Shared, LockWait::For(PAUSE));
    }
    Err(Error::StillThere {
        run: place.id().to_string(),
        status: log.state().status,
    })
}

fn record<F: LogFold>(
    log: &RunLog<F>,
    message: &Map<String, Value>,
    clock: &Clock,
) -> Result<(), Error> {
    log.journal(clock)?.append_durable(MESSAGE, message)?;
    Ok(())
}

/// Ends a run whose supervisor cannot be asked, because the disk is too full for the request: kills
/// the supervisor, and ends its remaining processes with grace.
fn by_force<F: LogFold>(
    place: &RunDir,
    log: &mut RunLog<F>,
    control: RunControl,
    clock: &Clock,
) -> Result<Stopped, Error> {
    let generation = log.state().generation().to_owned();
    if let Some(supervisor) = supervisor(log.state()) {
        let mut exits = Exits::default();
        exits.add(&supervisor, ());
        let _gone = supervisor.signal(Signal::KILL);
        exits.next(clock::deadline_in(PATIENCE));
    }
    let lock = take(place, LockWait::For(PATIENCE))?;
    settle(place, log, &lock, Some(control), clock)?;
    let now = log.state();
    let status = now.status;
    let stopped = now.generation() == generation && status == control.status();
    let reason = Some("the disk is full: it was ended without asking its supervisor".to_owned());
    Ok(Stopped {
        stopped,
        recorded: stopped,
        status,
        generation,
        reason,
    })
}

fn made_up(place: &RunDir, control: RunControl) -> Map<String, Value> {
    let mut message = Map::new();
    message.insert("id".to_owned(), json!(Clock::system().fresh_id()));
    message.insert("to".to_owned(), json!(place.address()));
    message.insert("type".to_owned(), json!(control.word()));
    message
}
