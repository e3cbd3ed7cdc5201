//! The views of a run's messages: its outbox, its queues, and its contacts.
//!
//! Owns their reports. All are made from the fold of the journal, bounded by the requested number
//! of lines. Omitted messages are counted, so that a part is not mistaken for the whole.

use std::collections::BTreeMap;

use materia_model::message::{
    Address, Communication, Envelope, MailState, Mailbox, MessageState, OutboxMessage, QueueCounts,
    QueueEntry, QueueId, event,
};
use materia_model::name::{BranchName, RunId};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::post;
use crate::run;
use crate::store::journal::{From, Reader};

/// `run:X --view messages`: what it said to its coordinator.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OutboxReport {
    /// Always true.
    pub ok: bool,
    /// The run.
    pub run: RunId,
    /// The last of them.
    pub messages: Vec<OutboxMessage>,
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
    pub counts: QueueCounts,
    /// The last of them.
    pub messages: Vec<QueuedMessage>,
    /// How many there were.
    pub total: u64,
    /// Whether older ones are not shown.
    pub incomplete: bool,
}

/// A message in a queue.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Letter"))]
pub struct QueuedMessage {
    /// What became of it.
    #[serde(flatten)]
    pub entry: QueueEntry,
    /// Its body, where the caller asked for whole messages.
    #[serde(flatten)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub contents: Option<Contents>,
}

/// The parts of a message that a queue entry omits.
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

/// `run:X --view communication`: the contacts of a run.
#[derive(Debug, Serialize)]
pub struct CommunicationReport {
    /// Always true.
    pub ok: bool,
    /// The document.
    #[serde(flatten)]
    pub communication: Option<Communication>,
}

/// The messages of a run to its coordinator.
pub fn messages(run: &RunId, mail: &MailState, lines: usize) -> OutboxReport {
    let messages: Vec<OutboxMessage> = last(mail.outbox().last().cloned(), lines);
    let total = mail.outbox().total;
    OutboxReport {
        ok: true,
        run: run.clone(),
        incomplete: (messages.len() as u64) < total,
        messages,
        total,
    }
}

/// A queue of a run: its own, or that of a branch.
pub fn mailbox(
    run: &RunId,
    branch: Option<&BranchName>,
    mail: &MailState,
    lines: usize,
) -> MailboxReport {
    let (place, address) = match branch {
        None => (QueueId::Run, Address::Run(run.clone())),
        Some(branch) => (
            QueueId::Branch(branch.clone()),
            Address::Branch(run.clone(), branch.clone()),
        ),
    };
    let queue = mail.queue(&place);
    let all = queue.entries().count() as u64;
    let messages: Vec<QueuedMessage> = last(queue.entries(), lines)
        .into_iter()
        .map(|entry| {
            let mut entry = entry.clone();
            if is_free(&entry) {
                entry.state = MessageState::Queued;
            }
            QueuedMessage {
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

/// Whether the holder of a message has ended: then the message is queued again, and the next caller
/// gets it.
fn is_free(entry: &QueueEntry) -> bool {
    matches!(&entry.state, MessageState::Claimed { by, .. } if run::is_dead(by))
}

impl MailboxReport {
    /// The same report with whole messages. The fold drops the bodies of finished messages, so they
    /// are read from the journal.
    pub fn whole(mut self, place: &run::RunDir) -> Result<Self, post::Error> {
        let finished = self
            .messages
            .iter()
            .filter(|message| message.entry.envelope.is_none());
        let mut wanted: BTreeMap<String, Option<Envelope>> = finished
            .map(|message| (message.entry.id.clone(), None))
            .collect();
        if !wanted.is_empty() {
            find(place, &self.address, &mut wanted)?;
        }
        for message in &mut self.messages {
            let sent = message.entry.envelope.as_deref().cloned();
            if let Some(sent) = sent.or_else(|| wanted.remove(&message.entry.id).flatten()) {
                message.fill(sent);
            }
        }
        Ok(self)
    }
}

impl QueuedMessage {
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

/// Reads the messages with these queue ids from the journal.
fn find(
    place: &run::RunDir,
    queue: &Address,
    wanted: &mut BTreeMap<String, Option<Envelope>>,
) -> Result<(), post::Error> {
    for record in Reader::open(&place.journal(), From::Beginning)? {
        let Some(event::MailRecord::Message(message)) = event::MailRecord::read(&record?) else {
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

/// The contacts of a run.
pub fn communication(mail: &MailState) -> CommunicationReport {
    CommunicationReport {
        ok: true,
        communication: Communication::of(mail, None),
    }
}

/// The last items, in their order.
pub(super) fn last<T>(all: impl DoubleEndedIterator<Item = T>, lines: usize) -> Vec<T> {
    let mut some: Vec<T> = all.rev().take(lines).collect();
    some.reverse();
    some
}
