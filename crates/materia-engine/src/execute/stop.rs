//! Stopping nodes, and timers.
//!
//! Owns deadlines and delays. A node that is stopped from above is not retried, and does not decide
//! the scope of the failure: the node that stopped it does.

use std::time::{Duration, Instant};

use super::task::{Done, NodeStop, Phase, TaskId};
use super::walk::{Action, PlanWalk};
use crate::clock;
use crate::process::StopReason;

impl PlanWalk<'_, '_> {
    /// Stops a node and everything below it, from outside.
    pub(super) fn stop(&mut self, id: TaskId, stop: NodeStop) {
        self.stop_tree(id, stop, true);
    }

    fn stop_tree(&mut self, id: TaskId, stop: NodeStop, from_above: bool) {
        let Some(task) = self.task(id) else { return };
        task.stopped_from_above |= from_above;
        if task.stopping.is_some() {
            return;
        }
        task.stopping = Some(stop);
        let below: Vec<TaskId> = match &task.phase {
            // A node that is about to begin or has just ended checks `stopping` itself.
            Phase::Idle => return,
            Phase::Delayed(until) => {
                let timer = (*until, id);
                task.phase = Phase::Idle;
                self.timers.remove(&timer);
                return self
                    .actions
                    .push_back(Action::Settle(id, Done::cancelled()));
            }
            Phase::Queued => {
                task.phase = Phase::Idle;
                return self
                    .actions
                    .push_back(Action::Settle(id, Done::cancelled()));
            }
            Phase::Running(leaf) => {
                let leaf = *leaf;
                return self.processes.stop(leaf, StopReason::Cancelled);
            }
            Phase::Sequence { current, .. }
            | Phase::Nested(current)
            | Phase::Recovering { current, .. } => current.iter().copied().collect(),
            Phase::Parallel(fan) => fan.running().collect(),
        };
        below
            .into_iter()
            .for_each(|child| self.stop_tree(child, stop, true));
        // If no branch of a parallel node runs yet, no branch's end would trigger its join.
        self.fill(id);
    }

    /// Sets or clears the deadline of a node's attempt.
    pub(super) fn set_deadline(&mut self, id: TaskId, after: Option<Duration>) {
        let deadline = after.and_then(clock::deadline_in);
        let Some(task) = self.task(id) else { return };
        let earlier = std::mem::replace(&mut task.deadline, deadline);
        earlier.map(|earlier| self.timers.remove(&(earlier, id)));
        deadline.map(|deadline| self.timers.insert((deadline, id)));
    }

    /// Handles all timers that are due.
    pub(super) fn fire_timers(&mut self) {
        while let Some((at, id)) = self.timers.first().copied()
            && clock::until(at).is_zero()
        {
            self.timers.remove(&(at, id));
            match self.task(id) {
                Some(task) if matches!(task.phase, Phase::Delayed(until) if until == at) => {
                    self.attempt(id);
                }
                Some(task) if task.deadline == Some(at) => {
                    self.stop_tree(id, NodeStop::TimedOut, false);
                }
                _ => {}
            }
        }
    }

    /// When the next timer is due.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        let timer = self.timers.first().map(|(at, _)| *at);
        let tick = self
            .controller
            .tick_interval()
            .and_then(|pace| match self.ticked {
                Some(ticked) => ticked.checked_add(pace),
                None => clock::deadline_in(Duration::ZERO),
            });
        [timer, tick].into_iter().flatten().min()
    }
}
