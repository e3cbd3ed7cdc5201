//! The plan: what will run, with nothing left to resolve.
//!
//! Owns the tree that the executor walks and `explain` shows. No placeholder, default or guard
//! survives into it, so whatever can be known before the first process starts is known here (T21).
//! Never runs anything.

use std::sync::Arc;

pub use super::node::FailurePolicy;

/// A node that is ready to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    pub body: PlanBody,
    pub controls: PlanControls,
}

/// What a node runs.
#[derive(Debug, Clone, PartialEq)]
pub enum PlanBody {
    /// One process.
    Command {
        /// The executable and its arguments; never empty, and without NUL bytes.
        argv: Vec<String>,
        /// What it reads.
        stdin: PlanStdin,
        /// The recipe in whose document it stands, if it stands in one.
        part: Option<Arc<str>>,
    },
    /// One after the other, each reading what the one before wrote.
    Sequence(Vec<Plan>),
    /// All at once, each reading the same.
    Parallel {
        /// The branches, in the order of the join.
        branches: Vec<Plan>,
        /// How many run at the same time, at least 1 (T17).
        concurrency: usize,
        /// How many must succeed; 0 asks for none (T20).
        min_successful: usize,
    },
    /// A node inside a node: its result is the result, and both sets of controls hold.
    Nested(Box<Plan>),
    /// Nothing: its guard is false, or it repeats no times (T10, T12).
    Skipped(PlanKind),
}

/// What kind of node it is for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanKind {
    /// One process.
    Command,
    /// One after the other.
    Sequence,
    /// All at once.
    Parallel,
}

/// What a command reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PlanStdin {
    /// Nothing: `/dev/null`.
    None,
    /// The output of the step before, or the input of the whole run.
    Previous,
    /// What every branch of a parallel node reads.
    Shared,
    /// A text of its own, or of a node around it.
    Input,
}

/// How a node runs.
#[derive(Debug, Clone, PartialEq)]
pub struct PlanControls {
    pub label: Option<String>,
    /// Milliseconds to wait before it starts.
    pub delay: u64,
    /// Milliseconds one attempt may take (T14).
    pub timeout: Option<u64>,
    /// Attempts, the first included; at least 1 (T11).
    pub retry: u64,
    /// What runs between two attempts.
    pub recover: Option<Box<Plan>>,
    /// How far its failure reaches.
    pub failure: FailurePolicy,
    /// What its result is.
    pub output: OutputChannel,
    /// What it reads instead of what flows to it: a text, whole.
    pub input: Option<String>,
    /// The file in which its output is kept for later steps (R7).
    pub keep: Option<String>,
}

/// What the result of a node is (T15).
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OutputChannel {
    /// What it wrote.
    #[default]
    Stdout,
    /// A value that was given.
    Value {
        text: String,
        /// It is declared a path, which must exist after success.
        must_exist: bool,
    },
}

impl PlanControls {
    /// No controls but how far a failure reaches.
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

    /// Every node below this one and itself, parents first, recoveries included.
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

    /// How many commands it would start if each ran once, recoveries not counted.
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
