//! The named pipe of a run: queued messages go through it in the order in which they were sent
//! (A5).
//!
//! Owns the line format, the order, and recording deliveries. A process that posts a message writes
//! all queued messages to the pipe. The supervisor does the same at its own checks, for messages
//! that were sent before there was a reader. Both hold the journal's write lock, so no message is
//! sent twice or out of order. Never creates the pipe and never waits for a reader.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use materia_model::message::event::{DELIVERED, MESSAGE, Message, MessageDelivered};
use materia_model::message::{DeliveryMethod, MailState};

use crate::run::{RunDir, RunLog, is_dead};
use crate::store::fifo::{self, FifoError};
use crate::store::journal::{JournalError, SharedJournal, WriteGuard};

/// The type of a message that is sent as a bare line.
const PLAIN: &str = "run.message";

/// The result of writing queued messages to the pipe.
#[derive(Debug, Default)]
pub struct Poured {
    /// The messages that are still queued, by id, and why.
    pub left: BTreeMap<String, String>,
    /// Whether the pipe accepts no more data now.
    pub stuck: bool,
}

/// Writes queued messages, up to a durable record, to the pipe, and records the deliveries. A
/// message that is too long for a pipe stays queued for `receive`. Stops at any other error, so
/// that later messages do not overtake.
pub fn pour(
    place: &RunDir,
    held: &mut WriteGuard<'_>,
    mail: &MailState,
    up_to: u64,
) -> Result<Poured, JournalError> {
    let mut poured = Poured::default();
    let mut waiting = mail.waiting(up_to, is_dead).into_iter();
    for parcel in waiting.by_ref() {
        let Err(why) = fifo::send(&path(place), &line(&parcel)) else {
            held.append(
                DELIVERED,
                &MessageDelivered {
                    id: parcel.id,
                    how: "fifo".to_owned(),
                },
            )?;
            continue;
        };
        poured.stuck = !matches!(why, FifoError::TooLong(_));
        poured.left.insert(parcel.id, why.to_string());
        if poured.stuck {
            poured
                .left
                .extend(waiting.map(|parcel| (parcel.id, why.to_string())));
            break;
        }
    }
    Ok(poured)
}

/// The named pipe of a run, for its supervisor.
#[derive(Debug, Default)]
pub(super) struct FifoDelivery {
    /// Whether there may be queued messages.
    waits: bool,
}

impl FifoDelivery {
    /// Writes queued messages, if the run reads a pipe; `came` says that there was a message since
    /// the last call. The next call retries what fails now.
    pub(super) fn look(
        &mut self,
        place: &RunDir,
        journal: &SharedJournal,
        log: &mut RunLog,
        came: bool,
    ) {
        let reads = log.fold().mail.mailbox.deliver == DeliveryMethod::Fifo;
        self.waits |= reads && came;
        if self.waits && path(place).exists() {
            self.waits = pour_all(place, journal, log).unwrap_or(true);
        }
    }
}

/// Writes queued messages. Returns whether some are still queued.
fn pour_all(
    place: &RunDir,
    journal: &SharedJournal,
    log: &mut RunLog,
) -> Result<bool, JournalError> {
    // Sync first: a message must be durable before a reader has it.
    let mark = journal.hold()?.mark();
    journal.commit_to(&mark)?;
    let up_to = journal.last_seq();
    let mut held = journal.hold()?;
    let mut came = false;
    log.catch_up_with(|_, record| {
        came |= record.kind == MESSAGE && record.seq > up_to;
        ControlFlow::Continue(())
    })?;
    let poured = pour(place, &mut held, &log.fold().mail, up_to)?;
    Ok(poured.stuck || came)
}

fn path(place: &RunDir) -> PathBuf {
    place.dir().join("control.fifo")
}

/// A bare text for `run.message`, the whole message with its id for all other types.
fn line(message: &Message) -> Vec<u8> {
    let envelope = &message.envelope;
    let plain = (envelope.kind.as_str() == PLAIN).then(|| match &envelope.body {
        None => PLAIN.to_owned(),
        Some(_) => envelope.text(),
    });
    let whole = || serde_json::to_string(message).unwrap_or_default();
    let mut line = plain
        .filter(|text| !text.contains('\n'))
        .unwrap_or_else(whole);
    line.push('\n');
    line.into_bytes()
}
