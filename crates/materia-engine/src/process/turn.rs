//! One iteration of a process set's loop: poll, then handle what woke it.
//!
//! Owns the work between two events: read output, write input, reap leaders, check deadlines,
//! advance endings. Every wait ends with a descriptor or the next deadline.

use std::cell::OnceCell;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::Ordering;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, WaitOptions};

use super::end::Status;
use super::ending::{EndingProcesses, ProcessScan};
use super::event::{ChildId, Event, Stream, SweepReport, WatchId};
use super::identity::ProcessIdentity;
use super::nursery::ProcessSet;
use super::output::Tap;
use super::stat::Stat;
use super::tree::{self, Asker, Known, Scope};
use crate::clock;

/// What a polled descriptor belongs to.
#[derive(Debug, Clone, Copy)]
enum Source {
    Waker,
    Children,
    Interrupt(usize),
    Watch(WatchId),
    Exit(ChildId),
    Stdin(ChildId),
    Output(ChildId, Stream),
    Member(ChildId, usize),
    Leftover(usize),
}

impl ProcessSet {
    /// Does everything that is due without waiting.
    pub(super) fn attend(&mut self) {
        let mut stopping = Vec::new();
        for leaf in self.leaves.values_mut() {
            leaf.check_deadline();
            if leaf.stopping.is_some() {
                stopping.push(leaf.id);
            }
        }
        // All children share one snapshot for their first scan.
        let look = OnceCell::new();
        for id in &stopping {
            self.advance(*id, &look);
        }
        if let Some(mut ending) = self.sweeping.take() {
            match ending.advance(|known| self.scan(Scope::Everything, known, tree::snapshot())) {
                Some(survivors) => {
                    self.swept = Some(SweepReport {
                        ended: ending.ended(),
                        survivors,
                    });
                }
                None => self.sweeping = Some(ending),
            }
        }
        if !stopping.is_empty() {
            self.reap_orphans();
        }
    }

    /// Advances the ending of one child, and concludes it when its tree is gone.
    fn advance(&mut self, id: ChildId, look: &OnceCell<Vec<Stat>>) {
        let Some(leaf) = self.leaves.get_mut(&id) else {
            return;
        };
        let Some(mut stopping) = leaf.stopping.take() else {
            return;
        };
        let mut first = true;
        let over = self.leaves.get(&id).and_then(|leaf| {
            stopping.ending.advance(|known| {
                let processes = if std::mem::take(&mut first) {
                    look.get_or_init(tree::snapshot).clone()
                } else {
                    tree::snapshot()
                };
                self.scan(
                    Scope::Leaf {
                        leader: leaf.raw_pid(),
                        marker: &leaf.marker,
                    },
                    known,
                    processes,
                )
            })
        });
        let Some(leaf) = self.leaves.get_mut(&id) else {
            return;
        };
        leaf.stopping = Some(stopping);
        if let Some(survivors) = over {
            // A leader that still runs but is not among the survivors was not scanned: there is no
            // `/proc`.
            let unseen = || {
                if survivors.is_empty() {
                    leaf.kill_unseen()
                } else {
                    Status::Unknown
                }
            };
            let status = leaf.reap().unwrap_or_else(unseen);
            self.conclude(id, status, survivors);
        }
    }

    fn scan(&self, scope: Scope<'_>, known: &Known, processes: Vec<Stat>) -> ProcessScan {
        let leaves: Vec<(i32, &str)> = self
            .leaves
            .values()
            .map(|leaf| (leaf.raw_pid(), leaf.marker.as_str()))
            .collect();
        let asker = Asker {
            me: rustix::process::getpid().as_raw_nonzero().get(),
            adopting: self.adopting,
            nursery: &self.id,
            detached: self.detached.as_ref().map(|mark| mark.as_bytes()),
            leaves: &leaves,
        };
        let members = tree::members(asker, scope, &processes, known, tree::marks_of);
        let stirred = tree::ended_orphans(asker, scope, &processes)
            .map(reap)
            .count()
            > 0;
        ProcessScan {
            processes,
            members,
            stirred,
        }
    }

    /// Removes a child and reports its last output and its end.
    pub(super) fn conclude(
        &mut self,
        id: ChildId,
        status: Status,
        survivors: Vec<ProcessIdentity>,
    ) {
        let Some(mut leaf) = self.leaves.remove(&id) else {
            return;
        };
        self.ready.extend(leaf.drain(&mut self.buffer));
        self.ready
            .push_back(Event::Ended(Box::new(leaf.finish(status, survivors))));
    }

    /// Waits until an event arrives or something is due, at most until `deadline`, and handles it.
    pub(super) fn wait(&mut self, deadline: Option<Instant>) {
        let due = self
            .leaves
            .values()
            .filter_map(super::leaf::ChildProcess::wake_at);
        let due = due
            .chain(self.sweeping.as_ref().and_then(EndingProcesses::wake_at))
            .chain(deadline)
            .min();
        // In reverse order: pidfds are removed from the end of their list, and output is read
        // before an exit is handled.
        for (source, flags) in self.poll(due).into_iter().rev() {
            self.see_to(source, flags);
        }
    }

    fn poll(&self, due: Option<Instant>) -> Vec<(Source, PollFlags)> {
        let mut sources = Vec::new();
        let mut fds = Vec::new();
        let mut add = |source, fd, flags| {
            sources.push(source);
            fds.push(PollFd::from_borrowed_fd(fd, flags));
        };
        self.others(|source, fd| add(source, fd, PollFlags::IN));
        for leaf in self.leaves.values() {
            let id = leaf.id;
            match &leaf.stopping {
                None => add(Source::Exit(id), leaf.handle.as_fd(), PollFlags::IN),
                Some(stopping) => {
                    for (index, held) in stopping.ending.held().iter().enumerate() {
                        add(Source::Member(id, index), held.as_fd(), PollFlags::IN);
                    }
                }
            }
            if let Some(pipe) = leaf.stdin.wanting() {
                add(Source::Stdin(id), pipe, PollFlags::OUT);
            }
            for stream in [Stream::Stderr, Stream::Stdout] {
                if let Some(pipe) = leaf.taps[stream as usize].as_ref().and_then(Tap::pipe) {
                    add(Source::Output(id, stream), pipe, PollFlags::IN);
                }
            }
        }
        let timeout = due.and_then(|due| Timespec::try_from(clock::until(due)).ok());
        if rustix::event::poll(&mut fds, timeout.as_ref()).is_err() {
            return Vec::new();
        }
        let happened = sources
            .into_iter()
            .zip(fds)
            .map(|(source, fd)| (source, fd.revents()));
        happened.filter(|(_, flags)| !flags.is_empty()).collect()
    }

    /// Adds every polled descriptor that does not belong to a child.
    fn others<'a>(&'a self, mut add: impl FnMut(Source, BorrowedFd<'a>)) {
        if let Some(children) = &self.children {
            add(Source::Children, children.as_fd());
        }
        for (index, caught) in self.interrupts.iter().enumerate() {
            add(Source::Interrupt(index), caught.as_fd());
        }
        if !self.focused {
            if let Some(waker) = &self.waker {
                add(Source::Waker, waker.as_fd());
            }
            for (id, fd) in &self.watched {
                add(Source::Watch(*id), fd.as_fd());
            }
        }
        for (index, held) in self
            .sweeping
            .iter()
            .flat_map(|ending| ending.held().iter().enumerate())
        {
            add(Source::Leftover(index), held.as_fd());
        }
    }

    fn see_to(&mut self, source: Source, flags: PollFlags) {
        match source {
            Source::Waker => {
                if self.waker.as_ref().is_some_and(super::event::Waker::drain) {
                    self.ready.push_back(Event::Woken);
                }
            }
            Source::Children => {
                self.children
                    .as_ref()
                    .map(super::signals::CaughtSignal::drain);
                self.reap_orphans();
            }
            Source::Interrupt(index) => {
                if let Some(caught) = self.interrupts.get(index).filter(|caught| caught.drain()) {
                    self.interrupted.fetch_add(1, Ordering::Relaxed);
                    self.ready.push_back(Event::Interrupt(caught.signal()));
                }
            }
            Source::Watch(id) => self.ready.push_back(Event::Readable(id)),
            Source::Exit(id) => {
                if self
                    .leaves
                    .get_mut(&id)
                    .is_some_and(super::leaf::ChildProcess::leaves_a_tree)
                {
                    return;
                }
                if let Some(status) = self
                    .leaves
                    .get(&id)
                    .and_then(super::leaf::ChildProcess::reap)
                {
                    self.conclude(id, status, Vec::new());
                }
            }
            Source::Stdin(id) => {
                if let Some(leaf) = self.leaves.get_mut(&id) {
                    leaf.stdin.stirred(flags.contains(PollFlags::ERR));
                    if leaf.stdin.is_hungry() {
                        self.ready.push_back(Event::Woken);
                    }
                }
            }
            Source::Output(id, stream) => self.read(id, stream, flags),
            Source::Member(id, index) => {
                if let Some(stopping) = self
                    .leaves
                    .get_mut(&id)
                    .and_then(|leaf| leaf.stopping.as_mut())
                {
                    stopping.ending.release(index);
                }
            }
            Source::Leftover(index) => {
                if let Some(ending) = &mut self.sweeping {
                    ending.release(index);
                }
            }
        }
    }

    fn read(&mut self, id: ChildId, stream: Stream, flags: PollFlags) {
        let Some(leaf) = self.leaves.get_mut(&id) else {
            return;
        };
        let hung_up = flags.contains(PollFlags::HUP);
        if flags.contains(PollFlags::IN) {
            self.ready
                .extend(leaf.read(stream, &mut self.buffer, hung_up));
        } else if let Some(tap) = &mut leaf.taps[stream as usize] {
            tap.close();
        }
    }
}

/// Reaps one ended child of ours that is no leader.
pub(super) fn reap(orphan: &Stat) {
    if let Some(pid) = Pid::from_raw(orphan.pid) {
        let _ = rustix::process::waitpid(Some(pid), WaitOptions::NOHANG);
    }
}
