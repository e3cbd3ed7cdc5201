//! The supervisor: one process for one generation of one run, from the launcher's beginning to its
//! last record (A1).
//!
//! Owns the order of its life: it reads its order, runs the commands, and records their end. It
//! leads a session and adopts orphans, so no process that it starts escapes it. It is small,
//! because hundreds of supervisors may sleep at the same time. Killed at any point, it leaves a
//! journal and a free lock, from which the next look derives the rest.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Duration;

use materia_model::run::{RUN_END, RunEnd, RunStatus};
use materia_model::run_fold::RunFold;
use materia_model::secret::SecretGuard;
use materia_model::template::{Plan, wire};

use super::beginning::StartedFiles;
use super::conclusion::conclude;
use super::order::SupervisorOrder;
use super::start::{ChildVariables, guard};
use super::stdin_delivery::wants_stdin;
use super::watcher::{SupervisorWatcher, WatcherContext};
use crate::clock::Clock;
use crate::execute::{self, DetachedIo, Request, Streams};
use crate::process::{DEFAULT_GRACE, ProcessSet, inherited_files};
use crate::run::ownership;
use crate::run::snapshot;
use crate::run::{Error, RunDir, RunLog, RunRoot, journal};
use crate::store::journal::SharedJournal;
use crate::store::lock::Lock;
use crate::store::stream;
use crate::wake::WakePipe;

/// The first argument of a supervisor; no verb has this name. The arguments after it are the run,
/// the generation, whether its directory is new, and that directory.
pub const SUPERVISE: &str = "__supervise";
/// The argument for a directory that was created for this generation.
pub const NEW: &str = "new";
/// The argument for a directory that existed before.
pub(super) const OLD: &str = "old";

/// Supervises the generation of a run in a directory, by the order on stdin. `variables` are
/// inherited by its commands: secret ones are never written to disk (S3).
pub fn supervise(
    dir: PathBuf,
    generation: &str,
    made: bool,
    variables: ChildVariables,
    clock: &Clock,
) -> io::Result<()> {
    let (mut stdin, [bell, lock]) = inherited_files()?;
    let mut text = Vec::new();
    stdin.read_to_end(&mut text)?;
    drop(stdin);
    let place = RunDir::at(dir).ok_or(io::ErrorKind::InvalidInput)?;
    let lock = Lock::from_inherited(lock)?.filter(|lock| lock.is_current(&place.lock()));
    let Some(lock) = lock else {
        // The launcher failed, and has rolled the beginning back.
        return Ok(());
    };
    // EOF before the end of the order: the launcher was killed.
    let Ok(mut order) = serde_json::from_slice::<SupervisorOrder>(&text) else {
        let beginning = StartedFiles {
            place: &place,
            generation,
            made,
        };
        beginning.take_back("whoever started it was killed", &lock, clock);
        return Ok(());
    };
    drop(text);
    let guard = guard(
        &order.secret,
        &mut order.start,
        &mut order.context,
        &variables,
    );
    // Hundreds of supervisors may sleep at the same time: free what is not needed again.
    drop(variables);
    let spool = order.spool.clone();
    let bell = WakePipe::from_inherited(bell);
    match Generation::go_on(order, place.clone(), bell, lock, clock) {
        Ok((generation, plan)) => generation.live(&plan, spool, guard),
        Err(error) => {
            let (generation, status) = (generation.to_owned(), RunStatus::Failed);
            let end = RunEnd {
                generation,
                status,
                error: Some(error.with_causes()),
                ..RunEnd::default()
            };
            let ended =
                journal(&place, clock).and_then(|journal| journal.append_durable(RUN_END, &end));
            ended.map(drop).map_err(io::Error::other)
        }
    }
}

/// A generation that has begun.
struct Generation<'c> {
    root: RunRoot,
    place: RunDir,
    journal: SharedJournal,
    bell: WakePipe,
    streams: Streams,
    log: RunLog,
    clock: &'c Clock,
    lock: Lock,
}

impl<'c> Generation<'c> {
    /// Continues from the launcher's beginning.
    fn go_on(
        order: SupervisorOrder,
        place: RunDir,
        bell: WakePipe,
        lock: Lock,
        clock: &'c Clock,
    ) -> Result<(Self, Plan), Error> {
        let file = |path: PathBuf| stream::open(&path).map_err(Error::io("open", path));
        let plan = wire::unpack(order.plan).map_err(|error| Error::NotStarted {
            run: place.id().to_string(),
            message: error.to_string(),
            hint: "this is a defect; see `materia doctor`".to_owned(),
        })?;
        let streams = Streams {
            stdout: file(place.stdout())?,
            stderr: file(place.stderr())?,
        };
        // Records after the start are read when the plan runs.
        let mut log = RunLog::new(&place.journal());
        log.catch_up_with(|fold: &RunFold, _| {
            match fold.run.generation() == order.start.generation {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        })?;
        let journal = log.journal(clock)?;
        Ok((
            Self {
                root: RunRoot::new(order.root),
                place,
                journal,
                bell,
                streams,
                log,
                clock,
                lock,
            },
            plan,
        ))
    }

    /// Runs the plan to its end and records the result.
    fn live(self, plan: &Plan, spool: PathBuf, guard: SecretGuard) -> io::Result<()> {
        let Self {
            root,
            place,
            journal,
            bell,
            streams,
            log,
            clock,
            lock,
        } = self;
        let start = log.state().start.clone().unwrap_or_default();
        snapshot::run(&place, log.state());
        let around = DetachedIo::new(streams, guard, wants_stdin(&start));
        let request = Request {
            plan,
            cwd: start.cwd.clone().into(),
            stdin: None,
            jobs: None,
            grace: DEFAULT_GRACE,
            spool,
        };
        let (root, place, journal, bell, guard) = (&root, &place, &journal, &bell, &around.guard);
        let surroundings = WatcherContext {
            root,
            place,
            journal,
            bell,
            clock,
            guard,
        };
        let mut watcher = SupervisorWatcher::new(surroundings, log);
        let mut processes = None;
        let outcome = prepared(bell).and_then(|prepared| {
            execute::run_in(&request, &around, processes.insert(prepared), &mut watcher)
        });
        let asked = watcher.asked();
        let mut end = conclude(&start, outcome, asked, &watcher);
        if let Some(why) = around.missing() {
            end.degraded = true;
            let evidence = || format!("a part of what it wrote is not in its logs: {why}");
            end.evidence.get_or_insert_with(evidence);
        }
        end.error = end.error.map(|error| guard.text(&error).into_owned());
        if let Some(processes) = &mut processes {
            processes.sweep(Duration::ZERO);
        }
        watcher.end(&end).map_err(io::Error::other)?;
        // Release the lock: a process that waited for the end may start the next generation, or
        // archive this one.
        drop(lock);
        ownership::ended(root, &start, &end, clock);
        // A process may wait for our exit, and the kernel frees this memory faster than we do.
        std::mem::forget(processes);
        Ok(())
    }
}

/// A process set that adopts orphans of its commands, is interrupted by signals and woken by the
/// wake pipe.
fn prepared(bell: &WakePipe) -> io::Result<ProcessSet> {
    let mut processes = ProcessSet::adopting()?;
    processes.catch_interrupts()?;
    processes.watch(bell)?;
    Ok(processes)
}
