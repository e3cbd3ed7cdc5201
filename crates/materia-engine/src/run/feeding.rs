//! Handing messages to the commands of a run on their stdin (A5).
//!
//! Owns which one is next: one at a time, when a command has taken the one before, so that what nobody reads stays in the
//! journal and counts as waiting. What a command had that failed comes again for the next one, with the same ids (A4).

use std::collections::VecDeque;

use materia_model::message::Mail;
use materia_model::message::event::{DELIVERED, Delivered, Message};
use materia_model::record::Record;
use materia_model::run::{MESSAGE, Start};
use serde::Deserialize;

use super::place::Place;
use crate::store::journal::{From, Reader, SharedJournal};

/// Hands messages over, in the order of the journal.
pub(super) struct Feeding<'s> {
    place: &'s Place,
    journal: &'s SharedJournal,
    reader: Option<Reader>,
    /// Behind which record the messages for the present command begin.
    begin: u64,
    /// The last record of which everything was taken.
    taken: u64,
    /// The record that is being handed over, and what is left of it.
    at: u64,
    parcels: VecDeque<Message>,
    /// What was handed over and perhaps not taken.
    offered: Option<String>,
    /// Whether there may be something to hand over that nobody is going to ring for.
    due: bool,
}

/// Whether the commands of a run get their messages on their stdin.
pub(super) fn wants_stdin(start: &Start) -> bool {
    let how = start.mailbox.as_ref().and_then(|mailbox| mailbox.get("deliver"));
    how.is_some_and(|how| how == "stdin")
}

impl<'s> Feeding<'s> {
    /// Hands over what stands behind a record.
    pub(super) fn after(seq: u64, place: &'s Place, journal: &'s SharedJournal) -> Self {
        let (reader, parcels, offered) = (None, VecDeque::new(), None);
        Self { place, journal, reader, begin: seq, taken: seq, at: seq, parcels, offered, due: false }
    }

    /// A command was started, and may read.
    pub(super) fn started(&mut self) {
        self.due = true;
    }

    /// The last command that ran is over. One that failed has dealt with nothing.
    pub(super) fn ended(&mut self, well: bool) {
        if well {
            self.begin = self.taken;
        } else {
            self.taken = self.begin;
        }
        (self.reader, self.offered, self.at) = (None, None, self.taken);
        self.parcels.clear();
    }

    pub(super) fn is_due(&self) -> bool {
        self.due
    }

    /// The next line, where somebody has taken everything that was handed over before.
    pub(super) fn next(&mut self, hungry: bool) -> Option<Vec<u8>> {
        self.due = false;
        if !hungry {
            return None;
        }
        if let Some(id) = self.offered.take() {
            let _untold = self.journal.append(DELIVERED, &Delivered { id, how: "stdin".to_owned() });
        }
        loop {
            if let Some(parcel) = self.parcels.pop_front() {
                let Ok(line) = serde_json::to_string(&parcel) else { continue };
                self.offered = Some(parcel.id);
                self.due = true;
                return Some(format!("{line}\n").into_bytes());
            }
            self.taken = self.at;
            let record = self.read()?;
            if let Ok(message) = Message::deserialize(&record.data) {
                self.parcels = Mail::parcels(&message, self.place.id()).into();
            }
            self.at = record.seq;
        }
    }

    /// The next message in the journal.
    fn read(&mut self) -> Option<Record> {
        if self.reader.is_none() {
            self.reader = Reader::open(&self.place.journal(), From::After(self.taken)).ok();
        }
        let records = self.reader.as_mut()?.map_while(Result::ok);
        records.into_iter().find(|record| record.kind == MESSAGE && record.seq > self.taken)
    }
}
