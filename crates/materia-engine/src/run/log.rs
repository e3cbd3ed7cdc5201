//! A run's journal: how it is opened, and the one reader that folds it.
//!
//! Owns the journal's options and [`RunLog`], which checks and folds every record once and then
//! continues from where it stopped, for reading, following and appending alike. A fold that was
//! saved with its [`Checkpoint`] could replace the first pass without any other change here. Never
//! decides whether the recorded status is still true: `status` does.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use materia_model::record::Record;
use materia_model::run::RunState;
use materia_model::run_fold::RunFold;

use super::place::RunDir;
use crate::clock::Clock;
use crate::store::journal::{
    Checkpoint, Follower, From, JournalError, Options, Reader, SharedJournal,
};

/// The size at which a segment of a run's journal is closed and the next one begun.
const SEGMENT_BYTES: u64 = 16 << 20;

/// Opens a run's journal for appending, creates it if missing, and checks all of it.
pub fn journal(place: &RunDir, clock: &Clock) -> Result<SharedJournal, JournalError> {
    append_to(&place.journal(), clock, None)
}

fn append_to(
    path: &Path,
    clock: &Clock,
    from: Option<Checkpoint>,
) -> Result<SharedJournal, JournalError> {
    let options = Options {
        name: "run".to_owned(),
        rotate_at: Some(SEGMENT_BYTES),
        from,
    };
    SharedJournal::open(path, clock, &options)
}

/// The state that a run's journal is folded into: its status alone, or everything.
pub trait LogFold: Default {
    /// Adds one record.
    fn apply(&mut self, record: &Record);

    /// The run's status.
    fn run(&self) -> &RunState;

    /// The run's status, for corrections that cannot be appended to the journal.
    fn run_mut(&mut self) -> &mut RunState;
}

impl LogFold for RunState {
    fn apply(&mut self, record: &Record) {
        Self::apply(self, record);
    }

    fn run(&self) -> &RunState {
        self
    }

    fn run_mut(&mut self) -> &mut RunState {
        self
    }
}

impl LogFold for RunFold {
    fn apply(&mut self, record: &Record) {
        Self::apply(self, record);
    }

    fn run(&self) -> &RunState {
        &self.run
    }

    fn run_mut(&mut self) -> &mut RunState {
        &mut self.run
    }
}

/// A run's journal up to the last record read, and its fold.
#[derive(Debug)]
pub struct RunLog<F = RunFold> {
    path: PathBuf,
    /// None while there is no journal.
    reader: Option<Reader>,
    fold: F,
}

impl<F: LogFold> RunLog<F> {
    /// A journal of which nothing was read.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            reader: None,
            fold: F::default(),
        }
    }

    /// Reads a journal to its end. Without a journal, the fold is empty.
    pub fn read(path: &Path) -> Result<Self, JournalError> {
        let mut log = Self::new(path);
        log.catch_up()?;
        Ok(log)
    }

    /// Reads new records.
    pub fn catch_up(&mut self) -> Result<(), JournalError> {
        self.catch_up_with(|_, _| ControlFlow::Continue(()))
    }

    /// Reads new records; `seen` gets each record after it was folded, and may stop after it.
    pub fn catch_up_with(
        &mut self,
        mut seen: impl FnMut(&F, &Record) -> ControlFlow<()>,
    ) -> Result<(), JournalError> {
        if self.reader.is_none() {
            self.reader = match Reader::open(&self.path, From::Beginning) {
                Err(JournalError::Missing(_)) => None,
                opened => Some(opened?),
            };
            self.fold = F::default();
        }
        for record in self.reader.iter_mut().flatten() {
            let record = record?;
            // The supervisor folds its own records when it writes them.
            if record.seq <= self.fold.run().seq {
                continue;
            }
            self.fold.apply(&record);
            if seen(&self.fold, &record).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Like `catch_up`. If the journal was replaced by another one, reads that from its beginning.
    pub(super) fn catch_up_or_restart(&mut self) -> Result<(), JournalError> {
        match self.catch_up() {
            Err(JournalError::Replaced(_)) => {
                *self = Self::read(&self.path)?;
                Ok(())
            }
            read => read,
        }
    }

    /// Closes the file and keeps the fold. The next read starts from the beginning.
    pub(super) fn close(&mut self) {
        self.reader = None;
    }

    /// Whether there is a journal.
    pub fn is_there(&self) -> bool {
        self.reader.is_some()
    }

    /// The path of the journal.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The fold of all records read so far.
    pub fn fold(&self) -> &F {
        &self.fold
    }

    /// The fold, for corrections and additions that are not in the journal.
    pub(super) fn fold_mut(&mut self) -> &mut F {
        &mut self.fold
    }

    /// The fold of all records read so far.
    pub fn into_fold(self) -> F {
        self.fold
    }

    /// The run's status.
    pub fn state(&self) -> &RunState {
        self.fold.run()
    }

    /// Follows records after the last one read.
    pub fn follow(&self) -> Result<Follower, JournalError> {
        let from = self.checkpoint().map_or(From::Beginning, From::Checkpoint);
        Follower::open(&self.path, from)
    }

    /// Opens the journal for appending. Checks only records that were not read yet.
    pub fn journal(&self, clock: &Clock) -> Result<SharedJournal, JournalError> {
        match append_to(&self.path, clock, self.checkpoint()) {
            // The segment was removed, or the run was replaced by another one with its id.
            Err(JournalError::StaleCheckpoint { .. }) => append_to(&self.path, clock, None),
            opened => opened,
        }
    }

    /// The position of the last record read.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        self.reader.as_ref()?.checkpoint()
    }
}
