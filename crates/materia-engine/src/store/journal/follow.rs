//! Following a journal as it grows, without polling.
//!
//! Owns the wake-ups: inotify on the current file, and on its directory for when the file appears
//! or its segment is closed. An event only means "look again"; the follower reads the news from the
//! journal, so a missed event delays it by at most [`RECONCILE`]. An incomplete line is not
//! delivered. Never writes, and holds one bounded batch at a time.

use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::Duration;

use materia_model::record::Record;
use rustix::fs::inotify::WatchFlags;

use super::cursor::{Cursor, From};
use super::error::JournalError;
use super::reader::next_record;
use super::segment::{FileId, SegmentFiles};
use crate::clock;
use crate::wake::inotify::InotifyWatch;

/// The longest sleep before a follower checks the journal without an event.
const RECONCILE: Duration = Duration::from_secs(2);

/// The maximum number of records in a batch, and of bytes of their lines.
const BATCH: usize = 256;
const BATCH_BYTES: usize = 1 << 20;

/// A reader that waits for new records.
#[derive(Debug)]
pub struct Follower {
    files: SegmentFiles,
    cursor: Cursor,
    watch: InotifyWatch,
    /// The watched file and its watch descriptor.
    watched: Option<(FileId, i32)>,
    /// An error that is returned after the records read before it.
    failed: Option<JournalError>,
}

impl Follower {
    /// Follows a journal. The journal may not exist yet, but its directory must.
    pub fn open(path: &Path, from: From) -> Result<Self, JournalError> {
        let files = SegmentFiles::new(path);
        let failed = JournalError::io("watch", files.dir());
        let watch = InotifyWatch::new().map_err(&failed)?;
        watch
            .add(files.dir(), WatchFlags::CREATE | WatchFlags::MOVED_TO)
            .map_err(&failed)?;
        Ok(Self {
            cursor: Cursor::new(files.clone(), from),
            files,
            watch,
            watched: None,
            failed: None,
        })
    }

    /// Makes the descriptor readable also when files in another directory appear or grow.
    pub fn watch_also(&self, dir: &Path) -> Result<(), JournalError> {
        let flags = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::MODIFY;
        let added = self.watch.add(dir, flags);
        added.map(drop).map_err(JournalError::io("watch", dir))
    }

    /// Returns new records without waiting; empty if there are none. Afterwards the descriptor
    /// becomes readable when it is time to call again.
    pub fn try_next(&mut self) -> Result<Vec<Record>, JournalError> {
        self.watch
            .drain()
            .map_err(JournalError::io("watch", self.files.current()))?;
        loop {
            let batch = self.batch()?;
            if !batch.is_empty() || !self.watch_current()? {
                return Ok(batch);
            }
        }
    }

    /// Waits for new records; empty after the timeout. Without a timeout it waits forever.
    pub fn next(&mut self, timeout: Option<Duration>) -> Result<Vec<Record>, JournalError> {
        let deadline = timeout.and_then(clock::deadline_in);
        loop {
            let batch = self.try_next()?;
            let left = deadline.map_or(RECONCILE, clock::until);
            if !batch.is_empty() || left.is_zero() {
                return Ok(batch);
            }
            self.watch
                .wait(left.min(RECONCILE))
                .map_err(JournalError::io("watch", self.files.current()))?;
        }
    }

    fn batch(&mut self) -> Result<Vec<Record>, JournalError> {
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let (mut batch, mut bytes) = (Vec::new(), 0);
        while batch.len() < BATCH && bytes < BATCH_BYTES {
            match next_record(&mut self.cursor) {
                Ok(Some(record)) => batch.push(record),
                Ok(None) => break,
                // Deliver the records read before the error first.
                Err(error) if !batch.is_empty() => {
                    self.failed = Some(error);
                    break;
                }
                Err(error) => return Err(error),
            }
            bytes += self.cursor.scan().map_or(0, |scan| scan.line().len());
        }
        Ok(batch)
    }

    /// Watches the current file. Returns whether to look again because the watch is new.
    fn watch_current(&mut self) -> Result<bool, JournalError> {
        let current = self.files.current();
        let Some(here) = self.cursor.scan().map(super::scan::SegmentScan::id) else {
            return Ok(false);
        };
        if self.watched.is_some_and(|(id, _)| id == here) {
            return Ok(false);
        }
        if let Some((_, old)) = self.watched.take() {
            self.watch.remove(old);
        }
        let Ok(watch) = self.watch.add(current, WatchFlags::MODIFY) else {
            return Ok(false);
        };
        let there = FileId::at(current).map_err(JournalError::io("watch", current))?;
        if there == Some(here) {
            self.watched = Some((here, watch));
        }
        Ok(true)
    }
}

impl AsFd for Follower {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.watch.as_fd()
    }
}
