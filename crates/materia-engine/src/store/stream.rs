//! Files that grow while other processes read them: the live output of a run.
//!
//! Owns opening them, appending to them and reading their ends. Nothing here is synced: the output
//! of a command need not survive a power cut.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::inotify::WatchFlags;

use crate::wake::inotify::InotifyWatch;

use crate::failpoint;

/// The maximum number of bytes per read.
const PIECE: usize = 64 * 1024;

/// Opens a private file for appending, creating it if missing.
pub fn open(path: &Path) -> io::Result<File> {
    failpoint::hit("stream.open")?;
    OpenOptions::new()
        .append(true)
        .read(true)
        .create(true)
        .mode(0o600)
        .open(path)
}

/// Opens a file for appending and truncates it.
pub fn open_empty(path: &Path) -> io::Result<File> {
    let file = open(path)?;
    file.set_len(0)?;
    Ok(file)
}

/// Appends bytes.
pub fn add(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    failpoint::write_all("stream.write", &mut file, bytes)
}

/// Appends a line to a small file, only to wake the processes that watch it. Truncates the file
/// first if it exceeds `largest`.
pub fn nudge(path: &Path, largest: u64) -> io::Result<()> {
    let file = open(path)?;
    if file.metadata()?.len() > largest {
        file.set_len(0)?;
    }
    add(&file, b"!\n")
}

/// Returns at most the last `most` bytes of a file, none of them before `from`.
pub fn tail(file: &File, from: u64, most: usize) -> io::Result<Vec<u8>> {
    let end = file.metadata()?.len();
    let begin = end.saturating_sub(most as u64).max(from.min(end));
    let mut bytes = vec![0; usize::try_from(end - begin).unwrap_or(most)];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], begin + filled as u64)? {
            0 => break,
            more => filled += more,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

/// Files that are read while they grow.
#[derive(Debug)]
pub struct Growing {
    watch: InotifyWatch,
    files: Vec<(PathBuf, Option<File>, u64)>,
}

impl Growing {
    /// Watches files in one directory, each from an offset. The files may not exist yet.
    pub fn watch<const N: usize>(paths: &[PathBuf; N], from: [u64; N]) -> io::Result<Self> {
        let watch = InotifyWatch::new()?;
        // Watch the directory for new files, and for the documents written when a run ends.
        if let Some(dir) = paths.first().and_then(|path| path.parent()) {
            watch.add(
                dir,
                WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::MODIFY,
            )?;
        }
        let files = paths
            .iter()
            .zip(from)
            .map(|(path, from)| (path.clone(), None, from))
            .collect();
        Ok(Self { watch, files })
    }

    /// Returns what was appended to a file; `None` if nothing was. A truncated file is read from
    /// its start.
    pub fn more(&mut self, index: usize) -> io::Result<Option<Vec<u8>>> {
        let (path, file, at) = &mut self.files[index];
        if file.is_none() {
            *file = match File::open(&*path) {
                Ok(opened) => Some(opened),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(error),
            };
        }
        let Some(file) = file else { return Ok(None) };
        if file.metadata()?.len() < *at {
            *at = 0;
        }
        let mut bytes = vec![0; PIECE];
        let count = file.read_at(&mut bytes, *at)?;
        bytes.truncate(count);
        *at += count as u64;
        Ok(if count == 0 { None } else { Some(bytes) })
    }

    /// The offset up to which a file was read.
    pub fn at(&self, index: usize) -> u64 {
        self.files[index].2
    }

    /// Discards all events so far, for hosts that poll the descriptor themselves.
    pub fn drain(&self) -> io::Result<()> {
        self.watch.drain()
    }

    /// Sleeps until a file grows or the timeout expires.
    pub fn wait(&self, at_most: Duration) -> io::Result<()> {
        self.watch.wait(at_most)?;
        self.watch.drain()
    }
}

impl AsFd for Growing {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.watch.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_behind_an_offset_is_read_and_no_more() {
        let dir = tempfile::tempdir().unwrap();
        let file = open(&dir.path().join("log")).unwrap();
        add(&file, b"0123456789").unwrap();
        assert_eq!(tail(&file, 0, 4).unwrap(), b"6789");
        assert_eq!(tail(&file, 8, 4).unwrap(), b"89");
        assert_eq!(tail(&file, 99, 4).unwrap(), b"");
        let again = open_empty(&dir.path().join("log")).unwrap();
        assert_eq!(tail(&again, 0, 4).unwrap(), b"");
    }

    #[test]
    fn what_only_wakes_does_not_grow_for_ever() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bell");
        (0..100).for_each(|_| nudge(&path, 20).unwrap());
        assert!(path.metadata().unwrap().len() <= 22);
    }
}
