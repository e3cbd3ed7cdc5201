//! A wake-up pipe: one process sleeps on it, any other process may wake it.
//!
//! Owns a named pipe. A wake-up that no process reads is not an error. Unlike inotify it needs no
//! instance, of which a user has a limited number, and its owner does not wake itself.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags};

use crate::failpoint;

/// The reading end of a wake-up pipe.
#[derive(Debug)]
pub struct WakePipe(File);

impl WakePipe {
    /// Creates the pipe at a path, or opens the one that is there.
    pub fn open(path: &Path) -> io::Result<Self> {
        failpoint::hit("bell.create")?;
        match rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        // Open for both: without a writer of our own, the pipe would stay readable (EOF) after the
        // last writer closed it.
        let file = open_pipe(OpenOptions::new().read(true).write(true), path)?;
        Ok(Self(file))
    }

    /// Opens it exclusively: `None` if another process sleeps on it.
    pub(super) fn open_exclusive(path: &Path) -> io::Result<Option<Self>> {
        let pipe = Self::open(path)?;
        match pipe.0.try_lock() {
            Ok(()) => Ok(Some(pipe)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Uses the pipe that the parent process opened and this process inherited.
    pub fn from_inherited(file: File) -> Self {
        Self(file)
    }

    /// Discards all wake-ups so far.
    pub fn drain(&self) {
        let mut buffer = [0; 64];
        while let Ok(1..) = (&self.0).read(&mut buffer) {}
    }
}

impl AsFd for WakePipe {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// The result of a wake-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeResult {
    /// A process has the pipe open and will look again.
    Delivered,
    /// No process has the pipe open, or it cannot be opened.
    NoReader,
    /// There is no pipe.
    NoPipe,
}

/// Wakes the process that sleeps on the pipe at a path.
pub fn wake(path: &Path) -> WakeResult {
    let mut file = match open_pipe(OpenOptions::new().write(true), path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return WakeResult::NoPipe,
        Err(_) => return WakeResult::NoReader,
    };
    match file.write_all(b"!") {
        Ok(()) => WakeResult::Delivered,
        // The pipe is full of wake-ups that have not been read yet.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => WakeResult::Delivered,
        Err(_) => WakeResult::NoReader,
    }
}

/// Opens a named pipe without waiting for the other end. Refuses any other kind of file.
fn open_pipe(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options
        .custom_flags((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed())
        .open(path)?;
    let fifo = file.metadata()?.file_type().is_fifo();
    if fifo {
        Ok(file)
    } else {
        Err(io::ErrorKind::InvalidInput.into())
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use super::*;

    fn is_readable(pipe: &WakePipe) -> bool {
        poll(
            &mut [PollFd::new(pipe, PollFlags::IN)],
            Some(&Timespec::default()),
        )
        .unwrap()
            > 0
    }

    #[test]
    fn a_wake_up_stays_until_it_is_drained() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bell");
        assert_eq!(wake(&path), WakeResult::NoPipe);
        let pipe = WakePipe::open(&path).unwrap();
        assert!(!is_readable(&pipe));
        assert_eq!(
            (wake(&path), wake(&path)),
            (WakeResult::Delivered, WakeResult::Delivered)
        );
        assert!(is_readable(&pipe));
        pipe.drain();
        assert!(!is_readable(&pipe));
        drop(pipe);
        assert_eq!(wake(&path), WakeResult::NoReader, "no process has it open");
        let again = WakePipe::open(&path).unwrap();
        assert!(!is_readable(&again));
    }

    #[test]
    fn a_file_that_is_not_a_pipe_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bell");
        std::fs::write(&path, "mine").unwrap();
        assert_eq!(wake(&path), WakeResult::NoReader);
        assert!(WakePipe::open(&path).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    }
}
