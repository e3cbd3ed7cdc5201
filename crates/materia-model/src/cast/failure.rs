//! Why a cast failed: a message for users and a code for programs.
//!
//! Owns the codes. The front ends map them to exit codes.

use serde::{Deserialize, Serialize};

/// Why a cast failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "CastFailure", optional_fields)
)]
pub struct CastFailure {
    /// What kind of failure it is.
    pub code: CastFailureCode,
    /// What happened, in one sentence.
    pub message: String,
    /// The socket it happened at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub socket: Option<String>,
    /// What the person can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The kinds of failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "CastFailureCode")
)]
pub enum CastFailureCode {
    /// An edge was taken more often than it allows for one item.
    EdgeLimit,
    /// A socket or an edge was used more often than a cast allows.
    VisitLimit,
    /// An item kept coming back without advancing.
    Stalled,
    /// The budget is used up.
    BudgetLimit,
    /// The answer was not what the socket needs, also after its repair.
    InvalidOutput,
    /// The agent's login was refused.
    AgentAuth,
    /// The agent is configured wrongly, or there is none.
    AgentUnavailable,
    /// The agent failed, also when it was asked again.
    AgentFailed,
    /// The same failure came three times in a row.
    Breaker,
    /// A utility failed.
    UtilityFailed,
    /// A socket was interrupted and its materia does not want to run again.
    Interrupted,
    /// The definition does not fit what happened.
    Definition,
    /// The person ended it.
    Aborted,
}

impl CastFailureCode {
    /// Whether the code is a limit that the user can raise.
    pub fn is_limit(self) -> bool {
        matches!(
            self,
            Self::EdgeLimit | Self::VisitLimit | Self::Stalled | Self::BudgetLimit
        )
    }
}

impl CastFailure {
    /// A failure of the whole cast.
    pub fn new(code: CastFailureCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            socket: None,
            hint: None,
        }
    }

    /// Sets the socket of the failure.
    #[must_use]
    pub fn at(mut self, socket: &str) -> Self {
        self.socket = Some(socket.to_owned());
        self
    }

    /// Adds a hint for the user.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
