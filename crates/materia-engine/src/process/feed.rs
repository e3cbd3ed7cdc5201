//! What a leaf reads from us: bytes pushed into a pipe as fast as it takes them.
//!
//! Owns our end of a stdin pipe and what does not fit into it yet. One that has to be read through
//! is as small as can be: it can be written to again only when everything in it was read, so that
//! what nobody reads does not count as taken. A reader that went away is no error (C12): what was
//! left is dropped and that is remembered. Never waits.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::pipe::fcntl_setpipe_size;

/// How many bytes may wait for a leaf that does not read.
const MAX_PENDING: usize = 16 << 20;

/// Why bytes were not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SendError {
    /// The leaf is over, or reads no more, or never read from us.
    #[error("the command does not read its stdin any more")]
    Closed,
    /// It has not read what it was sent before.
    #[error("the command has {0} bytes on its stdin that it does not read")]
    Full(usize),
}

/// Our end of a leaf's stdin.
#[derive(Debug, Default)]
pub(super) struct Feed {
    pipe: Option<OwnedFd>,
    pending: Vec<u8>,
    taken: usize,
    last: bool,
    refused: bool,
    /// Whether something was not read when it was closed.
    left: bool,
    /// Whether the pipe holds one thing at a time.
    small: bool,
    /// Whether nobody has been told yet that what is in it was read.
    unseen: bool,
    /// Whether everybody who could read has closed it.
    deaf: bool,
}

impl Feed {
    /// Takes our end of the pipe, which must not block, and everything that will ever go into it.
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

    /// The same, and knows what was read.
    pub(super) fn read_through(pipe: OwnedFd) -> Self {
        // The kernel makes it one page, which holds what is written until all of it was read.
        let small = fcntl_setpipe_size(&pipe, 1).is_ok();
        Self {
            pipe: Some(pipe),
            small,
            ..Self::default()
        }
    }

    /// The pipe while something waits to be written, or to be read.
    pub(super) fn wanting(&self) -> Option<BorrowedFd<'_>> {
        let waits = self.taken < self.pending.len() || (self.unseen && !self.last && !self.deaf);
        self.pipe.as_ref().filter(|_| waits).map(OwnedFd::as_fd)
    }

    /// Whether everything was read that was sent, and more may come.
    pub(super) fn is_hungry(&self) -> bool {
        self.pipe.is_some() && !self.last && !self.has_left()
    }

    /// Whether something that was sent was not read.
    pub(super) fn has_left(&self) -> bool {
        self.left || self.taken < self.pending.len() || self.holds_some()
    }

    /// The pipe can be written to, or nobody reads it any more.
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

    /// Adds bytes and writes what fits at once.
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

    /// Closes it once everything is written.
    pub(super) fn finish(&mut self) {
        self.last = true;
        self.push();
    }

    /// Drops what is left and closes.
    pub(super) fn close(&mut self) {
        self.refused |= self.taken < self.pending.len();
        self.left |= self.has_left();
        self.pipe = None;
        self.pending = Vec::new();
        self.taken = 0;
    }

    /// Writes what the pipe takes now.
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
