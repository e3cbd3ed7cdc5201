//! The exact end of a child process.
//!
//! Owns the causes of an end and their exit codes. Never judges: whether an end is a failure is the
//! caller's rule.

use std::time::Duration;

use rustix::process::WaitStatus;
use serde::{Deserialize, Serialize};

use super::event::ChildId;
use super::identity::ProcessIdentity;
use super::output::Captured;
use super::program::SpawnError;

/// Everything that is known about a child process that has ended.
#[derive(Debug)]
pub struct ProcessEnd {
    /// The child process.
    pub leaf: ChildId,
    /// The pid of its command; `None` if it was never started.
    pub pid: Option<i32>,
    /// Why and how it ended.
    pub cause: Cause,
    /// What it wrote to stdout, if that was captured.
    pub stdout: Captured,
    /// What it wrote to stderr, if that was captured.
    pub stderr: Captured,
    /// Whether it closed its stdin before it had read everything. This is not an error (C12).
    pub stdin_refused: bool,
    /// Whether input that was sent to a held stdin was not read.
    pub stdin_left: bool,
    /// Time from just before its start until its end.
    pub elapsed: Duration,
    /// Processes of its tree that SIGKILL did not end in time; empty unless the kernel blocks them.
    pub survivors: Vec<ProcessIdentity>,
}

/// Why a child process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// Its command ended by itself.
    Finished(Status),
    /// Its deadline passed and its tree was ended.
    TimedOut(Status),
    /// The caller stopped it and its tree was ended.
    Cancelled(Status),
    /// It never ran.
    NotStarted(SpawnError),
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// With this exit code.
    Exited(i32),
    /// By this signal.
    Signalled {
        /// Its number.
        signal: i32,
        /// Whether a core was dumped.
        core: bool,
    },
    /// Unknown: another part of this process reaped it, or it could not be ended.
    Unknown,
}

impl ProcessEnd {
    /// Whether the command ended by itself with exit code 0.
    pub fn success(&self) -> bool {
        self.cause == Cause::Finished(Status::Exited(0))
    }

    /// The exit code that a shell would report: 128+n for signal n, 124 for a timeout (T13), 126
    /// and 127 if it did not start.
    pub fn code(&self) -> i32 {
        self.cause.code()
    }
}

impl Cause {
    /// The exit code that a shell would report, see [`ProcessEnd::code`].
    pub fn code(&self) -> i32 {
        match self {
            Self::TimedOut(_) => 124,
            // A cancelled command is no success, even if it exits with 0.
            Self::Cancelled(Status::Exited(0)) => 130,
            Self::Finished(status) | Self::Cancelled(status) => status.code(),
            Self::NotStarted(SpawnError::NotFound { .. } | SpawnError::NoDirectory { .. }) => 127,
            Self::NotStarted(_) => 126,
        }
    }

    /// How the process itself ended, if there was one.
    pub fn status(&self) -> Option<Status> {
        match self {
            Self::Finished(status) | Self::TimedOut(status) | Self::Cancelled(status) => {
                Some(*status)
            }
            Self::NotStarted(_) => None,
        }
    }
}

impl Status {
    /// The exit code that a shell would report.
    pub fn code(self) -> i32 {
        match self {
            Self::Exited(code) => code,
            Self::Signalled { signal, .. } => 128 + signal,
            Self::Unknown => 255,
        }
    }
}

impl From<WaitStatus> for Status {
    fn from(status: WaitStatus) -> Self {
        if let Some(code) = status.exit_status() {
            return Self::Exited(code);
        }
        match status.terminating_signal() {
            Some(signal) => Self::Signalled {
                signal,
                core: status.as_raw() & 0x80 != 0,
            },
            None => Self::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_have_the_codes_a_shell_gives() {
        let term = Status::Signalled {
            signal: 15,
            core: false,
        };
        let cases = [
            (Cause::Finished(Status::Exited(3)), 3),
            (Cause::Finished(term), 143),
            (Cause::TimedOut(Status::Exited(0)), 124),
            (Cause::Cancelled(term), 143),
            (Cause::Cancelled(Status::Exited(0)), 130),
            (
                Cause::NotStarted(SpawnError::NotFound {
                    program: "x".into(),
                }),
                127,
            ),
            (
                Cause::NotStarted(SpawnError::NotExecutable {
                    program: "x".into(),
                }),
                126,
            ),
        ];
        for (cause, code) in cases {
            assert_eq!(cause.code(), code, "{cause:?}");
        }
    }
}
