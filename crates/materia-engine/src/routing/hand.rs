//! Pushing a message to the process of a run that does not call `receive`: on its stdin, or through
//! its named pipe (A5).
//!
//! Owns both ways and their outcome. The message is durable first. A message that was not read
//! stays in its queue, and goes through the pipe before later messages.

use std::time::Duration;

use materia_model::message::event::Message;
use materia_model::message::{DeliveryMethod, Envelope, MailState};

use super::error::Error;
use crate::post::{MessageLog, MessageReceipt};
use crate::run::{self, RunDir};

/// How long a sender waits for the supervisor to record that it wrote a message to its command's
/// stdin.
const HEARING: Duration = Duration::from_secs(1);

/// The reader of a run's messages, and whether it has this one.
pub(super) struct Handed {
    /// The reader.
    pub(super) consumer: &'static str,
    /// The outcome.
    pub(super) fate: Fate,
}

/// The outcome of pushing a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It waits for `receive`.
    Waits,
    /// The process has read it.
    Taken,
    /// The process has not read it yet, and will get it.
    Late(String),
    /// The process could not get it; it stays in the queue.
    Failed(String),
}

impl Fate {
    /// Why the process does not have it.
    pub(super) fn problem(self) -> Option<String> {
        match self {
            Self::Waits | Self::Taken => None,
            Self::Late(why) | Self::Failed(why) => Some(why),
        }
    }
}

/// Pushes a posted message to the run's process, in the way the run declares.
pub(super) fn over(
    post: &MessageLog,
    place: &RunDir,
    receipt: &MessageReceipt,
    envelope: Envelope,
) -> Result<Handed, Error> {
    let message = Message {
        id: receipt.id.clone(),
        envelope,
        generation: receipt.generation.clone(),
    };
    let parcels = MailState::parcels(&message, place.id());
    let (consumer, fate) = match post.look(|mail| mail.mailbox.deliver)? {
        DeliveryMethod::Receive => ("mailbox", Fate::Waits),
        DeliveryMethod::Stdin => ("stdin", by_stdin(post, place, &parcels)?),
        DeliveryMethod::Fifo => ("fifo", by_fifo(post, place, receipt.seq, &parcels)?),
    };
    Ok(Handed { consumer, fate })
}

/// The supervisor writes to its command's stdin; the journal says whether it has.
fn by_stdin(post: &MessageLog, place: &RunDir, parcels: &[Message]) -> Result<Fate, Error> {
    run::ring(place);
    let all_gone = |mail: &MailState| {
        parcels
            .iter()
            .all(|parcel| mail.place_of(&parcel.id).is_none())
    };
    let heard = post.until(HEARING, all_gone)?;
    Ok(if heard {
        Fate::Taken
    } else {
        Fate::Late("its command has not taken it yet".to_owned())
    })
}

/// Writes it to the named pipe, after earlier messages, if the write is atomic. Otherwise the
/// message stays in the queue.
fn by_fifo(
    post: &MessageLog,
    place: &RunDir,
    up_to: u64,
    parcels: &[Message],
) -> Result<Fate, Error> {
    let mut poured = post.pour(place, up_to)?;
    if let Some(why) = parcels
        .iter()
        .find_map(|parcel| poured.left.remove(&parcel.id))
    {
        return Ok(Fate::Failed(why));
    }
    // A message that is still there was claimed by a process that calls `receive`.
    let all_gone = post.look(|mail| {
        parcels
            .iter()
            .all(|parcel| mail.place_of(&parcel.id).is_none())
    })?;
    Ok(if all_gone { Fate::Taken } else { Fate::Waits })
}
