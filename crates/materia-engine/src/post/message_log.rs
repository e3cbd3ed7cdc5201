//! One run's messages, open for reading and writing.
//!
//! Owns the handle: the shared journal, and the fold of everything read so far. Threads may share
//! it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use materia_model::message::MailState;
use materia_model::run_fold::RunFold;
use serde::Serialize;
use serde_json::Value;

use super::error::Error;
use crate::clock::{self, Clock};
use crate::run::RunLog;
use crate::store::journal::{JournalError, SharedJournal, WriteGuard};
use crate::store::{atomic, dir};
use crate::wake::waiters::{self, WaiterPipe};

/// A run's messages.
#[derive(Debug)]
pub struct MessageLog {
    pub(super) journal: SharedJournal,
    pub(super) path: PathBuf,
    pub(super) clock: Clock,
    log: Mutex<RunLog>,
}

impl MessageLog {
    /// Opens the messages of the run whose journal is at a path.
    pub fn open(path: &Path, clock: &Clock) -> Result<Self, Error> {
        Self::continuing(RunLog::read(path)?, clock)
    }

    /// Opens the messages of a run whose journal was read: it is not read again.
    pub fn continuing(log: RunLog, clock: &Clock) -> Result<Self, Error> {
        if !log.is_there() {
            return Err(JournalError::Missing(log.path().to_owned()).into());
        }
        Ok(Self {
            journal: log.journal(clock)?,
            path: log.path().to_owned(),
            clock: clock.clone(),
            log: Mutex::new(log),
        })
    }

    /// Reads the messages of a run's journal, without opening it for writing.
    pub fn read(path: &Path) -> Result<MailState, Error> {
        let log: RunLog = RunLog::read(path)?;
        if !log.is_there() {
            return Err(JournalError::Missing(path.to_owned()).into());
        }
        Ok(log.into_fold().mail)
    }

    /// Reads new records, and calls `look` with the message state.
    pub fn look<T>(&self, look: impl FnOnce(&MailState) -> T) -> Result<T, Error> {
        self.look_at_all(|fold| look(&fold.mail))
    }

    /// Reads new records, and calls `look` with the whole fold.
    pub fn look_at_all<T>(&self, look: impl FnOnce(&RunFold) -> T) -> Result<T, Error> {
        let mut log = self.log();
        log.catch_up()?;
        Ok(look(log.fold()))
    }

    /// Opens a pipe that is woken when a message comes.
    pub fn listen(&self) -> Result<WaiterPipe, Error> {
        let folder = self.ears();
        WaiterPipe::open(&folder).map_err(|source| Error::Io {
            path: folder,
            source,
        })
    }

    /// Appends a record that is not a message. The next sync makes it durable.
    pub fn note<T: Serialize + ?Sized>(&self, kind: &str, data: &T) -> Result<(), Error> {
        self.journal.append(kind, data)?;
        Ok(())
    }

    /// Like `note`, but durable when this returns.
    pub fn note_durably<T: Serialize + ?Sized>(&self, kind: &str, data: &T) -> Result<(), Error> {
        self.journal.append_durable(kind, data)?;
        Ok(())
    }

    /// The path prefix of the pipes of processes that wait for a message.
    pub(super) fn ears(&self) -> PathBuf {
        waiters::pipes_in(dir::parent_of(&self.path))
    }

    /// Waits until a condition holds or the time has passed. Returns whether it holds.
    pub fn until(&self, time: Duration, is_so: impl Fn(&MailState) -> bool) -> Result<bool, Error> {
        if self.look(&is_so)? {
            return Ok(true);
        }
        let deadline = clock::deadline_in(time);
        let mut follower = self.log().follow()?;
        loop {
            let left = deadline.map_or(Duration::ZERO, clock::until);
            let more = follower.next(Some(left))?;
            if self.look(&is_so)? {
                return Ok(true);
            }
            if more.is_empty() && left.is_zero() {
                return Ok(false);
            }
        }
    }

    /// Writes a document made from the whole journal. Holds the write lock, so that an older
    /// document never replaces a newer one. A failed write is ignored: the next document replaces
    /// it.
    pub fn snapshot(
        &self,
        path: &Path,
        make: impl FnOnce(&MailState) -> Option<Value>,
    ) -> Result<(), Error> {
        let (_held, log) = self.decide()?;
        if let Some(document) = make(&log.fold().mail) {
            let _lost = atomic::write_cache(path, format!("{document:#}\n").as_bytes());
        }
        Ok(())
    }

    /// Takes the write lock and reads all records: nothing changes until the lock is released.
    pub(super) fn decide(&self) -> Result<(WriteGuard<'_>, MutexGuard<'_, RunLog>), Error> {
        let mut log = self.log();
        // Read existing records before taking the lock, so that other writers wait only while we
        // read the few records added since.
        log.catch_up()?;
        let held = self.journal.hold()?;
        log.catch_up()?;
        Ok((held, log))
    }

    fn log(&self) -> MutexGuard<'_, RunLog> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
