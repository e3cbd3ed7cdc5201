//! The running nodes, and what a finished node passes to its parent.
//!
//! Owns the bookkeeping of one node: its attempt, its children, its deadline; and the list of
//! nodes, in which an id that has outlived its node finds nothing. Decides nothing.

use std::time::Instant;

use materia_model::template::Plan;
use materia_model::template::plan::FailurePolicy;

use super::fan::ParallelBranches;
use super::flow::Flow;
use super::report::{Branch, FailedCommand};
use crate::process::ChildId;

/// Identifies one running node: its index in the list, and when it was added, because indexes are
/// reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct TaskId {
    place: usize,
    birth: u64,
}

/// The running nodes.
#[derive(Debug, Default)]
pub(super) struct Tasks<'p> {
    places: Vec<Option<(u64, NodeTask<'p>)>>,
    free: Vec<usize>,
    births: u64,
}

impl<'p> Tasks<'p> {
    pub(super) fn add(&mut self, task: NodeTask<'p>) -> TaskId {
        self.births += 1;
        let birth = self.births;
        let place = self.free.pop().unwrap_or(self.places.len());
        let entry = Some((birth, task));
        match self.places.get_mut(place) {
            Some(free) => *free = entry,
            None => self.places.push(entry),
        }
        TaskId { place, birth }
    }

    pub(super) fn get_mut(&mut self, id: TaskId) -> Option<&mut NodeTask<'p>> {
        let (birth, task) = self.places.get_mut(id.place)?.as_mut()?;
        (*birth == id.birth).then_some(task)
    }

    pub(super) fn remove(&mut self, id: TaskId) -> Option<NodeTask<'p>> {
        self.get_mut(id)?;
        self.free.push(id.place);
        self.places[id.place].take().map(|(_, task)| task)
    }
}

/// A running node.
#[derive(Debug)]
pub(super) struct NodeTask<'p> {
    /// The part of the plan that it runs.
    pub(super) plan: &'p Plan,
    /// Its parent, and which child of it this is.
    pub(super) parent: Option<(TaskId, usize)>,
    /// Its input.
    pub(super) input: Flow,
    /// The current attempt, from 1.
    pub(super) attempt: u64,
    /// The attempt that its commands report: its own, or that of the enclosing retried node.
    pub(super) shown_attempt: u64,
    /// When this attempt times out.
    pub(super) deadline: Option<Instant>,
    /// Why it is being stopped.
    pub(super) stopping: Option<NodeStop>,
    /// Whether it is stopped by something other than its own deadline, so that it is not retried.
    pub(super) stopped_from_above: bool,
    /// Whether it is only recovering between attempts, so that its success does not count for the
    /// run.
    pub(super) recovering: bool,
    /// Its current state.
    pub(super) phase: Phase,
}

impl NodeTask<'_> {
    /// Whether a failure now would be followed by another attempt.
    pub(super) fn tries_again(&self) -> bool {
        let recovering = matches!(self.phase, Phase::Recovering { .. });
        self.attempt < self.plan.controls.retry && !self.stopped_from_above && !recovering
    }
}

/// Why a node is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeStop {
    /// A deadline passed.
    TimedOut,
    /// Another branch failed fatally, or the user stopped it.
    Cancelled,
}

/// The state of a node.
#[derive(Debug)]
pub(super) enum Phase {
    /// Not running: it is about to begin, or an attempt has just ended.
    Idle,
    /// Waiting for its delay to pass.
    Delayed(Instant),
    /// A queued command.
    Queued,
    /// A running command.
    Running(ChildId),
    /// A sequence at this step, with the results so far.
    Sequence {
        step: usize,
        current: Option<TaskId>,
        so_far: Trail,
    },
    /// A parallel node.
    Parallel(ParallelBranches),
    /// A node nested in a node.
    Nested(Option<TaskId>),
    /// Recovering after a failed attempt with this result.
    Recovering {
        current: Option<TaskId>,
        so_far: Trail,
    },
}

/// What happened below a node, besides its result.
#[derive(Debug, Default)]
pub(super) struct Trail {
    /// Failures that were not repaired.
    pub(super) failures: Vec<FailedCommand>,
    /// Branches of parallel nodes, inner ones first.
    pub(super) branches: Vec<Branch>,
    /// How many commands succeeded.
    pub(super) succeeded: usize,
}

impl Trail {
    /// Adds the trail of a child node.
    pub(super) fn absorb(&mut self, part: Trail) {
        append(&mut self.failures, part.failures);
        append(&mut self.branches, part.branches);
        self.succeeded += part.succeeded;
    }
}

/// Appends a list to another. Moves no elements if that one is empty.
fn append<T>(to: &mut Vec<T>, mut more: Vec<T>) {
    if to.is_empty() {
        *to = more;
    } else {
        to.append(&mut more);
    }
}

/// What a finished node passes to its parent.
#[derive(Debug)]
pub(super) struct Done {
    /// How it ended.
    pub(super) end: End,
    /// Its exit code.
    pub(super) code: i32,
    /// Its output, or what its `output` selects.
    pub(super) flow: Flow,
    /// The end of its stderr.
    pub(super) stderr: String,
    /// The scope of its failure.
    pub(super) scope: FailurePolicy,
    /// What happened below it.
    pub(super) trail: Trail,
}

/// How a node ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Successfully.
    Ok,
    /// It did not run: its guard was false.
    Skipped,
    /// With a failure.
    Failed,
    /// By a deadline.
    TimedOut,
    /// It was stopped.
    Cancelled,
}

impl End {
    /// Whether it is a failure.
    pub(super) fn is_failure(self) -> bool {
        !matches!(self, Self::Ok | Self::Skipped)
    }

    /// Whether it failed by itself, and was not stopped.
    pub(super) fn is_own_failure(self) -> bool {
        matches!(self, Self::Failed | Self::TimedOut)
    }
}

impl Done {
    /// A successful end with this output.
    pub(super) fn ok(flow: Flow) -> Self {
        Self {
            end: End::Ok,
            code: 0,
            flow,
            stderr: String::new(),
            scope: FailurePolicy::Continue,
            trail: Trail::default(),
        }
    }

    /// The end of a node that was stopped before it did anything.
    pub(super) fn cancelled() -> Self {
        Self {
            end: End::Cancelled,
            code: 130,
            ..Self::ok(Flow::None)
        }
    }
}

#[cfg(test)]
mod tests {
    use materia_model::template::plan::{PlanBody, PlanControls, PlanKind};

    use super::*;

    #[test]
    fn a_name_that_outlived_its_node_finds_nothing() {
        let plan = Plan {
            body: PlanBody::Skipped(PlanKind::Command),
            controls: PlanControls::plain(FailurePolicy::Continue),
        };
        let task = || NodeTask {
            plan: &plan,
            parent: None,
            input: Flow::None,
            attempt: 1,
            shown_attempt: 1,
            deadline: None,
            stopping: None,
            stopped_from_above: false,
            recovering: false,
            phase: Phase::Idle,
        };
        let mut tasks = Tasks::default();
        let first = tasks.add(task());
        assert!(tasks.remove(first).is_some());
        let second = tasks.add(task());
        assert_eq!((first.place, first == second), (second.place, false));
        assert!(tasks.get_mut(first).is_none() && tasks.remove(first).is_none());
        assert!(tasks.get_mut(second).is_some());
    }
}
