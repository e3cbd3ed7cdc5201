//! Sleeping until something changes in one of a few directories.
//!
//! Owns the watch that observers of many files sleep on. It says "look again" and nothing else, so
//! a lost or merged event loses nothing.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;

use rustix::fs::inotify::WatchFlags;

use super::watch::Watch;

/// Wakes whoever sleeps on its descriptor.
#[derive(Debug)]
pub struct Wake(Watch);

impl Wake {
    /// One that nothing wakes yet.
    pub fn new() -> io::Result<Self> {
        Watch::new().map(Self)
    }

    /// Wakes also when something appears in a directory, or a file in it is written to.
    pub fn on(&self, dir: &Path) -> io::Result<()> {
        let flags = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::MODIFY;
        self.0.add(dir, flags).map(drop)
    }

    /// Wakes also when something goes from a directory. A directory that is not there yet wakes
    /// nobody.
    pub fn on_any(&self, dir: &Path) -> io::Result<()> {
        let added = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::MODIFY;
        let gone = WatchFlags::DELETE | WatchFlags::MOVED_FROM;
        match self.0.add(dir, added | gone) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            added => added.map(drop),
        }
    }

    /// Forgets what has been signalled so far.
    pub fn quiet(&self) -> io::Result<()> {
        self.0.drain()
    }
}

impl AsFd for Wake {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
