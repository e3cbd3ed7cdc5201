//! One run's messages, open for reading and writing.
//!
//! Owns the handle: the shared journal, a reader beside it, and the fold of everything read so far. Threads may share it.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use materia_model::message::Mail;
use materia_model::message::event::Holder;

use super::error::Error;
use crate::clock::Clock;
use crate::process::Identity;
use crate::store::journal::{From, Held, JournalError, Options, Reader, SharedJournal};

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
        let options = Options { name: "run".to_owned(), rotate_at: Some(16 << 20), from: None };
        Self::over(SharedJournal::open(path, clock, &options)?, path, clock)
    }

    /// The messages in a journal that is open already.
    pub fn over(journal: SharedJournal, path: &Path, clock: &Clock) -> Result<Self, Error> {
        let view = View { reader: Reader::open(path, From::Beginning)?, mail: Mail::default() };
        Ok(Self { journal, path: path.to_owned(), clock: clock.clone(), view: Mutex::new(view) })
    }

    /// Reads what a run's journal says about messages, without the right to write.
    pub fn read(path: &Path) -> Result<Mail, Error> {
        let mut view = View { reader: Reader::open(path, From::Beginning)?, mail: Mail::default() };
        view.catch_up()?;
        Ok(view.mail)
    }

    /// Looks at everything that is in the journal by now.
    pub fn look<T>(&self, look: impl FnOnce(&Mail) -> T) -> Result<T, Error> {
        let mut view = self.view();
        view.catch_up()?;
        Ok(look(&view.mail))
    }

    /// Takes the turn, and everything that is in the journal: nothing changes until it is given back.
    pub(super) fn decide(&self) -> Result<(Held<'_>, MutexGuard<'_, View>), Error> {
        let held = self.journal.hold()?;
        let mut view = self.view();
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

/// Whether whoever claimed a message has ended.
pub fn is_dead(holder: &Holder) -> bool {
    !identity(holder).is_alive()
}

/// A holder as a process.
pub(super) fn identity(holder: &Holder) -> Identity {
    Identity { pid: holder.pid, start_time: holder.start_time, boot_id: holder.boot_id.clone() }
}
