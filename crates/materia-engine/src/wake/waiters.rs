//! Waiters: any number of processes wait for the same thing, and one call wakes all of them.
//!
//! Owns pipes that are numbered from 0 (`ear.0`, `ear.1`), one for each waiting process. A process
//! owns a pipe while it holds the lock on it, so the pipe of a killed process is free for the next.
//! Pipes are never removed: creating and removing files costs more than keeping them.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use super::pipe::{self, WakePipe, WakeResult};

/// The maximum number of processes that can wait for one thing.
const MAX_WAITERS: usize = 4096;

/// The pipe of one waiting process.
#[derive(Debug)]
pub struct WaiterPipe(WakePipe);

impl WaiterPipe {
    /// Takes the first free pipe, or creates another one.
    pub fn open(path: &Path) -> io::Result<Self> {
        for number in 0..MAX_WAITERS {
            if let Some(pipe) = WakePipe::open_exclusive(&numbered(path, number))? {
                let waiter = Self(pipe);
                // Drop wake-ups that were meant for the pipe's previous owner.
                waiter.drain();
                return Ok(waiter);
            }
        }
        Err(io::ErrorKind::ResourceBusy.into())
    }

    /// Discards all wake-ups so far.
    pub fn drain(&self) {
        self.0.drain();
    }
}

impl AsFd for WaiterPipe {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The path of the pipes, without their numbers, for waiting on something in a folder.
pub fn pipes_in(folder: &Path) -> PathBuf {
    folder.join("ear")
}

/// Wakes all processes that wait at a path.
pub fn wake_all(path: &Path) {
    for number in 0..MAX_WAITERS {
        if pipe::wake(&numbered(path, number)) == WakeResult::NoPipe {
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

    fn is_readable(waiter: &WaiterPipe) -> bool {
        poll(
            &mut [PollFd::new(waiter, PollFlags::IN)],
            Some(&Timespec::default()),
        )
        .unwrap()
            > 0
    }

    fn count_pipes(folder: &Path) -> usize {
        std::fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn all_waiters_are_woken_and_a_free_pipe_is_used_again() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ear");
        wake_all(&path);
        assert_eq!(count_pipes(dir.path()), 0);
        let (one, two, three) = (
            WaiterPipe::open(&path).unwrap(),
            WaiterPipe::open(&path).unwrap(),
            WaiterPipe::open(&path).unwrap(),
        );
        wake_all(&path);
        assert!(is_readable(&one) && is_readable(&two) && is_readable(&three));
        one.drain();
        assert!(!is_readable(&one) && is_readable(&two));
        // A waiter that exited must not prevent the others from being woken.
        drop(two);
        wake_all(&path);
        assert!(is_readable(&one) && is_readable(&three));
        let again = WaiterPipe::open(&path).unwrap();
        assert!(
            !is_readable(&again),
            "earlier wake-ups were for another waiter"
        );
        wake_all(&path);
        assert!(is_readable(&again));
        assert_eq!(count_pipes(dir.path()), 3);
    }
}
