//! The walk: which node runs next, and what its end means for the nodes around it.
//!
//! Owns the rules of sequences, retries, recoveries, deadlines and failure scopes (T10 to T20). Ends and beginnings are
//! queued, not called, so that a hundred thousand steps that end at once need no deep stack.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::File;
use std::io;
use std::rc::Rc;
use std::time::{Duration, Instant};

use materia_model::template::Plan;
use materia_model::template::plan::{Body, Failure, Output};

use super::flow::{self, Flow, Spool};
use super::report::{self, CommandRun, Coverage, FailedCommand, Outcome, Status};
use super::task::{Done, End, Phase, Stop, Task, TaskId, Trail};
use super::{Observer, Progress, Request};
use crate::clock;
use crate::process::{Event, LeafId, Nursery, Signal};

/// How much of a command's stdout a watcher is shown.
const GLIMPSE: usize = 4096;

/// One walk through one plan.
pub(super) struct Walk<'r, 'p> {
    pub(super) request: &'r Request<'p>,
    pub(super) nursery: &'r mut Nursery,
    pub(super) observer: &'r mut dyn Observer,
    pub(super) spool: Spool,
    tasks: Vec<Option<Task<'p>>>,
    free: Vec<usize>,
    pub(super) actions: VecDeque<Action>,
    pub(super) queue: VecDeque<TaskId>,
    pub(super) leaves: BTreeMap<LeafId, (TaskId, Rc<File>)>,
    pub(super) jobs: usize,
    timers: BTreeSet<(Instant, TaskId)>,
    pub(super) commands: Vec<CommandRun>,
    interrupts: usize,
    ticked: Option<Instant>,
    result: Option<Done>,
}

/// What is to be done next.
#[derive(Debug)]
pub(super) enum Action {
    /// A node begins.
    Begin(TaskId),
    /// An attempt of a node is over.
    Settle(TaskId, Done),
}

impl<'r, 'p> Walk<'r, 'p> {
    pub(super) fn new(
        request: &'r Request<'p>,
        nursery: &'r mut Nursery,
        observer: &'r mut dyn Observer,
        spool: Spool,
    ) -> Self {
        Self {
            request,
            nursery,
            observer,
            spool,
            tasks: Vec::new(),
            free: Vec::new(),
            actions: VecDeque::new(),
            queue: VecDeque::new(),
            leaves: BTreeMap::new(),
            jobs: super::leaf::most_at_once(request.jobs),
            timers: BTreeSet::new(),
            commands: Vec::new(),
            interrupts: 0,
            ticked: None,
            result: None,
        }
    }

    /// Walks until the root is over.
    pub(super) fn to_the_end(mut self, input: Flow) -> io::Result<Outcome> {
        self.add(self.request.plan, None, input);
        loop {
            while let Some(action) = self.actions.pop_front() {
                match action {
                    Action::Begin(id) => self.begin(id),
                    Action::Settle(id, done) => self.settle(id, done),
                }
            }
            self.start_queued();
            if !self.actions.is_empty() {
                continue;
            }
            if let Some(done) = self.result.take() {
                return Ok(self.outcome(done));
            }
            let event = self.nursery.next(self.wake_at());
            self.attend(event);
            self.fire_timers();
            self.tick();
        }
    }

    fn attend(&mut self, event: Option<Event>) {
        match event {
            Some(Event::Ended(ended)) => self.leaf_ended(*ended),
            Some(Event::Output { leaf, bytes, .. }) => {
                self.observer.tell(Progress::Said { leaf, bytes: &bytes })
            }
            Some(Event::Interrupt(signal)) => self.interrupted(signal),
            Some(Event::Readable(_) | Event::Woken) | None => {}
        }
    }

    /// The first interrupt stops politely, the second kills.
    fn interrupted(&mut self, signal: Signal) {
        self.interrupts += 1;
        let again = self.interrupts > 1;
        self.observer.tell(Progress::Interrupted { signal, again });
        if again {
            self.leaves.keys().for_each(|leaf| self.nursery.kill(*leaf));
        } else {
            self.stop(TaskId(0), Stop::Cancelled);
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
            (false, false, Status::Failed) => failures.first().map_or(1, |failure| failure.code),
            (false, false, _) => 0,
        };
        let coverage = (!done.trail.branches.is_empty()).then(|| Coverage::of(&done.trail.branches));
        Outcome {
            status: if interrupted { Status::Failed } else { status },
            code,
            interrupted,
            output: done.flow.into_file(),
            commands: self.commands,
            failures,
            branches: done.trail.branches,
            coverage,
        }
    }

    // Tasks.

    pub(super) fn task(&mut self, id: TaskId) -> Option<&mut Task<'p>> {
        self.tasks.get_mut(id.0)?.as_mut()
    }

    /// Adds a node and lets it begin.
    pub(super) fn add(&mut self, plan: &'p Plan, parent: Option<(TaskId, usize)>, input: Flow) -> TaskId {
        let around = parent.and_then(|(id, _)| self.task(id)).map_or((1, false), |parent| {
            (parent.shown_attempt, parent.recovering || matches!(parent.phase, Phase::Recovering { .. }))
        });
        let task = Task {
            plan,
            parent,
            input,
            attempt: 1,
            shown_attempt: if plan.controls.retry > 1 { 1 } else { around.0 },
            deadline: None,
            stopping: None,
            stopped_from_above: false,
            recovering: around.1,
            phase: Phase::Queued,
        };
        let id = match self.free.pop() {
            Some(place) => {
                self.tasks[place] = Some(task);
                TaskId(place)
            }
            None => {
                self.tasks.push(Some(task));
                TaskId(self.tasks.len() - 1)
            }
        };
        self.actions.push_back(Action::Begin(id));
        id
    }

    fn begin(&mut self, id: TaskId) {
        let Some(task) = self.task(id) else { return };
        let delay = task.plan.controls.delay;
        if task.stopping.is_some() {
            let done = Done { end: End::Cancelled, code: 130, ..Done::ok(Flow::None) };
            return self.actions.push_back(Action::Settle(id, done));
        }
        if delay > 0
            && !matches!(task.plan.body, Body::Skipped(_))
            && let Some(until) = clock::deadline_in(Duration::from_millis(delay))
        {
            task.phase = Phase::Delayed(until);
            self.timers.insert((until, id));
            return;
        }
        self.attempt(id);
    }

    /// Starts an attempt of a node.
    fn attempt(&mut self, id: TaskId) {
        let Some(task) = self.task(id) else { return };
        let (plan, input) = (task.plan, task.input.clone());
        task.deadline = None;
        if !matches!(plan.body, Body::Command { .. } | Body::Skipped(_)) {
            let timeout = plan.controls.timeout.filter(|timeout| *timeout > 0);
            task.deadline = timeout.and_then(|timeout| clock::deadline_in(Duration::from_millis(timeout)));
        }
        let deadline = task.deadline;
        match &plan.body {
            Body::Command { .. } => {
                task.phase = Phase::Queued;
                self.queue.push_back(id);
            }
            Body::Sequence(steps) => match steps.first() {
                Some(first) => {
                    task.phase = Phase::Sequence { step: 0, current: None, so_far: Trail::default() };
                    let child = self.add(first, Some((id, 0)), input);
                    self.set_current(id, child);
                }
                None => self.actions.push_back(Action::Settle(id, Done::ok(input))),
            },
            Body::Parallel { branches, .. } => {
                let ended = branches.iter().map(|_| None).collect();
                task.phase = Phase::Parallel { started: 0, running: Vec::new(), ended };
                self.fill(id);
            }
            Body::Nested(inner) => {
                task.phase = Phase::Nested(None);
                let child = self.add(inner, Some((id, 0)), input);
                self.set_current(id, child);
            }
            Body::Skipped(_) => {
                let done = Done { end: End::Skipped, ..Done::ok(input) };
                self.actions.push_back(Action::Settle(id, done));
            }
        }
        if let Some(deadline) = deadline {
            self.timers.insert((deadline, id));
        }
    }

    fn set_current(&mut self, id: TaskId, child: TaskId) {
        match self.task(id).map(|task| &mut task.phase) {
            Some(
                Phase::Sequence { current, .. } | Phase::Nested(current) | Phase::Recovering { current, .. },
            ) => {
                *current = Some(child);
            }
            _ => {}
        }
    }

    // Ends.

    /// An attempt of a node is over: selects its output, tries again, or hands it to the parent.
    fn settle(&mut self, id: TaskId, mut done: Done) {
        let Some(task) = self.task(id) else { return };
        let (plan, stopping, from_above) = (task.plan, task.stopping, task.stopped_from_above);
        let controls = &plan.controls;
        if let (Phase::Recovering { .. }, false, None) = (&task.phase, done.end.is_failure(), stopping) {
            return self.again(id);
        }
        let recovery_failed = matches!(task.phase, Phase::Recovering { .. });
        if let Phase::Recovering { so_far, .. } = &mut task.phase {
            let mut trail = std::mem::take(so_far);
            trail.absorb(std::mem::take(&mut done.trail));
            done.trail = trail;
        }
        match stopping {
            Some(Stop::TimedOut) => (done.end, done.code) = (End::TimedOut, 124),
            Some(Stop::Cancelled) => (done.end, done.code) = (End::Cancelled, 130),
            None if done.end == End::Ok => self.select_output(&controls.output, &mut done),
            None => {}
        }
        if done.end.is_failure() {
            done.scope = done.scope.max(controls.failure);
        }
        let tries_left = self.task(id).is_some_and(|task| task.attempt < controls.retry);
        if done.end.is_failure() && tries_left && !from_above && !recovery_failed {
            return self.recover_or_again(id, done);
        }
        self.close(id, done);
    }

    /// Runs what cleans up between two attempts, or goes on with the next.
    fn recover_or_again(&mut self, id: TaskId, done: Done) {
        let Some(task) = self.task(id) else { return };
        task.stopping = None;
        match task.plan.controls.recover.as_deref() {
            None => self.again(id),
            Some(recover) => {
                task.deadline = None;
                task.phase = Phase::Recovering { current: None, so_far: done.trail };
                let child = self.add(recover, Some((id, 0)), done.flow);
                self.set_current(id, child);
            }
        }
    }

    fn again(&mut self, id: TaskId) {
        if let Some(task) = self.task(id) {
            task.attempt += 1;
            task.shown_attempt = task.attempt;
            self.attempt(id);
        }
    }

    /// A node is over for good.
    fn close(&mut self, id: TaskId, done: Done) {
        let Some(task) = self.tasks.get_mut(id.0).and_then(Option::take) else { return };
        if let Some(deadline) = task.deadline {
            self.timers.remove(&(deadline, id));
        }
        match task.parent {
            None => self.result = Some(done),
            Some((parent, slot)) => {
                self.free.push(id.0);
                self.child_ended(parent, slot, id, done);
            }
        }
    }

    fn child_ended(&mut self, id: TaskId, slot: usize, child: TaskId, done: Done) {
        let Some(task) = self.task(id) else { return };
        match &mut task.phase {
            Phase::Sequence { .. } => self.step_ended(id, done),
            Phase::Parallel { running, ended, .. } => {
                running.retain(|running| *running != child);
                ended[slot] = Some(done);
                self.branch_ended(id, slot);
            }
            Phase::Nested(_) | Phase::Recovering { .. } => self.actions.push_back(Action::Settle(id, done)),
            Phase::Delayed(_) | Phase::Queued | Phase::Running(_) => {}
        }
    }

    fn step_ended(&mut self, id: TaskId, mut done: Done) {
        let root = id == TaskId(0);
        let Some(task) = self.task(id) else { return };
        let Body::Sequence(steps) = &task.plan.body else { return };
        let own = task.plan.controls.failure;
        let stopping = task.stopping.is_some();
        let Phase::Sequence { step, so_far, .. } = &mut task.phase else { return };
        so_far.absorb(std::mem::take(&mut done.trail));
        if done.end.is_failure() {
            let alone = if root && steps.len() == 1 { Failure::Root } else { Failure::Continue };
            done.scope = done.scope.max(own).max(alone);
        }
        let stops = done.end.is_failure() && done.scope > Failure::Continue;
        *step += 1;
        let next = steps.get(*step).filter(|_| !stops && !stopping);
        let (at, flow) = (*step, if done.end.is_failure() { Flow::None } else { done.flow.clone() });
        match next {
            Some(next) => {
                let child = self.add(next, Some((id, at)), flow);
                self.set_current(id, child);
            }
            None => {
                done.trail = std::mem::take(so_far);
                if !stops && !stopping {
                    done = Done { stderr: done.stderr, trail: done.trail, ..Done::ok(flow) };
                }
                self.actions.push_back(Action::Settle(id, done));
            }
        }
    }

    /// Replaces what a node wrote by what its `output` selects; a path that should exist has to (T15).
    fn select_output(&mut self, output: &Output, done: &mut Done) {
        let Output::Value { text, must_exist } = output else { return };
        let missing = *must_exist && !self.request.cwd.join(text).exists();
        let selected = if missing {
            Err(format!("the output path {} does not exist", materia_model::text::quoted(text)))
        } else {
            let piece = flow::Piece::Text(text.clone());
            self.spool.joined(&[piece]).map_err(|error| format!("the output cannot be kept: {error}"))
        };
        match selected {
            Ok(flow) => done.flow = flow,
            Err(problem) => {
                (done.end, done.code, done.stderr) = (End::Failed, 1, problem.clone());
                done.trail.failures.push(FailedCommand {
                    argv: Vec::new(),
                    label: None,
                    code: 1,
                    signal: None,
                    timed_out: false,
                    stderr: problem,
                });
            }
        }
    }

    // Stopping and time.

    /// Stops a node and everything below it, from outside.
    pub(super) fn stop(&mut self, id: TaskId, stop: Stop) {
        self.stop_tree(id, stop, true);
    }

    fn stop_tree(&mut self, id: TaskId, stop: Stop, from_above: bool) {
        let Some(task) = self.task(id) else { return };
        task.stopped_from_above |= from_above;
        if task.stopping.is_some() {
            return;
        }
        task.stopping = Some(stop);
        let ended = Done { end: End::Cancelled, code: 130, ..Done::ok(Flow::None) };
        let below: Vec<TaskId> = match &task.phase {
            Phase::Delayed(until) => {
                let timer = (*until, id);
                self.timers.remove(&timer);
                return self.actions.push_back(Action::Settle(id, ended));
            }
            Phase::Queued => {
                let before = self.queue.len();
                self.queue.retain(|queued| *queued != id);
                // What has not begun yet finds out when it begins.
                if self.queue.len() < before {
                    self.actions.push_back(Action::Settle(id, ended));
                }
                return;
            }
            Phase::Running(leaf) => {
                let leaf = *leaf;
                return self.nursery.stop(leaf, crate::process::Reason::Cancelled);
            }
            Phase::Sequence { current, .. } | Phase::Nested(current) | Phase::Recovering { current, .. } => {
                current.iter().copied().collect()
            }
            Phase::Parallel { running, .. } => running.clone(),
        };
        below.into_iter().for_each(|child| self.stop_tree(child, stop, true));
    }

    fn fire_timers(&mut self) {
        while let Some((at, id)) = self.timers.first().copied()
            && clock::until(at).is_zero()
        {
            self.timers.remove(&(at, id));
            match self.task(id) {
                Some(task) if matches!(task.phase, Phase::Delayed(until) if until == at) => self.attempt(id),
                Some(task) if task.deadline == Some(at) => self.stop_tree(id, Stop::TimedOut, false),
                _ => {}
            }
        }
    }

    fn wake_at(&self) -> Option<Instant> {
        let timer = self.timers.first().map(|(at, _)| *at);
        let tick = self.observer.pace().and_then(|pace| match self.ticked {
            Some(ticked) => ticked.checked_add(pace),
            None => clock::deadline_in(Duration::ZERO),
        });
        [timer, tick].into_iter().flatten().min()
    }

    /// Shows a watcher what the running commands wrote last.
    fn tick(&mut self) {
        let Some(pace) = self.observer.pace() else { return };
        let due = self
            .ticked
            .and_then(|ticked| ticked.checked_add(pace))
            .is_none_or(|due| clock::until(due).is_zero());
        if !due {
            return;
        }
        self.ticked = clock::deadline_in(Duration::ZERO);
        for (leaf, (_, file)) in &self.leaves {
            if let Ok((tail, _)) = flow::tail(file, GLIMPSE) {
                self.observer.tell(Progress::Seen { leaf: *leaf, tail: &tail });
            }
        }
        self.observer.tell(Progress::Tick);
    }
}
