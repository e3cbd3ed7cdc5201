//! Claiming and settling messages: exactly one process holds a message, and it is settled once.
//!
//! Owns the critical section in which a claim is made. A claim of a process that has ended is void,
//! and the next caller gets the message. A message whose five holders all died is marked as failed
//! instead of being handed out a sixth time.

use materia_model::message::event::{
    CLAIM, FAILED, HANDLED, MessageClaim, MessageFailed, MessageHandled, MessageHolder,
};
use materia_model::message::{Envelope, MessageQueue, QueueEntry, QueueId, SettleOutcome};
use materia_model::time::Timestamp;
use serde::Serialize;

use super::error::Error;
use super::message_log::MessageLog;
use crate::run::is_dead;

/// A message that its holder has to settle.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClaimedMessage {
    /// Its id in the queue.
    pub id: String,
    /// The message as it was sent.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// The number of claims, including this one. More than one means that an earlier holder died.
    pub attempt: u32,
}

/// The outcome of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageSettlement {
    /// It was processed.
    Handled,
    /// It could not be processed, and why.
    Failed(String),
}

/// The state of a message after it was settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettledMessage {
    /// The id of the message.
    pub id: String,
    /// Its final status.
    pub status: &'static str,
    /// Whether it had this status before, which makes this request a repeat.
    pub already: bool,
}

impl MessageLog {
    /// Claims the next message of a queue for a process, if there is one.
    ///
    /// The message itself is durable when this returns.
    pub fn claim(
        &self,
        place: &QueueId,
        by: &MessageHolder,
    ) -> Result<Option<ClaimedMessage>, Error> {
        let (mut held, mut log) = self.decide()?;
        loop {
            let Some(next) = log.fold().mail.queue(place).next(is_dead) else {
                return Ok(None);
            };
            if MessageQueue::is_poison(next) {
                let error = format!("{} processes died over it", next.claims);
                held.append(
                    FAILED,
                    &MessageFailed {
                        id: next.id.clone(),
                        error,
                    },
                )?;
                log.catch_up()?;
                continue;
            }
            let Some(claimed) = claimed(next) else {
                return Ok(None);
            };
            // All records up to here, including the message, must be durable before the message is
            // handed out. The claim need not be.
            let mark = held.mark();
            held.append(
                CLAIM,
                &MessageClaim {
                    id: claimed.id.clone(),
                    by: by.clone(),
                    handed: false,
                },
            )?;
            drop(log);
            drop(held);
            self.journal.commit_to(&mark)?;
            return Ok(Some(claimed));
        }
    }

    /// Transfers a claim from the process that made it to the process it was made for. Returns
    /// whether the first process still held it.
    pub fn hand(&self, id: &str, from: &MessageHolder, to: &MessageHolder) -> Result<bool, Error> {
        let (mut held, log) = self.decide()?;
        let mine = log.fold().mail.place_of(id).is_some_and(|place| {
            log.fold().mail.queue(&place).settle(id, from, |_| false) == SettleOutcome::Open
        });
        if mine {
            held.append(
                CLAIM,
                &MessageClaim {
                    id: id.to_owned(),
                    by: to.clone(),
                    handed: true,
                },
            )?;
        }
        Ok(mine)
    }

    /// Records the outcome of a message, durably. Repeating the same outcome changes nothing.
    pub fn settle(
        &self,
        place: &QueueId,
        id: &str,
        by: &MessageHolder,
        ending: &MessageSettlement,
    ) -> Result<SettledMessage, Error> {
        self.settle_for(place, id, (by, &[]), ending)
    }

    /// Like `settle`, for a caller that may also act for other holders.
    pub fn settle_for(
        &self,
        place: &QueueId,
        id: &str,
        (by, others): (&MessageHolder, &[MessageHolder]),
        ending: &MessageSettlement,
    ) -> Result<SettledMessage, Error> {
        let (mut held, log) = self.decide()?;
        let status = ending.as_str();
        let place = log
            .fold()
            .mail
            .place_of(id)
            .unwrap_or_else(|| place.clone());
        let settled = log
            .fold()
            .mail
            .queue(&place)
            .settle(id, by, |other| others.contains(other) || is_dead(other));
        drop(log);
        match settled {
            SettleOutcome::Open => {}
            SettleOutcome::Already(found) if found == status => {
                // An earlier caller may have written this and been killed before the sync.
                let mark = held.mark();
                drop(held);
                self.journal.commit_to(&mark)?;
                return Ok(SettledMessage {
                    id: id.to_owned(),
                    status,
                    already: true,
                });
            }
            SettleOutcome::Already(found) => {
                return Err(Error::Finished {
                    id: id.to_owned(),
                    status: found,
                });
            }
            SettleOutcome::Held(by) => {
                return Err(Error::Held {
                    id: id.to_owned(),
                    by,
                });
            }
            SettleOutcome::Unknown => return Err(Error::Unknown(id.to_owned())),
        }
        let id = id.to_owned();
        match ending.clone() {
            MessageSettlement::Handled => {
                held.append(HANDLED, &MessageHandled { id: id.clone() })?
            }
            MessageSettlement::Failed(error) => held.append(
                FAILED,
                &MessageFailed {
                    id: id.clone(),
                    error,
                },
            )?,
        };
        let mark = held.mark();
        drop(held);
        self.journal.commit_to(&mark)?;
        Ok(SettledMessage {
            id,
            status,
            already: false,
        })
    }
}

fn claimed(entry: &QueueEntry) -> Option<ClaimedMessage> {
    let envelope = entry.envelope.as_deref()?.clone();
    Some(ClaimedMessage {
        id: entry.id.clone(),
        envelope,
        queued_at: entry.queued_at,
        attempt: entry.claims + 1,
    })
}

impl MessageSettlement {
    /// The outcome as it is serialized.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Handled => "handled",
            Self::Failed(_) => "failed",
        }
    }
}
