//! Posting: a message is durable before it is reported.
//!
//! Owns the checks that need the journal's state: whether the run is active, whether it is still in
//! the expected generation, and whether its queue has capacity. The checks and the write happen
//! under one hold of the write lock.

use materia_model::message::event::{MESSAGE, Message};
use materia_model::message::{Address, Envelope, MailState, QueueId, QueueLimits};

use super::error::Error;
use super::message_log::MessageLog;
use crate::run::{self, Poured};
use crate::wake::waiters;

/// A message to post, and its preconditions.
#[derive(Debug)]
pub struct MessagePosting {
    /// The message.
    pub envelope: Envelope,
    /// The generation it is meant for; any generation if `None`.
    pub generation: Option<String>,
    /// Whether the run has to be active.
    pub only_when_on: bool,
    /// The limits of the queue.
    pub limits: QueueLimits,
}

/// A message that is durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageReceipt {
    /// Its id.
    pub id: String,
    /// Its sequence number in the journal.
    pub seq: u64,
    /// The generation it was posted to.
    pub generation: Option<String>,
    /// Violations of the run's message contract.
    pub warnings: Vec<String>,
}

impl MessagePosting {
    /// A message for any generation, whether or not the run is active.
    pub fn new(envelope: Envelope) -> Self {
        Self {
            envelope,
            generation: None,
            only_when_on: false,
            limits: QueueLimits::default(),
        }
    }
}

impl MessageLog {
    /// Posts a message, and returns when it is durable.
    pub fn deliver(&self, posting: MessagePosting) -> Result<MessageReceipt, Error> {
        let (mut held, log) = self.decide()?;
        let mail = &log.fold().mail;
        check(mail, &posting)?;
        let warnings = warnings(mail, &posting.envelope);
        let generation = mail.generation.clone();
        drop(log);
        let id = message_id(held.next_seq(), &self.clock.fresh_id());
        let message = Message {
            id,
            envelope: posting.envelope,
            generation: generation.clone(),
        };
        let seq = held.append(MESSAGE, &message)?;
        let mark = held.mark();
        drop(held);
        // Wake before syncing: a woken process syncs the message before it hands it out, so both
        // may sync at the same time.
        waiters::wake_all(&self.ears());
        self.journal.commit_to(&mark)?;
        Ok(MessageReceipt {
            id: message.id,
            seq,
            generation,
            warnings,
        })
    }
}

impl MessageLog {
    /// Writes queued messages, up to a durable one, to the reader of the run's named pipe. When
    /// this returns, the record of what was written is durable.
    pub fn pour(&self, place: &run::RunDir, up_to: u64) -> Result<Poured, Error> {
        let (mut held, log) = self.decide()?;
        let poured = run::pour(place, &mut held, &log.fold().mail, up_to)?;
        let mark = held.mark();
        drop(log);
        drop(held);
        self.journal.commit_to(&mark)?;
        Ok(poured)
    }
}

/// Makes an id that people and models can repeat. The sequence number makes it unique within its
/// journal; the random part makes it unique elsewhere with high probability.
pub fn message_id(seq: u64, fresh: &str) -> String {
    let chance = &fresh[fresh.len().saturating_sub(10)..];
    format!("m{seq}-{chance}")
}

fn check(mail: &MailState, posting: &MessagePosting) -> Result<(), Error> {
    let run = || {
        mail.run
            .as_ref()
            .map_or_else(|| "the run".to_owned(), |run| format!("run:{run}"))
    };
    if let (Some(expected), Some(found)) = (&posting.generation, &mail.generation)
        && expected != found
    {
        return Err(Error::Stale {
            run: run(),
            expected: expected.clone(),
            found: found.clone(),
        });
    }
    if posting.only_when_on
        && let Some(status) = &mail.ended
    {
        return Err(Error::Over {
            run: run(),
            status: status.clone(),
        });
    }
    let weight = posting.envelope.weight();
    for (place, to) in queues(&posting.envelope) {
        if let QueueId::Branch(branch) = &place
            && mail.is_crowded(branch)
        {
            return Err(Error::Crowded { to: to.to_string() });
        }
        let queue = mail.queue(&place);
        if queue.is_full(weight, posting.limits) {
            let counts = queue.counts();
            return Err(Error::Full {
                to: to.to_string(),
                queued: counts.queued + counts.claimed,
            });
        }
    }
    Ok(())
}

/// The queues that a message is added to.
fn queues(envelope: &Envelope) -> Vec<(QueueId, Address)> {
    match &envelope.to {
        Address::Run(_) if !MailState::steers(envelope.kind.as_str()) => {
            vec![(QueueId::Run, envelope.to.clone())]
        }
        Address::Branch(_, branch) => vec![(QueueId::Branch(branch.clone()), envelope.to.clone())],
        Address::Room(_) => {
            let recipients = MailState::recipients(envelope).into_iter();
            recipients
                .map(|(run, branch)| {
                    (
                        QueueId::Branch(branch.clone()),
                        Address::Branch(run, branch),
                    )
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

fn warnings(mail: &MailState, envelope: &Envelope) -> Vec<String> {
    let inbound = matches!(envelope.to, Address::Run(_) | Address::Branch(..))
        .then(|| mail.mailbox.warning_about(&envelope.kind, &envelope.to))
        .flatten();
    let from_run = envelope
        .from
        .as_ref()
        .filter(|from| from.run() == mail.run.as_ref() && mail.run.is_some());
    let outbound = from_run.and_then(|from| mail.mailbox.warning_from(&envelope.kind, from));
    inbound.into_iter().chain(outbound).collect()
}
