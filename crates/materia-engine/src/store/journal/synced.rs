//! How far a shared journal is durable, shared between its writers.
//!
//! Owns the content of `<path>.lock`: one line with the byte offset and the segment that a sync has
//! reached. A writer that needs its record durable takes the lock on that segment. If another
//! writer's sync has covered the record meanwhile, it needs none of its own, so many writers share
//! one sync. The line is a hint about this boot's page cache and never a guarantee: it names the
//! boot, has a checksum, and is retracted before the journal is truncated. After a failed sync no
//! writer relies on the syncs of others.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use materia_model::record::checksum;

use super::segment::{FileId, SegmentFiles};
use super::sync_named;
use crate::store::kernel::boot;

/// The length of the line. Padding makes each line overwrite the previous one completely.
const LINE: usize = 160;

/// A position up to which a journal has to be durable.
#[derive(Debug, Clone)]
pub struct SyncMark {
    pub(super) file: Arc<File>,
    pub(super) id: FileId,
    /// The first record of the segment: inode numbers are reused, record numbers are not.
    pub(super) first: u64,
    pub(super) end: u64,
}

/// The shared state of the syncs of a journal.
#[derive(Debug)]
pub(super) struct Synced {
    /// The file with the line.
    board: Arc<File>,
    /// Excludes threads of this process, which share the file lock.
    own: Mutex<()>,
    files: SegmentFiles,
    syncs: AtomicU64,
}

/// The content of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reached {
    id: FileId,
    first: u64,
    end: u64,
    trusted: bool,
}

impl Synced {
    pub(super) fn new(files: &SegmentFiles, board: &Arc<File>) -> Self {
        let (board, files) = (Arc::clone(board), files.clone());
        Self {
            board,
            own: Mutex::new(()),
            files,
            syncs: AtomicU64::new(0),
        }
    }

    /// Makes everything up to a mark durable. Syncs only if no other writer's sync has covered it.
    ///
    /// One writer leads and syncs. The others wait for it together, and most of them find their
    /// records covered by then.
    pub(super) fn through(&self, mark: &SyncMark) -> Result<(), String> {
        let failed = |error: io::Error| format!("the turn to sync could not be taken ({error})");
        let own = self.own();
        loop {
            if read(&self.board).is_some_and(|reached| reached.covers(mark)) {
                return Ok(());
            }
            match mark.file.try_lock() {
                Ok(()) => {
                    return self.lead(
                        &SyncGuard {
                            file: &mark.file,
                            _own: own,
                        },
                        mark,
                    );
                }
                Err(TryLockError::WouldBlock) => {
                    mark.file.lock_shared().map_err(failed)?;
                    mark.file.unlock().map_err(failed)?;
                }
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
        }
    }

    fn lead(&self, _turn: &SyncGuard<'_>, mark: &SyncMark) -> Result<(), String> {
        let reached = read(&self.board);
        if reached.is_some_and(|reached| reached.covers(mark)) {
            return Ok(());
        }
        let here = reached.filter(|reached| reached.is_at(mark));
        // Everything in the file now was written before the sync starts, so the sync covers it.
        let end = mark
            .file
            .metadata()
            .map_or(mark.end, |metadata| metadata.len().max(mark.end));
        self.syncs.fetch_add(1, Ordering::Relaxed);
        let synced = sync_named(&mark.file, &self.files, here.is_some());
        let trusted = synced.is_ok() && here.is_none_or(|reached| reached.trusted);
        write(
            &self.board,
            Some(Reached {
                id: mark.id,
                first: mark.first,
                end,
                trusted,
            }),
        );
        synced
    }

    /// Retracts the line, and prevents new ones until the segment has been truncated.
    pub(super) fn retract<'a>(&'a self, segment: &'a File) -> io::Result<SyncGuard<'a>> {
        let own = self.own();
        segment.lock()?;
        write(&self.board, None);
        Ok(SyncGuard {
            file: segment,
            _own: own,
        })
    }

    /// The number of syncs so far.
    pub(super) fn syncs(&self) -> u64 {
        self.syncs.load(Ordering::Relaxed)
    }

    fn own(&self) -> MutexGuard<'_, ()> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The right to sync a segment and publish that, or to truncate it, until dropped.
#[derive(Debug)]
pub(super) struct SyncGuard<'a> {
    file: &'a File,
    _own: MutexGuard<'a, ()>,
}

/// Reads the line; `None` if it is incomplete, for example during a concurrent write.
fn read(file: &File) -> Option<Reached> {
    let mut line = [0u8; LINE];
    file.read_exact_at(&mut line, 0).ok()?;
    Reached::parse(std::str::from_utf8(&line).ok()?)
}

/// Writes the line. A failure only costs other writers their shortcut: an incomplete line counts as
/// none.
fn write(file: &File, reached: Option<Reached>) {
    let line = reached.and_then(Reached::spell).unwrap_or_default();
    let _ = file.write_all_at(format!("{line:<LINE$}").as_bytes(), 0);
}

impl Drop for SyncGuard<'_> {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

impl Reached {
    fn is_at(&self, mark: &SyncMark) -> bool {
        self.id == mark.id && self.first == mark.first
    }

    fn covers(&self, mark: &SyncMark) -> bool {
        self.trusted && self.is_at(mark) && self.end >= mark.end
    }

    /// Formats the line; `None` if the boot has no id or the line would be too long.
    fn spell(self) -> Option<String> {
        let trusted = if self.trusted { "trusted" } else { "alone" };
        let (device, inode) = self.id.parts();
        let body = format!(
            "{} {device} {inode} {} {} {trusted}",
            boot()?,
            self.first,
            self.end
        );
        let line = format!("{body} {:08x}", checksum(body.as_bytes()));
        (line.len() <= LINE).then_some(line)
    }

    fn parse(line: &str) -> Option<Self> {
        let (body, sum) = line.trim_end().rsplit_once(' ')?;
        if u32::from_str_radix(sum, 16).ok()? != checksum(body.as_bytes()) {
            return None;
        }
        let [booted, device, inode, first, end, trusted] = *body.split(' ').collect::<Vec<_>>()
        else {
            return None;
        };
        let number = |text: &str| text.parse::<u64>().ok();
        (booted == boot()?).then_some(())?;
        let id = FileId::from_parts(number(device)?, number(inode)?);
        Some(Self {
            id,
            first: number(first)?,
            end: number(end)?,
            trusted: trusted == "trusted",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_back_and_only_whole() {
        let reached = Reached {
            id: FileId::from_parts(1, 2),
            first: 3,
            end: 4,
            trusted: true,
        };
        let line = reached.spell().unwrap();
        assert_eq!(Reached::parse(&format!("{line:<LINE$}")), Some(reached));
        for cut in 0..line.len() {
            assert_eq!(Reached::parse(&line[..cut]), None);
        }
        assert_eq!(
            Reached::parse(&line.replacen(boot().unwrap(), "another", 1)),
            None
        );
    }
}
