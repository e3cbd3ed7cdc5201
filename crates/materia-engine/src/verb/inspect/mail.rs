//! The views of a run's messages: outbox, queues, room, roster, and what wants attention.
//!
//! Owns their reports. Everything is made from the fold of the journal, bounded by the number of lines that was asked for;
//! what is not remembered is counted, so that nobody takes a part for the whole.

use std::time::Duration;

use materia_model::message::{
    Address, Communication, Contact, Counts, Entry, Envelope, Mail, Mailbox, Member, Place, Posted, Room,
    Said, State, event,
};
use materia_model::name::{BranchName, RunId};
use materia_model::record::Record;
use materia_model::run::Status;
use materia_model::text;
use materia_model::time::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::clock::Clock;
use crate::post::{self, Post, is_dead};
use crate::run::{self, Listed, Root};
use crate::store::journal::{Follower, From};

/// How much of a body a preview shows, in bytes.
const PREVIEW: usize = 320;

/// How many runs, and how many of each thing, triage looks at.
const MOST_RUNS: usize = 100;
const MOST_FAILED: usize = 5;
const MOST_ATTENTION: usize = 10;

/// How long a follower sleeps before it looks whether the run is over.
const LOOK: Duration = Duration::from_secs(2);

/// How long a claim may take before it is worth a look.
const LONG_CLAIM_MS: i64 = 5 * 60 * 1000;

/// `run:X --view messages`: what it said to its coordinator.
#[derive(Debug, Serialize)]
pub struct Messages {
    /// Always true.
    pub ok: bool,
    /// The run.
    pub run: RunId,
    /// The last of them.
    pub messages: Vec<Posted>,
    /// How many there were.
    pub total: u64,
    /// Whether older ones are not shown.
    pub incomplete: bool,
}

/// `run:X --view mailbox` and `branch:X/B --view mailbox`: a queue.
#[derive(Debug, Serialize)]
pub struct Queued {
    /// Always true.
    pub ok: bool,
    /// Whose it is.
    pub address: Address,
    /// What the run takes and sends.
    pub mailbox: Mailbox,
    /// How many there are of each.
    pub counts: Counts,
    /// The last of them.
    pub messages: Vec<Entry>,
    /// Whether older ones are not shown.
    pub incomplete: bool,
}

/// `run:X --view communication`: whom it can talk to.
#[derive(Debug, Serialize)]
pub struct Talk {
    /// Always true.
    pub ok: bool,
    /// The document.
    #[serde(flatten)]
    pub communication: Option<Communication>,
}

/// `room:X --view status`.
#[derive(Debug, Serialize)]
pub struct RoomStatus {
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
pub struct Timeline {
    /// Always true.
    pub ok: bool,
    /// The room.
    pub room: Address,
    /// The last of them.
    pub messages: Vec<Said>,
    /// Whether older ones are not shown.
    pub incomplete: bool,
}

/// `room:X --view previews`.
#[derive(Debug, Serialize)]
pub struct Previews {
    /// Always true.
    pub ok: bool,
    /// The room.
    pub room: Address,
    /// The last of them.
    pub messages: Vec<Preview>,
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
pub struct Roster {
    /// Always true.
    pub ok: bool,
    /// The room.
    pub room: Address,
    /// Everybody who is or was there.
    pub members: Vec<Member>,
}

/// `room:X --view contacts`.
#[derive(Debug, Serialize)]
pub struct Contacts {
    /// Always true.
    pub ok: bool,
    /// The room.
    pub room: Address,
    /// Everybody but the run itself.
    pub contacts: Vec<Contact>,
}

/// `tool:materia --view triage`: what wants attention.
#[derive(Debug, Serialize)]
pub struct Triage {
    /// Always true.
    pub ok: bool,
    /// The session that asks.
    pub current_session: Option<String>,
    /// Runs that are not over.
    pub active_runs: Vec<Listed>,
    /// How many runs belong to others.
    pub other_session_runs: usize,
    /// The last runs that failed or exited.
    pub recent_failed_runs: Vec<Listed>,
    /// Messages that somebody claimed long ago, or died over.
    pub stale_claims: Vec<StaleClaim>,
    /// Messages whose senders wait for an answer.
    pub attention_messages: Vec<Attention>,
    /// What one can do next.
    pub next_actions: Vec<String>,
}

/// A message that somebody claimed and did not finish.
#[derive(Debug, Serialize)]
pub struct StaleClaim {
    /// Whose queue.
    pub address: Address,
    /// Which message.
    pub id: String,
    /// Since when.
    pub claimed_at: Timestamp,
    /// Whether whoever claimed it has ended.
    pub abandoned: bool,
}

/// A message whose sender waits for an answer.
#[derive(Debug, Serialize)]
pub struct Attention {
    /// The run that waits.
    pub run: RunId,
    /// The message.
    #[serde(flatten)]
    pub message: Posted,
}

/// What a run's journal says about its messages.
pub fn read(place: &run::Place) -> Result<Mail, post::Error> {
    Post::read(&place.journal())
}

/// What a run said to its coordinator.
pub fn messages(run: &RunId, mail: &Mail, lines: usize) -> Messages {
    let messages: Vec<Posted> = last(mail.outbox().last().cloned(), lines);
    let total = mail.outbox().total;
    Messages { ok: true, run: run.clone(), incomplete: (messages.len() as u64) < total, messages, total }
}

/// What is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Followed {
    /// What a run says to its coordinator.
    Outbox,
    /// What is said in its room.
    Room,
    /// The beginnings of it.
    Previews,
}

/// Tells what is said from now on, until the run is over or nobody listens; `tell` says whether somebody does.
pub fn follow(
    place: &run::Place,
    what: Followed,
    behind: u64,
    clock: &Clock,
    mut tell: impl FnMut(&Told) -> bool,
) -> Result<(), post::Error> {
    let mut follower = Follower::open(&place.journal(), From::After(behind))?;
    loop {
        let over = run::look(place, clock).map_or(true, |state| state.status.is_terminal());
        // What was written before it was over is still told.
        let more = if over { follower.try_next()? } else { follower.next(Some(LOOK))? };
        for record in &more {
            if let Some(told) = told(what, record)
                && !tell(&told)
            {
                return Ok(());
            }
        }
        if over && more.is_empty() {
            return Ok(());
        }
    }
}

/// One thing that is said while somebody follows.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Told {
    /// To the coordinator.
    Posted(Box<Posted>),
    /// In the room.
    Said(Box<Said>),
    /// Its beginning.
    Preview(Box<Preview>),
}

fn told(what: Followed, record: &Record) -> Option<Told> {
    let Some(event::Record::Message(message)) = event::Record::read(record) else { return None };
    match (what, &message.envelope.to) {
        (Followed::Outbox, Address::Coordinator | Address::Session(_)) => {
            Some(Told::Posted(Box::new(Posted::new(record.at, &message))))
        }
        (Followed::Room, Address::Room(_)) => Some(Told::Said(Box::new(Said::new(record.at, &message)))),
        (Followed::Previews, Address::Room(_)) => {
            Some(Told::Preview(Box::new(previewed(&message.id, record.at, &message.envelope))))
        }
        _ => None,
    }
}

/// A queue of a run: its own, or that of a branch.
pub fn mailbox(run: &RunId, branch: Option<&BranchName>, mail: &Mail, lines: usize) -> Queued {
    let (place, address) = match branch {
        None => (Place::Run, Address::Run(run.clone())),
        Some(branch) => (Place::Branch(branch.clone()), Address::Branch(run.clone(), branch.clone())),
    };
    let queue = mail.queue(&place);
    let all = queue.entries().count();
    let messages = last(queue.entries().cloned(), lines);
    let counts = queue.counts();
    let incomplete = messages.len() < all || counts.forgotten > 0;
    Queued { ok: true, address, mailbox: mail.mailbox.clone(), counts, messages, incomplete }
}

/// Whom a run can talk to.
pub fn communication(mail: &Mail) -> Talk {
    Talk { ok: true, communication: Communication::of(mail, None) }
}

/// How a room stands.
pub fn room_status(run: &RunId, room: &Room) -> RoomStatus {
    RoomStatus {
        ok: true,
        room: Address::Room(run.clone()),
        messages: room.total,
        roster: room.roster().len(),
        present: room.roster().filter(|member| member.status != "left").count(),
        last: room.timeline().next_back().map(preview),
        forgotten: room.forgotten(),
    }
}

/// What was said in a room.
pub fn timeline(run: &RunId, room: &Room, lines: usize) -> Timeline {
    let messages = last(room.timeline().cloned(), lines);
    let incomplete = (messages.len() as u64) < room.total;
    Timeline { ok: true, room: Address::Room(run.clone()), messages, incomplete }
}

/// What was said in a room, in lines.
pub fn previews(run: &RunId, room: &Room, lines: usize) -> Previews {
    let messages: Vec<Preview> = last(room.timeline(), lines).into_iter().map(preview).collect();
    let incomplete = (messages.len() as u64) < room.total;
    Previews { ok: true, room: Address::Room(run.clone()), messages, incomplete }
}

/// Who is or was in a room.
pub fn roster(run: &RunId, room: &Room, lines: usize) -> Roster {
    let members = room.roster().take(lines.max(1)).cloned().collect();
    Roster { ok: true, room: Address::Room(run.clone()), members }
}

/// Who can be talked to in a room.
pub fn contacts(run: &RunId, room: &Room, lines: usize) -> Contacts {
    let own = Address::Run(run.clone());
    let others = room.roster().filter(|member| member.address != own);
    let contacts = others.take(lines.max(1)).map(Contact::of).collect();
    Contacts { ok: true, room: Address::Room(run.clone()), contacts }
}

/// What wants attention among the runs that the caller may see.
pub fn triage(root: &Root, caller: Option<&str>, clock: &Clock) -> Result<Triage, run::Error> {
    let listed = run::list(root, clock)?.runs;
    let (ours, others): (Vec<Listed>, Vec<Listed>) = listed
        .into_iter()
        .partition(|run| caller.is_none_or(|caller| run.session.as_deref() == Some(caller)));
    let failed = |run: &&Listed| matches!(run.status, Status::Failed | Status::Exited);
    let recent_failed_runs: Vec<Listed> =
        ours.iter().rev().filter(failed).take(MOST_FAILED).cloned().collect();
    let active_runs: Vec<Listed> = ours.iter().filter(|run| !run.status.is_terminal()).cloned().collect();
    let (mut stale_claims, mut attention_messages) = (Vec::new(), Vec::new());
    for run in active_runs.iter().chain(&recent_failed_runs).take(MOST_RUNS) {
        let Ok(id) = run.run.parse::<RunId>() else { continue };
        let Ok(mail) = read(&root.place(&id)) else { continue };
        stale_claims.extend(claims(&id, &mail, clock.now()));
        let waits = mail.outbox().last().rev().filter(|posted| posted.attention).cloned();
        attention_messages.extend(waits.map(|message| Attention { run: id.clone(), message }));
    }
    attention_messages.truncate(MOST_ATTENTION);
    stale_claims.truncate(MOST_RUNS);
    let look = |run: &str| format!("materia inspect run:{run}");
    let asked =
        attention_messages.iter().map(|asked| format!("{} --view messages", look(asked.run.as_str())));
    let broken = recent_failed_runs.iter().map(|run| format!("{} --view tail", look(&run.run)));
    let mut next_actions: Vec<String> = asked.chain(broken).collect();
    next_actions.dedup();
    next_actions.truncate(MOST_FAILED);
    Ok(Triage {
        ok: true,
        current_session: caller.map(str::to_owned),
        active_runs,
        other_session_runs: others.len(),
        recent_failed_runs,
        stale_claims,
        attention_messages,
        next_actions,
    })
}

fn claims(run: &RunId, mail: &Mail, now: Timestamp) -> Vec<StaleClaim> {
    let own = (Place::Run, Address::Run(run.clone()));
    let branches = mail
        .branches()
        .map(|branch| (Place::Branch(branch.clone()), Address::Branch(run.clone(), branch.clone())));
    let mut stale = Vec::new();
    for (place, address) in std::iter::once(own).chain(branches) {
        for entry in mail.queue(&place).open() {
            let State::Claimed { by, at } = &entry.state else { continue };
            let abandoned = is_dead(by);
            if abandoned || now.as_millis() - at.as_millis() > LONG_CLAIM_MS {
                let (address, id) = (address.clone(), entry.id.clone());
                stale.push(StaleClaim { address, id, claimed_at: *at, abandoned });
            }
        }
    }
    stale
}

fn preview(said: &Said) -> Preview {
    previewed(&said.id, said.received_at, &said.envelope)
}

fn previewed(id: &str, timestamp: Timestamp, envelope: &Envelope) -> Preview {
    let body = match &envelope.body {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    Preview {
        id: id.to_owned(),
        timestamp,
        from: envelope.from.clone(),
        kind: envelope.kind.to_string(),
        summary: envelope.headline(),
        body_preview: text::bounded(&body, PREVIEW).into_owned(),
    }
}

/// The last so many of something, in their order.
fn last<T>(all: impl DoubleEndedIterator<Item = T>, lines: usize) -> Vec<T> {
    let mut some: Vec<T> = all.rev().take(lines).collect();
    some.reverse();
    some
}
