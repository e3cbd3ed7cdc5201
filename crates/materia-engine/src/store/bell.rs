//! A bell: one process sleeps on it, any other may ring it.
//!
//! Owns a named pipe. Ringing says "look again" and carries nothing, so a lost ring loses nothing;
//! one that nobody hears is no error. Unlike inotify it takes no instance of which a user has only
//! so many, and its owner does not wake itself.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags};

use crate::failpoint;

/// A bell that somebody sleeps on.
#[derive(Debug)]
pub struct Bell(File);

impl Bell {
    /// Hangs a bell at a path, or takes the one that hangs there.
    pub fn hang(path: &Path) -> io::Result<Self> {
        failpoint::hit("bell.create")?;
        match rustix::fs::mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        // Open for both: without a writer of our own, the end of the last one would wake us for
        // ever.
        let file = open(OpenOptions::new().read(true).write(true), path)?;
        Ok(Self(file))
    }

    /// The same, for one who must not share it; nothing where somebody sleeps on it.
    pub(super) fn hang_alone(path: &Path) -> io::Result<Option<Self>> {
        let bell = Self::hang(path)?;
        match bell.0.try_lock() {
            Ok(()) => Ok(Some(bell)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Uses the bell that the parent process opened, by the file inherited from it.
    pub fn from_inherited(file: File) -> Self {
        Self(file)
    }

    /// Forgets how often it was rung.
    pub fn quiet(&self) {
        let mut buffer = [0; 64];
        while let Ok(1..) = (&self.0).read(&mut buffer) {}
    }
}

impl AsFd for Bell {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// What became of a ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// Somebody sleeps there, or is awake already.
    Yes,
    /// There is a bell, and nobody to hear it; or none that we may ring.
    No,
    /// There is no bell.
    NoBell,
}

/// Rings.
pub fn ring(path: &Path) -> Heard {
    let mut file = match open(OpenOptions::new().write(true), path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Heard::NoBell,
        Err(_) => return Heard::No,
    };
    match file.write_all(b"!") {
        Ok(()) => Heard::Yes,
        // It is full of rings that nobody has heard yet.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Heard::Yes,
        Err(_) => Heard::No,
    }
}

/// Opens a named pipe without waiting for the other side; anything else is refused.
fn open(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
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

    fn rings(bell: &Bell) -> bool {
        poll(
            &mut [PollFd::new(bell, PollFlags::IN)],
            Some(&Timespec::default()),
        )
        .unwrap()
            > 0
    }

    #[test]
    fn a_ring_is_heard_until_it_is_quiet() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bell");
        assert_eq!(ring(&path), Heard::NoBell);
        let bell = Bell::hang(&path).unwrap();
        assert!(!rings(&bell));
        assert_eq!((ring(&path), ring(&path)), (Heard::Yes, Heard::Yes));
        assert!(rings(&bell));
        bell.quiet();
        assert!(!rings(&bell));
        drop(bell);
        assert_eq!(ring(&path), Heard::No, "nobody sleeps on it");
        let again = Bell::hang(&path).unwrap();
        assert!(!rings(&again));
    }

    #[test]
    fn what_is_no_bell_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bell");
        std::fs::write(&path, "mine").unwrap();
        assert_eq!(ring(&path), Heard::No);
        assert!(Bell::hang(&path).is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    }
}
