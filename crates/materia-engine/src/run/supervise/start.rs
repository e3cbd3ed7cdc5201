//! Starting a run: its beginning on disk, and a supervisor that continues from there.
//!
//! Owns the launcher's side. The supervisor is spawned first and inherits the run's lock and wake
//! pipe. While it starts up, we make the beginning durable, and then send it its order. The run has
//! started when both are done: from then on, either its supervisor runs, or its death can be
//! proved. If we are killed in between, the supervisor gets no order and rolls the beginning back.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::AsFd;
use std::path::Path;

use materia_model::name::RunId;
use materia_model::run::{RunStart, RunState, RunSupervisor};
use materia_model::secret::SecretGuard;

use super::beginning::{StartedFiles, own, record};
use super::order::SupervisorOrder;
use super::supervisor::{NEW, OLD, SUPERVISE};
use crate::clock::Clock;
use crate::process::{DetachedChild, SpawnError, inherited_variables, spawn_detached_child};
use crate::run::look::status;
use crate::run::ownership;
use crate::run::snapshot;
use crate::run::{Error, RunDir, RunRoot};
use crate::store::dir;
use crate::store::journal::JournalError;
use crate::store::lock::{Lock, LockWait};
use crate::wake::WakePipe;

/// The environment variables that commands inherit.
pub(super) type ChildVariables = BTreeMap<OsString, OsString>;

/// A run that was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedRun {
    /// Its supervisor.
    pub pid: i32,
    /// The generation.
    pub generation: String,
}

/// What is held while a run is being started. If the start fails, the lock is released before the
/// supervisor reads EOF instead of its order: they share the lock, so it must find our work done.
#[derive(Default)]
struct LaunchGuard {
    lock: Option<Lock>,
    supervisor: Option<DetachedChild>,
}

/// Starts a generation of a run, and returns when it runs. A failed start leaves nothing, except a
/// record of the attempt if the run has earlier generations.
pub fn start(order: &SupervisorOrder, clock: &Clock) -> Result<StartedRun, Error> {
    let root = RunRoot::new(&order.root);
    let place = root.place(&order.run);
    place.check_free()?;
    dir::create_apart(root.path())?;
    let made = dir::create_unsynced(place.dir())?;
    if order.fresh && !made {
        return Err(Error::Taken(order.run.to_string()));
    }
    let past = if made {
        RunState::default()
    } else {
        status::recorded(&place)?
    };
    if past.start.is_some() {
        ownership::check_owner(&past, order.run.as_str(), order.start.session.as_deref())?;
    }
    let mut launch_guard = LaunchGuard::default();
    match begin(order, (&root, &place), made, &mut launch_guard, clock) {
        Ok(started) => {
            if let Some(lock) = launch_guard.lock {
                lock.hand_over();
            }
            Ok(started)
        }
        Err(error) => {
            let lock = launch_guard
                .lock
                .take()
                .or_else(|| status::take(&place, LockWait::No).ok());
            if let Some(lock) = &lock {
                let beginning = StartedFiles {
                    place: &place,
                    generation: &order.start.generation,
                    made,
                };
                beginning.take_back(&error.to_string(), lock, clock);
            }
            Err(not_started(&order.run, error))
        }
    }
}

fn begin(
    order: &SupervisorOrder,
    (root, place): (&RunRoot, &RunDir),
    made: bool,
    launch_guard: &mut LaunchGuard,
    clock: &Clock,
) -> Result<StartedRun, Error> {
    let run = order.run.to_string();
    let directory = Path::new(&order.start.cwd);
    if !directory.is_dir() {
        let source = SpawnError::NoDirectory {
            directory: directory.to_owned(),
        };
        return Err(Error::Spawn { run, source });
    }
    let text = serde_json::to_vec(order).map_err(|error| Error::NotStarted {
        run: run.clone(),
        message: error.to_string(),
        hint: "give it other values".to_owned(),
    })?;
    let lock = launch_guard.lock.insert(own(place, made, clock)?);
    let bell = WakePipe::open(&place.bell()).map_err(Error::io("open", place.bell()))?;
    let variables = inherited_variables();
    let supervisor =
        launch(order, place, made, &variables, [&bell, lock]).map_err(|source| Error::Spawn {
            run: run.clone(),
            source,
        })?;
    let supervisor = launch_guard.supervisor.insert(supervisor);
    let identity = &supervisor.identity;
    let (mut start, mut context) = (order.start.clone(), order.context.clone());
    start.supervisor = RunSupervisor {
        pid: identity.pid,
        start: identity.start_time,
        boot: identity.boot_id.clone(),
    };
    guard(&order.secret, &mut start, &mut context, &variables);
    record(root, place, &start, made, clock)?;
    snapshot::context(place, &context);
    ownership::begun(root, &start, clock);
    let pid = identity.pid;
    supervisor
        .send_order(&text)
        .map_err(|_| Error::NoAnswer(run))?;
    Ok(StartedRun {
        pid,
        generation: start.generation,
    })
}

/// Converts an error to a failed start; a run that is in use keeps its own error.
fn not_started(run: &RunId, error: Error) -> Error {
    match error {
        Error::Active { .. }
        | Error::Spawn { .. }
        | Error::NoAnswer(_)
        | Error::NotStarted { .. } => error,
        // The input is invalid: this is not a failure of the system.
        Error::Journal(JournalError::Unwritable { .. }) => error,
        error => Error::NotStarted {
            run: run.to_string(),
            message: error.with_causes(),
            hint: error.hint(),
        },
    }
}

/// Spawns the supervisor, which waits for its order.
fn launch(
    order: &SupervisorOrder,
    place: &RunDir,
    made: bool,
    inherited: &ChildVariables,
    files: [&dyn AsFd; 2],
) -> Result<DetachedChild, SpawnError> {
    let run = &order.run;
    let ours = [
        ("MATERIA_RUN", Some(run.to_string())),
        (
            "MATERIA_STATE_DIR",
            Some(place.dir().to_string_lossy().into_owned()),
        ),
        ("MATERIA_ADDRESS", Some(place.address())),
        ("MATERIA_ROOM", Some(format!("room:{run}"))),
        ("MATERIA_SESSION", order.start.session.clone()),
    ];
    let mut variables = inherited.clone();
    for (name, value) in ours {
        match value {
            Some(value) => variables.insert(name.into(), value.into()),
            None => variables.remove(OsStr::new(name)),
        };
    }
    let (address, generation) = (place.address(), &order.start.generation);
    let age = if made { NEW } else { OLD };
    let args = [SUPERVISE, &address, generation, age].map(OsStr::new);
    let args = [&args[..], &[place.dir().as_os_str()]].concat();
    spawn_detached_child(&args, &variables, &place.mark(generation), files)
}

/// Redacts secrets in everything that will be recorded, and returns the guard that redacts the
/// output of commands.
pub(super) fn guard(
    secret: &[String],
    start: &mut RunStart,
    context: &mut [String],
    variables: &ChildVariables,
) -> SecretGuard {
    let named: Vec<&str> = secret.iter().map(String::as_str).collect();
    let texts = variables
        .iter()
        .filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
    let mut guard = SecretGuard::new(texts, &named);
    guard.take_from(&mut start.values, secret);
    start
        .values
        .values_mut()
        .for_each(|value| guard.value(value));
    context
        .iter_mut()
        .for_each(|record| *record = guard.text(record).into_owned());
    if let Some(template) = &mut start.template {
        *template = guard.text(template).into_owned();
    }
    guard
}
