//! The views of a run's room: its status, its messages, its members.
//!
//! Owns their reports, bounded by the requested number of lines; each report has the total number.

use materia_model::message::{Address, Contact, Envelope, Room, RoomMember, RoomMessage};
use materia_model::name::RunId;
use materia_model::text;
use materia_model::time::Timestamp;
use serde::Serialize;

use super::mail::last;

/// How much of a body a preview shows, in bytes.
const PREVIEW: usize = 320;

/// `room:X --view status`.
#[derive(Debug, Serialize)]
pub struct RoomStatusReport {
    /// Always true.
    pub ok: bool,
    /// The room.
    pub room: Address,
    /// The number of messages.
    pub messages: u64,
    /// The number of members, present or not.
    pub roster: usize,
    /// The number of present members.
    pub present: usize,
    /// The last message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Preview>,
    /// The number of messages that are no longer in memory; the journal has them.
    pub forgotten: u64,
}

/// `room:X --view messages`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RoomTimeline {
    /// Always true.
    pub ok: bool,
    /// The room.
    pub room: Address,
    /// The last of them.
    pub messages: Vec<RoomMessage>,
    /// How many there were.
    pub total: u64,
    /// Whether older ones are not shown.
    pub incomplete: bool,
}

/// `room:X --view previews`.
#[derive(Debug, Serialize)]
pub struct PreviewsReport {
    /// Always true.
    pub ok: bool,
    /// The room.
    pub room: Address,
    /// The last messages.
    pub messages: Vec<Preview>,
    /// The total number of messages.
    pub total: u64,
    /// Whether older messages are omitted.
    pub incomplete: bool,
}

/// A message in one line.
#[derive(Debug, Clone, Serialize)]
pub struct Preview {
    /// Its id.
    pub id: String,
    /// The time it was sent.
    pub timestamp: Timestamp,
    /// The sender.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Address>,
    /// The type of the message.
    #[serde(rename = "type")]
    pub kind: String,
    /// The subject.
    pub summary: String,
    /// The beginning of its body.
    pub body_preview: String,
}

/// `room:X --view roster`.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RoomRoster {
    /// Always true.
    pub ok: bool,
    /// The room.
    pub room: Address,
    /// Who is or was there: those who are first, then by address.
    pub members: Vec<RoomMember>,
    /// How many there are.
    pub total: usize,
    /// Whether some are not shown.
    pub incomplete: bool,
}

/// `room:X --view contacts`.
#[derive(Debug, Serialize)]
pub struct ContactsReport {
    /// Always true.
    pub ok: bool,
    /// The room.
    pub room: Address,
    /// All members except the run itself: present ones first, then by address.
    pub contacts: Vec<Contact>,
    /// The total number of contacts.
    pub total: usize,
    /// Whether some contacts are omitted.
    pub incomplete: bool,
}

/// The status of a room.
pub fn room_status(run: &RunId, room: &Room) -> RoomStatusReport {
    RoomStatusReport {
        ok: true,
        room: Address::Room(run.clone()),
        messages: room.total,
        roster: room.roster().len(),
        present: room.present(),
        last: room.timeline().next_back().map(preview),
        forgotten: room.forgotten(),
    }
}

/// The messages of a room.
pub fn timeline(run: &RunId, room: &Room, lines: usize) -> RoomTimeline {
    let messages = last(room.timeline().cloned(), lines);
    let (room, total) = (Address::Room(run.clone()), room.total);
    RoomTimeline {
        ok: true,
        room,
        incomplete: (messages.len() as u64) < total,
        messages,
        total,
    }
}

/// Previews of the messages of a room.
pub fn previews(run: &RunId, room: &Room, lines: usize) -> PreviewsReport {
    let messages: Vec<Preview> = last(room.timeline(), lines)
        .into_iter()
        .map(preview)
        .collect();
    let (room, total) = (Address::Room(run.clone()), room.total);
    PreviewsReport {
        ok: true,
        room,
        incomplete: (messages.len() as u64) < total,
        messages,
        total,
    }
}

/// The present and former members of a room.
pub fn roster(run: &RunId, room: &Room, lines: usize) -> RoomRoster {
    let total = room.roster().len();
    let members: Vec<RoomMember> = present_first(room.roster())
        .take(lines.max(1))
        .cloned()
        .collect();
    RoomRoster {
        ok: true,
        room: Address::Room(run.clone()),
        incomplete: members.len() < total,
        members,
        total,
    }
}

/// The contacts in a room.
pub fn contacts(run: &RunId, room: &Room, lines: usize) -> ContactsReport {
    let own = Address::Run(run.clone());
    let others = || room.roster().filter(|member| member.address != own);
    let total = others().count();
    let contacts: Vec<Contact> = present_first(others())
        .take(lines.max(1))
        .map(Contact::of)
        .collect();
    let incomplete = contacts.len() < total;
    ContactsReport {
        ok: true,
        room: Address::Room(run.clone()),
        contacts,
        total,
        incomplete,
    }
}

/// Sorts present members first, so that a truncated list omits former members.
fn present_first<'a>(
    members: impl Iterator<Item = &'a RoomMember>,
) -> impl Iterator<Item = &'a RoomMember> {
    let (there, left): (Vec<&RoomMember>, Vec<&RoomMember>) =
        members.partition(|member| !member.has_left());
    there.into_iter().chain(left)
}

fn preview(said: &RoomMessage) -> Preview {
    previewed(&said.id, said.received_at, &said.envelope)
}

pub(super) fn previewed(id: &str, timestamp: Timestamp, envelope: &Envelope) -> Preview {
    Preview {
        id: id.to_owned(),
        timestamp,
        from: envelope.from.clone(),
        kind: envelope.kind.to_string(),
        summary: envelope.headline(),
        body_preview: text::bounded(&envelope.text(), PREVIEW).into_owned(),
    }
}
