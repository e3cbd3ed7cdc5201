//! What a process set tells, and the words one speaks with it.
//!
//! Owns plain values, and the one thing that wakes a process set from elsewhere. Waits for nothing.

use std::fmt;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::event::EventfdFlags;
use rustix::process::Signal;
use serde::Serialize;

use super::end::ProcessEnd;
use super::identity::ProcessIdentity;

/// One leaf of one process set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChildId(pub(super) u64);

impl fmt::Display for ChildId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One watched file descriptor of one process set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WatchId(pub(super) u64);

/// One of the two outputs of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "OutputStream"))]
pub enum Stream {
    /// The first.
    Stdout,
    /// The other.
    Stderr,
}

/// What happened.
#[derive(Debug)]
pub enum Event {
    /// A live stream brought bytes.
    Output {
        /// Whose.
        leaf: ChildId,
        /// Which of its streams.
        stream: Stream,
        /// As they came, cut anywhere.
        bytes: Vec<u8>,
    },
    /// A leaf is over. Comes exactly once for every leaf, as its last event.
    Ended(Box<ProcessEnd>),
    /// This process was asked to stop; see
    /// [`ProcessSet::catch_interrupts`](super::ProcessSet::catch_interrupts).
    Interrupt(Signal),
    /// A watched descriptor can be read. Comes again until somebody has read it.
    Readable(WatchId),
    /// A [`Waker`] was used, or a leaf has taken everything that was sent to its stdin.
    Woken,
}

/// Why a leaf is stopped, which is how hard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// With the command's own grace.
    Cancelled,
    /// With another one.
    Within(Duration),
}

/// What a sweep found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// How many processes were left and had to be ended.
    pub ended: usize,
    /// Processes that even SIGKILL did not end in time.
    pub survivors: Vec<ProcessIdentity>,
}

/// A second adopting process set was asked for in one process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this process has an adopting processes already")]
pub struct AlreadyAdopting;

/// Wakes a process set from elsewhere, also from another thread; clones wake the same one.
#[derive(Debug, Clone)]
pub struct Waker(Arc<OwnedFd>);

impl Waker {
    pub(super) fn new() -> io::Result<Self> {
        let event = rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self(Arc::new(event)))
    }

    /// Makes [`ProcessSet::next`](super::ProcessSet::next) return [`Event::Woken`], once for any number
    /// of calls before it.
    pub fn wake(&self) {
        let _ = rustix::io::write(&*self.0, &1u64.to_ne_bytes());
    }

    /// Whether it was used since the last time.
    pub(super) fn drain(&self) -> bool {
        rustix::io::read(&*self.0, &mut [0u8; 8]).is_ok()
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
