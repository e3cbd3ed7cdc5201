//! The views of a run's room: how it stands, what was said in it, who is there.
//!
//! Owns their reports, bounded by the number of lines that was asked for; each says how much there
//! is besides.

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
    /// How many messages there were.
    pub messages: u64,
    /// How many are on the roster.
    pub roster: usize,
    /// How many of them are there.
    pub present: usize,
    /// The last message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<Preview>,
    /// How many messages are not remembered any more; the journal has them.
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
    /// The last of them.
    pub messages: Vec<Preview>,
    /// How many there were.
    pub total: u64,
    /// Whether older ones are not shown.
    pub incomplete: bool,
}

/// A message in a line.
#[derive(Debug, Clone, Serialize)]
pub struct Preview {
    /// Its id.
    pub id: String,
    /// When it was said.
    pub timestamp: Timestamp,
    /// Who said it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<Address>,
    /// What kind of message it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it is about.
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
    /// Everybody but the run itself: those who are there first, then by address.
    pub contacts: Vec<Contact>,
    /// How many there are.
    pub total: usize,
    /// Whether some are not shown.
    pub incomplete: bool,
}

/// How a room stands.
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

/// What was said in a room.
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

/// What was said in a room, in lines.
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

/// Who is or was in a room.
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

/// Who can be talked to in a room.
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

/// Where not everybody is shown, those who left are what can be missed.
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
