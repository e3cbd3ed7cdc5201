//! The result of a plan, in the form of the machine contract.
//!
//! Owns the types that `materia run --json` prints, and the rules for status and coverage (T16).
//! Never walks.

use serde::Serialize;

use super::flow::Flow;

/// The result of a plan.
#[derive(Debug)]
pub struct Outcome {
    /// The overall status.
    pub status: ExecutionStatus,
    /// The exit code of the root (T13).
    pub code: i32,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// The whole output of the selected channel.
    pub output: Flow,
    /// Every execution of a command, in the order of completion.
    pub commands: Vec<CommandRun>,
    /// The failures that no later attempt repaired.
    pub failures: Vec<FailedCommand>,
    /// The branches of every parallel node, inner ones first.
    pub branches: Vec<Branch>,
    /// Branch counts; none if no parallel node ran.
    pub coverage: Option<Coverage>,
}

/// The overall status of a plan (T16).
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
    /// Its display name.
    pub label: Option<String>,
    /// Its exit code, as a shell would report it.
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
    /// The command; empty if the node itself failed and no command did.
    pub argv: Vec<String>,
    /// Its display name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Its exit code, as a shell would report it.
    pub code: i32,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// Whether a deadline ended it.
    pub timed_out: bool,
    /// The end of its stderr, or why there is none.
    pub stderr: String,
    /// Whether `stderr` is the command's own text, which was already sent to the observer.
    #[serde(skip)]
    pub relayed: bool,
}

impl FailedCommand {
    /// The failure of a node that no command caused.
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
    /// Its display name.
    pub label: String,
    /// How it ended.
    pub status: BranchStatus,
    /// Its exit code.
    pub code: i32,
    /// The end of its stderr.
    pub stderr: String,
}

/// How a branch ended.
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
    /// It was stopped because of another branch, or by the user.
    Cancelled,
}

impl BranchStatus {
    /// Its name in reports.
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

/// Branch counts. Skipped branches are not counted (T10).
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Coverage {
    /// How many succeeded.
    pub done: usize,
    /// How many did not.
    pub failed: usize,
    /// How many branches there were.
    pub expected: usize,
    /// The fraction that succeeded, from 0 to 1.
    pub coverage: f64,
    /// Whether at least one failed.
    pub degraded: bool,
    /// Whether at least one succeeded.
    pub usable: bool,
}

impl Coverage {
    /// Counts these branches.
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
