//! Where leaves run: any number of them, on one thread, and none outlives it.
//!
//! Owns the running leaves, the queue of events and what can wake the loop besides leaves.
//! [`ProcessSet::next`] is the only place of the engine that waits. Starts no threads. What the loop
//! does when it wakes is in `turn`.

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

/// Whether some process set of this process adopts orphans: they come to the process, so only one can
/// have them.
static ADOPTING: AtomicBool = AtomicBool::new(false);

/// A place for leaves.
///
/// A plain one ([`ProcessSet::new`]) finds orphans of its leaves by the marker in their environment.
/// An adopting one ([`ProcessSet::adopting`]) makes this process their new parent, so that nothing it
/// starts can get away; all children of the process are then its to reap. Dropping a process set kills
/// what is left of it.
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
    /// Whether only leaves and interrupts count for now.
    pub(super) focused: bool,
    pub(super) buffer: Vec<u8>,
    found: ProgramCache,
    pub(super) detached: Option<OsString>,
    /// How many leaves and watches there were.
    pub(super) count: u64,
    above: Option<String>,
}

impl ProcessSet {
    /// A plain process set.
    pub fn new() -> Self {
        // Where our parent ignored SIGCHLD, exit codes would be lost; catching it brings them back.
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

    /// A process set that adopts the orphans of this process; there can be one at a time.
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

    /// Lets everything that is started from now on carry a name, without `.` and `:`, by which
    /// [`end_carried`](super::end_carried) finds it when this process was killed.
    pub fn carry(&mut self, name: &str) {
        let part = format!("{name}.0");
        self.above = Some(match self.above.take() {
            Some(above) => format!("{above}:{part}"),
            None => part,
        });
    }

    /// Starts a command. A failed start is told as [`Event::Ended`] like any other end.
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

    /// Runs one command to its end. An interrupt that comes meanwhile stops it, a second one kills
    /// it; both, and the ends of other leaves, are told by [`ProcessSet::next`] afterwards. Live
    /// output is not: it is in what was captured.
    pub fn run(&mut self, command: Command) -> ProcessEnd {
        let id = self.spawn(command);
        let mut later = VecDeque::new();
        let mut interrupted = false;
        // Descriptors that nobody reads meanwhile would wake us for ever; they are told afterwards.
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

    /// Waits for so long, and gives the signal of an interrupt that comes meanwhile or came before;
    /// ends of leaves and wake-ups are told by [`ProcessSet::next`] afterwards. No time at all asks
    /// only whether an interrupt came.
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

    /// Waits for what happens next, until `deadline` if there is one. `None` when the deadline has
    /// passed, or when nothing runs and nothing else could ever happen.
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
            // Also when the deadline has passed already, one look is taken.
            self.wait(deadline);
            late = deadline.is_some_and(|deadline| clock::until(deadline).is_zero());
        }
    }

    /// Waits for what happens next to one leaf, or for an interrupt, until `deadline` if there is
    /// one. Everything else is told by [`ProcessSet::next`] afterwards.
    pub fn next_of(&mut self, leaf: ChildId, deadline: Option<Instant>) -> Option<Event> {
        self.next_among(Some(leaf), None, deadline)
    }

    /// The same for a leaf or none, and for a watched descriptor, whose reader is whoever asks.
    pub fn next_among(
        &mut self,
        leaf: Option<ChildId>,
        watch: Option<WatchId>,
        deadline: Option<Instant>,
    ) -> Option<Event> {
        let mut later = VecDeque::new();
        // Descriptors that nobody reads meanwhile would wake us for ever.
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

    /// Whether any leaf runs.
    pub fn is_idle(&self) -> bool {
        self.leaves.is_empty()
    }

    /// The leaves that run.
    pub fn running(&self) -> impl Iterator<Item = ChildId> {
        self.leaves.keys().copied()
    }

    /// Who the command of a running leaf is, for a journal.
    pub fn identity(&self, leaf: ChildId) -> Option<ProcessIdentity> {
        ProcessIdentity::of(self.leaves.get(&leaf)?.raw_pid())
    }

    /// Ends a leaf's tree: SIGTERM, its grace, SIGKILL. Its end is told when nothing of it is left.
    pub fn stop(&mut self, leaf: ChildId, reason: StopReason) {
        let grace = match reason {
            StopReason::Cancelled => None,
            StopReason::Within(grace) => Some(grace),
        };
        if let Some(leaf) = self.leaves.get_mut(&leaf) {
            leaf.stop(EndCause::Cancelled, grace);
        }
    }

    /// Kills a leaf's tree at once, also one that is being stopped.
    pub fn kill(&mut self, leaf: ChildId) {
        self.stop(leaf, StopReason::Within(Duration::ZERO));
    }

    /// Gives bytes to a leaf whose stdin is [`Stdin::Held`](super::Stdin::Held) or
    /// [`Stdin::Fed`](super::Stdin::Fed).
    pub fn send(&mut self, leaf: ChildId, bytes: &[u8]) -> Result<(), SendError> {
        self.leaves
            .get_mut(&leaf)
            .ok_or(SendError::Closed)?
            .stdin
            .send(bytes)
    }

    /// Whether a leaf that is fed has read everything that was sent. Becoming so wakes like a
    /// [`Waker`].
    pub fn has_taken_all(&self, leaf: ChildId) -> bool {
        self.leaves
            .get(&leaf)
            .is_some_and(|leaf| leaf.stdin.is_hungry())
    }

    /// Ends a held stdin once everything sent is written.
    pub fn close_stdin(&mut self, leaf: ChildId) {
        if let Some(leaf) = self.leaves.get_mut(&leaf) {
            leaf.stdin.finish();
        }
    }

    /// For work in the foreground: no process escapes it, and an interrupt is an event.
    pub fn foreground() -> io::Result<Self> {
        let mut processes = Self::adopting()?;
        processes.catch_interrupts()?;
        Ok(processes)
    }

    /// Tells SIGINT, SIGTERM and SIGHUP as events from now on, except those that this process was
    /// started to ignore. When the process set is gone they stay without effect.
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

    /// How often the person interrupted so far, for somebody who looks on while we wait.
    pub fn interrupted(&self) -> Arc<AtomicUsize> {
        self.interrupted.clone()
    }

    /// Something that wakes the loop from elsewhere.
    pub fn waker(&mut self) -> io::Result<Waker> {
        if let Some(waker) = &self.waker {
            return Ok(waker.clone());
        }
        Ok(self.waker.insert(Waker::new()?).clone())
    }

    /// Tells when `fd` can be read, as long as it can. The process set keeps a duplicate.
    pub fn watch(&mut self, fd: impl AsFd) -> io::Result<WatchId> {
        let duplicate = fd.as_fd().try_clone_to_owned()?;
        self.count += 1;
        let id = WatchId(self.count);
        self.watched.insert(id, duplicate);
        Ok(id)
    }

    /// Stops telling.
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
