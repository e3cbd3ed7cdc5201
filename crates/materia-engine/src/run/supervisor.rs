//! The supervisor: one process for one generation of one run, from its first record to its last (A1).
//!
//! Owns the order of a life: lock, journal, `run.start`, commands, `run.end`. It is a session leader and adopts
//! orphans, so nothing that it starts escapes it. Small on purpose: hundreds of them may sleep at the same time. Killed
//! at any point it leaves a journal and a free lock, from which whoever looks next concludes the rest.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::run::{Control, End, RUN_END, RUN_START, Start, State, Status, Supervisor};
use materia_model::secret::Guard;
use materia_model::template::{Plan, wire};
use materia_model::text;

use super::error::Error;
use super::observer::{Surroundings, Watcher};
use super::order::{Answer, Order, Refusal};
use super::place::{Place, Root};
use super::status::{self, recorded, settle};
use super::{artifact, family, journal, snapshot};
use crate::clock::Clock;
use crate::execute::{self, Around, Outcome, Request, Streams};
use crate::process::{DEFAULT_GRACE, Identity, Nursery, lead_session, take_streams};
use crate::store::bell::Bell;
use crate::store::journal::SharedJournal;
use crate::store::lock::{Lock, LockError, Wait};
use crate::store::{dir, stream, tree};

/// The first word of a supervisor's command line; no verb is called so.
pub const SUPERVISE: &str = "__supervise";

/// The number of a first `run.start`: only the journal's header stands before it.
const FIRST: u64 = 2;

/// How long a start waits for whoever cleans up after an earlier generation, and how long at a time.
const PATIENCE: usize = 100;
const PAUSE: Duration = Duration::from_millis(100);

/// Supervises a generation, as told on stdin. The answer goes to stdout; what comes after is in the journal. `variables`
/// are those that its commands inherit: the secret ones among them are not written down (S3).
pub fn supervise(variables: BTreeMap<OsString, OsString>, clock: &Clock) -> io::Result<()> {
    // One that leads a session already was started by hand, and leads it still.
    let _leads = lead_session();
    let (mut told, answer) = take_streams()?;
    let mut text = Vec::new();
    told.read_to_end(&mut text)?;
    drop(told);
    let mut order: Order = serde_json::from_slice(&text)?;
    drop(text);
    let spool = order.spool.clone();
    let guard = guarded(&mut order, &variables);
    // Hundreds of supervisors may sleep at the same time: what nobody asks for again goes.
    drop(variables);
    match Generation::begin(order, clock) {
        Ok((generation, plan)) => generation.live(&plan, answer, spool, guard),
        Err(error) => say(answer, &Answer::Refused(Refusal::from(error))),
    }
}

/// Takes what is secret out of what is going to be recorded, and gives who does the same with what commands write.
fn guarded(order: &mut Order, variables: &BTreeMap<OsString, OsString>) -> Guard {
    let named: Vec<&str> = order.secret.iter().map(String::as_str).collect();
    let texts = variables.iter().filter_map(|(name, value)| Some((name.to_str()?, value.to_str()?)));
    let mut guard = Guard::new(texts, &named);
    let start = &mut order.start;
    guard.take_from(&mut start.values, &order.secret);
    start.values.values_mut().for_each(|value| guard.value(value));
    order.context.iter_mut().for_each(|record| *record = guard.text(record).into_owned());
    if let Some(template) = &mut start.template {
        *template = guard.text(template).into_owned();
    }
    guard
}

/// Tells the launcher, who may be gone, and hangs up.
pub(super) fn say(mut answer: File, said: &Answer) -> io::Result<()> {
    let text = serde_json::to_vec(said)?;
    let _gone = answer.write_all(&text);
    Ok(())
}

/// Lets whoever was just woken go first: the kernel likes to wake them where we run, and nobody waits for the rest of us.
pub(super) fn give_way() {
    std::thread::yield_now();
}

/// A generation that has begun.
struct Generation<'c> {
    root: Root,
    place: Place,
    journal: SharedJournal,
    bell: Bell,
    streams: Streams,
    state: State,
    clock: &'c Clock,
    lock: Lock,
}

impl<'c> Generation<'c> {
    /// Begins a generation; when that fails, nothing is left of it.
    fn begin(order: Order, clock: &'c Clock) -> Result<(Self, Plan), Error> {
        let root = Root::new(&order.root);
        let place = root.place(&order.run);
        let run = order.run.to_string();
        let wrong = |message: String| Error::NotStarted {
            run: run.clone(),
            message,
            hint: "this is a defect; see `materia doctor`".to_owned(),
        };
        let plan = wire::unpack(order.plan).map_err(|error| wrong(error.to_string()))?;
        let me = Identity::of_self().ok_or_else(|| wrong("there is no /proc".to_owned()))?;
        let mut start = order.start;
        start.supervisor = Supervisor { pid: me.pid, start: me.start_time, boot: me.boot_id };

        dir::create_private(root.path())?;
        let made = dir::create_unsynced(place.dir())?;
        if order.fresh && !made {
            return Err(Error::Taken(run));
        }
        let mut lock = None;
        match Self::record(&root, &place, &start, made, &mut lock, clock) {
            Ok((streams, bell, journal, state)) => {
                snapshot::context(&place, &order.context);
                family::begun(&root, &start, clock);
                let lock = lock.ok_or_else(|| wrong("nobody holds its lock".to_owned()))?;
                Ok((Self { root, place, journal, bell, streams, state, clock, lock }, plan))
            }
            Err(error) => {
                take_back(&place, &start, made, lock, &error, clock);
                Err(error)
            }
        }
    }

    /// Takes the lock and records the beginning.
    fn record(
        root: &Root,
        place: &Place,
        start: &Start,
        made: bool,
        lock: &mut Option<Lock>,
        clock: &'c Clock,
    ) -> Result<(Streams, Bell, SharedJournal, State), Error> {
        *lock = Some(own(place, made, clock)?);
        let file =
            |open: fn(&Path) -> io::Result<File>, path: PathBuf| open(&path).map_err(Error::io("open", path));
        let streams = Streams {
            stdout: file(stream::open_empty, place.stdout())?,
            stderr: file(stream::open_empty, place.stderr())?,
        };
        let bell = Bell::hang(&place.bell()).map_err(Error::io("open", place.bell()))?;
        let journal = journal(place, clock)?;
        let begun = journal.record(RUN_START, start)?;
        journal.commit()?;
        if made {
            dir::sync_new(root.path())?;
        }
        let mut state = State::default();
        if begun.seq == FIRST {
            state.apply(&begun);
        } else {
            state = recorded(place)?;
        }
        Ok((streams, bell, journal, state))
    }

    /// Answers, runs the plan to its end and records that.
    fn live(self, plan: &Plan, answer: File, spool: PathBuf, guard: Guard) -> io::Result<()> {
        let Self { root, place, journal, bell, streams, state, clock, lock } = self;
        let start = state.start.clone().unwrap_or_default();
        say(answer, &Answer::Runs { pid: start.supervisor.pid })?;
        give_way();
        snapshot::run(&place, &state);
        let deliver = start.mailbox.as_ref().and_then(|mailbox| mailbox.get("deliver"));
        let held = deliver.is_some_and(|how| how == "stdin");
        let around = Around { streams: Some(streams), guard, held };
        let request = Request {
            plan,
            cwd: start.cwd.clone().into(),
            stdin: None,
            jobs: None,
            grace: DEFAULT_GRACE,
            spool,
        };
        let (root, place, journal, bell, guard) = (&root, &place, &journal, &bell, &around.guard);
        let surroundings = Surroundings { root, place, journal, bell, clock, guard };
        let mut watcher = Watcher::new(surroundings, state);
        let mut nursery = None;
        let outcome = prepared(bell).and_then(|prepared| {
            execute::run_in(&request, &around, nursery.insert(prepared), &mut watcher)
        });
        let asked = watcher.asked();
        let mut end = conclude(&start, outcome, asked, &watcher);
        end.error = end.error.map(|error| guard.text(&error).into_owned());
        if let Some(nursery) = &mut nursery {
            nursery.sweep(Duration::ZERO);
        }
        watcher.end(&end).map_err(io::Error::other)?;
        // Whoever was told may want to start the next generation, or to archive this one.
        drop(lock);
        give_way();
        family::ended(root, &start, &end, clock);
        Ok(())
    }
}

/// A nursery that adopts what its commands leave, is interrupted by signals and woken by the bell.
fn prepared(bell: &Bell) -> io::Result<Nursery> {
    let mut nursery = Nursery::adopting()?;
    nursery.catch_interrupts()?;
    nursery.watch(bell)?;
    Ok(nursery)
}

/// Takes back what a failed beginning left, as far as it is ours: nobody was told of it.
fn take_back(place: &Place, start: &Start, made: bool, lock: Option<Lock>, error: &Error, clock: &Clock) {
    let Some(_lock) = lock.or_else(|| status::take(place, Wait::No).ok()) else { return };
    let begun = recorded(place).ok().filter(|state| state.generation() == start.generation);
    let earlier = recorded(place).is_ok_and(|state| state.start.is_some()) && begun.is_none();
    if made && !earlier {
        let _still_there = tree::remove(place.dir(), &start.generation);
    } else if begun.is_some() {
        let end = End {
            generation: start.generation.clone(),
            status: Status::Failed,
            error: Some(error.to_string()),
            ..End::default()
        };
        let _exited = journal(place, clock).and_then(|journal| journal.append_durable(RUN_END, &end));
    }
}

/// Takes the lock for life, after whoever cleans up after an earlier generation; one that runs is left alone. Where the
/// directory was just made there is no earlier one.
fn own(place: &Place, made: bool, clock: &Clock) -> Result<Lock, Error> {
    let mut wait = Wait::No;
    for _ in 0..PATIENCE {
        match status::take(place, wait) {
            Ok(lock) if made && !place.journal().exists() => return Ok(lock),
            Ok(lock) => {
                settle(place, &lock, clock)?;
                return Ok(lock);
            }
            Err(Error::Lock(LockError::Held { .. })) => {
                let state = recorded(place)?;
                let supervisor = status::supervisor(&state).filter(|_| !state.status.is_terminal());
                if let Some(supervisor) = supervisor.filter(Identity::is_alive) {
                    return Err(Error::Active { run: place.id().to_string(), pid: Some(supervisor.pid) });
                }
                wait = Wait::For(PAUSE);
            }
            // It was archived or pruned in between.
            Err(Error::NotFound { .. }) => {
                dir::create_unsynced(place.dir())?;
            }
            Err(Error::Lock(LockError::Io { source, .. })) if source.kind() == io::ErrorKind::NotFound => {
                dir::create_unsynced(place.dir())?;
            }
            Err(error) => return Err(error),
        }
    }
    Err(Error::Active { run: place.id().to_string(), pid: None })
}

/// How a generation ended.
fn conclude(
    start: &Start,
    outcome: io::Result<Outcome>,
    asked: Option<Control>,
    watcher: &Watcher<'_>,
) -> End {
    let mut end = End { generation: start.generation.clone(), ..End::default() };
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            end.status = Status::Failed;
            end.code = Some(1);
            end.error = Some(error.to_string());
            return end;
        }
    };
    end.signal = outcome.commands.last().and_then(|command| command.signal);
    if let Some(asked) = asked {
        end.status = asked.status();
        return end;
    }
    if watcher.has_retired() {
        end.status = Status::Done;
        end.evidence = Some("retired: every run that was spawned inside it is over".to_owned());
        return end;
    }
    if outcome.interrupted {
        end.status = Status::Cancelled;
        end.error = Some("its supervisor was told to stop by a signal".to_owned());
        return end;
    }
    end.code = Some(outcome.code);
    let failed = outcome.status == execute::Status::Failed;
    end.degraded = outcome.status == execute::Status::Degraded;
    end.status = if failed { Status::Failed } else { Status::Done };
    if let Some(failure) = outcome.failures.first() {
        let what = failure.label.clone().unwrap_or_else(|| failure.argv.join(" "));
        let what = text::bounded(&what, 200);
        end.error = Some(format!("{what}: {}", text::bounded(&failure.stderr, 1000)));
    }
    if !start.artifacts.is_empty() {
        let manifest = artifact::manifest(start, artifact::HASHED_AT_END);
        let missing = manifest.values().find(|entry| entry.declared.required && !entry.exists);
        if let Some(missing) = missing.filter(|_| !failed) {
            end.status = Status::Failed;
            end.code = Some(1);
            end.error = Some(format!("the artifact {} was not made", missing.declared.path));
        }
        end.artifacts = serde_json::to_value(&manifest).ok();
    }
    end
}
