//! The walk: one loop that waits for events and dispatches them to their nodes.
//!
//! Owns the queues and the final outcome. Begins and ends are queued instead of called, so that a
//! hundred thousand steps that end at once need no deep stack. Their handling is in `attempt`,
//! `sequence`, `parallel` and `stop`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::{Duration, Instant};

use materia_model::secret;

use super::around::{self, DetachedIo, ObserverCommand};
use super::flow::{Flow, Spool};
use super::report::{self, CommandRun, Coverage, ExecutionStatus, Outcome};
use super::task::{Done, NodeStop, NodeTask, TaskId, Tasks};
use super::{Request, RunController, RunProgress};
use crate::clock;
use crate::process::{ChildId, Event, ProcessSet, Signal, Stream};

/// Upper bound of stdin writes per loop turn, so that other events are not starved.
const MOUTHFULS: usize = 64;

/// One walk through one plan.
pub(super) struct PlanWalk<'r, 'p> {
    pub(super) request: &'r Request<'p>,
    pub(super) around: &'r DetachedIo,
    /// Whether only the streams receive the output of commands.
    pub(super) terminal: bool,
    /// Redacts the streams of every running command before they are written to a file.
    pub(super) veils: BTreeMap<(ChildId, Stream), secret::RedactedStream<'r>>,
    pub(super) processes: &'r mut ProcessSet,
    pub(super) controller: &'r mut dyn RunController,
    pub(super) spool: Spool,
    pub(super) tasks: Tasks<'p>,
    /// The root node.
    root: Option<TaskId>,
    pub(super) actions: VecDeque<Action>,
    /// Queued commands; some may have been stopped meanwhile.
    pub(super) queue: VecDeque<TaskId>,
    /// Parallel nodes that start no branches while enough commands are queued.
    pub(super) held_back: Vec<TaskId>,
    pub(super) leaves: BTreeMap<ChildId, TaskId>,
    pub(super) jobs: usize,
    pub(super) timers: BTreeSet<(Instant, TaskId)>,
    pub(super) commands: Vec<CommandRun>,
    interrupts: usize,
    pub(super) ticked: Option<Instant>,
    pub(super) result: Option<Done>,
}

/// A queued step of the walk.
#[derive(Debug)]
pub(super) enum Action {
    /// A node begins.
    Begin(TaskId),
    /// An attempt of a node has ended.
    Settle(TaskId, Done),
}

impl<'r, 'p> PlanWalk<'r, 'p> {
    pub(super) fn new(
        request: &'r Request<'p>,
        around: &'r DetachedIo,
        processes: &'r mut ProcessSet,
        controller: &'r mut dyn RunController,
        spool: Spool,
    ) -> Self {
        Self {
            request,
            around,
            terminal: around.streams.is_some() && around::is_one_command(request.plan),
            veils: BTreeMap::new(),
            processes,
            controller,
            spool,
            tasks: Tasks::default(),
            root: None,
            actions: VecDeque::new(),
            queue: VecDeque::new(),
            held_back: Vec::new(),
            leaves: BTreeMap::new(),
            jobs: super::leaf::most_at_once(request.jobs),
            timers: BTreeSet::new(),
            commands: Vec::new(),
            interrupts: 0,
            ticked: None,
            result: None,
        }
    }

    /// Runs until the root has ended and no process of it is left.
    pub(super) fn run(mut self, input: Flow) -> Outcome {
        self.root = Some(self.add(self.request.plan, None, input));
        loop {
            while let Some(action) = self.actions.pop_front() {
                match action {
                    Action::Begin(id) => self.begin(id),
                    Action::Settle(id, done) => self.settle(id, done),
                }
            }
            self.start_queued();
            if !self.actions.is_empty() || self.fill_held_back() {
                continue;
            }
            if let Some(done) = self.result.take() {
                // Processes that commands left behind get the same grace period as the commands.
                let grace = if self.interrupts > 1 {
                    Duration::ZERO
                } else {
                    self.request.grace
                };
                self.processes.sweep(grace);
                return self.outcome(done);
            }
            self.tick();
            if !self.actions.is_empty() {
                continue;
            }
            let event = self.processes.next(self.wake_at());
            self.attend(event);
            self.fire_timers();
        }
    }

    fn attend(&mut self, event: Option<Event>) {
        match event {
            Some(Event::Ended(mut ended)) => self.leaf_ended(&mut ended),
            Some(Event::Output {
                leaf,
                stream,
                bytes,
            }) => {
                self.write_down(leaf, stream, &bytes);
                match stream {
                    Stream::Stdout => self.controller.progress(RunProgress::Stdout {
                        leaf,
                        bytes: &bytes,
                    }),
                    Stream::Stderr => self.controller.progress(RunProgress::Stderr {
                        leaf,
                        bytes: &bytes,
                    }),
                }
            }
            Some(Event::Interrupt(signal)) => self.interrupted(signal),
            Some(Event::Readable(_) | Event::Woken) => self.obey_controller(),
            None => {}
        }
    }

    /// Appends output of a command to its stream with secrets redacted (S3), wherever the chunks
    /// were split.
    fn write_down(&mut self, leaf: ChildId, stream: Stream, bytes: &[u8]) {
        if self.around.streams.is_none() {
            return;
        }
        let around = self.around;
        let veil = self
            .veils
            .entry((leaf, stream))
            .or_insert_with(|| around.guard.secrets().stream());
        let mut clean = Vec::with_capacity(bytes.len());
        veil.push(bytes, &mut clean);
        around.add(stream, &clean);
    }

    /// Writes what redaction held back of a command's streams: no more output follows.
    pub(super) fn write_rest(&mut self, leaf: ChildId) {
        for stream in [Stream::Stdout, Stream::Stderr] {
            if let Some(veil) = self.veils.remove(&(leaf, stream)) {
                let mut rest = Vec::new();
                veil.finish(&mut rest);
                self.around.add(stream, &rest);
            }
        }
    }

    /// Executes the controller's commands, and polls again as long as it sends input.
    fn obey_controller(&mut self) {
        for _ in 0..MOUTHFULS {
            let stdin_drained = self
                .leaves
                .keys()
                .any(|leaf| self.processes.has_taken_all(*leaf));
            let mut fed = false;
            for command in self.controller.commands(stdin_drained) {
                match command {
                    ObserverCommand::Stop => self.wind_down(),
                    ObserverCommand::Feed(bytes) => {
                        fed = true;
                        self.feed(&bytes);
                    }
                }
            }
            if !fed {
                return;
            }
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        for leaf in self.leaves.keys() {
            // A child that closed its stdin is not an error.
            let _closed = self.processes.send(*leaf, bytes);
        }
    }

    /// The first interrupt stops with the grace period, the second one kills.
    fn interrupted(&mut self, signal: Signal) {
        let again = self.interrupts > 0;
        self.controller
            .progress(RunProgress::Interrupted { signal, again });
        self.wind_down();
    }

    fn wind_down(&mut self) {
        self.interrupts += 1;
        if self.interrupts > 1 {
            self.leaves
                .keys()
                .for_each(|leaf| self.processes.kill(*leaf));
        } else if let Some(root) = self.root {
            self.stop(root, NodeStop::Cancelled);
        }
    }

    fn outcome(self, done: Done) -> Outcome {
        let failures = done.trail.failures;
        let failed = done.end.is_failure();
        let status = report::status(failed, done.trail.succeeded, &failures);
        let interrupted = self.interrupts > 0;
        let code = match (interrupted, failed, status) {
            (true, ..) => 130,
            (false, true, _) => done.code,
            (false, false, ExecutionStatus::Failed) => {
                failures.first().map_or(1, |failure| failure.code)
            }
            (false, false, _) => 0,
        };
        let coverage =
            (!done.trail.branches.is_empty()).then(|| Coverage::of(&done.trail.branches));
        Outcome {
            status: if interrupted {
                ExecutionStatus::Failed
            } else {
                status
            },
            code,
            interrupted,
            output: done.flow,
            commands: self.commands,
            failures,
            branches: done.trail.branches,
            coverage,
        }
    }

    pub(super) fn task(&mut self, id: TaskId) -> Option<&mut NodeTask<'p>> {
        self.tasks.get_mut(id)
    }

    /// Reports a tick to the observer.
    fn tick(&mut self) {
        let Some(pace) = self.controller.tick_interval() else {
            return;
        };
        let due = self
            .ticked
            .and_then(|ticked| ticked.checked_add(pace))
            .is_none_or(|due| clock::until(due).is_zero());
        if !due {
            return;
        }
        self.ticked = clock::deadline_in(Duration::ZERO);
        self.controller.progress(RunProgress::Tick);
        self.obey_controller();
    }
}
