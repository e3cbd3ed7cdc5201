//! What a supervisor records while its plan runs, and what it requests of the plan.
//!
//! Owns writing the commands and the end to the journal, and reading what other processes append to
//! it: control messages, messages for a command's stdin, ends of child runs.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::time::Duration;

use materia_model::record::Record;
use materia_model::run::{
    COMMAND_DONE, COMMAND_START, CommandDone, CommandStart, MESSAGE, RUN_END, RetireWhen,
    RunControl, RunEnd, RunState, RunStatus,
};
use materia_model::secret::SecretGuard;
use materia_model::text;
use serde::Serialize;

use super::fifo_delivery::FifoDelivery;
use super::stdin_delivery::{StdinDelivery, wants_stdin};
use crate::clock::{self, Clock, Stopwatch};
use crate::execute::{ObserverCommand, RunController, RunObserver, RunProgress};
use crate::process::{ChildId, Exits};
use crate::run::look::status;
use crate::run::snapshot;
use crate::run::{Error, RunDir, RunLog, RunRoot, journal};
use crate::store::journal::{JournalError, SharedJournal};
use crate::store::spare::UnnamedFile;
use crate::wake::WakePipe;
use crate::wake::waiters;

/// The longest sleep before a supervisor checks again by itself.
const RECONCILE: Duration = Duration::from_secs(10);
/// The interval between progress documents.
const SNAPSHOTS: Duration = Duration::from_millis(500);
/// The delay of the first progress document: most commands end before it, and then the result is
/// enough.
const FIRST: Duration = Duration::from_millis(50);
/// The maximum length of a recorded argument, in bytes.
const LONGEST_WORD: usize = 4096;
/// The maximum number of recorded arguments.
const MOST_WORDS: usize = 64;

/// Watches a plan for its supervisor.
pub(super) struct SupervisorWatcher<'s> {
    root: &'s RunRoot,
    place: &'s RunDir,
    journal: &'s SharedJournal,
    bell: &'s WakePipe,
    clock: &'s Clock,
    /// The journal, as far as it was read.
    log: RunLog,
    guard: &'s SecretGuard,
    commands: BTreeMap<ChildId, u64>,
    /// The end of a command, which is written together with the next record, or at the latest
    /// before we sleep: it may be the end of the plan.
    done: Option<CommandDone>,
    count: u64,
    completed: u64,
    failed: u64,
    stopping: bool,
    retired: bool,
    /// Whether there is unwritten progress, since when, and how long to delay the write.
    unwritten: bool,
    written: Stopwatch,
    patience: Duration,
    /// The file that the result will be written to.
    spare: Option<UnnamedFile>,
    /// Delivers messages to the commands, if the run gets them on stdin.
    feeding: Option<StdinDelivery<'s>>,
    pipe: FifoDelivery,
}

/// The collaborators of a watcher.
#[derive(Clone, Copy)]
pub(super) struct WatcherContext<'s> {
    pub(super) root: &'s RunRoot,
    pub(super) place: &'s RunDir,
    pub(super) journal: &'s SharedJournal,
    pub(super) bell: &'s WakePipe,
    pub(super) clock: &'s Clock,
    /// Redacts secrets.
    pub(super) guard: &'s SecretGuard,
}

impl<'s> SupervisorWatcher<'s> {
    pub(super) fn new(around: WatcherContext<'s>, log: RunLog) -> Self {
        let WatcherContext {
            root,
            place,
            journal,
            bell,
            clock,
            guard,
        } = around;
        let state = log.state();
        let feeds = state.start.as_deref().is_some_and(wants_stdin);
        let feeding = feeds.then(|| StdinDelivery::after(state.seq, place, journal));
        Self {
            root,
            place,
            journal,
            bell,
            clock,
            log,
            guard,
            commands: BTreeMap::new(),
            done: None,
            count: 0,
            completed: 0,
            failed: 0,
            stopping: false,
            retired: false,
            unwritten: true,
            written: Stopwatch::start(),
            patience: FIRST,
            spare: None,
            feeding,
            pipe: FifoDelivery::default(),
        }
    }

    /// The pending request to this generation.
    pub(super) fn asked(&mut self) -> Option<RunControl> {
        self.catch_up();
        self.state().asked
    }

    fn state(&self) -> &RunState {
        self.log.state()
    }

    /// Records the end, once, and wakes the processes that wait for it, which share the sync. The
    /// documents exist when the lock is released. If the disk is full, waits for space.
    pub(super) fn end(&mut self, end: &RunEnd) -> Result<(), Error> {
        let told = self.write(Some((RUN_END, end)));
        if told.is_ok() {
            waiters::wake_all(&self.place.ears());
        } else {
            let (at, data) = (
                self.clock.now(),
                serde_json::to_value(end).unwrap_or_default(),
            );
            let seq = self.state().seq + 1;
            let kind = RUN_END.to_owned();
            self.log.fold_mut().apply(&Record {
                seq,
                at,
                kind,
                data,
            });
        }
        let spare = self.spare.take();
        snapshot::result(self.place, self.state(), spare);
        snapshot::progress(
            self.place,
            self.state().status,
            self.counts(),
            self.clock.now(),
        );
        if told.and_then(|()| self.journal.commit()).is_ok() {
            return Ok(());
        }
        let mut patience = FIRST;
        while let Err(error) = self.end_again(end) {
            if !error.is_full_disk() || !self.place.exists() {
                return Err(error);
            }
            // The kernel reports no event for free disk space, and no other process knows the
            // result.
            self.rest(patience);
            patience = (patience * 2).min(RECONCILE);
        }
        Ok(())
    }

    /// Records the end after a failure. Reopens the journal to see what is on disk: the record may
    /// be there, and only its sync failed.
    fn end_again(&mut self, end: &RunEnd) -> Result<(), Error> {
        let again = journal(self.place, self.clock)?;
        let state = status::recorded(self.place)?;
        if state.status.is_terminal() && state.generation() == end.generation {
            again.commit()?;
        } else {
            again.append_durable(RUN_END, end)?;
        }
        snapshot::write(self.place, &status::recorded(self.place)?, self.clock.now());
        waiters::wake_all(&self.place.ears());
        Ok(())
    }

    /// Sleeps for this long, or until woken.
    fn rest(&self, time: Duration) {
        self.bell.drain();
        if let Ok(bell) = self.bell.as_fd().try_clone_to_owned() {
            let mut rung = Exits::default();
            rung.also(bell, ());
            rung.next(clock::deadline_in(time));
        }
    }

    /// Whether the run ended by itself because all its children ended.
    pub(super) fn has_retired(&self) -> bool {
        self.retired
    }

    /// Reads new records. Returns whether there was a message among them.
    fn catch_up(&mut self) -> bool {
        if self.state().seq == self.journal.last_seq() && !self.journal.has_more() {
            return false;
        }
        let mut came = false;
        let _read_later = self.log.catch_up_with(|_, record| {
            came |= record.kind == MESSAGE;
            ControlFlow::Continue(())
        });
        came
    }

    /// Writes the pending end of a command, and the next record. Records directly after the last
    /// one read are folded without reading them back, and nothing is read after the end.
    fn write<T: Serialize>(&mut self, next: Option<(&str, &T)>) -> Result<(), JournalError> {
        let done = self.done.take();
        let mut held = self.journal.hold()?;
        let fold = self.log.fold_mut();
        let mut apply = |record: &Record| {
            if record.seq == fold.run.seq + 1 || record.kind == RUN_END {
                fold.apply(record);
            }
        };
        if let Some(done) = &done {
            apply(&held.record(COMMAND_DONE, done)?);
        }
        if let Some((kind, data)) = next {
            apply(&held.record(kind, data)?);
        }
        Ok(())
    }

    /// Writes the pending end of a command.
    fn settle(&mut self) {
        if self.done.is_some() {
            let _untold = self.write::<()>(None);
        }
    }

    /// Whether all child runs are over, and the run is configured to end then.
    fn retires(&mut self) -> bool {
        let wants = self
            .state()
            .start
            .as_ref()
            .and_then(|start| start.retire_when);
        if wants != Some(RetireWhen::ChildrenTerminal) || self.state().children.is_empty() {
            return false;
        }
        let open = self
            .state()
            .children
            .iter()
            .filter(|(_, (_, ended))| ended.is_none());
        let open: Vec<(String, String)> = open
            .map(|(run, (generation, _))| (run.clone(), generation.clone()))
            .collect();
        // A child whose supervisor was killed did not notify us.
        for (run, generation) in open {
            let ended = run
                .parse()
                .ok()
                .map(|id| self.root.place(&id))
                .and_then(|place| {
                    if !place.exists() {
                        return Some(RunStatus::Exited);
                    }
                    let state = status::look(&place, self.clock).ok()?;
                    (state.generation() != generation || state.status.is_terminal())
                        .then_some(state.status)
                });
            let Some(status) = ended else { return false };
            let children = &mut self.log.fold_mut().run.children;
            children.insert(run, (generation, Some(status)));
        }
        true
    }

    /// The number of commands that run, that ended, and that failed, from memory: our own records
    /// are read back only when we are woken.
    fn counts(&self) -> [u64; 3] {
        [self.commands.len() as u64, self.completed, self.failed]
    }

    /// Writes the progress document, if it is due.
    fn write_progress(&mut self) {
        if self.unwritten && self.written.elapsed() >= self.patience {
            snapshot::progress(
                self.place,
                self.state().status,
                self.counts(),
                self.clock.now(),
            );
            (self.unwritten, self.written, self.patience) = (false, Stopwatch::start(), SNAPSHOTS);
        }
    }
}

impl RunObserver for SupervisorWatcher<'_> {
    fn progress(&mut self, progress: RunProgress<'_>) {
        match progress {
            RunProgress::Started {
                leaf, label, argv, ..
            } => {
                self.count += 1;
                self.commands.insert(leaf, self.count);
                let words = argv.iter().take(MOST_WORDS);
                let argv = words
                    .map(|word| {
                        self.guard
                            .text(&text::bounded(word, LONGEST_WORD))
                            .into_owned()
                    })
                    .collect();
                let label = label.map(|label| self.guard.text(label).into_owned());
                let started = CommandStart {
                    n: self.count,
                    label,
                    argv,
                };
                // Continue on a full disk: the report is only less exact.
                let _untold = self.write(Some((COMMAND_START, &started)));
                self.unwritten = true;
                self.feeding.iter_mut().for_each(StdinDelivery::started);
            }
            RunProgress::Ended {
                leaf,
                run,
                read_all,
            } => {
                self.settle();
                let n = self.commands.remove(&leaf).unwrap_or_default();
                self.done = Some(CommandDone {
                    n,
                    code: run.code,
                    signal: run.signal,
                    timed_out: run.timed_out,
                    duration_ms: run.duration_ms,
                });
                if let Some(feeding) = self.feeding.as_mut().filter(|_| self.commands.is_empty()) {
                    feeding.ended(run.code == 0, read_all);
                }
                self.completed += 1;
                self.failed += u64::from(run.code != 0);
                self.unwritten = true;
            }
            RunProgress::Interrupted { .. } => self.stopping = true,
            RunProgress::Postponed { .. }
            | RunProgress::Stderr { .. }
            | RunProgress::Stdout { .. } => {}
            RunProgress::Tick => {
                self.settle();
                // Create the file now, so that the end need not wait for it.
                self.spare = self
                    .spare
                    .take()
                    .or_else(|| UnnamedFile::in_dir(self.place.dir()));
                self.write_progress();
            }
        }
    }

    fn tick_interval(&self) -> Option<Duration> {
        let patience = if self.unwritten {
            self.patience
        } else {
            RECONCILE
        };
        let due = self.done.is_some() || self.feeding.as_ref().is_some_and(StdinDelivery::is_due);
        Some(if due { Duration::ZERO } else { patience })
    }

    fn wants_stdout(&self) -> bool {
        false
    }
}

impl RunController for SupervisorWatcher<'_> {
    fn commands(&mut self, stdin_drained: bool) -> Vec<ObserverCommand> {
        self.bell.drain();
        let came = self.catch_up();
        let line = self
            .feeding
            .as_mut()
            .and_then(|feeding| feeding.next(stdin_drained));
        let mut commands: Vec<ObserverCommand> =
            line.map(ObserverCommand::Feed).into_iter().collect();
        self.pipe
            .look(self.place, self.journal, &mut self.log, came);
        if !self.stopping && (self.state().asked.is_some() || self.retires()) {
            self.stopping = true;
            self.retired = self.state().asked.is_none();
            commands.push(ObserverCommand::Stop);
        }
        commands
    }
}
