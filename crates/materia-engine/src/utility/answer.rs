//! The result of a utility: an answer, or an error.
//!
//! Owns the types of both. Front ends turn them into stdout, stderr and an exit code.

use serde_json::Value;

/// The report of a utility that succeeded.
#[derive(Debug)]
pub struct UtilityReport {
    /// Its result.
    pub output: UtilityOutput,
    /// Remarks, one sentence each; never part of the result.
    pub notes: Vec<String>,
}

/// The result of a utility.
#[derive(Debug, Clone, PartialEq)]
pub enum UtilityOutput {
    /// One JSON document.
    Json(Value),
    /// Text, passed on unchanged.
    Text(String),
}

impl From<Value> for UtilityReport {
    fn from(document: Value) -> Self {
        Self {
            output: UtilityOutput::Json(document),
            notes: Vec::new(),
        }
    }
}

/// Why a utility did not succeed.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct UtilityError {
    /// The kind of error.
    pub why: UtilityErrorKind,
    /// One sentence.
    pub message: String,
    /// How to fix it.
    pub hint: String,
    /// The result that some failures have in addition.
    pub result: Option<Box<Value>>,
}

/// The kinds of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UtilityErrorKind {
    /// The input is wrong; nothing was changed.
    Wrong,
    /// The work failed.
    Failed,
    /// The user stopped it.
    Interrupted,
}

impl UtilityError {
    /// The input is wrong.
    pub fn wrong(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            why: UtilityErrorKind::Wrong,
            message: message.into(),
            hint: hint.into(),
            result: None,
        }
    }

    /// The work failed.
    pub fn failed(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            why: UtilityErrorKind::Failed,
            message: message.into(),
            hint: hint.into(),
            result: None,
        }
    }

    /// Whether the work was attempted and failed.
    pub fn is_failure(&self) -> bool {
        self.why == UtilityErrorKind::Failed
    }

    /// The user stopped it while this program ran.
    pub fn interrupted(program: &str) -> Self {
        let message = format!("stopped while `{program}` ran");
        Self {
            why: UtilityErrorKind::Interrupted,
            message,
            hint: "run it again to finish".to_owned(),
            result: None,
        }
    }
}
