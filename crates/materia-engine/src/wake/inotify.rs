//! Sleeping until the kernel reports that a file changed.
//!
//! Owns the inotify descriptor that followers and lock waiters sleep on. What changed is never read
//! from the events: they only mean "look again".

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::io::Errno;

/// A set of watched files and directories.
#[derive(Debug)]
pub(crate) struct InotifyWatch {
    inotify: OwnedFd,
}

impl InotifyWatch {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self {
            inotify: inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?,
        })
    }

    /// Watches a path. Watching the same file again has no effect.
    pub(crate) fn add(&self, path: &Path, flags: WatchFlags) -> io::Result<i32> {
        Ok(inotify::add_watch(&self.inotify, path, flags)?)
    }

    /// Stops watching. A watch that the kernel has already removed is not an error.
    pub(crate) fn remove(&self, watched: i32) {
        let _ = inotify::remove_watch(&self.inotify, watched);
    }

    /// Discards all events so far, and reports whether there were any.
    pub(crate) fn drain_any(&self) -> io::Result<bool> {
        let timeout = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let ready = rustix::event::poll(
            &mut [PollFd::new(&self.inotify, PollFlags::IN)],
            Some(&timeout),
        );
        let any = ready.is_ok_and(|ready| ready > 0);
        self.drain()?;
        Ok(any)
    }

    /// Discards all events so far.
    pub(crate) fn drain(&self) -> io::Result<()> {
        let mut events = [0u8; 4096];
        loop {
            match rustix::io::read(&self.inotify, &mut events) {
                Ok(0) | Err(Errno::AGAIN) => return Ok(()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Sleeps until an event arrives or the timeout expires. An interrupted wait counts as an
    /// event.
    pub(crate) fn wait(&self, at_most: Duration) -> io::Result<()> {
        let timeout = Timespec::try_from(at_most).ok();
        match rustix::event::poll(
            &mut [PollFd::new(&self.inotify, PollFlags::IN)],
            timeout.as_ref(),
        ) {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

impl AsFd for InotifyWatch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.inotify.as_fd()
    }
}
