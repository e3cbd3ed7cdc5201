//! Ears: any number of processes sleep beside something, and whoever changes it wakes them all.
//!
//! Owns a directory of bells, one for each sleeper. Unlike inotify they take no instance of which a user has only so many,
//! and letting go of one costs nothing. Waking is advisory: a sleeper that was killed leaves a bell that nobody hears,
//! which the next who rings takes down.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::bell::{self, Bell};
use super::dir;
use crate::failpoint;

/// A sleeper's own bell; it is taken down when it is dropped.
#[derive(Debug)]
pub struct Ear {
    bell: Bell,
    path: PathBuf,
}

impl Ear {
    /// Hangs a bell of our own in a directory, making it where there is none.
    pub fn open(folder: &Path) -> io::Result<Self> {
        static HUNG: AtomicU64 = AtomicU64::new(0);
        if !folder.is_dir() {
            dir::create_unsynced(folder).map_err(io::Error::other)?;
        }
        let name = format!("{}.{}", std::process::id(), HUNG.fetch_add(1, Ordering::Relaxed));
        // Nobody may take it for one that is not heard before it is.
        let hidden = folder.join(format!(".{name}"));
        let path = folder.join(name);
        let bell = Bell::hang(&hidden)?;
        failpoint::hit("ears.hang")?;
        std::fs::rename(&hidden, &path)?;
        Ok(Self { bell, path })
    }

    /// Forgets how often it was rung.
    pub fn quiet(&self) {
        self.bell.quiet();
    }
}

impl AsFd for Ear {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        let _gone = std::fs::remove_file(&self.path);
    }
}

/// Wakes everybody who sleeps there.
pub fn ring_all(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if !name.as_encoded_bytes().starts_with(b".") && !bell::ring(&entry.path()) {
            let _gone = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::*;

    fn rings(ear: &Ear) -> bool {
        poll(&mut [PollFd::new(ear, PollFlags::IN)], Some(&Timespec::default())).unwrap() > 0
    }

    #[test]
    fn everybody_is_woken_and_the_deaf_are_taken_down() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("ears");
        ring_all(&folder);
        let (one, two) = (Ear::open(&folder).unwrap(), Ear::open(&folder).unwrap());
        ring_all(&folder);
        assert!(rings(&one) && rings(&two));
        one.quiet();
        assert!(!rings(&one) && rings(&two));
        drop(two);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        // One that was killed leaves its bell behind.
        drop(Bell::hang(&folder.join("7.7")).unwrap());
        ring_all(&folder);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        assert!(rings(&one));
    }
}
