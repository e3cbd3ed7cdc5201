//! Ears: any number of processes sleep beside something, and whoever changes it wakes them all.
//!
//! Owns bells that are numbered from 0 (`ear.0`, `ear.1`), one for each sleeper at a time. Unlike
//! inotify they take no instance of which a user has only so many, and letting go of one costs
//! nothing. A bell is its sleeper's while that holds the lock on it, so one that was killed leaves
//! it to the next. Bells stay where they hang: making and removing files is what costs. Waking is
//! advisory.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use super::bell::{self, Bell, Heard};

/// How many may sleep beside one thing; others are not woken.
const MOST: usize = 4096;

/// A sleeper's own bell.
#[derive(Debug)]
pub struct Ear(Bell);

impl Ear {
    /// Takes the first bell that nobody sleeps on, or hangs another one.
    pub fn open(path: &Path) -> io::Result<Self> {
        for number in 0..MOST {
            if let Some(bell) = Bell::hang_alone(&numbered(path, number))? {
                let ear = Self(bell);
                // Whoever had it before was meant.
                ear.quiet();
                return Ok(ear);
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    /// Forgets how often it was rung.
    pub fn quiet(&self) {
        self.0.quiet();
    }
}

impl AsFd for Ear {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Where those sleep who wait for something that happens in a folder.
pub fn beside(folder: &Path) -> PathBuf {
    folder.join("ear")
}

/// Wakes everybody who sleeps there.
pub fn ring_all(path: &Path) {
    for number in 0..MOST {
        if bell::ring(&numbered(path, number)) == Heard::NoBell {
            return;
        }
    }
}

fn numbered(path: &Path, number: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{number}"));
    name.into()
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::*;

    fn rings(ear: &Ear) -> bool {
        poll(
            &mut [PollFd::new(ear, PollFlags::IN)],
            Some(&Timespec::default()),
        )
        .unwrap()
            > 0
    }

    fn bells(folder: &Path) -> usize {
        std::fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn everybody_is_woken_and_a_free_bell_is_taken_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ear");
        ring_all(&path);
        assert_eq!(bells(dir.path()), 0);
        let (one, two, three) = (
            Ear::open(&path).unwrap(),
            Ear::open(&path).unwrap(),
            Ear::open(&path).unwrap(),
        );
        ring_all(&path);
        assert!(rings(&one) && rings(&two) && rings(&three));
        one.quiet();
        assert!(!rings(&one) && rings(&two));
        // One that is gone keeps nobody else from being woken.
        drop(two);
        ring_all(&path);
        assert!(rings(&one) && rings(&three));
        let again = Ear::open(&path).unwrap();
        assert!(!rings(&again), "its rings were for somebody else");
        ring_all(&path);
        assert!(rings(&again));
        assert_eq!(bells(dir.path()), 3);
    }
}
