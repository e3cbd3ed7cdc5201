//! The report on a message that was sent, in the words of the contract.

use materia_model::message::{Address, MessageType};
use materia_model::run::RunStatus;
use serde::Serialize;
use serde_json::Value;

/// What became of a message.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct MessageReport {
    /// Whether it was accepted, and, by a tool, done; what was not accepted is a failure.
    pub ok: bool,
    /// Its id.
    pub id: String,
    /// Where it went.
    pub to: Address,
    /// What kind it was.
    #[serde(rename = "type")]
    pub kind: MessageType,
    /// Whether its receiver has it.
    pub delivered: bool,
    /// Whether it waits.
    pub queued: bool,
    /// Whether it is durable.
    pub persisted: bool,
    /// Whether others got it as well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forwarded: Option<bool>,
    /// Who reads it.
    pub consumer: &'static str,
    /// What became of it, as one word for programs.
    pub reason: &'static str,
    /// Why its receiver does not have it yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delivery_error: Option<String>,
    /// Whether it ended the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped: Option<bool>,
    /// How the run stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<RunStatus>,
    /// Which start of the run it went to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
    /// Why it is not ok: what it was to do failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<MessageProblem>,
    /// What else it led to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Value>,
    /// What the run's contract says about it.
    pub warnings: Vec<String>,
    /// What one can do next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub next: Vec<String>,
}

/// What failed.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MessageProblem {
    /// Its name, for programs.
    pub code: &'static str,
    /// What happened, for people.
    pub message: String,
    /// What one can do about it.
    pub hint: String,
}

impl MessageReport {
    /// The report on a durable message that waits.
    pub(super) fn queued(
        id: String,
        to: Address,
        kind: MessageType,
        consumer: &'static str,
        reason: &'static str,
    ) -> Self {
        Self {
            ok: true,
            id,
            to,
            kind,
            delivered: false,
            queued: true,
            persisted: true,
            forwarded: None,
            consumer,
            reason,
            delivery_error: None,
            stopped: None,
            status: None,
            generation: None,
            error: None,
            result: None,
            warnings: Vec::new(),
            next: Vec::new(),
        }
    }
}
