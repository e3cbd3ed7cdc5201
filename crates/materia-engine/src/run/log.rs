//! A run's journal: how it is opened, and the one reader that folds it.
//!
//! Owns the journal's options and [`RunLog`], which checks and folds every record once and then
//! continues from where it stopped, for reading, following and appending alike. A fold that was
//! saved with its [`Checkpoint`] could take the place of the first pass; nothing else here would
//! change. Never decides whether what the journal says is still true: `status` does.

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

/// How many bytes a segment of a run's journal may have before the next one is begun.
const SEGMENT_BYTES: u64 = 16 << 20;

/// Opens a run's journal for appending, making it where there is none, and checks all of it.
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

/// What the records of a run's journal are folded into: its status alone, or everything.
pub trait LogFold: Default {
    /// Adds one record.
    fn apply(&mut self, record: &Record);

    /// The run's status.
    fn run(&self) -> &RunState;

    /// The run's status, to be corrected where the journal cannot be.
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

/// A run's journal as far as it was read, and what it adds up to.
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

    /// Reads a journal to its end. Where there is none, the fold is empty.
    pub fn read(path: &Path) -> Result<Self, JournalError> {
        let mut log = Self::new(path);
        log.catch_up()?;
        Ok(log)
    }

    /// Reads what was added since.
    pub fn catch_up(&mut self) -> Result<(), JournalError> {
        self.catch_up_with(|_, _| ControlFlow::Continue(()))
    }

    /// Reads what was added since; `seen` gets each record after it was folded, and may stop
    /// behind it.
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

    /// The same; where another journal has taken the place of this one, that is read from its
    /// beginning.
    pub(super) fn catch_up_or_restart(&mut self) -> Result<(), JournalError> {
        match self.catch_up() {
            Err(JournalError::Replaced(_)) => {
                *self = Self::read(&self.path)?;
                Ok(())
            }
            read => read,
        }
    }

    /// Closes the file. What was read stays; the next look reads from the beginning.
    pub(super) fn close(&mut self) {
        self.reader = None;
    }

    /// Whether there is a journal.
    pub fn is_there(&self) -> bool {
        self.reader.is_some()
    }

    /// Where the journal is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was read adds up to this.
    pub fn fold(&self) -> &F {
        &self.fold
    }

    /// The same, to be corrected or added to where that is known better than the journal says.
    pub(super) fn fold_mut(&mut self) -> &mut F {
        &mut self.fold
    }

    /// What was read adds up to this.
    pub fn into_fold(self) -> F {
        self.fold
    }

    /// The run's status.
    pub fn state(&self) -> &RunState {
        self.fold.run()
    }

    /// Follows what is added behind what was read.
    pub fn follow(&self) -> Result<Follower, JournalError> {
        let from = self.checkpoint().map_or(From::Beginning, From::Checkpoint);
        Follower::open(&self.path, from)
    }

    /// Opens the journal for appending. Only what was not read yet is checked.
    pub fn journal(&self, clock: &Clock) -> Result<SharedJournal, JournalError> {
        match append_to(&self.path, clock, self.checkpoint()) {
            // The segment was removed, or the run was replaced by another one of its name.
            Err(JournalError::StaleCheckpoint { .. }) => append_to(&self.path, clock, None),
            opened => opened,
        }
    }

    /// Where the last record is that was read.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        self.reader.as_ref()?.checkpoint()
    }
}
