//! What comes of a utility: an answer, or trouble.
//!
//! Owns the words for both. What they look like from outside (stdout, stderr, an exit code) is the
//! door's.

use serde_json::Value;

/// What a utility gives back when it did its work.
#[derive(Debug)]
pub struct Answer {
    /// Its result.
    pub output: Output,
    /// What it noticed, one sentence each; never part of the result.
    pub notes: Vec<String>,
}

/// The result of a utility.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// One JSON document.
    Json(Value),
    /// Text, to be passed on as it is.
    Text(String),
}

impl From<Value> for Answer {
    fn from(document: Value) -> Self {
        Self {
            output: Output::Json(document),
            notes: Vec::new(),
        }
    }
}

/// Why a utility did not do its work.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Trouble {
    /// What sort of trouble.
    pub why: Why,
    /// One sentence.
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// The result that a failure has all the same.
    pub result: Option<Box<Value>>,
}

/// The sorts of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The input is wrong; nothing was changed.
    Wrong,
    /// The work failed.
    Failed,
    /// Somebody stopped it.
    Interrupted,
}

impl Trouble {
    /// The input is wrong.
    pub(super) fn wrong(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            why: Why::Wrong,
            message: message.into(),
            hint: hint.into(),
            result: None,
        }
    }

    /// The work failed.
    pub(super) fn failed(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            why: Why::Failed,
            message: message.into(),
            hint: hint.into(),
            result: None,
        }
    }

    /// Whether the work was tried and failed.
    pub(super) fn is_failure(&self) -> bool {
        self.why == Why::Failed
    }

    /// Somebody stopped it while this program ran.
    pub(super) fn interrupted(program: &str) -> Self {
        let message = format!("stopped while `{program}` ran");
        Self {
            why: Why::Interrupted,
            message,
            hint: "run it again to finish".to_owned(),
            result: None,
        }
    }
}
