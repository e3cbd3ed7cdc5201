//! The events of a process set, and the values that its callers use.
//!
//! Owns plain values, and the waker that wakes a process set from another thread. Waits for
//! nothing.

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

/// Identifies one child process of one process set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChildId(pub(super) u64);

impl fmt::Display for ChildId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Identifies one watched file descriptor of one process set.
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

/// An event of a process set.
#[derive(Debug)]
pub enum Event {
    /// A live stream delivered bytes.
    Output {
        /// The child process.
        leaf: ChildId,
        /// Its stream.
        stream: Stream,
        /// The bytes, split at arbitrary positions.
        bytes: Vec<u8>,
    },
    /// A child process has ended. Reported exactly once per child, as its last event.
    Ended(Box<ProcessEnd>),
    /// This process received a signal to stop; see
    /// [`ProcessSet::catch_interrupts`](super::ProcessSet::catch_interrupts).
    Interrupt(Signal),
    /// A watched descriptor is readable. Repeated until its data has been read.
    Readable(WatchId),
    /// A [`Waker`] was used, or a child process has read everything that was sent to its stdin.
    Woken,
}

/// Why a child process is stopped, which decides its grace period.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// With the command's own grace period.
    Cancelled,
    /// With this grace period.
    Within(Duration),
}

/// The result of a sweep.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// How many leftover processes had to be ended.
    pub ended: usize,
    /// Processes that SIGKILL did not end in time.
    pub survivors: Vec<ProcessIdentity>,
}

/// This process already has an adopting process set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this process has an adopting processes already")]
pub struct AlreadyAdopting;

/// Wakes a process set, also from another thread. Clones wake the same set.
#[derive(Debug, Clone)]
pub struct Waker(Arc<OwnedFd>);

impl Waker {
    pub(super) fn new() -> io::Result<Self> {
        let event = rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        Ok(Self(Arc::new(event)))
    }

    /// Makes [`ProcessSet::next`](super::ProcessSet::next) return [`Event::Woken`], once for any
    /// number of earlier calls.
    pub fn wake(&self) {
        let _ = rustix::io::write(&*self.0, &1u64.to_ne_bytes());
    }

    /// Whether it was used since the last call.
    pub(super) fn drain(&self) -> bool {
        rustix::io::read(&*self.0, &mut [0u8; 8]).is_ok()
    }

    pub(super) fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
