//! Handing a message to the process of a run that does not ask for it: on its stdin, or through its
//! named pipe (A5).
//!
//! Owns the two ways and what came of them. The message is durable before; one that was not taken
//! waits in its queue, and goes through the pipe before what is sent later.

use std::time::Duration;

use materia_model::message::event::Message;
use materia_model::message::{DeliveryMethod, Envelope, MailState};

use super::error::Error;
use crate::post::{MessageLog, MessageReceipt};
use crate::run::{self, RunDir};

/// How long a sender waits to hear that the supervisor has written a message to its command's
/// stdin.
const HEARING: Duration = Duration::from_secs(1);

/// Who reads a run's messages, and whether it has this one.
pub(super) struct Handed {
    /// Who reads them.
    pub(super) consumer: &'static str,
    /// What came of it.
    pub(super) fate: Fate,
}

/// What came of handing a message over.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It waits to be asked for.
    Waits,
    /// The process has it.
    Taken,
    /// The process has not taken it yet, and will get it.
    Late(String),
    /// The process could not be given it; it waits.
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

/// Hands a message that was posted to the run's process, in the way that the run wants it.
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

/// The supervisor writes to its command's stdin; whether it has is heard from the journal.
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

/// Whoever reads the named pipe gets it, behind what was sent before, if it arrives in one piece;
/// else the message waits.
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
    // One that is still there has been claimed by somebody who asks for messages.
    let all_gone = post.look(|mail| {
        parcels
            .iter()
            .all(|parcel| mail.place_of(&parcel.id).is_none())
    })?;
    Ok(if all_gone { Fate::Taken } else { Fate::Waits })
}
