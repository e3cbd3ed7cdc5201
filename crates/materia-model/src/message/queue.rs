//! One queue of messages: waiting, claimed and finished ones.
//!
//! Owns the life of a message in a queue (queued, claimed, then handled, failed, delivered or
//! stale), the order of claims, and the limits: waiting messages are kept whole and counted against
//! [`QueueLimits`]; of finished ones only the last are kept, without their bodies. The caller
//! decides whether a claimer is alive.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;

use super::address::Address;
use super::envelope::{Envelope, MessageType};
use super::event::{Message, MessageHolder};
use crate::time::Timestamp;

/// The number of finished messages to keep.
const REMEMBERED: usize = 2000;

/// The number of claims by processes that died, after which a message fails.
const MOST_CLAIMS: u32 = 5;

/// The limits of one queue (A10).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueLimits {
    pub messages: usize,
    pub bytes: usize,
}

impl Default for QueueLimits {
    fn default() -> Self {
        Self {
            messages: 10_000,
            bytes: 64 << 20,
        }
    }
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "status", rename_all = "lowercase")]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "QueuedMessageState")
)]
pub enum MessageState {
    /// It waits.
    Queued,
    /// Somebody has it.
    Claimed {
        /// Who.
        by: MessageHolder,
        /// Since when.
        #[serde(rename = "claimed_at")]
        at: Timestamp,
    },
    /// It was dealt with.
    Handled {
        /// When.
        #[serde(rename = "handled_at")]
        at: Timestamp,
    },
    /// It could not be dealt with.
    Failed {
        /// When.
        #[serde(rename = "failed_at")]
        at: Timestamp,
        /// Why.
        error: String,
    },
    /// It was handed to the process.
    Delivered {
        /// When.
        #[serde(rename = "delivered_at")]
        at: Timestamp,
        /// By which means.
        how: String,
    },
    /// The generation it was meant for is over.
    Stale {
        /// Since when.
        #[serde(rename = "stale_at")]
        at: Timestamp,
    },
}

impl MessageState {
    /// The word for the state.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Claimed { .. } => "claimed",
            Self::Handled { .. } => "handled",
            Self::Failed { .. } => "failed",
            Self::Delivered { .. } => "delivered",
            Self::Stale { .. } => "stale",
        }
    }

    fn is_open(&self) -> bool {
        matches!(self, Self::Queued | Self::Claimed { .. })
    }
}

/// A message in a queue.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "QueueEntry", optional_fields)
)]
pub struct QueueEntry {
    /// Its id in this queue.
    pub id: String,
    /// What kind of message it is.
    #[serde(rename = "type")]
    pub kind: MessageType,
    /// Who sent it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Address>,
    /// Where it was sent.
    pub to: Address,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// What became of it.
    #[serde(flatten)]
    pub state: MessageState,
    /// How often it was claimed.
    pub claims: u32,
    /// What it is about.
    pub summary: String,
    /// All of it, while it is not finished.
    #[serde(skip)]
    pub envelope: Option<Box<Envelope>>,
    weight: usize,
}

/// The result of a request to finish a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettleOutcome {
    /// It can be finished.
    Open,
    /// It is already finished, in this way.
    Already(&'static str),
    /// Another process has claimed it.
    Held(MessageHolder),
    /// The message does not exist, or was dropped.
    Unknown,
}

/// How many there are of each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "QueueCounts"))]
pub struct QueueCounts {
    /// Those that wait.
    pub queued: usize,
    /// Those that somebody has.
    pub claimed: usize,
    /// Those that were dealt with.
    pub handled: u64,
    /// Those that were not.
    pub failed: u64,
    /// Those that were handed to the process.
    pub delivered: u64,
    /// Those whose generation is over.
    pub stale: u64,
    /// How many finished ones are not remembered here any more.
    pub forgotten: u64,
}

/// A queue according to its records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MessageQueue {
    /// The unfinished messages, by their position in the journal.
    pub(super) open: BTreeMap<(u64, u32), QueueEntry>,
    places: BTreeMap<String, (u64, u32)>,
    finished: VecDeque<QueueEntry>,
    bytes: usize,
    counts: QueueCounts,
}

impl MessageQueue {
    /// A queue that never received a message.
    pub(super) const EMPTY: Self = Self {
        open: BTreeMap::new(),
        places: BTreeMap::new(),
        finished: VecDeque::new(),
        bytes: 0,
        counts: QueueCounts {
            queued: 0,
            claimed: 0,
            handled: 0,
            failed: 0,
            delivered: 0,
            stale: 0,
            forgotten: 0,
        },
    };

    /// Adds a message. Ignores an id that is already present.
    pub(super) fn post(&mut self, place: (u64, u32), at: Timestamp, id: String, message: &Message) {
        if self.places.contains_key(&id) {
            return;
        }
        let envelope = &message.envelope;
        let weight = envelope.weight();
        self.bytes += weight;
        self.counts.queued += 1;
        self.places.insert(id.clone(), place);
        let entry = QueueEntry {
            id,
            kind: envelope.kind.clone(),
            from: envelope.from.clone(),
            to: envelope.to.clone(),
            queued_at: at,
            state: MessageState::Queued,
            claims: 0,
            summary: envelope.headline(),
            envelope: Some(Box::new(envelope.clone())),
            weight,
        };
        self.open.insert(place, entry);
    }

    /// Records a claim. A later claim replaces an earlier one.
    pub(super) fn claim(
        &mut self,
        at: Timestamp,
        id: &str,
        by: &MessageHolder,
        handed: bool,
    ) -> bool {
        let Some(entry) = self
            .places
            .get(id)
            .and_then(|place| self.open.get_mut(place))
        else {
            return false;
        };
        if entry.state == MessageState::Queued {
            self.counts.queued -= 1;
            self.counts.claimed += 1;
        }
        entry.claims += u32::from(!handed);
        entry.state = MessageState::Claimed { by: by.clone(), at };
        true
    }

    /// Records the end of a message. The first end counts.
    pub(super) fn finish(&mut self, id: &str, state: MessageState) -> bool {
        let Some(entry) = self
            .places
            .remove(id)
            .and_then(|place| self.open.remove(&place))
        else {
            return false;
        };
        self.bury(entry, state);
        true
    }

    /// Marks all waiting and claimed messages as stale: their generation ended.
    pub(super) fn supersede(&mut self, at: Timestamp) {
        self.places.clear();
        for entry in std::mem::take(&mut self.open).into_values() {
            self.bury(entry, MessageState::Stale { at });
        }
    }

    fn bury(&mut self, mut entry: QueueEntry, state: MessageState) {
        match entry.state {
            MessageState::Queued => self.counts.queued -= 1,
            _ => self.counts.claimed -= 1,
        }
        match state {
            MessageState::Handled { .. } => self.counts.handled += 1,
            MessageState::Failed { .. } => self.counts.failed += 1,
            MessageState::Delivered { .. } => self.counts.delivered += 1,
            _ => self.counts.stale += 1,
        }
        self.bytes -= entry.weight;
        entry.state = state;
        entry.envelope = None;
        self.finished.push_back(entry);
        if self.finished.len() > REMEMBERED {
            self.finished.pop_front();
            self.counts.forgotten += 1;
        }
    }

    /// The next message: the oldest that waits, or that a dead process claimed.
    pub fn next(&self, is_dead: impl Fn(&MessageHolder) -> bool) -> Option<&QueueEntry> {
        self.open.values().find(|entry| match &entry.state {
            MessageState::Claimed { by, .. } => is_dead(by),
            _ => true,
        })
    }

    /// Whether a message was claimed so often that it must be the cause of the failures.
    pub fn is_poison(entry: &QueueEntry) -> bool {
        entry.claims >= MOST_CLAIMS
    }

    /// The result of a request to finish a message. `is_dead` checks other claimers.
    pub fn settle(
        &self,
        id: &str,
        by: &MessageHolder,
        is_dead: impl Fn(&MessageHolder) -> bool,
    ) -> SettleOutcome {
        if let Some(entry) = self.places.get(id).and_then(|place| self.open.get(place)) {
            return match &entry.state {
                MessageState::Claimed { by: other, .. } if other != by && !is_dead(other) => {
                    SettleOutcome::Held(other.clone())
                }
                _ => SettleOutcome::Open,
            };
        }
        let done = self.finished.iter().rev().find(|entry| entry.id == id);
        done.map_or(SettleOutcome::Unknown, |entry| {
            SettleOutcome::Already(entry.state.as_str())
        })
    }

    /// Whether one more message of this weight would exceed the limits.
    pub fn is_full(&self, weight: usize, limits: QueueLimits) -> bool {
        self.open.len() >= limits.messages || self.bytes + weight > limits.bytes
    }

    /// All kept messages, finished ones first, each group in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &QueueEntry> {
        self.finished.iter().chain(self.open.values())
    }

    /// The unfinished messages, oldest first.
    pub fn open(&self) -> impl Iterator<Item = &QueueEntry> {
        self.open.values().filter(|entry| entry.state.is_open())
    }

    /// An unfinished message.
    pub fn find(&self, id: &str) -> Option<&QueueEntry> {
        self.places.get(id).and_then(|place| self.open.get(place))
    }

    /// The number of messages in each state.
    pub fn counts(&self) -> QueueCounts {
        self.counts
    }
}
