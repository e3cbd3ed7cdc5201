//! What goes wrong in a visit, and what is done about it.
//!
//! Owns these shapes and nothing else.

use serde::{Deserialize, Serialize};

use super::VisitId;
use crate::agent::TurnKind;
use crate::cast::failure::CastFailure;
use crate::handoff::{InvalidOutput, OutputStage};

/// One more try of the same visit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryStart {
    /// The visit.
    #[serde(flatten)]
    pub place: VisitId,
    /// Why.
    pub reason: String,
    /// What the agent is asked for next.
    pub turn: TurnKind,
    /// How long to wait first.
    pub delay_ms: u64,
    /// The same failure in a row, this one included.
    pub repeated: u64,
    /// What was wrong with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<AnswerRepair>,
}

/// An answer that has to be repaired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRepair {
    /// Which step it failed at.
    pub validation_kind: OutputStage,
    /// Everything that is wrong.
    pub invalid: InvalidOutput,
    /// The beginning of the answer.
    pub excerpt: String,
    /// Whether the answer is longer.
    pub excerpt_truncated: bool,
}

/// The end of the tries of a visit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecoveryExhausted {
    /// The visit.
    #[serde(flatten)]
    pub place: VisitId,
    /// Why.
    pub reason: String,
    /// What the cast fails with.
    pub failure: CastFailure,
    /// What was wrong with the last answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<AnswerRepair>,
}

/// A socket that failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SocketFailed {
    /// The visit.
    #[serde(flatten)]
    pub place: VisitId,
    /// What the cast fails with.
    pub failure: CastFailure,
}

/// A dispatched visit that was found without its end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interruption {
    /// The visit.
    #[serde(flatten)]
    pub place: VisitId,
    /// What happens to it: `rerun`, `ask` or `fail`.
    pub policy: String,
}
