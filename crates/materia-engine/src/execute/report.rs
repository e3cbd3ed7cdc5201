//! What came of a plan, in the words of the machine contract.
//!
//! Owns the shapes that `materia run --json` prints, and the rules for status and coverage (T16).
//! Never walks.

use serde::Serialize;

use super::flow::Flow;

/// Everything that came of a plan.
#[derive(Debug)]
pub struct Outcome {
    /// How it went over all.
    pub status: ExecutionStatus,
    /// The exit code of the root (T13).
    pub code: i32,
    /// Whether somebody interrupted it.
    pub interrupted: bool,
    /// What the selected channel holds, from its beginning.
    pub output: Flow,
    /// Every execution, in the order of completion.
    pub commands: Vec<CommandRun>,
    /// What failed and was not made good by a later attempt.
    pub failures: Vec<FailedCommand>,
    /// The branches of every parallel node, inner ones first.
    pub branches: Vec<Branch>,
    /// The branches in numbers; none when no parallel node ran.
    pub coverage: Option<Coverage>,
}

/// How a plan went over all (T16).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExecutionStatus {
    /// Nothing failed.
    Ok,
    /// Something failed and something succeeded.
    Degraded,
    /// A failure reached the root, or nothing succeeded.
    Failed,
}

/// One execution of a command.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CommandRun {
    /// The command.
    pub argv: Vec<String>,
    /// What people call it.
    pub label: Option<String>,
    /// Its exit code, as a shell would give it.
    pub code: i32,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether a deadline ended it.
    pub timed_out: bool,
    /// Which attempt it was, from 1.
    pub attempt: u64,
    /// How long it took.
    pub duration_ms: u64,
}

/// A command that failed.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailedCommand {
    /// The command; empty when no command but the node itself failed.
    pub argv: Vec<String>,
    /// What people call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its exit code, as a shell would give it.
    pub code: i32,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether a deadline ended it.
    pub timed_out: bool,
    /// The end of what it wrote to stderr, or why there is none.
    pub stderr: String,
    /// Whether those are the command's own words, which a listener has heard already.
    #[serde(skip)]
    pub relayed: bool,
}

impl FailedCommand {
    /// The failure of a node of which no command is to blame.
    pub(super) fn of_node(label: Option<&str>, code: i32, reason: String) -> Self {
        let label = label.map(str::to_owned);
        Self {
            argv: Vec::new(),
            label,
            code,
            signal: None,
            timed_out: false,
            stderr: reason,
            relayed: false,
        }
    }
}

/// One branch of a parallel node.
#[derive(Debug, Clone, Serialize)]
pub struct Branch {
    /// What people call it.
    pub label: String,
    /// How it went.
    pub status: BranchStatus,
    /// Its exit code.
    pub code: i32,
    /// The end of what it wrote to stderr.
    pub stderr: String,
}

/// How a branch went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BranchStatus {
    /// It succeeded.
    Done,
    /// It failed.
    Failed,
    /// A deadline ended it.
    Timeout,
    /// Its guard was false (T10).
    Skipped,
    /// It was stopped because of another branch, or by a person.
    Cancelled,
}

impl BranchStatus {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Timeout => "timeout",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Branches in numbers. Skipped ones do not count (T10).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Coverage {
    /// How many succeeded.
    pub done: usize,
    /// How many did not.
    pub failed: usize,
    /// How many there were.
    pub expected: usize,
    /// The part that succeeded, from 0 to 1.
    pub coverage: f64,
    /// Whether one failed.
    pub degraded: bool,
    /// Whether one succeeded.
    pub usable: bool,
}

impl Coverage {
    /// The numbers of these branches.
    pub(super) fn of(branches: &[Branch]) -> Self {
        let count = |status| {
            branches
                .iter()
                .filter(|branch| branch.status == status)
                .count()
        };
        let done = count(BranchStatus::Done);
        let expected = branches.len() - count(BranchStatus::Skipped);
        let coverage = if expected == 0 {
            1.0
        } else {
            done as f64 / expected as f64
        };
        Self {
            done,
            failed: expected - done,
            expected,
            coverage,
            degraded: done < expected,
            usable: done > 0,
        }
    }
}

/// The status of a whole run.
pub(super) fn status(
    root_failed: bool,
    succeeded: usize,
    failures: &[FailedCommand],
) -> ExecutionStatus {
    match (root_failed, failures.is_empty(), succeeded) {
        (true, ..) | (false, false, 0) => ExecutionStatus::Failed,
        (false, false, _) => ExecutionStatus::Degraded,
        (false, true, _) => ExecutionStatus::Ok,
    }
}
