//! One run's messages, open for reading and writing.
//!
//! Owns the handle: the shared journal, a reader beside it, and the fold of everything read so far.
//! Threads may share it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use materia_model::message::Mail;
use serde::Serialize;
use serde_json::Value;

use super::error::Error;
use crate::clock::{self, Clock};
use crate::store::journal::{Follower, From, Held, JournalError, Options, Reader, SharedJournal};
use crate::store::{atomic, dir};
use crate::wake::waiters::{self, WaiterPipe};

/// A run's messages.
#[derive(Debug)]
pub struct Post {
    pub(super) journal: SharedJournal,
    pub(super) path: PathBuf,
    pub(super) clock: Clock,
    view: Mutex<View>,
}

/// What has been read so far.
#[derive(Debug)]
pub(super) struct View {
    reader: Reader,
    pub(super) mail: Mail,
}

impl Post {
    /// Opens the messages of the run whose journal is at a path.
    pub fn open(path: &Path, clock: &Clock) -> Result<Self, Error> {
        if !path.exists() {
            return Err(JournalError::Missing(path.to_owned()).into());
        }
        let options = Options {
            name: "run".to_owned(),
            rotate_at: Some(16 << 20),
            from: None,
        };
        let journal = SharedJournal::open(path, clock, &options)?;
        let view = View {
            reader: Reader::open(path, From::Beginning)?,
            mail: Mail::default(),
        };
        Ok(Self {
            journal,
            path: path.to_owned(),
            clock: clock.clone(),
            view: Mutex::new(view),
        })
    }

    /// Reads what a run's journal says about messages, without the right to write.
    pub fn read(path: &Path) -> Result<Mail, Error> {
        let mut view = View {
            reader: Reader::open(path, From::Beginning)?,
            mail: Mail::default(),
        };
        view.catch_up()?;
        Ok(view.mail)
    }

    /// Looks at everything that is in the journal by now.
    pub fn look<T>(&self, look: impl FnOnce(&Mail) -> T) -> Result<T, Error> {
        let mut view = self.view();
        view.catch_up()?;
        Ok(look(&view.mail))
    }

    /// Something to sleep on until a message comes.
    pub fn listen(&self) -> Result<WaiterPipe, Error> {
        let folder = self.ears();
        WaiterPipe::open(&folder).map_err(|source| Error::Io {
            path: folder,
            source,
        })
    }

    /// Writes down something that is no message. It is durable after the next thing that is.
    pub fn note<T: Serialize + ?Sized>(&self, kind: &str, data: &T) -> Result<(), Error> {
        self.journal.append(kind, data)?;
        Ok(())
    }

    /// The same, durable when this returns.
    pub fn note_durably<T: Serialize + ?Sized>(&self, kind: &str, data: &T) -> Result<(), Error> {
        self.journal.append_durable(kind, data)?;
        Ok(())
    }

    /// Where those sleep who wait for a message.
    pub(super) fn ears(&self) -> PathBuf {
        waiters::pipes_in(dir::parent_of(&self.path))
    }

    /// Waits until something is so, at most so long; whether it is.
    pub fn until(&self, time: Duration, is_so: impl Fn(&Mail) -> bool) -> Result<bool, Error> {
        if self.look(&is_so)? {
            return Ok(true);
        }
        let deadline = clock::deadline_in(time);
        let seq = self.look(|mail| mail.seq)?;
        let mut follower = Follower::open(&self.path, From::After(seq))?;
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

    /// Writes a document made from everything that is in the journal. It is written in a turn, so
    /// that an older one never replaces a newer one; that it cannot be written is no failure, since
    /// the next one replaces it.
    pub fn snapshot(
        &self,
        path: &Path,
        make: impl FnOnce(&Mail) -> Option<Value>,
    ) -> Result<(), Error> {
        let (_held, view) = self.decide()?;
        if let Some(document) = make(&view.mail) {
            let _lost = atomic::write_cache(path, format!("{document:#}\n").as_bytes());
        }
        Ok(())
    }

    /// Takes the turn, and everything that is in the journal: nothing changes until it is given
    /// back.
    pub(super) fn decide(&self) -> Result<(Held<'_>, MutexGuard<'_, View>), Error> {
        let mut view = self.view();
        // What is there already is read before the turn is taken, so that others wait only for what
        // came in between.
        view.catch_up()?;
        let held = self.journal.hold()?;
        view.catch_up()?;
        Ok((held, view))
    }

    fn view(&self) -> MutexGuard<'_, View> {
        self.view.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl View {
    pub(super) fn catch_up(&mut self) -> Result<(), JournalError> {
        for record in self.reader.by_ref() {
            self.mail.apply(&record?);
        }
        Ok(())
    }
}
