//! The process set: runs any number of child processes on one thread, and none outlives it.
//!
//! Owns the running children, the event queue and the other descriptors that can wake the loop.
//! [`ProcessSet::next`] is the only function of the engine that waits. Starts no threads. The work
//! of one loop iteration is in `turn`.

use std::collections::{BTreeMap, VecDeque};
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::Signal;

use super::command::Command;
use super::end::ProcessEnd;
use super::ending::EndingProcesses;
use super::event::{AlreadyAdopting, ChildId, Event, StopReason, SweepReport, Waker, WatchId};
use super::feed::SendError;
use super::identity::ProcessIdentity;
use super::inherited;
use super::leaf::{ChildMark, ChildProcess, EndCause};
use super::program::ProgramCache;
use super::signals::{self, CaughtSignal};
use crate::clock::{self, Clock};

/// Whether a process set of this process adopts orphans. The kernel reparents orphans to the
/// process, so only one set can own them.
static ADOPTING: AtomicBool = AtomicBool::new(false);

/// A set of child processes.
///
/// A plain set ([`ProcessSet::new`]) finds orphans of its children by the marker in their
/// environment. An adopting set ([`ProcessSet::adopting`]) makes this process their new parent, so
/// that no descendant can escape; it then reaps all children of the process. Dropping a process set
/// kills what is left of it.
#[derive(Debug)]
pub struct ProcessSet {
    pub(super) id: String,
    pub(super) adopting: bool,
    pub(super) leaves: BTreeMap<ChildId, ChildProcess>,
    pub(super) ready: VecDeque<Event>,
    pub(super) sweeping: Option<EndingProcesses>,
    pub(super) swept: Option<SweepReport>,
    pub(super) children: Option<CaughtSignal>,
    pub(super) interrupts: Vec<CaughtSignal>,
    pub(super) interrupted: Arc<AtomicUsize>,
    pub(super) waker: Option<Waker>,
    pub(super) watched: BTreeMap<WatchId, OwnedFd>,
    /// Whether only child processes and interrupts are handled for now.
    pub(super) focused: bool,
    pub(super) buffer: Vec<u8>,
    found: ProgramCache,
    pub(super) detached: Option<OsString>,
    /// How many child and watch ids were assigned.
    pub(super) count: u64,
    above: Option<String>,
}

impl ProcessSet {
    /// Creates a plain process set.
    pub fn new() -> Self {
        // If our parent ignored SIGCHLD, the kernel would discard exit codes. Catching it restores
        // them.
        let children = if signals::is_ignored(Signal::CHILD) {
            CaughtSignal::new(Signal::CHILD).ok()
        } else {
            None
        };
        Self {
            id: Clock::system().fresh_id(),
            adopting: false,
            leaves: BTreeMap::new(),
            ready: VecDeque::new(),
            sweeping: None,
            swept: None,
            children,
            interrupts: Vec::new(),
            interrupted: Arc::default(),
            waker: None,
            watched: BTreeMap::new(),
            focused: false,
            buffer: vec![0; 16 * 1024],
            found: ProgramCache::default(),
            detached: inherited::detached_name(),
            above: inherited::leaves_above(),
            count: 0,
        }
    }

    /// Creates a process set that adopts the orphans of this process. There can be one at a time.
    pub fn adopting() -> io::Result<Self> {
        if ADOPTING.swap(true, Ordering::AcqRel) {
            return Err(io::Error::other(AlreadyAdopting));
        }
        let mut processes = Self::new();
        processes.adopting = true;
        processes.children = Some(CaughtSignal::new(Signal::CHILD)?);
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        Ok(processes)
    }

    /// Gives everything that is started from now on a name, without `.` and `:`, by which
    /// [`end_carried`](super::end_carried) finds it after this process was killed.
    pub fn carry(&mut self, name: &str) {
        let part = format!("{name}.0");
        self.above = Some(match self.above.take() {
            Some(above) => format!("{above}:{part}"),
            None => part,
        });
    }

    /// Starts a command. A failed start is reported as [`Event::Ended`] like any other end.
    pub fn spawn(&mut self, command: Command) -> ChildId {
        self.count += 1;
        let id = ChildId(self.count);
        let mark = ChildMark {
            marker: format!("{}.{id}", self.id),
            above: self.above.as_deref(),
            detached: self.detached.as_deref(),
        };
        match ChildProcess::start(id, command, mark, &mut self.found) {
            Ok(leaf) => {
                self.leaves.insert(id, leaf);
            }
            Err(ended) => self.ready.push_back(Event::Ended(ended)),
        }
        id
    }

    /// Runs one command to its end. A first interrupt stops it, a second one kills it.
    /// [`ProcessSet::next`] reports the interrupts and the ends of other children afterwards. Live
    /// output is not reported: it is in the captured output.
    pub fn run(&mut self, command: Command) -> ProcessEnd {
        let id = self.spawn(command);
        let mut later = VecDeque::new();
        let mut interrupted = false;
        // Ignore watched descriptors: no caller reads them meanwhile, so they would wake us in a
        // loop. They are reported afterwards.
        self.focused = true;
        loop {
            match self.next(None) {
                Some(Event::Ended(ended)) if ended.leaf == id => {
                    later.append(&mut self.ready);
                    self.ready = later;
                    self.focused = false;
                    return *ended;
                }
                Some(Event::Interrupt(signal)) => {
                    if interrupted {
                        self.kill(id);
                    } else {
                        self.stop(id, StopReason::Cancelled);
                    }
                    interrupted = true;
                    later.push_back(Event::Interrupt(signal));
                }
                Some(Event::Output { .. }) | None => {}
                Some(event) => later.push_back(event),
            }
        }
    }

    /// Waits for `time`. Returns the signal of an interrupt that arrives meanwhile or is pending.
    /// [`ProcessSet::next`] reports ends and wake-ups afterwards. With a zero `time`, only checks
    /// for a pending interrupt.
    pub fn rest(&mut self, time: Duration) -> Option<Signal> {
        let deadline = clock::deadline_in(time);
        let mut later = VecDeque::new();
        let mut caught = None;
        while caught.is_none() {
            match self.next(deadline) {
                Some(Event::Interrupt(signal)) => caught = Some(signal),
                Some(event) => later.push_back(event),
                None => break,
            }
        }
        later.append(&mut self.ready);
        self.ready = later;
        caught
    }

    /// Waits for the next event, until `deadline` if there is one. Returns `None` when the deadline
    /// has passed, or when nothing runs and no event can arrive.
    pub fn next(&mut self, deadline: Option<Instant>) -> Option<Event> {
        let mut late = false;
        loop {
            self.attend();
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            let silent = self.leaves.is_empty()
                && self.interrupts.is_empty()
                && self.watched.is_empty()
                && self.waker.is_none();
            if late || (silent && deadline.is_none()) {
                return None;
            }
            // Poll once even if the deadline has already passed.
            self.wait(deadline);
            late = deadline.is_some_and(|deadline| clock::until(deadline).is_zero());
        }
    }

    /// Waits for the next event of one child process, or for an interrupt, until `deadline` if
    /// there is one. [`ProcessSet::next`] reports everything else afterwards.
    pub fn next_of(&mut self, leaf: ChildId, deadline: Option<Instant>) -> Option<Event> {
        self.next_among(Some(leaf), None, deadline)
    }

    /// Like [`ProcessSet::next_of`], with an optional child, and also for a watched descriptor that
    /// the caller reads.
    pub fn next_among(
        &mut self,
        leaf: Option<ChildId>,
        watch: Option<WatchId>,
        deadline: Option<Instant>,
    ) -> Option<Event> {
        let mut later = VecDeque::new();
        // Without `watch`, ignore watched descriptors: no caller reads them, so they would wake us in
        // a loop.
        let focused = std::mem::replace(&mut self.focused, watch.is_none());
        let found = loop {
            match self.next(deadline) {
                Some(Event::Output { leaf: whose, .. }) if Some(whose) != leaf => {}
                Some(Event::Ended(ended)) if Some(ended.leaf) != leaf => {
                    later.push_back(Event::Ended(ended));
                }
                Some(Event::Readable(id)) if Some(id) != watch => {
                    later.push_back(Event::Readable(id));
                }
                Some(Event::Woken) => later.push_back(Event::Woken),
                found => break found,
            }
        };
        self.focused = focused;
        later.append(&mut self.ready);
        self.ready = later;
        found
    }

    /// Whether no child process runs.
    pub fn is_idle(&self) -> bool {
        self.leaves.is_empty()
    }

    /// The running child processes.
    pub fn running(&self) -> impl Iterator<Item = ChildId> {
        self.leaves.keys().copied()
    }

    /// The identity of a running child's command, for a journal.
    pub fn identity(&self, leaf: ChildId) -> Option<ProcessIdentity> {
        ProcessIdentity::of(self.leaves.get(&leaf)?.raw_pid())
    }

    /// Ends a child's tree: SIGTERM, its grace period, SIGKILL. Its end is reported when no process
    /// of the tree is left.
    pub fn stop(&mut self, leaf: ChildId, reason: StopReason) {
        let grace = match reason {
            StopReason::Cancelled => None,
            StopReason::Within(grace) => Some(grace),
        };
        if let Some(leaf) = self.leaves.get_mut(&leaf) {
            leaf.stop(EndCause::Cancelled, grace);
        }
    }

    /// Kills a child's tree at once, even if it is already being stopped.
    pub fn kill(&mut self, leaf: ChildId) {
        self.stop(leaf, StopReason::Within(Duration::ZERO));
    }

    /// Sends bytes to a child whose stdin is [`Stdin::Held`](super::Stdin::Held) or
    /// [`Stdin::Fed`](super::Stdin::Fed).
    pub fn send(&mut self, leaf: ChildId, bytes: &[u8]) -> Result<(), SendError> {
        self.leaves
            .get_mut(&leaf)
            .ok_or(SendError::Closed)?
            .stdin
            .send(bytes)
    }

    /// Whether a child with [`Stdin::Fed`](super::Stdin::Fed) has read everything that was sent.
    /// When this becomes true, the loop wakes as with a [`Waker`].
    pub fn has_taken_all(&self, leaf: ChildId) -> bool {
        self.leaves
            .get(&leaf)
            .is_some_and(|leaf| leaf.stdin.is_hungry())
    }

    /// Closes a held stdin once everything sent is written.
    pub fn close_stdin(&mut self, leaf: ChildId) {
        if let Some(leaf) = self.leaves.get_mut(&leaf) {
            leaf.stdin.finish();
        }
    }

    /// Creates a process set for foreground work: no process escapes it, and interrupts are events.
    pub fn foreground() -> io::Result<Self> {
        let mut processes = Self::adopting()?;
        processes.catch_interrupts()?;
        Ok(processes)
    }

    /// Reports SIGINT, SIGTERM and SIGHUP as events from now on, except those that were ignored
    /// when this process started. They stay without effect after the process set is dropped.
    pub fn catch_interrupts(&mut self) -> io::Result<()> {
        for signal in signals::interrupts() {
            let caught = self
                .interrupts
                .iter()
                .any(|caught| caught.signal() == signal);
            if !caught {
                self.interrupts.push(CaughtSignal::new(signal)?);
            }
        }
        Ok(())
    }

    /// The number of interrupts so far, shared with an observer in another thread.
    pub fn interrupted(&self) -> Arc<AtomicUsize> {
        self.interrupted.clone()
    }

    /// Creates a waker for the loop.
    pub fn waker(&mut self) -> io::Result<Waker> {
        if let Some(waker) = &self.waker {
            return Ok(waker.clone());
        }
        Ok(self.waker.insert(Waker::new()?).clone())
    }

    /// Reports when `fd` is readable, for as long as it is. The process set keeps a duplicate.
    pub fn watch(&mut self, fd: impl AsFd) -> io::Result<WatchId> {
        let duplicate = fd.as_fd().try_clone_to_owned()?;
        self.count += 1;
        let id = WatchId(self.count);
        self.watched.insert(id, duplicate);
        Ok(id)
    }

    /// Stops reporting a descriptor.
    pub fn unwatch(&mut self, watch: WatchId) {
        self.watched.remove(&watch);
        self.ready
            .retain(|event| !matches!(event, Event::Readable(id) if *id == watch));
    }
}

impl Default for ProcessSet {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for ProcessSet {
    fn drop(&mut self) {
        self.sweep(Duration::ZERO);
        if self.adopting {
            let _ = rustix::process::set_child_subreaper(None);
            ADOPTING.store(false, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests;
