//! The messages of a run to its coordinator or session.
//!
//! Owns the urgency of such a message (`log`, `notify`, `followup`) and which of them need an
//! answer. Keeps the last ones; the journal has all.

use std::collections::VecDeque;

use serde::Serialize;
use serde_json::Value;

use super::address::Address;
use super::envelope::Envelope;
use super::event::Message;
use crate::time::Timestamp;

/// The number of messages to keep.
const REMEMBERED: usize = 500;

/// The size of the kept messages, in bytes.
const REMEMBERED_BYTES: usize = 8 << 20;

/// How urgently a message is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum DeliveryUrgency {
    /// Written down.
    Log,
    /// Shown.
    Notify,
    /// Shown, and answered by a turn of the agent.
    Followup,
}

/// How bad the news is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum NoticeLevel {
    /// Not at all.
    Info,
    /// Somewhat.
    Warning,
    /// Something failed.
    Error,
}

impl DeliveryUrgency {
    /// The urgency of a message: from its metadata, else from its addressee and whether it needs an
    /// answer.
    pub fn of(envelope: &Envelope) -> Self {
        match envelope.meta("delivery").and_then(Value::as_str) {
            Some("log") => Self::Log,
            Some("notify") => Self::Notify,
            Some("followup") => Self::Followup,
            _ if envelope.requires_response() => Self::Followup,
            _ => match envelope.to {
                Address::Session(_) => Self::Followup,
                Address::Coordinator => Self::Notify,
                _ => Self::Log,
            },
        }
    }
}

impl NoticeLevel {
    /// The severity in the metadata.
    pub fn of(envelope: &Envelope) -> Self {
        match envelope.meta("level").and_then(Value::as_str) {
            Some("warning") => Self::Warning,
            Some("error") => Self::Error,
            _ => Self::Info,
        }
    }
}

/// A message to a coordinator or session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "PostedMessage")
)]
pub struct OutboxMessage {
    /// Its id.
    pub id: String,
    /// When it was posted.
    pub at: Timestamp,
    /// How urgently it is told.
    pub delivery: DeliveryUrgency,
    /// How bad it is.
    pub level: NoticeLevel,
    /// Whether somebody waits for an answer.
    pub attention: bool,
    /// All of it.
    #[serde(flatten)]
    pub envelope: Envelope,
    #[serde(skip)]
    weight: usize,
}

impl OutboxMessage {
    /// Creates an entry for a message.
    pub fn new(at: Timestamp, message: &Message) -> Self {
        let envelope = message.envelope.clone();
        Self {
            id: message.id.clone(),
            at,
            delivery: DeliveryUrgency::of(&envelope),
            level: NoticeLevel::of(&envelope),
            attention: envelope.requires_response(),
            weight: envelope.weight(),
            envelope,
        }
    }
}

/// The last messages to a coordinator or session.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outbox {
    last: VecDeque<OutboxMessage>,
    bytes: usize,
    pub total: u64,
}

impl Outbox {
    pub(super) fn post(&mut self, at: Timestamp, message: &Message) {
        let posted = OutboxMessage::new(at, message);
        self.total += 1;
        self.bytes += posted.weight;
        self.last.push_back(posted);
        while self.last.len() > REMEMBERED || (self.bytes > REMEMBERED_BYTES && self.last.len() > 1)
        {
            self.bytes -= self.last.pop_front().map_or(0, |oldest| oldest.weight);
        }
    }

    /// The kept messages, oldest first.
    pub fn last(&self) -> impl DoubleEndedIterator<Item = &OutboxMessage> + ExactSizeIterator {
        self.last.iter()
    }

    /// The number of dropped messages.
    pub fn forgotten(&self) -> u64 {
        self.total - self.last.len() as u64
    }
}
