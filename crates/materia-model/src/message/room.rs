//! The room of a run: what was said in it, and who is there.
//!
//! Owns the timeline and the roster. Whoever speaks is there; `actor.leave` marks a member as left and keeps it. What a
//! member says about itself (`role`, `status`, `caps`, `claim`, `display`, `parent`) is taken from its bodies. Remembers
//! the last messages; the journal has all.

use std::collections::{BTreeMap, VecDeque};

use serde::Serialize;
use serde_json::{Map, Value};

use super::address::Address;
use super::envelope::Envelope;
use super::event::Message;
use crate::time::Timestamp;

/// How many messages are remembered.
const REMEMBERED: usize = 10_000;

/// How many bytes of them.
const REMEMBERED_BYTES: usize = 16 << 20;

/// How many members a roster has.
const MOST_MEMBERS: usize = 10_000;

/// How many bytes of JSON a member may say about itself, for each field.
const LONGEST_FIELD: usize = 1024;

/// Somebody in a room.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Member {
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

/// Something that was said in a room.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Said {
    /// The message's id.
    pub id: String,
    /// When it was said.
    pub received_at: Timestamp,
    /// All of it.
    #[serde(flatten)]
    pub envelope: Envelope,
    #[serde(skip)]
    weight: usize,
}

impl Said {
    /// A message as it was said.
    pub fn new(at: Timestamp, message: &Message) -> Self {
        let envelope = message.envelope.clone();
        Self { id: message.id.clone(), received_at: at, weight: envelope.weight(), envelope }
    }
}

/// A room, as its records left it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Room {
    timeline: VecDeque<Said>,
    roster: BTreeMap<Address, Member>,
    bytes: usize,
    /// How many messages there were.
    pub total: u64,
}

impl Room {
    /// Takes a message in and notes that its sender is there.
    pub(super) fn say(&mut self, at: Timestamp, message: &Message) {
        let said = Said::new(at, message);
        if let Some(from) = &said.envelope.from {
            let left = said.envelope.kind.as_str() == "actor.leave";
            self.seen(at, from, said.envelope.body.as_ref(), left);
        }
        self.total += 1;
        self.bytes += said.weight;
        self.timeline.push_back(said);
        while self.timeline.len() > REMEMBERED || (self.bytes > REMEMBERED_BYTES && self.timeline.len() > 1) {
            self.bytes -= self.timeline.pop_front().map_or(0, |oldest| oldest.weight);
        }
    }

    /// Notes that somebody is there because of what it is, not of what it says.
    pub(super) fn join(&mut self, at: Timestamp, address: &Address, role: &str, parent: Option<&Address>) {
        let Some(member) = self.member(at, address) else { return };
        member.last_seen = at;
        if member.role == DEFAULT_ROLE {
            member.role = role.to_owned();
        }
        if let Some(parent) = parent {
            member.about.entry("parent").or_insert_with(|| parent.to_string().into());
        }
    }

    /// Everybody left: a new generation begins.
    pub(super) fn empty(&mut self) {
        for member in self.roster.values_mut() {
            member.status = LEFT.to_owned();
        }
    }

    /// Somebody whom a new generation brings back.
    pub(super) fn returned(&mut self, at: Timestamp, address: &Address, role: &str) {
        self.join(at, address, role, None);
        if let Some(member) = self.roster.get_mut(address) {
            member.status = PRESENT.to_owned();
        }
    }

    fn seen(&mut self, at: Timestamp, from: &Address, body: Option<&Value>, leaves: bool) {
        let about = body.and_then(Value::as_object);
        let Some(member) = self.member(at, from) else { return };
        member.last_seen = at;
        let told = |field: &str| about.and_then(|about| about.get(field)).filter(|value| is_short(value));
        let word = |field: &str| told(field).and_then(Value::as_str).map(str::to_owned);
        if let Some(role) = word("role") {
            member.role = role;
        }
        let standing = if leaves { LEFT } else { PRESENT };
        let was_left = member.status == LEFT;
        match word("status") {
            Some(status) => member.status = status,
            None if leaves || was_left => member.status = standing.to_owned(),
            None => {}
        }
        for field in ["caps", "claim", "display", "parent"] {
            if let Some(value) = told(field) {
                member.about.insert(field.to_owned(), value.clone());
            }
        }
    }

    fn member(&mut self, at: Timestamp, address: &Address) -> Option<&mut Member> {
        if !self.roster.contains_key(address) && self.roster.len() >= MOST_MEMBERS {
            return None;
        }
        Some(self.roster.entry(address.clone()).or_insert_with(|| Member {
            address: address.clone(),
            joined_at: at,
            last_seen: at,
            role: DEFAULT_ROLE.to_owned(),
            status: PRESENT.to_owned(),
            about: Map::new(),
        }))
    }

    /// What was said and is remembered, oldest first.
    pub fn timeline(&self) -> impl DoubleEndedIterator<Item = &Said> + ExactSizeIterator {
        self.timeline.iter()
    }

    /// Everybody who is or was there, by address.
    pub fn roster(&self) -> impl ExactSizeIterator<Item = &Member> {
        self.roster.values()
    }

    /// How many messages are not remembered here any more.
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
