//! The log of a cast together with the state it folds into.
//!
//! Owns the order: an event is appended, flushed if it is a promise, and only then
//! folded. Opening a log checks all of it and folds the events after the last snapshot. Only one
//! process can have a log open for writing; others are refused.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use materia_model::cast::event::{self, CastStart};
use materia_model::cast::{CastEvent, CastEventBody, CastState};
use materia_model::secret::Secrets;
use materia_model::time::Timestamp;
use serde::Serialize;
use serde_json::Value;

use super::clean;
use super::error::Error;
use super::folder::{Folder, UnsyncedStart};
use super::manifest::Entries;
use super::snapshot::{self, Pace};
use super::usage::usage;
use crate::clock::Clock;
use crate::failpoint;
use crate::store::journal::{From, Journal, Options, Reader};

/// The log of a cast, opened for writing.
#[derive(Debug)]
pub struct Log {
    journal: Journal,
    state: CastState,
    pace: Pace,
    snapshot: PathBuf,
    secrets: Option<Arc<Secrets>>,
    /// Files beside the log that are not durable yet.
    beginning: Option<UnsyncedStart>,
}

impl Log {
    /// Begins the log of a new cast.
    pub fn begin(
        folder: &Folder,
        clock: &Clock,
        beginning: UnsyncedStart,
        start: CastStart,
    ) -> Result<(Self, CastEvent), Error> {
        let journal = Journal::open(&folder.events(), clock, &options())?;
        let secrets = folder.shared_secrets();
        let mut log = Self {
            journal,
            state: CastState::default(),
            pace: Pace::new(0),
            snapshot: folder.state(),
            secrets,
            beginning: Some(beginning),
        };
        let event = log.record(CastEventBody::CastStart(start))?;
        Ok((log, event))
    }

    /// Opens the log of an interrupted cast, truncates a partly written end, and folds it.
    pub fn open(folder: &Folder, clock: &Clock) -> Result<Self, Error> {
        let (path, snapshot) = (folder.events(), folder.state());
        let journal = Journal::open(&path, clock, &options())?;
        let kept = snapshot::read(&snapshot);
        let known = kept.and_then(|(at, state)| fold(&path, From::Checkpoint(at), state).ok());
        // The log is authoritative: an unusable snapshot is ignored.
        let (state, since) = match known {
            Some(known) => known,
            None => fold(&path, From::Beginning, CastState::default())?,
        };
        let secrets = folder.shared_secrets();
        let log = Self {
            journal,
            state,
            pace: Pace::new(since),
            snapshot,
            secrets,
            beginning: None,
        };
        if log.state.cast_id.is_empty() {
            Err(Error::NoBeginning)
        } else {
            Ok(log)
        }
    }

    /// The state that the events fold to.
    pub fn state(&self) -> &CastState {
        &self.state
    }

    /// Appends an event, redacted, and folds it.
    pub fn record(&mut self, body: CastEventBody) -> Result<CastEvent, Error> {
        let at = self.write(std::slice::from_ref(&body))?;
        let event = CastEvent { at, body };
        self.fold(&event)?;
        self.keep_pace();
        Ok(event)
    }

    /// Appends several events with one write. A kill leaves all of them or none, so the user never
    /// has to repeat an answer. They are folded one by one, and the observer is notified in
    /// between.
    pub(super) fn record_all(
        &mut self,
        bodies: Vec<CastEventBody>,
        mut tell: impl FnMut(&CastEvent, &CastState),
    ) -> Result<(), Error> {
        let at = self.write(&bodies)?;
        for body in bodies {
            let event = CastEvent { at, body };
            self.fold(&event)?;
            tell(&event, &self.state);
        }
        self.keep_pace();
        Ok(())
    }

    /// Appends events with one write, and flushes them if one of them is a promise.
    fn write(&mut self, bodies: &[CastEventBody]) -> Result<Timestamp, Error> {
        let secrets = known(self.secrets.as_deref());
        let written = |body| {
            Ok::<_, Error>(
                clean::cleaned(secrets, body)?
                    .map_or_else(|| Data::Whole(body.data()), Data::Cleaned),
            )
        };
        let data = bodies.iter().map(written).collect::<Result<Vec<_>, _>>()?;
        let records: Vec<(&str, &Data<'_>)> =
            bodies.iter().map(CastEventBody::kind).zip(&data).collect();
        let at = self.journal.append_all(&records)?;
        if bodies.iter().any(CastEventBody::is_promise) {
            self.promise()?;
        }
        Ok(at)
    }

    fn fold(&mut self, event: &CastEvent) -> Result<(), Error> {
        failpoint::hit("cast.recorded")?;
        self.state.apply(event);
        self.pace.count();
        Ok(())
    }

    /// Writes a snapshot from time to time, once all events in the log are folded.
    fn keep_pace(&mut self) {
        if self.pace.is_due() {
            let secrets = known(self.secrets.as_deref());
            self.pace.write(
                &self.snapshot,
                self.journal.checkpoint(),
                &self.state,
                secrets,
            );
        }
    }

    /// Appends a record that the state does not depend on.
    pub(super) fn note<T: Serialize>(&mut self, kind: &str, data: &T) -> Result<(), Error> {
        Ok(self.journal.append(kind, data).map(drop)?)
    }

    /// Appends an event of another cast and folds it. No flush: nothing relies on it before
    /// `settle`.
    pub(super) fn copy(&mut self, body: CastEventBody) -> Result<(), Error> {
        let at = self.journal.append_all(&[(body.kind(), &body.data())])?;
        self.state.apply(&CastEvent { at, body });
        Ok(())
    }

    /// Flushes everything that was written.
    pub(super) fn promise(&mut self) -> Result<(), Error> {
        if let Some(beginning) = self.beginning.take() {
            beginning.commit()?;
        }
        Ok(self.journal.commit()?)
    }

    /// Writes the documents derived from the log, and flushes the rest.
    pub(super) fn settle(&mut self, folder: &Folder) -> Result<(), Error> {
        self.promise()?;
        folder.snapshot("usage.json", &usage(&self.state))?;
        let entries = Entries::read(&folder.events())?;
        let log_bytes = folder.events().metadata()?.len();
        folder.snapshot("manifest.json", &entries.manifest(&self.state, log_bytes))
    }
}

/// The serialized form of an event's data.
#[derive(Serialize)]
#[serde(untagged)]
enum Data<'a> {
    Whole(event::CastEventData<'a>),
    Cleaned(Value),
}

/// The known secrets, or at least the shapes of keys.
fn known(secrets: Option<&Secrets>) -> &Secrets {
    secrets.unwrap_or(Secrets::shapes())
}

/// Folds all events after a position in the log into `state`, and counts them.
fn fold(path: &Path, from: From, mut state: CastState) -> Result<(CastState, u64), Error> {
    let mut count = 0;
    for record in Reader::open(path, from)? {
        let record = record?;
        let body =
            CastEventBody::read(&record.kind, record.data).map_err(|source| Error::BadEvent {
                seq: record.seq,
                source,
            })?;
        if let Some(body) = body {
            state.apply(&CastEvent {
                at: record.at,
                body,
            });
            count += 1;
        }
    }
    Ok((state, count))
}

fn options() -> Options {
    Options {
        name: "cast".to_owned(),
        rotate_at: None,
        from: None,
    }
}

#[cfg(test)]
mod tests;
