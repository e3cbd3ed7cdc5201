//! The stdin of a child process: bytes written to a pipe as fast as the child reads them.
//!
//! Owns our end of a stdin pipe and the bytes that do not fit into it yet. A read-through pipe is
//! as small as the kernel allows. It becomes writable again only when the child has read everything
//! in it, so unread input does not count as taken. A reader that closed its end is not an error
//! (C12): the remaining bytes are dropped, and the drop is recorded. Never waits.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::pipe::fcntl_setpipe_size;

/// Maximum number of bytes queued for a child process that does not read.
const MAX_PENDING: usize = 16 << 20;

/// Why bytes were not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The child has ended, has closed its stdin, or never read from us.
    #[error("the command does not read its stdin any more")]
    Closed,
    /// The child has not read the earlier bytes.
    #[error("the command has {0} bytes on its stdin that it does not read")]
    Full(usize),
}

/// Our end of a child's stdin.
#[derive(Debug, Default)]
pub(super) struct Feed {
    pipe: Option<OwnedFd>,
    pending: Vec<u8>,
    taken: usize,
    last: bool,
    refused: bool,
    /// Whether unread bytes remained when it was closed.
    left: bool,
    /// Whether the pipe is one page, so that it is writable only when everything in it was read.
    small: bool,
    /// Whether the read of its content has not been reported yet.
    unseen: bool,
    /// Whether all readers have closed the pipe.
    deaf: bool,
}

impl Feed {
    /// Takes our non-blocking end of the pipe and all the bytes that will be written to it.
    pub(super) fn finite(pipe: OwnedFd, bytes: Vec<u8>) -> Self {
        let mut feed = Self {
            pipe: Some(pipe),
            pending: bytes,
            last: true,
            ..Self::default()
        };
        feed.push();
        feed
    }

    /// Takes our end of the pipe and keeps it open.
    pub(super) fn held(pipe: OwnedFd) -> Self {
        Self {
            pipe: Some(pipe),
            ..Self::default()
        }
    }

    /// Like `held`, but tracks what was read.
    pub(super) fn read_through(pipe: OwnedFd) -> Self {
        // The kernel rounds the size up to one page. The pipe is not writable until that page is
        // read.
        let small = fcntl_setpipe_size(&pipe, 1).is_ok();
        Self {
            pipe: Some(pipe),
            small,
            ..Self::default()
        }
    }

    /// The pipe, while bytes wait to be written or to be read.
    pub(super) fn wanting(&self) -> Option<BorrowedFd<'_>> {
        let waits = self.taken < self.pending.len() || (self.unseen && !self.last && !self.deaf);
        self.pipe.as_ref().filter(|_| waits).map(OwnedFd::as_fd)
    }

    /// Whether everything sent so far was read and more may be sent.
    pub(super) fn is_hungry(&self) -> bool {
        self.pipe.is_some() && !self.last && !self.has_left()
    }

    /// Whether bytes that were sent were not read.
    pub(super) fn has_left(&self) -> bool {
        self.left || self.taken < self.pending.len() || self.holds_some()
    }

    /// Handles a pipe that became writable, or whose readers have all closed it.
    pub(super) fn stirred(&mut self, closed: bool) {
        self.push();
        self.deaf |= closed;
        self.unseen &= self.holds_some();
    }

    fn holds_some(&self) -> bool {
        let held = self.pipe.as_ref().filter(|_| self.small);
        held.is_some_and(|pipe| rustix::io::ioctl_fionread(pipe).is_ok_and(|bytes| bytes > 0))
    }

    pub(super) fn refused(&self) -> bool {
        self.refused
    }

    /// Queues bytes and writes what fits at once.
    pub(super) fn send(&mut self, bytes: &[u8]) -> Result<(), SendError> {
        if self.pipe.is_none() || self.last {
            return Err(SendError::Closed);
        }
        let waiting = self.pending.len() - self.taken;
        if waiting + bytes.len() > MAX_PENDING && waiting > 0 {
            return Err(SendError::Full(waiting));
        }
        self.pending.drain(..self.taken);
        self.taken = 0;
        self.pending.extend_from_slice(bytes);
        self.push();
        if self.refused {
            Err(SendError::Closed)
        } else {
            Ok(())
        }
    }

    /// Closes the pipe once everything is written.
    pub(super) fn finish(&mut self) {
        self.last = true;
        self.push();
    }

    /// Drops the queued bytes and closes the pipe.
    pub(super) fn close(&mut self) {
        self.refused |= self.taken < self.pending.len();
        self.left |= self.has_left();
        self.pipe = None;
        self.pending = Vec::new();
        self.taken = 0;
    }

    /// Writes as much as the pipe accepts now.
    pub(super) fn push(&mut self) {
        while let (Some(pipe), true) = (&self.pipe, self.taken < self.pending.len()) {
            match rustix::io::write(pipe, &self.pending[self.taken..]) {
                Ok(count) => {
                    self.taken += count;
                    self.unseen = self.small;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Err(_) => return self.close(),
            }
        }
        self.pending.clear();
        self.taken = 0;
        if self.last {
            self.pipe = None;
        }
    }
}
