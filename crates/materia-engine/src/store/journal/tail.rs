//! The end of a journal, where records are written.
//!
//! Owns the file that is appended to, the next number, undoing a failed write, and closing a full
//! segment. The owner of a `JournalTail` has the right to write: [`super::Journal`] for its
//! lifetime, [`super::SharedJournal`] while it holds the lock. Never reads, never repairs, and
//! syncs records on its own only when it closes a segment.

use std::fs::{File, OpenOptions};
use std::io;
use std::iter;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

use materia_model::record::{self, RecordWriteError};
use materia_model::time::Timestamp;
use rustix::fs::{CWD, RenameFlags};
use rustix::io::Errno;
use serde::Serialize;

use super::error::JournalError;
use super::scan::Spot;
use super::segment::{FileId, Header, SegmentFiles};
use super::synced::{SyncMark, Synced};
use super::{Checkpoint, HEADER};
use crate::failpoint;
use crate::store::atomic;
use crate::store::dir::{self, DirError};

/// The maximum capacity of the append buffer that is kept for the next append.
const MAX_KEPT_BUFFER: usize = 64 << 10;

/// The end of a journal.
#[derive(Debug)]
pub(super) struct JournalTail {
    pub(super) files: SegmentFiles,
    pub(super) file: Arc<File>,
    pub(super) id: FileId,
    /// The number of the first record of the segment, and its header.
    pub(super) first: u64,
    pub(super) header: Header,
    /// The number of the next record.
    pub(super) next: u64,
    /// The offset after the last complete record, where the next one starts.
    pub(super) end: u64,
    /// The offset of the last record.
    pub(super) last: u64,
    /// The sync state shared with other writers, if there are any.
    pub(super) synced: Option<Arc<Synced>>,
    /// The lines of the current append; kept to reuse the allocation.
    lines: Vec<u8>,
    broken: Option<String>,
}

impl JournalTail {
    /// The tail of a segment that has its header.
    pub(super) fn new(
        files: SegmentFiles,
        file: File,
        (first, header): (u64, Header),
        last: Spot,
        end: u64,
    ) -> Result<Self, JournalError> {
        let id = identify(&file, files.current())?;
        Ok(Self {
            files,
            file: Arc::new(file),
            id,
            first,
            header,
            next: last.seq + 1,
            end,
            last: last.offset,
            synced: None,
            lines: Vec::new(),
            broken: None,
        })
    }

    /// The tail of an empty segment. Writes its header.
    pub(super) fn begin(
        files: SegmentFiles,
        file: File,
        (first, header): (u64, Header),
        at: Timestamp,
    ) -> Result<Self, JournalError> {
        let before = Spot {
            seq: first - 1,
            offset: 0,
        };
        let mut tail = Self::new(files, file, (first, header.clone()), before, 0)?;
        tail.append(at, HEADER, &header)?;
        Ok(tail)
    }

    /// Writes one record with one system call. A failure leaves the journal unchanged.
    pub(super) fn append<T: Serialize + ?Sized>(
        &mut self,
        at: Timestamp,
        kind: &str,
        data: &T,
    ) -> Result<u64, JournalError> {
        self.append_all(at, iter::once((kind, data)))
    }

    /// Writes several records with one system call, so that a kill leaves all of them or none.
    /// Returns the number of the first. A failure leaves the journal unchanged.
    pub(super) fn append_all<'r, T: Serialize + ?Sized + 'r>(
        &mut self,
        at: Timestamp,
        records: impl IntoIterator<Item = (&'r str, &'r T)>,
    ) -> Result<u64, JournalError> {
        self.check_usable()?;
        self.lines.clear();
        let (first, mut last, mut next) = (self.next, self.last, self.next);
        for (kind, data) in records {
            last = self.end + self.lines.len() as u64;
            record::encode(&mut self.lines, next, at, kind, data)
                .map_err(|source| self.unwritable(source))?;
            next += 1;
        }
        failpoint::write_all("journal.write", &mut &*self.file, &self.lines)
            .map_err(|error| self.take_back(error))?;
        self.last = last;
        self.end += self.lines.len() as u64;
        self.next = next;
        if self.lines.capacity() > MAX_KEPT_BUFFER {
            self.lines = Vec::new();
        }
        Ok(first)
    }

    fn unwritable(&self, source: RecordWriteError) -> JournalError {
        JournalError::Unwritable {
            file: self.files.current().to_owned(),
            source,
        }
    }

    /// Truncates what a failed write left, so that the journal ends with a complete record.
    fn take_back(&mut self, error: io::Error) -> JournalError {
        match self.cut() {
            Ok(()) => JournalError::io("write to", self.files.current())(error),
            Err(second) => self.break_off(format!(
                "a write failed ({error}) and could not be taken back ({second})"
            )),
        }
    }

    fn cut(&self) -> io::Result<()> {
        let _cutting = self
            .synced
            .as_ref()
            .map(|synced| synced.retract(&self.file))
            .transpose()?;
        failpoint::hit("journal.truncate").and_then(|()| self.file.set_len(self.end))
    }

    /// Advances past records that others appended to the same segment.
    pub(super) fn advance(&mut self, last: Spot, end: u64) {
        self.next = last.seq + 1;
        self.last = last.offset;
        self.end = end;
    }

    /// The current end of the records, for a sync that has to reach it.
    pub(super) fn mark(&self) -> SyncMark {
        SyncMark {
            file: Arc::clone(&self.file),
            id: self.id,
            first: self.first,
            end: self.end,
        }
    }

    /// Whether the segment has to be closed before the next record. A segment with only its header
    /// is never full.
    pub(super) fn is_full(&self, limit: Option<u64>) -> bool {
        limit.is_some_and(|limit| self.end >= limit) && self.next > self.first + 1
    }

    /// Closes the segment and starts the next one.
    ///
    /// The next segment is written under a temporary name first, so a full disk is noticed before
    /// anything is renamed. A crash between the two renames leaves a journal without a current
    /// segment; opening creates it.
    pub(super) fn rotate(&mut self, at: Timestamp) -> Result<(), JournalError> {
        self.check_usable()?;
        let current = self.files.current().to_owned();
        let failed = |action| JournalError::io(action, &current);
        let header = Header::new(&self.header.name, self.header.segment.saturating_add(1));
        failpoint::hit("journal.rotate.create").map_err(failed("begin a segment of"))?;
        let mut temp = atomic::temp_in(self.files.dir()).map_err(failed("begin a segment of"))?;
        let mut line = Vec::new();
        record::encode(&mut line, self.next, at, HEADER, &header)
            .map_err(|source| self.unwritable(source))?;
        failpoint::write_all("journal.rotate.write", temp.as_file_mut(), &line)
            .map_err(failed("begin a segment of"))?;
        let id = identify(temp.as_file(), &current)?;
        // Records in the next segment must not become durable before those in this one.
        self.sync()?;
        failpoint::hit("journal.rotate.rename")
            .and_then(|()| rename_new(&current, &self.files.closed(self.first)))
            .map_err(failed("close a segment of"))?;
        let published = dir::sync_through("journal.rotate.dirsync", self.files.dir())
            .map_err(DirError::into_source)
            .and_then(|()| failpoint::hit("journal.rotate.publish"))
            .and_then(|()| {
                temp.persist_noclobber(&current)
                    .map_err(|error| error.error)
            });
        let file = published.map_err(|error| {
            self.break_off(format!("a segment was closed and none begun ({error})"))
        })?;
        // Temporary files are locked. From now on the lock on this file means the right to sync.
        let _never_refused = file.unlock();
        self.id = id;
        self.file = Arc::new(file);
        self.first = self.next;
        self.header = header;
        self.last = 0;
        self.end = line.len() as u64;
        self.next += 1;
        Ok(())
    }

    /// Makes everything written durable. After a failure the state on disk is unknown, so the tail
    /// refuses later writes.
    pub(super) fn sync(&mut self) -> Result<(), JournalError> {
        sync_data(&self.file).map_err(|error| self.break_off(format!("a sync failed ({error})")))
    }

    /// The position of the last record.
    pub(super) fn checkpoint(&self) -> Checkpoint {
        let mut end = [0; 11];
        // If it cannot be read back, the checkpoint gets a wrong checksum and will be rejected.
        let read = self
            .file
            .read_exact_at(&mut end, self.end.saturating_sub(11));
        let sum = read
            .ok()
            .and_then(|()| record::sum_of(&end))
            .unwrap_or_default();
        Checkpoint {
            segment: self.first,
            seq: self.next - 1,
            offset: self.last,
            sum,
        }
    }

    /// Refuses every later write with this reason.
    pub(super) fn break_off(&mut self, why: String) -> JournalError {
        self.broken = Some(why.clone());
        JournalError::Broken {
            file: self.files.current().to_owned(),
            why,
        }
    }

    pub(super) fn check_usable(&self) -> Result<(), JournalError> {
        match &self.broken {
            None => Ok(()),
            Some(why) => Err(JournalError::Broken {
                file: self.files.current().to_owned(),
                why: why.clone(),
            }),
        }
    }
}

/// Syncs the data of a file, so that it survives a power cut.
pub(super) fn sync_data(file: &File) -> io::Result<()> {
    failpoint::hit("journal.sync")?;
    file.sync_data()
}

/// Opens a segment for appending; a new one is private.
pub(super) fn open_for_append(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).append(true).open(path)
}

/// Creates the first or a missing segment.
pub(super) fn create(path: &Path) -> io::Result<File> {
    failpoint::hit("journal.create")?;
    OpenOptions::new()
        .read(true)
        .append(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match rustix::fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Fallback for file systems without `RENAME_NOREPLACE`; no other process renames to this
        // name.
        Err(Errno::INVAL | Errno::NOSYS) if !to.try_exists()? => std::fs::rename(from, to),
        renamed => Ok(renamed?),
    }
}

fn identify(file: &File, path: &Path) -> Result<FileId, JournalError> {
    file.metadata()
        .map(|metadata| FileId::of(&metadata))
        .map_err(JournalError::io("open", path))
}
