//! Claiming and settling: exactly one process has a message, and it ends once.
//!
//! Owns the turn in which a claim is made. A claim of a process that has ended is void, and the
//! message is given to the next who asks; one that five processes died over is failed instead of
//! killing a sixth.

use materia_model::message::event::{
    CLAIM, FAILED, HANDLED, MessageClaim, MessageFailed, MessageHandled, MessageHolder,
};
use materia_model::message::{Envelope, MessageQueue, QueueEntry, QueueId, SettleOutcome};
use materia_model::time::Timestamp;
use serde::Serialize;

use super::error::Error;
use super::message_log::MessageLog;
use crate::run::is_dead;

/// A message that its holder now has to deal with.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClaimedMessage {
    /// Its id in the queue.
    pub id: String,
    /// What was sent.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// How often it has been claimed, this time included: more than once means that somebody died
    /// over it.
    pub attempt: u32,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MessageSettlement {
    /// It was dealt with.
    Handled,
    /// It could not be dealt with.
    Failed(String),
}

/// How a message stands after it was settled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SettledMessage {
    /// Which.
    pub id: String,
    /// How it ended.
    pub status: &'static str,
    /// Whether it had ended so before: then it was a repeat.
    pub already: bool,
}

impl MessageLog {
    /// Claims the next message of a queue for a process, if one waits.
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
            // Everything up to here, the message too, has to be durable before it is handed out;
            // the claim itself has not.
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

    /// Hands a claim on, from the process that made it to the one it made it for. Whether it still
    /// had it.
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

    /// Says what became of a message, durably. Saying the same twice changes nothing.
    pub fn settle(
        &self,
        place: &QueueId,
        id: &str,
        by: &MessageHolder,
        ending: &MessageSettlement,
    ) -> Result<SettledMessage, Error> {
        self.settle_for(place, id, (by, &[]), ending)
    }

    /// The same by somebody who may also speak for others.
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
                // It may have been said a moment ago by somebody who was killed before it was
                // durable.
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
    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Handled => "handled",
            Self::Failed(_) => "failed",
        }
    }
}
