//! Posting: a message is on disk before anybody hears of it.
//!
//! Owns the checks that need the journal's state: whether the run is on, whether it is still the
//! generation that was meant, whether its queue has room. They are made and the message is written
//! in one turn.

use materia_model::message::event::{MESSAGE, Message};
use materia_model::message::{Address, Envelope, MailState, QueueId, QueueLimits};

use super::error::Error;
use super::message_log::MessageLog;
use crate::run::{self, Poured};
use crate::wake::waiters;

/// A message to be posted, and what has to be so.
#[derive(Debug)]
pub struct MessagePosting {
    /// What is sent.
    pub envelope: Envelope,
    /// The generation it is meant for; whichever is there, where nothing is said.
    pub generation: Option<String>,
    /// Whether the run has to be on.
    pub only_when_on: bool,
    /// How much may wait.
    pub limits: QueueLimits,
}

/// A message that is durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageReceipt {
    /// Its id.
    pub id: String,
    /// Its place in the journal.
    pub seq: u64,
    /// The generation it was posted to.
    pub generation: Option<String>,
    /// What the run's contract says about it.
    pub warnings: Vec<String>,
}

impl MessagePosting {
    /// A message for whatever generation there is, to a run that is on or not.
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
        // Whoever is woken makes the message durable before it hands it out, so it may wake while
        // we do the same.
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
    /// Hands what waits, up to a message that is durable, to whoever reads the run's named pipe.
    /// When this returns it is recorded durably what went.
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

/// Short enough for a person and a model to repeat, unique in its journal by the number and
/// elsewhere by chance.
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

/// The queues a message will wait in.
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
