//! The append-only journal: the source of truth for everything that happened (A2, C9).
//!
//! Owns writing records as lines, truncating incomplete ends, refusing damage, closing full
//! segments, and notifying followers. Does not interpret records. There are two kinds of writer:
//!
//! - [`Journal`] holds `<path>.lock` for its lifetime. It is the only writer, so an append is one
//!   `write`.
//! - [`SharedJournal`] holds `<path>.lock` during each append only. It is refused while a
//!   [`Journal`] holds the lock.
//!
//! Readers need no lock. A record is durable after [`Journal::commit`]. Callers must not report it
//! as done before that.

mod error;
mod segment;
mod scan;
mod synced;
mod cursor;
mod tail;
mod settle;
mod reader;
mod shared;
mod follow;

use std::fs::File;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use materia_model::time::Timestamp;
use serde::{Deserialize, Serialize};

pub use cursor::From;
pub use error::{Damage, JournalError};
pub use follow::Follower;
pub use reader::Reader;
#[cfg(test)]
pub(crate) use scan::records_read_by;
pub use settle::Recovery;
pub use shared::{SharedJournal, WriteGuard};
pub use synced::SyncMark;

use cursor::Cursor;
use segment::{FileId, SegmentFiles};
use tail::JournalTail;

use crate::clock::Clock;
use crate::store::dir::{self, DirError};
use crate::store::lock::{Holder, Lock, LockMode, LockWait};

/// The format number that is written.
pub const FORMAT: u32 = 1;

/// The type of the first record of every segment.
pub const HEADER: &str = "journal";

/// The type of the record that replaces an incomplete end.
pub const RECOVERED: &str = "recovered";

/// The options for opening a journal.
#[derive(Debug, Clone)]
pub struct Options {
    /// The name of the journal in its headers.
    pub name: String,
    /// The size in bytes at which a segment is closed; `None` for no limit.
    pub rotate_at: Option<u64>,
    /// The record from which on the journal is checked; `None` checks all of it.
    pub from: Option<Checkpoint>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            name: "events".to_owned(),
            rotate_at: Some(64 << 20),
            from: None,
        }
    }
}

impl Options {
    fn from(&self) -> From {
        self.from.map_or(From::Beginning, From::Checkpoint)
    }

    fn limit(&self) -> Option<u64> {
        self.rotate_at.filter(|limit| *limit > 0)
    }
}

/// The position of a record, for snapshots: opening and reading can continue from there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The number of the first record of its segment.
    pub segment: u64,
    /// The number of the record.
    pub seq: u64,
    /// The byte offset of the record in its segment.
    pub offset: u64,
    /// The checksum of the record, which detects another record at the same position.
    pub sum: u32,
}

/// A journal with this process as its only writer. Threads may share it.
#[derive(Debug)]
pub struct Journal {
    files: SegmentFiles,
    tail: Mutex<JournalTail>,
    flush: Mutex<Flush>,
    flushed: Condvar,
    clock: Clock,
    limit: Option<u64>,
    recovery: Option<Recovery>,
    syncs: AtomicU64,
    _lock: Lock,
}

/// How far the journal is durable.
#[derive(Debug, Default)]
struct Flush {
    durable: u64,
    /// Whether a thread is syncing. Other threads wait for it, and its sync may cover their
    /// records.
    leading: bool,
    /// The segment whose directory entry is durable.
    named: Option<FileId>,
}

impl Journal {
    /// Opens a journal for writing, creating it if missing, and checks every record.
    ///
    /// Truncates an incomplete end and records that. Refuses damage and changes nothing.
    pub fn open(path: &Path, clock: &Clock, options: &Options) -> Result<Self, JournalError> {
        let files = SegmentFiles::new(path);
        let lock = Lock::acquire(
            &files.beside(".lock"),
            LockMode::Exclusive,
            LockWait::No,
            &Holder::current(),
        )?;
        let mut cursor = Cursor::new(files.clone(), options.from());
        let (tail, recovery) = settle::settle(&mut cursor, &files, clock, &options.name, None)?;
        Ok(Self {
            files,
            tail: Mutex::new(tail),
            flush: Mutex::default(),
            flushed: Condvar::new(),
            clock: clock.clone(),
            limit: options.limit(),
            recovery,
            syncs: AtomicU64::new(0),
            _lock: lock,
        })
    }

    /// Writes a record and returns its number. It is visible at once, and durable after the next
    /// commit.
    pub fn append<T: Serialize + ?Sized>(&self, kind: &str, data: &T) -> Result<u64, JournalError> {
        self.roomy_tail()?.append(self.clock.now(), kind, data)
    }

    /// Writes records atomically with respect to a kill: all of them or none. Returns their common
    /// timestamp.
    pub fn append_all<T: Serialize + ?Sized>(
        &self,
        records: &[(&str, &T)],
    ) -> Result<Timestamp, JournalError> {
        let mut tail = self.roomy_tail()?;
        let at = self.clock.now();
        tail.append_all(at, records.iter().copied()).map(|_| at)
    }

    /// Writes a record and makes it durable.
    pub fn append_durable<T: Serialize + ?Sized>(
        &self,
        kind: &str,
        data: &T,
    ) -> Result<u64, JournalError> {
        let seq = self.append(kind, data)?;
        self.commit_through(seq)?;
        Ok(seq)
    }

    /// Makes all records written so far durable. Callers may report them as done afterwards.
    pub fn commit(&self) -> Result<(), JournalError> {
        let last = self.last_seq();
        self.commit_through(last)
    }

    /// Makes everything up to a record durable. Threads that commit at the same time share one
    /// sync.
    pub fn commit_through(&self, seq: u64) -> Result<(), JournalError> {
        // A number that is not in use yet would never become durable.
        let seq = seq.min(self.last_seq());
        let mut flush = self.flush();
        while flush.durable < seq {
            if flush.leading {
                flush = self
                    .flushed
                    .wait(flush)
                    .unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            flush.leading = true;
            let named = flush.named;
            drop(flush);
            let synced = self.sync(named);
            flush = self.flush();
            flush.leading = false;
            self.flushed.notify_all();
            let (durable, id) = synced?;
            flush.durable = flush.durable.max(durable);
            flush.named = Some(id);
        }
        Ok(())
    }

    /// Syncs all records written so far. Other threads can append meanwhile.
    fn sync(&self, named: Option<FileId>) -> Result<(u64, FileId), JournalError> {
        let (file, id, last) = {
            let tail = self.tail();
            tail.check_usable()?;
            (Arc::clone(&tail.file), tail.id, tail.next - 1)
        };
        self.syncs.fetch_add(1, Ordering::Relaxed);
        sync_named(&file, &self.files, named == Some(id))
            .map_err(|why| self.tail().break_off(why))?;
        Ok((last, id))
    }

    /// The number of the last record.
    pub fn last_seq(&self) -> u64 {
        self.tail().next - 1
    }

    /// The position of the last record.
    pub fn checkpoint(&self) -> Checkpoint {
        self.tail().checkpoint()
    }

    /// What was truncated when the journal was opened.
    pub fn recovery(&self) -> Option<&Recovery> {
        self.recovery.as_ref()
    }

    /// The number of syncs so far.
    pub fn syncs(&self) -> u64 {
        self.syncs.load(Ordering::Relaxed)
    }

    /// The tail of a segment that has space for another record; closes a full segment.
    fn roomy_tail(&self) -> Result<MutexGuard<'_, JournalTail>, JournalError> {
        let mut tail = self.tail();
        if tail.is_full(self.limit) {
            tail.rotate(self.clock.now())?;
        }
        Ok(tail)
    }

    fn tail(&self) -> MutexGuard<'_, JournalTail> {
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn flush(&self) -> MutexGuard<'_, Flush> {
        self.flush.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a segment's bytes durable, and its directory entry too unless that is known to be.
fn sync_named(file: &File, files: &SegmentFiles, named: bool) -> Result<(), String> {
    tail::sync_data(file)
        .and_then(|()| match named {
            true => Ok(()),
            false => {
                dir::sync_new_through("journal.dirsync", files.dir()).map_err(DirError::into_source)
            }
        })
        .map_err(|error| format!("a sync failed ({error})"))
}

#[cfg(test)]
mod tests;
