//! Delivering messages to the commands of a run on their stdin (A5).
//!
//! Owns which message is next: one at a time, after a command has read the one before, so that
//! unread messages count as queued. Messages that a command left unread, or had read when it
//! failed, are delivered again to the next command, with the same ids (A4).

use std::collections::{BTreeMap, VecDeque};

use materia_model::message::MailState;
use materia_model::message::event::{DELIVERED, Message, MessageDelivered};
use materia_model::record::Record;
use materia_model::run::{MESSAGE, RunStart};
use materia_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::run::RunDir;
use crate::store::journal::{From, Reader, SharedJournal};

/// Delivers messages in the order of the journal.
pub(super) struct StdinDelivery<'s> {
    place: &'s RunDir,
    journal: &'s SharedJournal,
    reader: Option<Reader>,
    /// The record after which the messages for the current command begin.
    begin: u64,
    /// The last record whose messages were all read.
    taken: u64,
    /// The record that is being delivered, and its remaining messages.
    at: u64,
    parcels: VecDeque<Message>,
    queued_at: Option<Timestamp>,
    /// The message that was written and perhaps not read.
    offered: Option<String>,
    /// The number of deliveries of each message that is not done.
    attempts: BTreeMap<String, u32>,
    /// Whether there may be a message for which no wake-up will come.
    due: bool,
}

/// A message as a command reads it.
#[derive(Serialize)]
struct Offer<'m> {
    #[serde(flatten)]
    message: &'m Message,
    queued_at: Option<Timestamp>,
    /// More than one means that a command failed with it, or left it unread.
    attempt: u32,
}

/// Whether the commands of a run get their messages on stdin.
pub(super) fn wants_stdin(start: &RunStart) -> bool {
    let how = start
        .mailbox
        .as_ref()
        .and_then(|mailbox| mailbox.get("deliver"));
    how.is_some_and(|how| how == "stdin")
}

impl<'s> StdinDelivery<'s> {
    /// Delivers messages after a record.
    pub(super) fn after(seq: u64, place: &'s RunDir, journal: &'s SharedJournal) -> Self {
        Self {
            place,
            journal,
            reader: None,
            begin: seq,
            taken: seq,
            at: seq,
            parcels: VecDeque::new(),
            queued_at: None,
            offered: None,
            attempts: BTreeMap::new(),
            due: false,
        }
    }

    /// A command was started, and may read.
    pub(super) fn started(&mut self) {
        self.due = true;
    }

    /// The last running command ended. If it failed, none of its messages are done; if it
    /// succeeded, those it left unread are not.
    pub(super) fn ended(&mut self, well: bool, read_all: bool) {
        if well {
            if read_all {
                self.is_taken();
            }
            self.begin = self.taken;
            self.attempts
                .retain(|id, _| self.offered.as_ref() == Some(id));
        } else {
            self.taken = self.begin;
        }
        (self.reader, self.offered, self.at) = (None, None, self.taken);
        self.parcels.clear();
    }

    pub(super) fn is_due(&self) -> bool {
        self.due
    }

    /// The next line, if the command has read all earlier ones.
    pub(super) fn next(&mut self, stdin_drained: bool) -> Option<Vec<u8>> {
        self.due = false;
        if !stdin_drained {
            return None;
        }
        self.is_taken();
        loop {
            if let Some(message) = self.parcels.pop_front() {
                let attempt = self.attempts.get(&message.id).copied().unwrap_or_default() + 1;
                let offer = Offer {
                    message: &message,
                    queued_at: self.queued_at,
                    attempt,
                };
                let Ok(line) = serde_json::to_string(&offer) else {
                    continue;
                };
                self.attempts.insert(message.id.clone(), attempt);
                self.offered = Some(message.id);
                self.due = true;
                return Some(format!("{line}\n").into_bytes());
            }
            self.taken = self.at;
            let record = self.read()?;
            if let Ok(message) = Message::deserialize(&record.data) {
                self.parcels = MailState::parcels(&message, self.place.id()).into();
            }
            (self.at, self.queued_at) = (record.seq, Some(record.at));
        }
    }

    /// Records that a command has read the last message.
    fn is_taken(&mut self) {
        if let Some(id) = self.offered.take() {
            let _untold = self.journal.append(
                DELIVERED,
                &MessageDelivered {
                    id,
                    how: "stdin".to_owned(),
                },
            );
        }
        if self.parcels.is_empty() {
            self.taken = self.at;
        }
    }

    /// The next message in the journal.
    fn read(&mut self) -> Option<Record> {
        if self.reader.is_none() {
            self.reader = Reader::open(&self.place.journal(), From::After(self.taken)).ok();
        }
        let records = self.reader.as_mut()?.map_while(Result::ok);
        records
            .into_iter()
            .find(|record| record.kind == MESSAGE && record.seq > self.taken)
    }
}
