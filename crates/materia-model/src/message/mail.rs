//! All message records of a run's journal, folded (A2).
//!
//! Owns routing a record to its view: the run's queue, the queues of its branches, the outbox, the
//! room. `fold(a ++ b) == fold_from(fold(a), b)` holds because [`MailState::apply`] reads nothing
//! but the record. A new generation does not get the messages that waited for the old one: they
//! become stale, and are never delivered. Only a restarted agent keeps its identity, and with it
//! its waiting messages (A12).

use std::collections::BTreeMap;

use serde_json::Value;

use super::address::Address;
use super::envelope::Envelope;
use super::event::{MailRecord, MailStart, Message, MessageHolder, asked_by};
use super::mailbox::Mailbox;
use super::outbox::Outbox;
use super::queue::{MessageQueue, MessageState, QueueEntry};
use super::room::Room;
use crate::name::{BranchName, RunId, SessionId};
use crate::record;
use crate::time::Timestamp;

/// The maximum number of branches of a run.
pub(super) const MOST_BRANCHES: usize = 1000;

/// Message types that control the run itself and never wait in its queue.
const CONTROL: [&str; 4] = [
    "control.kill",
    "control.cancel",
    "control.archive",
    "control.prune",
];

/// One queue of a run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum QueueId {
    /// The queue of the run itself.
    Run,
    Branch(BranchName),
}

/// The messages of a run according to its journal.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MailState {
    pub run: Option<RunId>,
    pub generation: Option<String>,
    /// Its first generation, which distinguishes it from a later run with the same id.
    pub first_generation: Option<String>,
    /// The session that owns it.
    pub session: Option<SessionId>,
    /// The parent run.
    pub parent: Option<String>,
    /// The supervisor of its latest generation.
    pub supervisor: Option<MessageHolder>,
    /// Its mailbox contract.
    pub mailbox: Mailbox,
    /// How the latest generation ended, if it did.
    pub ended: Option<String>,
    /// The session that requested its end.
    pub asked_by: Option<SessionId>,
    /// The number of the last folded record.
    pub seq: u64,
    /// The time of the last record about messages.
    pub updated_at: Option<Timestamp>,
    /// The number of messages that became stale at the latest start.
    pub left_behind: usize,
    /// Whether the latest generation is an agent.
    is_agent: bool,
    inbox: MessageQueue,
    branches: BTreeMap<BranchName, MessageQueue>,
    outbox: Outbox,
    room: Room,
}

impl MailState {
    /// Applies one record.
    pub fn apply(&mut self, record: &record::Record) {
        self.seq = record.seq;
        let Some(known) = MailRecord::read(record) else {
            return;
        };
        let at = record.at;
        self.updated_at = Some(at);
        match known {
            MailRecord::Message(message) => {
                self.asked_by = asked_by(record).or(self.asked_by.take());
                self.post(record.seq, at, &message);
            }
            MailRecord::Claim(claim) => {
                self.find(&claim.id, |queue| {
                    queue.claim(at, &claim.id, &claim.by, claim.handed)
                });
            }
            MailRecord::Handled(done) => {
                self.find(&done.id, |queue| {
                    queue.finish(&done.id, MessageState::Handled { at })
                });
            }
            MailRecord::Failed(failed) => self.find(&failed.id, |queue| {
                queue.finish(
                    &failed.id,
                    MessageState::Failed {
                        at,
                        error: failed.error.clone(),
                    },
                )
            }),
            MailRecord::Delivered(sent) => {
                self.find(&sent.id, |queue| {
                    queue.finish(
                        &sent.id,
                        MessageState::Delivered {
                            at,
                            how: sent.how.clone(),
                        },
                    )
                });
            }
            MailRecord::Start(start) => self.start(at, &start),
            MailRecord::End(end) => {
                self.ended = Some(end.status);
                self.room.end();
            }
        }
    }

    fn start(&mut self, at: Timestamp, start: &MailStart) {
        let was_agent = std::mem::replace(&mut self.is_agent, start.agent.is_some());
        if was_agent && self.is_agent {
            self.left_behind = 0;
        } else {
            let queues = || std::iter::once(&self.inbox).chain(self.branches.values());
            self.left_behind = queues().map(|queue| queue.open().count()).sum();
            self.inbox.supersede(at);
            self.branches
                .values_mut()
                .for_each(|queue| queue.supersede(at));
        }
        self.mailbox = start.contract();
        self.supervisor = start.supervisor();
        self.session.clone_from(&start.session);
        self.parent.clone_from(&start.parent);
        (self.ended, self.asked_by) = (None, None);
        self.run = Some(start.run.clone());
        self.generation = Some(start.generation.clone());
        self.first_generation
            .get_or_insert_with(|| start.generation.clone());
        self.room.begin(at, &Address::Run(start.run.clone()));
    }

    fn post(&mut self, seq: u64, at: Timestamp, message: &Message) {
        let envelope = &message.envelope;
        match &envelope.to {
            Address::Run(_) if CONTROL.contains(&envelope.kind.as_str()) => {}
            Address::Run(_) => self.inbox.post((seq, 0), at, message.id.clone(), message),
            Address::Branch(run, branch) => {
                self.deliver_to_branch((seq, 0), at, message.id.clone(), (run, branch), message);
                if let Some(sender @ Address::Branch(run, _)) = &envelope.from {
                    self.room
                        .spoke(at, sender, "branch", &Address::Run(run.clone()));
                }
            }
            Address::Room(_) => {
                self.room.say(at, message);
                for (index, (run, branch)) in (1..).zip(Self::recipients(envelope)) {
                    let id = message.id_for(&branch);
                    self.deliver_to_branch((seq, index), at, id, (&run, &branch), message);
                }
            }
            Address::Coordinator | Address::Session(_) => self.outbox.post(at, message),
            Address::Tool(_) => {}
        }
    }

    fn deliver_to_branch(
        &mut self,
        place: (u64, u32),
        at: Timestamp,
        id: String,
        (run, branch): (&RunId, &BranchName),
        message: &Message,
    ) {
        if !self.branches.contains_key(branch) && self.branches.len() >= MOST_BRANCHES {
            return;
        }
        self.branches
            .entry(branch.clone())
            .or_default()
            .post(place, at, id, message);
        let address = Address::Branch(run.clone(), branch.clone());
        self.room
            .addressed(at, &address, "branch", &Address::Run(run.clone()));
    }

    /// The branches that also receive a room message.
    pub fn recipients(envelope: &Envelope) -> Vec<(RunId, BranchName)> {
        let listed = envelope.meta("recipients").and_then(Value::as_array);
        let addresses = listed
            .into_iter()
            .flatten()
            .filter_map(|one| one.as_str()?.parse().ok());
        let mut branches: Vec<(RunId, BranchName)> = addresses
            .filter_map(|address| match address {
                Address::Branch(run, branch) => Some((run, branch)),
                _ => None,
            })
            .collect();
        let mut seen = std::collections::BTreeSet::new();
        branches.retain(|(_, branch)| seen.insert(branch.clone()));
        branches
    }

    /// The messages that the program of a run receives for a posted one: the message itself if it
    /// is for the run or one of its branches, a copy for every branch that a room message names.
    /// None for messages that control the run.
    pub fn parcels(message: &Message, own: &RunId) -> Vec<Message> {
        let envelope = &message.envelope;
        match &envelope.to {
            Address::Run(run) if run == own && !Self::steers(envelope.kind.as_str()) => {
                vec![message.clone()]
            }
            Address::Branch(run, _) if run == own => vec![message.clone()],
            Address::Room(run) if run == own => Self::recipients(envelope)
                .into_iter()
                .map(|(run, branch)| Message {
                    id: message.id_for(&branch),
                    envelope: Envelope {
                        to: Address::Branch(run, branch),
                        ..envelope.clone()
                    },
                    generation: message.generation.clone(),
                })
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The messages that wait for the program of the run, up to a record, in posting order. Skips
    /// those that a living process has claimed.
    pub fn waiting(&self, up_to: u64, is_dead: impl Fn(&MessageHolder) -> bool) -> Vec<Message> {
        let queues = std::iter::once((None, &self.inbox)).chain(
            self.branches
                .iter()
                .map(|(branch, queue)| (Some(branch), queue)),
        );
        let open =
            queues.flat_map(|(branch, queue)| queue.open.iter().map(move |found| (branch, found)));
        let mut waiting: Vec<_> = open
            .filter(|(_, ((seq, _), entry))| {
                let claimed =
                    matches!(&entry.state, MessageState::Claimed { by, .. } if !is_dead(by));
                *seq <= up_to && !claimed
            })
            .collect();
        waiting.sort_by_key(|(_, (place, _))| **place);
        waiting
            .into_iter()
            .filter_map(|(branch, (_, entry))| self.parcel(branch, entry))
            .collect()
    }

    fn parcel(&self, branch: Option<&BranchName>, entry: &QueueEntry) -> Option<Message> {
        let mut envelope = entry.envelope.as_deref()?.clone();
        if let (Some(branch), Some(run)) = (branch, &self.run) {
            envelope.to = Address::Branch(run.clone(), branch.clone());
        }
        Some(Message {
            id: entry.id.clone(),
            envelope,
            generation: self.generation.clone(),
        })
    }

    fn find(&mut self, id: &str, mut change: impl FnMut(&mut MessageQueue) -> bool) {
        if !change(&mut self.inbox) {
            let branch = id
                .rsplit_once(':')
                .and_then(|(_, branch)| branch.parse::<BranchName>().ok());
            if let Some(queue) = branch.and_then(|branch| self.branches.get_mut(&branch))
                && change(queue)
            {
                return;
            }
            let _changed = self.branches.values_mut().any(change);
        }
    }

    /// A queue of the run; an empty one if it never received a message.
    pub fn queue(&self, place: &QueueId) -> &MessageQueue {
        static EMPTY: MessageQueue = MessageQueue::EMPTY;
        match place {
            QueueId::Run => &self.inbox,
            QueueId::Branch(branch) => self.branches.get(branch).unwrap_or(&EMPTY),
        }
    }

    /// The queue of a message, if it is not finished.
    pub fn place_of(&self, id: &str) -> Option<QueueId> {
        if self.inbox.find(id).is_some() {
            return Some(QueueId::Run);
        }
        let holding = self
            .branches
            .iter()
            .find(|(_, queue)| queue.find(id).is_some());
        holding.map(|(branch, _)| QueueId::Branch(branch.clone()))
    }

    /// The names of all branches that ever received a message.
    pub fn branches(&self) -> impl ExactSizeIterator<Item = &BranchName> {
        self.branches.keys()
    }

    /// Whether this branch would exceed the limit.
    pub fn is_crowded(&self, branch: &BranchName) -> bool {
        !self.branches.contains_key(branch) && self.branches.len() >= MOST_BRANCHES
    }

    /// The messages of the run to its coordinator.
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// The run's room.
    pub fn room(&self) -> &Room {
        &self.room
    }

    /// Whether the latest generation has no recorded end.
    pub fn is_on(&self) -> bool {
        self.generation.is_some() && self.ended.is_none()
    }

    /// Whether a message of this type controls the run itself.
    pub fn steers(kind: &str) -> bool {
        CONTROL.contains(&kind)
    }
}
