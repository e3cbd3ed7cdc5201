//! The room of a run: its timeline and its members.
//!
//! Owns the timeline and the roster. A sender is present until it sends `actor.leave` or the run
//! ends: then it is marked as left, and kept. Receiving a message does not make an actor present. A
//! member describes itself (`role`, `status`, `caps`, `claim`, `display`, `parent`) in its bodies.
//! Keeps the last messages; the journal has all.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;
use serde_json::{Map, Value};

use super::address::Address;
use super::envelope::Envelope;
use super::event::Message;
use crate::time::Timestamp;

/// The number of messages to keep.
const REMEMBERED: usize = 10_000;

/// The size of the kept messages, in bytes.
const REMEMBERED_BYTES: usize = 16 << 20;

/// The maximum number of members.
const MOST_MEMBERS: usize = 10_000;

/// The maximum size of each field that a member sets about itself, in bytes of JSON.
const LONGEST_FIELD: usize = 1024;

/// Somebody in a room.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "RoomMember"))]
pub struct RoomMember {
    /// Who.
    pub address: Address,
    /// Since when.
    pub joined_at: Timestamp,
    /// When it last said something.
    pub last_seen: Timestamp,
    /// What it is.
    pub role: String,
    /// Whether it is there: `present`, `left`, or as it says itself.
    pub status: String,
    /// What else it says about itself: `caps`, `claim`, `display`, `parent`.
    #[serde(flatten)]
    pub about: Map<String, Value>,
}

impl RoomMember {
    /// Whether the member has left.
    pub fn has_left(&self) -> bool {
        self.status == LEFT
    }
}

/// Something that was said in a room.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "RoomMessage", optional_fields)
)]
pub struct RoomMessage {
    /// The message's id.
    pub id: String,
    /// When it was said.
    pub received_at: Timestamp,
    /// The generation of the run in whose room it was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
    /// All of it.
    #[serde(flatten)]
    pub envelope: Envelope,
    #[serde(skip)]
    weight: usize,
}

impl RoomMessage {
    /// Creates a timeline entry for a message.
    pub fn new(at: Timestamp, message: &Message) -> Self {
        let envelope = message.envelope.clone();
        let (id, generation) = (message.id.clone(), message.generation.clone());
        Self {
            id,
            received_at: at,
            generation,
            weight: envelope.weight(),
            envelope,
        }
    }
}

/// A room according to its records.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Room {
    timeline: VecDeque<RoomMessage>,
    roster: BTreeMap<Address, RoomMember>,
    bytes: usize,
    /// Whether the run has ended. Then no sender counts as present.
    over: bool,
    pub total: u64,
}

impl Room {
    /// Adds a message and marks its sender as present.
    pub(super) fn say(&mut self, at: Timestamp, message: &Message) {
        let said = RoomMessage::new(at, message);
        if let Some(from) = &said.envelope.from {
            let left = said.envelope.kind.as_str() == "actor.leave";
            self.seen(at, from, said.envelope.body.as_ref(), left);
        }
        self.total += 1;
        self.bytes += said.weight;
        self.timeline.push_back(said);
        while self.timeline.len() > REMEMBERED
            || (self.bytes > REMEMBERED_BYTES && self.timeline.len() > 1)
        {
            self.bytes -= self.timeline.pop_front().map_or(0, |oldest| oldest.weight);
        }
    }

    /// Adds an actor that can be reached here. A known one stays unchanged.
    pub(super) fn addressed(
        &mut self,
        at: Timestamp,
        address: &Address,
        role: &str,
        parent: &Address,
    ) {
        let is_new = !self.roster.contains_key(address);
        let Some(member) = self.member(at, address) else {
            return;
        };
        if is_new {
            member.role = role.to_owned();
        }
        member
            .about
            .entry("parent")
            .or_insert_with(|| parent.to_string().into());
    }

    /// Records that an actor sent a message outside of the room.
    pub(super) fn spoke(&mut self, at: Timestamp, address: &Address, role: &str, parent: &Address) {
        self.addressed(at, address, role, parent);
        if let Some(member) = self.roster.get_mut(address) {
            member.last_seen = at;
        }
    }

    /// Starts a new generation: all members left, and the run itself is back.
    pub(super) fn begin(&mut self, at: Timestamp, run: &Address) {
        self.all_left();
        self.over = false;
        let is_new = !self.roster.contains_key(run);
        let Some(member) = self.member(at, run) else {
            return;
        };
        if is_new {
            member.role = "run".to_owned();
        }
        (member.last_seen, member.status) = (at, PRESENT.to_owned());
    }

    /// Ends the run. All members left.
    pub(super) fn end(&mut self) {
        self.all_left();
        self.over = true;
    }

    fn all_left(&mut self) {
        for member in self.roster.values_mut() {
            member.status = LEFT.to_owned();
        }
    }

    fn seen(&mut self, at: Timestamp, from: &Address, body: Option<&Value>, leaves: bool) {
        let about = body.and_then(Value::as_object);
        let gone = leaves || self.over;
        let Some(member) = self.member(at, from) else {
            return;
        };
        member.last_seen = at;
        let told = |field: &str| {
            about
                .and_then(|about| about.get(field))
                .filter(|value| is_short(value))
        };
        let word = |field: &str| told(field).and_then(Value::as_str).map(str::to_owned);
        if let Some(role) = word("role") {
            member.role = role;
        }
        match word("status") {
            _ if gone => member.status = LEFT.to_owned(),
            Some(status) => member.status = status,
            None if member.has_left() => member.status = PRESENT.to_owned(),
            None => {}
        }
        for field in ["caps", "claim", "display", "parent"] {
            if let Some(value) = told(field) {
                member.about.insert(field.to_owned(), value.clone());
            }
        }
    }

    fn member(&mut self, at: Timestamp, address: &Address) -> Option<&mut RoomMember> {
        if !self.roster.contains_key(address) && self.roster.len() >= MOST_MEMBERS {
            return None;
        }
        let status = if self.over { LEFT } else { PRESENT };
        Some(
            self.roster
                .entry(address.clone())
                .or_insert_with(|| RoomMember {
                    address: address.clone(),
                    joined_at: at,
                    last_seen: at,
                    role: DEFAULT_ROLE.to_owned(),
                    status: status.to_owned(),
                    about: Map::new(),
                }),
        )
    }

    /// The kept messages, oldest first.
    pub fn timeline(&self) -> impl DoubleEndedIterator<Item = &RoomMessage> + ExactSizeIterator {
        self.timeline.iter()
    }

    /// All present and former members, by address.
    pub fn roster(&self) -> impl ExactSizeIterator<Item = &RoomMember> {
        self.roster.values()
    }

    /// The number of present members.
    pub fn present(&self) -> usize {
        self.roster
            .values()
            .filter(|member| !member.has_left())
            .count()
    }

    /// The number of dropped messages.
    pub fn forgotten(&self) -> u64 {
        self.total - self.timeline.len() as u64
    }
}

const DEFAULT_ROLE: &str = "actor";
const PRESENT: &str = "present";
const LEFT: &str = "left";

fn is_short(value: &Value) -> bool {
    serde_json::to_string(value).is_ok_and(|text| text.len() <= LONGEST_FIELD)
}
