//! A journal that many processes append to.
//!
//! Owns the exclusion of writers. An append holds `<path>.lock` while it checks whether another
//! process wrote or closed the segment, catches up, takes the next number and writes. A caller that
//! reads before it decides what to write holds the lock for both ([`SharedJournal::hold`]). The
//! sync follows after the lock is released, and waiting writers share it. A writer that dies while
//! it holds the lock leaves an incomplete end, which the next one truncates.

use std::fs::{File, TryLockError};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use materia_model::record::Record;
use materia_model::time::Timestamp;
use serde::Serialize;

use super::cursor::{Cursor, Step};
use super::error::{Damage, JournalError};
use super::scan::Spot;
use super::segment::{FileId, SegmentFiles};
use super::synced::{SyncMark, Synced};
use super::tail::JournalTail;
use super::{Options, settle};
use crate::clock::Clock;
use crate::store::lock::{self, LockError};

/// A handle to a journal with other writers. Threads may share it.
#[derive(Debug)]
pub struct SharedJournal {
    files: SegmentFiles,
    clock: Clock,
    options: Options,
    turn: Arc<File>,
    synced: Arc<Synced>,
    end: Mutex<End>,
}

#[derive(Debug)]
struct End {
    cursor: Cursor,
    tail: JournalTail,
}

impl SharedJournal {
    /// Opens a journal for shared writing, creating it if missing, and checks every record.
    pub fn open(path: &Path, clock: &Clock, options: &Options) -> Result<Self, JournalError> {
        let files = SegmentFiles::new(path);
        let turn = Arc::new(lock::open_file(&files.beside(".lock"))?);
        let synced = Arc::new(Synced::new(&files, &turn));
        let mut cursor = Cursor::new(files.clone(), options.from());
        let tail = {
            let _turn = Turn::take(&turn, &files)?;
            settle::settle(&mut cursor, &files, clock, &options.name, Some(&synced))?.0
        };
        let end = Mutex::new(End { cursor, tail });
        Ok(Self {
            files,
            clock: clock.clone(),
            options: options.clone(),
            turn,
            synced,
            end,
        })
    }

    /// Writes a record and returns its number. It is visible at once, and durable after the next
    /// commit.
    pub fn append<T: Serialize + ?Sized>(&self, kind: &str, data: &T) -> Result<u64, JournalError> {
        self.hold()?.append(kind, data)
    }

    /// Writes a record and makes it and everything before it durable.
    pub fn append_durable<T: Serialize + ?Sized>(
        &self,
        kind: &str,
        data: &T,
    ) -> Result<u64, JournalError> {
        let mut held = self.hold()?;
        let seq = held.append(kind, data)?;
        let mark = held.mark();
        drop(held);
        self.commit_to(&mark)?;
        Ok(seq)
    }

    /// Whether the journal differs from what this handle has written or seen.
    pub fn has_more(&self) -> bool {
        let end = self.end();
        let now = std::fs::metadata(self.files.current());
        !now.is_ok_and(|now| FileId::of(&now) == end.tail.id && now.len() == end.tail.end)
    }

    /// Makes everything durable that this handle has written or seen.
    pub fn commit(&self) -> Result<(), JournalError> {
        let end = self.end();
        end.tail.check_usable()?;
        let mark = end.tail.mark();
        drop(end);
        self.commit_to(&mark)
    }

    /// Makes everything up to a mark durable. Costs nothing if another writer's sync has covered
    /// it.
    pub fn commit_to(&self, mark: &SyncMark) -> Result<(), JournalError> {
        self.synced
            .through(mark)
            .map_err(|why| self.end().tail.break_off(why))
    }

    /// Takes the lock. Until the guard is dropped, no other process writes, and reads are complete.
    pub fn hold(&self) -> Result<WriteGuard<'_>, JournalError> {
        let mut end = self.end();
        end.tail.check_usable()?;
        let turn = Turn::take(&self.turn, &self.files)?;
        self.catch_up(&mut end)?;
        Ok(WriteGuard {
            _turn: turn,
            end,
            journal: self,
        })
    }

    /// The number of the last record this handle has written or seen.
    pub fn last_seq(&self) -> u64 {
        self.end().tail.next - 1
    }

    /// The number of syncs by this handle.
    pub fn syncs(&self) -> u64 {
        self.synced.syncs()
    }

    /// Updates the handle to the current end of the journal.
    fn catch_up(&self, end: &mut End) -> Result<(), JournalError> {
        let current = self.files.current();
        let tail = &end.tail;
        if let Ok(now) = std::fs::metadata(current)
            && FileId::of(&now) == tail.id
        {
            if now.len() == tail.end {
                return Ok(());
            }
            if now.len() < tail.end {
                let damage = Damage::Shrunk {
                    expected: tail.end,
                    found: now.len(),
                };
                let line = tail.next - tail.first;
                return Err(JournalError::Damaged {
                    file: current.to_owned(),
                    line,
                    offset: now.len(),
                    damage,
                });
            }
        }
        // Skip what this handle wrote itself.
        if let Some(scan) = end.cursor.scan_mut()
            && scan.id() == tail.id
            && scan.header().is_some()
        {
            scan.jump(
                Spot {
                    seq: tail.next - 1,
                    offset: tail.last,
                },
                tail.end,
            )?;
        }
        let step = end.cursor.run_to_end()?;
        // Others only appended complete records to the same file: nothing to open or truncate.
        if let (Step::End, Some(scan)) = (&step, end.cursor.scan())
            && scan.id() == end.tail.id
            && let Some(last) = scan.last()
        {
            end.tail.advance(last, scan.end());
            return Ok(());
        }
        let name = &self.options.name;
        end.tail = settle::settle_at(
            step,
            &end.cursor,
            &self.files,
            &self.clock,
            name,
            Some(&self.synced),
        )?
        .0;
        Ok(())
    }

    fn end(&self) -> MutexGuard<'_, End> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The exclusive right to write, until dropped.
#[derive(Debug)]
pub struct WriteGuard<'a> {
    // Declared first: releases the lock before another thread of this process may take it.
    _turn: Turn<'a>,
    end: MutexGuard<'a, End>,
    journal: &'a SharedJournal,
}

impl WriteGuard<'_> {
    /// Writes a record and returns its number. It is visible at once, and durable after a commit.
    pub fn append<T: Serialize + ?Sized>(
        &mut self,
        kind: &str,
        data: &T,
    ) -> Result<u64, JournalError> {
        self.append_at(self.journal.clock.now(), kind, data)
    }

    /// Writes a record and returns it as readers will see it.
    pub fn record<T: Serialize + ?Sized>(
        &mut self,
        kind: &str,
        data: &T,
    ) -> Result<Record, JournalError> {
        let at = self.journal.clock.now();
        let seq = self.append_at(at, kind, data)?;
        let data = serde_json::to_value(data).unwrap_or_default();
        Ok(Record {
            seq,
            at,
            kind: kind.to_owned(),
            data,
        })
    }

    fn append_at<T: Serialize + ?Sized>(
        &mut self,
        at: Timestamp,
        kind: &str,
        data: &T,
    ) -> Result<u64, JournalError> {
        let tail = &mut self.end.tail;
        if tail.is_full(self.journal.options.limit()) {
            tail.rotate(at)?;
        }
        tail.append(at, kind, data)
    }

    /// A number that no record has yet.
    pub fn next_seq(&self) -> u64 {
        self.end.tail.next
    }

    /// The end of the records, for [`SharedJournal::commit_to`] after the lock is released.
    pub fn mark(&self) -> SyncMark {
        self.end.tail.mark()
    }
}

/// The lock of the writers.
#[derive(Debug)]
struct Turn<'a>(&'a File);

impl<'a> Turn<'a> {
    /// Waits for other shared writers. Fails if a [`super::Journal`] holds the lock for its
    /// lifetime.
    fn take(file: &'a File, files: &SegmentFiles) -> Result<Self, JournalError> {
        let failed = |error| JournalError::io("take a turn at", files.current())(error);
        match file.try_lock() {
            Ok(()) => return Ok(Self(file)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let path = files.beside(".lock");
        if let Some(owner) = lock::living_holder(&path) {
            return Err(LockError::Held {
                file: path,
                holder: Some(owner),
            }
            .into());
        }
        file.lock().map_err(failed)?;
        Ok(Self(file))
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}
