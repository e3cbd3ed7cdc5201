//! The exit code of a process that ends with a report.
//!
//! Owns which results count as an error, and of which kind. Ignores the reason.

use materia_model::agent::AgentFailureKind;
use materia_model::cast::{CastFailureCode, CastStatus};

use super::ErrorKind;
use crate::agent_turn::{AgentListReport, AgentOutcome, AgentReport};
use crate::cast::start::CastReport;
use crate::doctor::DoctorReport;
use crate::editor::validate::ValidateReport;
use crate::execute::ExecutionStatus;
use crate::inspect::wait::WaitReport;
use crate::launch::run::RunReport;
use crate::quest::runner::QuestRunReport;
use crate::recipe::RecipeDoctorReport;
use crate::recipe::tool::ToolCallReport;
use crate::routing::MessageReport;
use crate::routing::watch::WatchEnd;

/// 0, or the exit code of a kind of error.
fn exit_code(ok: bool, otherwise: ErrorKind) -> u8 {
    if ok { 0 } else { otherwise.exit_code() }
}

impl AgentListReport {
    /// The exit code of a process that ends with it.
    pub fn exit_code(&self) -> u8 {
        exit_code(self.ok, ErrorKind::Agent)
    }
}

impl DoctorReport {
    /// The exit code of a process that ends with it.
    pub fn exit_code(&self) -> u8 {
        exit_code(self.ok, ErrorKind::Failed)
    }
}

impl MessageReport {
    /// The exit code of a process that ends with it.
    pub fn exit_code(&self) -> u8 {
        exit_code(self.ok, ErrorKind::Failed)
    }
}

impl RecipeDoctorReport {
    /// The exit code of a process that ends with it.
    pub fn exit_code(&self) -> u8 {
        exit_code(self.ok, ErrorKind::Invalid)
    }
}

impl ToolCallReport {
    /// The exit code of a process that ends with it.
    pub fn exit_code(&self) -> u8 {
        exit_code(self.ok, ErrorKind::Failed)
    }
}

impl ValidateReport {
    /// The exit code of a process that ends with it.
    pub fn exit_code(&self) -> u8 {
        exit_code(self.ok, ErrorKind::Invalid)
    }
}

impl WaitReport {
    /// The exit code of a process that ends with it.
    pub fn exit_code(&self) -> u8 {
        exit_code(self.ok, ErrorKind::Failed)
    }
}

impl WatchEnd {
    /// The exit code of a process that ends with it.
    pub fn exit_code(self) -> u8 {
        exit_code(self != Self::Interrupted, ErrorKind::Interrupted)
    }
}

impl AgentReport {
    /// The exit code of a process that ends with it.
    pub fn exit_code(&self) -> u8 {
        match self.outcome {
            AgentOutcome::Answered => 0,
            AgentOutcome::Failed(AgentFailureKind::Auth | AgentFailureKind::Unavailable) => {
                ErrorKind::Agent.exit_code()
            }
            AgentOutcome::Failed(_) => ErrorKind::Failed.exit_code(),
        }
    }
}

impl CastReport {
    /// The kind of error of this result; `None` if it is a success.
    pub fn error_kind(&self) -> Option<ErrorKind> {
        if self.interrupted {
            return Some(ErrorKind::Interrupted);
        }
        match (self.status, self.error.as_ref()?.code) {
            (CastStatus::Complete | CastStatus::Paused | CastStatus::Running, _) => None,
            (_, code) if code.is_limit() => Some(ErrorKind::Limit),
            (_, CastFailureCode::AgentAuth | CastFailureCode::AgentUnavailable) => {
                Some(ErrorKind::Agent)
            }
            _ => Some(ErrorKind::Failed),
        }
    }

    /// The exit code of a process that ends with it.
    pub fn exit_code(&self) -> u8 {
        self.error_kind().map_or(0, ErrorKind::exit_code)
    }
}

impl QuestRunReport {
    /// The exit code of a process that ends with it.
    pub fn exit_code(&self) -> u8 {
        match (self.stopped, self.ok) {
            ("interrupted", _) => ErrorKind::Interrupted.exit_code(),
            ("needs_you", _) | (_, true) => 0,
            _ => ErrorKind::Failed.exit_code(),
        }
    }
}

impl RunReport {
    /// The exit code of a process that ends with it. `strict` makes a partial failure a failure.
    pub fn exit_code(&self, strict: bool) -> u8 {
        match self.status {
            _ if self.interrupted => ErrorKind::Interrupted.exit_code(),
            ExecutionStatus::Failed => ErrorKind::Failed.exit_code(),
            ExecutionStatus::Degraded if strict => ErrorKind::Failed.exit_code(),
            ExecutionStatus::Degraded | ExecutionStatus::Ok => 0,
        }
    }
}
