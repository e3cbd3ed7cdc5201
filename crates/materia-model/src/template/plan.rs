//! The plan: what will run, with nothing left to resolve.
//!
//! Owns the tree that the executor walks and `explain` shows. No placeholder, default or guard
//! remains in it, so everything that can be known before the first process starts is known here
//! (T21). Never runs anything.

use std::sync::Arc;

pub use super::node::FailurePolicy;

/// A node that is ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub body: PlanBody,
    pub controls: PlanControls,
}

/// The body of a plan.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanBody {
    /// One process.
    Command {
        /// The executable and its arguments; never empty, and without NUL bytes.
        argv: Vec<String>,
        /// Its stdin.
        stdin: PlanStdin,
        /// The recipe that contains it, if any.
        part: Option<Arc<str>>,
    },
    /// Run in order; each reads the output of the one before.
    Sequence(Vec<Plan>),
    /// Run at the same time; all read the same input.
    Parallel {
        /// The branches, in the order of the join.
        branches: Vec<Plan>,
        /// How many run at the same time, at least 1 (T17).
        concurrency: usize,
        /// How many must succeed; 0 requires none (T20).
        min_successful: usize,
    },
    /// A node inside a node: its result is the result, and both sets of controls apply.
    Nested(Box<Plan>),
    /// Nothing: its guard is false, or it repeats no times (T10, T12).
    Skipped(PlanKind),
}

/// The kind of a node, for users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanKind {
    /// One process.
    Command,
    /// Steps that run in order.
    Sequence,
    /// Branches that run at the same time.
    Parallel,
}

/// The stdin of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanStdin {
    /// Nothing: `/dev/null`.
    None,
    /// The output of the step before, or the input of the whole run.
    Previous,
    /// The input that all branches of a parallel node share.
    Shared,
    /// A text of its own, or of a node around it.
    Input,
}

/// The controls of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanControls {
    pub label: Option<String>,
    /// Milliseconds to wait before it starts.
    pub delay: u64,
    /// Milliseconds one attempt may take (T14).
    pub timeout: Option<u64>,
    /// Attempts, the first included; at least 1 (T11).
    pub retry: u64,
    /// The plan between two attempts.
    pub recover: Option<Box<Plan>>,
    /// The scope of its failure.
    pub failure: FailurePolicy,
    /// The source of its result.
    pub output: OutputChannel,
    /// Its stdin text, instead of the output of the step before.
    pub input: Option<String>,
    /// The file that keeps its output for later steps (R7).
    pub keep: Option<String>,
}

/// The source of a node's result (T15).
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputChannel {
    /// Its output.
    #[default]
    Stdout,
    /// A given value.
    Value {
        text: String,
        /// Whether the value is declared as a path, which must exist after success.
        must_exist: bool,
    },
}

impl PlanControls {
    /// No controls except the scope of a failure.
    pub fn plain(failure: FailurePolicy) -> Self {
        Self {
            label: None,
            delay: 0,
            timeout: None,
            retry: 1,
            recover: None,
            failure,
            output: OutputChannel::Stdout,
            input: None,
            keep: None,
        }
    }
}

impl Plan {
    /// What kind of node this is.
    pub fn kind(&self) -> PlanKind {
        match &self.body {
            PlanBody::Command { .. } => PlanKind::Command,
            PlanBody::Sequence(_) | PlanBody::Nested(_) => PlanKind::Sequence,
            PlanBody::Parallel { .. } => PlanKind::Parallel,
            PlanBody::Skipped(kind) => *kind,
        }
    }

    /// Whether nothing in it would run.
    pub fn is_idle(&self) -> bool {
        match &self.body {
            PlanBody::Command { .. } => false,
            PlanBody::Sequence(steps) => steps.iter().all(Self::is_idle),
            PlanBody::Parallel { branches, .. } => branches.iter().all(Self::is_idle),
            PlanBody::Nested(inner) => inner.is_idle(),
            PlanBody::Skipped(_) => true,
        }
    }

    /// Visits this node and all nodes below it, parents first, including recoveries.
    pub fn each(&self, visit: &mut dyn FnMut(&Self)) {
        visit(self);
        self.controls
            .recover
            .iter()
            .for_each(|recover| recover.each(visit));
        match &self.body {
            PlanBody::Sequence(children)
            | PlanBody::Parallel {
                branches: children, ..
            } => {
                children.iter().for_each(|child| child.each(visit));
            }
            PlanBody::Nested(inner) => inner.each(visit),
            PlanBody::Command { .. } | PlanBody::Skipped(_) => {}
        }
    }

    /// Whether any node keeps its output for later ones.
    pub fn keeps_stages(&self) -> bool {
        let mut keeps = false;
        self.each(&mut |plan| keeps |= plan.controls.keep.is_some());
        keeps
    }

    /// The number of commands if each ran once, without recoveries.
    pub fn commands(&self) -> usize {
        match &self.body {
            PlanBody::Command { .. } => 1,
            PlanBody::Sequence(steps) => steps.iter().map(Self::commands).sum(),
            PlanBody::Parallel { branches, .. } => branches.iter().map(Self::commands).sum(),
            PlanBody::Nested(inner) => inner.commands(),
            PlanBody::Skipped(_) => 0,
        }
    }
}
