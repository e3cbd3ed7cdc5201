//! Sequences: one step after the other, and what a failed step means for the rest (T16).

use materia_model::template::plan::{FailurePolicy, PlanBody};

use super::flow::Flow;
use super::task::{Done, Phase, TaskId};
use super::walk::{Action, PlanWalk};

impl PlanWalk<'_, '_> {
    /// Handles the end of a step: the next one begins with its output, or the sequence ends with
    /// it.
    pub(super) fn step_ended(&mut self, id: TaskId, mut done: Done) {
        let Some(task) = self.task(id) else { return };
        let PlanBody::Sequence(steps) = &task.plan.body else {
            return;
        };
        let stopping = task.stopping.is_some();
        let own = if stopping {
            FailurePolicy::Continue
        } else {
            task.plan.controls.failure
        };
        let alone = if task.parent.is_none() && steps.len() == 1 {
            FailurePolicy::Root
        } else {
            FailurePolicy::Continue
        };
        let Phase::Sequence { step, so_far, .. } = &mut task.phase else {
            return;
        };
        so_far.absorb(std::mem::take(&mut done.trail));
        if done.end.is_failure() {
            done.scope = done.scope.max(own).max(alone);
        }
        let stops = done.end.is_failure() && done.scope > FailurePolicy::Continue;
        *step += 1;
        let slot = *step;
        let next = steps.get(slot).filter(|_| !stops && !stopping);
        let flow = if done.end.is_failure() {
            Flow::None
        } else {
            done.flow.clone()
        };
        if let Some(next) = next {
            let child = self.add(next, Some((id, slot)), flow);
            return self.set_current(id, child);
        }
        done.trail = std::mem::take(so_far);
        task.phase = Phase::Idle;
        if !stops && !stopping {
            done = Done {
                stderr: done.stderr,
                trail: done.trail,
                ..Done::ok(flow)
            };
        }
        self.actions.push_back(Action::Settle(id, done));
    }
}
