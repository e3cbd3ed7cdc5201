//! Attempts: how a node begins, is retried, and ends.
//!
//! Owns the rules of delays, retries, recoveries, selected outputs and the scope of a failure (T11,
//! T14 to T16).

use std::path::Path;
use std::time::Duration;

use materia_model::template::Plan;
use materia_model::template::plan::{OutputChannel, PlanBody, PlanControls};
use materia_model::text;

use super::flow::Flow;
use super::leaf::OUTPUT_LOST;
use super::parallel;
use super::report::FailedCommand;
use super::task::{Done, End, NodeStop, NodeTask, Phase, TaskId, Trail};
use super::walk::{Action, PlanWalk};
use crate::clock;

impl<'p> PlanWalk<'_, 'p> {
    /// Adds a node and schedules its begin.
    pub(super) fn add(
        &mut self,
        plan: &'p Plan,
        parent: Option<(TaskId, usize)>,
        input: Flow,
    ) -> TaskId {
        let above = parent.and_then(|(id, _)| self.task(id));
        let (attempt, recovering) = above.map_or((1, false), |above| {
            let recovering = above.recovering || matches!(above.phase, Phase::Recovering { .. });
            (above.shown_attempt, recovering)
        });
        let own = plan.controls.input.as_ref().map(|text| Flow::text(text));
        let id = self.tasks.add(NodeTask {
            plan,
            parent,
            input: own.unwrap_or(input),
            attempt: 1,
            shown_attempt: if plan.controls.retry > 1 { 1 } else { attempt },
            deadline: None,
            stopping: None,
            stopped_from_above: false,
            recovering,
            phase: Phase::Idle,
        });
        self.actions.push_back(Action::Begin(id));
        id
    }

    /// Waits for the node's delay, if it has one, and starts its first attempt.
    pub(super) fn begin(&mut self, id: TaskId) {
        let Some(task) = self.task(id) else { return };
        let delay = task.plan.controls.delay;
        if task.stopping.is_some() {
            return self
                .actions
                .push_back(Action::Settle(id, Done::cancelled()));
        }
        if delay > 0
            && !matches!(task.plan.body, PlanBody::Skipped(_))
            && let Some(until) = clock::deadline_in(Duration::from_millis(delay))
        {
            task.phase = Phase::Delayed(until);
            self.timers.insert((until, id));
            return;
        }
        self.attempt(id);
    }

    /// Starts an attempt of a node.
    pub(super) fn attempt(&mut self, id: TaskId) {
        let Some(task) = self.task(id) else { return };
        let (plan, input) = (task.plan, task.input.clone());
        match &plan.body {
            // The process set counts its deadline from its start.
            PlanBody::Command { .. } => return self.enqueue(id),
            PlanBody::Skipped(_) => {
                let done = Done {
                    end: End::Skipped,
                    ..Done::ok(input)
                };
                return self.actions.push_back(Action::Settle(id, done));
            }
            PlanBody::Sequence(steps) => match steps.first() {
                Some(first) => {
                    task.phase = Phase::Sequence {
                        step: 0,
                        current: None,
                        so_far: Trail::default(),
                    };
                    let child = self.add(first, Some((id, 0)), input);
                    self.set_current(id, child);
                }
                None => self.actions.push_back(Action::Settle(id, Done::ok(input))),
            },
            PlanBody::Parallel { branches, .. } => {
                task.phase = parallel::unstarted(branches.len());
                self.fill(id);
            }
            PlanBody::Nested(inner) => {
                task.phase = Phase::Nested(None);
                let child = self.add(inner, Some((id, 0)), input);
                self.set_current(id, child);
            }
        }
        let timeout = plan.controls.timeout.filter(|timeout| *timeout > 0);
        self.set_deadline(id, timeout.map(Duration::from_millis));
    }

    /// Queues a command. Retries and later steps come before new work, because unfinished work
    /// holds open files.
    fn enqueue(&mut self, id: TaskId) {
        let Some(task) = self.task(id) else { return };
        task.phase = Phase::Queued;
        let (again, parent) = (task.attempt > 1, task.parent);
        let above = parent
            .and_then(|(parent, _)| self.task(parent))
            .map(|above| &above.phase);
        if again || matches!(above, Some(Phase::Sequence { step: 1.., .. })) {
            self.queue.push_front(id);
        } else {
            self.queue.push_back(id);
        }
    }

    /// Records which child of a node runs.
    pub(super) fn set_current(&mut self, id: TaskId, child: TaskId) {
        if let Some(
            Phase::Sequence { current, .. }
            | Phase::Nested(current)
            | Phase::Recovering { current, .. },
        ) = self.task(id).map(|task| &mut task.phase)
        {
            *current = Some(child);
        }
    }

    /// Handles the end of an attempt, or of the recovery after one.
    pub(super) fn settle(&mut self, id: TaskId, mut done: Done) {
        self.set_deadline(id, None);
        let Some(task) = self.task(id) else { return };
        let tries_again = task.tries_again();
        let recovered = match std::mem::replace(&mut task.phase, Phase::Idle) {
            Phase::Recovering { so_far, .. } => Some(so_far),
            _ => None,
        };
        let (controls, stopping, from_above) =
            (&task.plan.controls, task.stopping, task.stopped_from_above);
        if let Some(mut trail) = recovered {
            if stopping.is_none() && !done.end.is_failure() {
                return self.again(id);
            }
            trail.absorb(std::mem::take(&mut done.trail));
            done.trail = trail;
        }
        match stopping {
            Some(NodeStop::TimedOut) => (done.end, done.code) = (End::TimedOut, 124),
            Some(NodeStop::Cancelled) => (done.end, done.code) = (End::Cancelled, 130),
            None if done.end == End::Ok => self.select_output(controls, &mut done),
            None => {}
        }
        keep_stage(controls, &mut done);
        if done.end.is_own_failure() && !from_above {
            done.scope = done.scope.max(controls.failure);
            explain(&mut done, controls.label.as_deref(), controls.timeout);
        }
        if done.end.is_failure() && tries_again {
            return self.recover_or_again(id, done);
        }
        self.close(id, done);
    }

    /// Runs the recovery between two attempts, or starts the next attempt.
    fn recover_or_again(&mut self, id: TaskId, done: Done) {
        let Some(task) = self.task(id) else { return };
        task.stopping = None;
        let Some(recover) = task.plan.controls.recover.as_deref() else {
            return self.again(id);
        };
        task.phase = Phase::Recovering {
            current: None,
            so_far: done.trail,
        };
        let child = self.add(recover, Some((id, 0)), done.flow);
        self.set_current(id, child);
    }

    fn again(&mut self, id: TaskId) {
        if let Some(task) = self.task(id) {
            task.attempt += 1;
            task.shown_attempt = task.attempt;
            self.attempt(id);
        }
    }

    /// Ends a node for good.
    fn close(&mut self, id: TaskId, done: Done) {
        let Some(task) = self.tasks.remove(id) else {
            return;
        };
        match task.parent {
            None => self.result = Some(done),
            Some((parent, slot)) => self.child_ended(parent, slot, done),
        }
    }

    fn child_ended(&mut self, id: TaskId, slot: usize, done: Done) {
        match self.task(id).map(|task| &task.phase) {
            Some(Phase::Sequence { .. }) => self.step_ended(id, done),
            Some(Phase::Parallel(_)) => self.branch_ended(id, slot, done),
            Some(Phase::Nested(_) | Phase::Recovering { .. }) => {
                self.actions.push_back(Action::Settle(id, done));
            }
            Some(Phase::Idle | Phase::Delayed(_) | Phase::Queued | Phase::Running(_)) | None => {}
        }
    }

    /// Replaces the output of a node by what its `output` selects. A selected path must exist
    /// (T15).
    fn select_output(&self, controls: &PlanControls, done: &mut Done) {
        let OutputChannel::Value { text, must_exist } = &controls.output else {
            return;
        };
        let missing = *must_exist && !self.request.cwd.join(text).exists();
        let selected = if missing {
            Err(format!(
                "the output path {} does not exist",
                text::quoted(text)
            ))
        } else {
            Ok(Flow::bytes(text.as_bytes()))
        };
        match selected {
            Ok(flow) => done.flow = flow,
            Err(problem) => {
                (done.end, done.code, done.stderr) = (End::Failed, 1, problem.clone());
                done.trail.failures.push(FailedCommand::of_node(
                    controls.label.as_deref(),
                    1,
                    problem,
                ));
            }
        }
    }
}

/// Keeps the output of a stage in the file that later steps refer to (R7). A failed or skipped
/// stage has an empty one.
fn keep_stage(controls: &PlanControls, done: &mut Done) {
    let Some(path) = &controls.keep else { return };
    let nothing = Flow::None;
    let flow = if done.end == End::Ok {
        &done.flow
    } else {
        &nothing
    };
    if let Err(error) = flow.keep_at(Path::new(path)) {
        let problem = format!(
            "its output cannot be kept in {}: {error}",
            text::quoted(path)
        );
        if done.end == End::Ok {
            (done.end, done.code, done.stderr) = (End::Failed, OUTPUT_LOST, problem.clone());
        }
        done.trail.failures.push(FailedCommand::of_node(
            controls.label.as_deref(),
            OUTPUT_LOST,
            problem,
        ));
    }
}

/// Ensures that a failed node is among the failures, even if none of its commands failed: its
/// deadline passed while nothing ran, or too few branches succeeded.
fn explain(done: &mut Done, label: Option<&str>, timeout: Option<u64>) {
    let Done {
        end,
        code,
        stderr,
        trail,
        ..
    } = done;
    let known = match end {
        End::TimedOut => trail.failures.iter().any(|failure| failure.timed_out),
        _ => !trail.failures.is_empty(),
    };
    if known {
        return;
    }
    if let (End::TimedOut, Some(timeout)) = (*end, timeout) {
        *stderr = format!("it took longer than {timeout} ms");
    }
    let failure = FailedCommand::of_node(label, *code, stderr.clone());
    trail.failures.push(FailedCommand {
        timed_out: *end == End::TimedOut,
        ..failure
    });
}
