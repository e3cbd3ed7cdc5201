//! Sleeping until something changes in one of a few directories.
//!
//! Owns the watch that observers of many files sleep on.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::fs::inotify::WatchFlags;

use super::inotify::InotifyWatch;

/// Directories whose changes make its descriptor readable.
#[derive(Debug)]
pub struct DirectoryWatch(InotifyWatch);

impl DirectoryWatch {
    /// A watch of no directory yet.
    pub fn new() -> io::Result<Self> {
        InotifyWatch::new().map(Self)
    }

    /// Adds a directory and reports new entries and writes to its files.
    pub fn on(&self, dir: &Path) -> io::Result<()> {
        let flags = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::MODIFY;
        self.0.add(dir, flags).map(drop)
    }

    /// Adds a directory and reports removed entries as well. A directory that does not exist is
    /// ignored.
    pub fn on_any(&self, dir: &Path) -> io::Result<()> {
        let added = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::MODIFY;
        let gone = WatchFlags::DELETE | WatchFlags::MOVED_FROM;
        match self.0.add(dir, added | gone) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            added => added.map(drop),
        }
    }

    /// Discards all events so far.
    pub fn drain(&self) -> io::Result<()> {
        self.0.drain()
    }
}

impl AsFd for DirectoryWatch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
