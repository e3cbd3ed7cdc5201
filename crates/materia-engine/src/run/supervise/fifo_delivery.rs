//! The named pipe of a run: what waits goes through it in the order in which it was sent (A5).
//!
//! Owns the line, the order, and recording what went. A process that posts a message writes what
//! waits to the pipe, and so does the supervisor when it looks by itself, for what was sent before
//! there was a reader. Both do it in the journal's turn, so nothing goes twice or overtakes. Never
//! makes the pipe and never waits for a reader.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use materia_model::message::event::{DELIVERED, MESSAGE, Message, MessageDelivered};
use materia_model::message::{DeliveryMethod, MailState};

use crate::run::{RunDir, RunLog, is_dead};
use crate::store::fifo::{self, FifoError};
use crate::store::journal::{JournalError, SharedJournal, WriteGuard};

/// The type of a message that is a bare line.
const PLAIN: &str = "run.message";

/// What became of what waited.
#[derive(Debug, Default)]
pub struct Poured {
    /// What waits still, by its id, and why.
    pub left: BTreeMap<String, String>,
    /// Whether the pipe takes nothing now.
    pub stuck: bool,
}

/// Hands what waits, up to a record that is durable, to the reader of the pipe, and records that.
/// What is too long for a pipe waits for `receive`. At anything else it stops: what was sent later
/// must not overtake.
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
    /// Whether there may be something to pour.
    waits: bool,
}

impl FifoDelivery {
    /// Pours what waits, where the run reads a pipe; `came` says that there was a message since the
    /// last look. What cannot be poured now is left to the next one.
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

/// Pours what waits; whether some of it waits still.
fn pour_all(
    place: &RunDir,
    journal: &SharedJournal,
    log: &mut RunLog,
) -> Result<bool, JournalError> {
    // It is durable before a reader has it.
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

/// A bare text for `run.message`, the whole message with its id for everything else.
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
