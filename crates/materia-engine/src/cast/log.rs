//! The log of a cast and the state it folds into, always together.
//!
//! Owns the order: an event is appended, flushed if somebody relies on it, and only then folded. Opening a log folds
//! what is there. Exactly one process has a log open for writing; another one is refused.

use materia_model::cast::event::CastStart;
use materia_model::cast::{Body, Event, State};

use super::error::Error;
use super::folder::Folder;
use super::manifest::Entries;
use crate::clock::Clock;
use crate::store::journal::{From, Journal, Options, Reader};

/// The log of a cast, opened for writing.
#[derive(Debug)]
pub struct Log {
    journal: Journal,
    clock: Clock,
    state: State,
    entries: Entries,
}

impl Log {
    /// Begins the log of a new cast.
    pub fn begin(folder: &Folder, clock: &Clock, start: CastStart) -> Result<(Self, Event), Error> {
        let journal = Journal::open(&folder.events(), clock, &options())?;
        let (state, entries) = (State::default(), Entries::default());
        let mut log = Self { journal, clock: clock.clone(), state, entries };
        let event = log.record(Body::CastStart(start))?;
        Ok((log, event))
    }

    /// Opens the log of a cast that was left, cuts what a crash tore, and folds it.
    pub fn open(folder: &Folder, clock: &Clock) -> Result<Self, Error> {
        let path = folder.events();
        let journal = Journal::open(&path, clock, &options())?;
        let mut log =
            Self { journal, clock: clock.clone(), state: State::default(), entries: Entries::default() };
        for record in Reader::open(&path, From::Beginning)? {
            let record = record?;
            let body = Body::read(&record.kind, record.data)
                .map_err(|source| Error::BadEvent { seq: record.seq, source })?;
            if let Some(body) = body {
                log.fold(&Event { at: record.at, body });
            }
        }
        if log.state.cast_id.is_empty() { Err(Error::NoBeginning) } else { Ok(log) }
    }

    /// What the events come to.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Writes down what happened and folds it.
    pub fn record(&mut self, body: Body) -> Result<Event, Error> {
        let at = self.clock.now();
        self.journal.append(body.kind(), &body.data())?;
        if body.is_promise() {
            self.journal.commit()?;
        }
        let event = Event { at, body };
        self.fold(&event);
        Ok(event)
    }

    /// Writes down what happened in another cast and folds it; nobody relies on it before the log is settled.
    pub(super) fn copy(&mut self, body: Body) -> Result<(), Error> {
        let at = self.clock.now();
        self.journal.append(body.kind(), &body.data())?;
        self.fold(&Event { at, body });
        Ok(())
    }

    /// Writes the snapshots that come from the log, and flushes what is not flushed yet.
    pub(super) fn settle(&self, folder: &Folder) -> Result<(), Error> {
        self.journal.commit()?;
        folder.snapshot("usage.json", &super::manifest::usage(&self.state))?;
        let log_bytes = folder.events().metadata()?.len();
        folder.snapshot("manifest.json", &self.entries.manifest(&self.state, log_bytes))
    }

    fn fold(&mut self, event: &Event) {
        self.entries.note(event);
        self.state.apply(event);
    }
}

fn options() -> Options {
    Options { name: "cast".to_owned(), rotate_at: None, from: None }
}
