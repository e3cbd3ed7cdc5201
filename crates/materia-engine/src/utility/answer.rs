//! What comes of a utility: an answer, or trouble.
//!
//! Owns the words for both. What they look like from outside (stdout, stderr, an exit code) is the
//! door's.

use serde_json::Value;

/// What a utility gives back when it did its work.
#[derive(Debug)]
pub struct UtilityReport {
    /// Its result.
    pub output: UtilityOutput,
    /// What it noticed, one sentence each; never part of the result.
    pub notes: Vec<String>,
}

/// The result of a utility.
#[derive(Debug, Clone, PartialEq)]
pub enum UtilityOutput {
    /// One JSON document.
    Json(Value),
    /// Text, to be passed on as it is.
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

/// Why a utility did not do its work.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct UtilityError {
    /// What sort of trouble.
    pub why: UtilityErrorKind,
    /// One sentence.
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// The result that a failure has all the same.
    pub result: Option<Box<Value>>,
}

/// The sorts of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UtilityErrorKind {
    /// The input is wrong; nothing was changed.
    Wrong,
    /// The work failed.
    Failed,
    /// Somebody stopped it.
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

    /// Whether the work was tried and failed.
    pub fn is_failure(&self) -> bool {
        self.why == UtilityErrorKind::Failed
    }

    /// Somebody stopped it while this program ran.
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
