//! The views of a run's messages: its outbox and its queues, whom it can talk to, and following
//! what is said.
//!
//! Owns their reports. Everything is made from the fold of the journal, bounded by the number of
//! lines that was asked for; what is not remembered is counted, so that nobody takes a part for the
//! whole.

use std::collections::BTreeMap;
use std::time::Duration;

use materia_model::message::{
    Address, Communication, Counts, Entry, Envelope, Mail, Mailbox, Place, Posted, Said, State,
    event,
};
use materia_model::name::{BranchName, RunId};
use materia_model::record::Record;
use serde::Serialize;
use serde_json::{Map, Value};

use super::room::{Preview, previewed};
use crate::clock::Clock;
use crate::post::{self, Post};
use crate::run;
use crate::store::journal::{Follower, From, Reader};

/// How long a follower sleeps before it looks whether the run is over.
const LOOK: Duration = Duration::from_secs(2);

/// `run:X --view messages`: what it said to its coordinator.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OutboxReport {
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
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MailboxReport {
    /// Always true.
    pub ok: bool,
    /// Whose it is.
    pub address: Address,
    /// What the run takes and sends.
    pub mailbox: Mailbox,
    /// How many there are of each.
    pub counts: Counts,
    /// The last of them.
    pub messages: Vec<Letter>,
    /// How many there were.
    pub total: u64,
    /// Whether older ones are not shown.
    pub incomplete: bool,
}

/// A message in a queue.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Letter {
    /// What became of it.
    #[serde(flatten)]
    pub entry: Entry,
    /// What is in it, for whoever wants it whole.
    #[serde(flatten)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub contents: Option<Contents>,
}

/// What an entry of a queue leaves out of its message.
#[derive(Debug, Serialize)]
pub struct Contents {
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation_id: Option<String>,
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

/// What a run's journal says about its messages.
pub fn read(place: &run::Place) -> Result<Mail, post::Error> {
    Post::read(&place.journal())
}

/// What a run said to its coordinator.
pub fn messages(run: &RunId, mail: &Mail, lines: usize) -> OutboxReport {
    let messages: Vec<Posted> = last(mail.outbox().last().cloned(), lines);
    let total = mail.outbox().total;
    OutboxReport {
        ok: true,
        run: run.clone(),
        incomplete: (messages.len() as u64) < total,
        messages,
        total,
    }
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

/// Tells what is said from now on, until the run is over or nobody listens; `tell` says whether
/// somebody does.
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
        let more = if over {
            follower.try_next()?
        } else {
            follower.next(Some(LOOK))?
        };
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
    let Some(event::Record::Message(message)) = event::Record::read(record) else {
        return None;
    };
    match (what, &message.envelope.to) {
        (Followed::Outbox, Address::Coordinator | Address::Session(_)) => {
            Some(Told::Posted(Box::new(Posted::new(record.at, &message))))
        }
        (Followed::Room, Address::Room(_)) => {
            Some(Told::Said(Box::new(Said::new(record.at, &message))))
        }
        (Followed::Previews, Address::Room(_)) => Some(Told::Preview(Box::new(previewed(
            &message.id,
            record.at,
            &message.envelope,
        )))),
        _ => None,
    }
}

/// A queue of a run: its own, or that of a branch.
pub fn mailbox(
    run: &RunId,
    branch: Option<&BranchName>,
    mail: &Mail,
    lines: usize,
) -> MailboxReport {
    let (place, address) = match branch {
        None => (Place::Run, Address::Run(run.clone())),
        Some(branch) => (
            Place::Branch(branch.clone()),
            Address::Branch(run.clone(), branch.clone()),
        ),
    };
    let queue = mail.queue(&place);
    let all = queue.entries().count() as u64;
    let messages: Vec<Letter> = last(queue.entries(), lines)
        .into_iter()
        .map(|entry| {
            let mut entry = entry.clone();
            if is_free(&entry) {
                entry.state = State::Queued;
            }
            Letter {
                entry,
                contents: None,
            }
        })
        .collect();
    let mut counts = queue.counts();
    let free = queue.open().filter(|entry| is_free(entry)).count();
    (counts.queued, counts.claimed) = (counts.queued + free, counts.claimed - free);
    let total = all + counts.forgotten;
    let incomplete = (messages.len() as u64) < total;
    MailboxReport {
        ok: true,
        address,
        mailbox: mail.mailbox.clone(),
        counts,
        messages,
        total,
        incomplete,
    }
}

/// Whether whoever had a message is gone: it waits again, and the next who asks gets it.
fn is_free(entry: &Entry) -> bool {
    matches!(&entry.state, State::Claimed { by, .. } if run::is_dead(by))
}

impl MailboxReport {
    /// The same with the whole messages. The fold forgets the bodies of finished ones, so the
    /// journal is asked for them.
    pub fn whole(mut self, place: &run::Place) -> Result<Self, post::Error> {
        let finished = self
            .messages
            .iter()
            .filter(|letter| letter.entry.envelope.is_none());
        let mut wanted: BTreeMap<String, Option<Envelope>> = finished
            .map(|letter| (letter.entry.id.clone(), None))
            .collect();
        if !wanted.is_empty() {
            find(place, &self.address, &mut wanted)?;
        }
        for letter in &mut self.messages {
            let sent = letter.entry.envelope.as_deref().cloned();
            if let Some(sent) = sent.or_else(|| wanted.remove(&letter.entry.id).flatten()) {
                letter.fill(sent);
            }
        }
        Ok(self)
    }
}

impl Letter {
    fn fill(&mut self, sent: Envelope) {
        let Envelope {
            body,
            metadata,
            reply_to,
            correlation_id,
            summary,
            ..
        } = sent;
        if let Some(summary) = summary {
            self.entry.summary = summary;
        }
        self.contents = Some(Contents {
            body,
            metadata,
            reply_to,
            correlation_id,
        });
    }
}

/// Reads the messages with these ids, as they are called in the queue, from the journal.
fn find(
    place: &run::Place,
    queue: &Address,
    wanted: &mut BTreeMap<String, Option<Envelope>>,
) -> Result<(), post::Error> {
    for record in Reader::open(&place.journal(), From::Beginning)? {
        let Some(event::Record::Message(message)) = event::Record::read(&record?) else {
            continue;
        };
        let id = match (queue, &message.envelope.to) {
            (Address::Branch(_, branch), Address::Room(_)) => message.id_for(branch),
            _ => message.id.clone(),
        };
        if let Some(found) = wanted.get_mut(&id) {
            found.get_or_insert(message.envelope);
        }
    }
    Ok(())
}

/// Whom a run can talk to.
pub fn communication(mail: &Mail) -> Talk {
    Talk {
        ok: true,
        communication: Communication::of(mail, None),
    }
}

/// The last so many of something, in their order.
pub(super) fn last<T>(all: impl DoubleEndedIterator<Item = T>, lines: usize) -> Vec<T> {
    let mut some: Vec<T> = all.rev().take(lines).collect();
    some.reverse();
    some
}
