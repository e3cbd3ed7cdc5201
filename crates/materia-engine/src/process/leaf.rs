//! A running command.
//!
//! Owns its pidfd, its streams, its deadline and, once it is being stopped, its ending. The process
//! set polls and calls. Nothing here waits, except for a kill on a system without `/proc`.

use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, Signal, WaitOptions};

use super::command::Command;
use super::end::{Cause, ProcessEnd, Status};
use super::ending::{EndingProcesses, PATIENCE};
use super::event::{ChildId, Event, Stream};
use super::feed::Feed;
use super::identity::ProcessIdentity;
use super::output::{Reading, Tap};
use super::program::{ProgramCache, SpawnError};
use super::spawn::{self, Group, StartedProcess};
use super::{DETACHED_VARIABLE, LEAF_VARIABLE};
use crate::clock::{self, Stopwatch};

/// One running child process.
#[derive(Debug)]
pub(super) struct ChildProcess {
    pub(super) id: ChildId,
    pub(super) marker: String,
    pub(super) pid: Pid,
    pub(super) handle: OwnedFd,
    pub(super) stdin: Feed,
    pub(super) taps: [Option<Tap>; 2],
    pub(super) deadline: Option<Instant>,
    pub(super) stopping: Option<Stopping>,
    whole: bool,
    grace: Duration,
    watch: Stopwatch,
}

/// A child process that is being stopped, and why.
#[derive(Debug)]
pub(super) struct Stopping {
    why: EndCause,
    pub(super) ending: EndingProcesses,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndCause {
    Deadline,
    Cancelled,
    /// Its leader exited by itself, and the rest of its tree is ended.
    Over,
}

/// The marker of a child's processes and the environment variable that carries it.
pub(super) struct ChildMark<'a> {
    pub(super) marker: String,
    /// The markers of the child processes that this process belongs to.
    pub(super) above: Option<&'a str>,
    /// The name under which this process was detached, which its children inherit.
    pub(super) detached: Option<&'a std::ffi::OsStr>,
}

impl ChildProcess {
    /// Starts `command`. A failed start is returned as an end.
    pub(super) fn start(
        id: ChildId,
        command: Command,
        mark: ChildMark<'_>,
        found: &mut ProgramCache,
    ) -> Result<Self, Box<ProcessEnd>> {
        let watch = Stopwatch::start();
        let (deadline, grace, whole) = (command.deadline, command.grace, command.whole);
        let path = match mark.above {
            Some(above) => format!("{above}:{}", mark.marker),
            None => mark.marker.clone(),
        };
        // The detached mark is repeated because the command may have cleared its environment.
        let marks = [
            (LEAF_VARIABLE, Some(path.as_ref())),
            (DETACHED_VARIABLE, mark.detached),
        ];
        match spawn::start(command, Group::Own, &marks, found) {
            Ok(StartedProcess {
                pid,
                handle,
                stdin,
                stdout,
                stderr,
            }) => Ok(Self {
                id,
                marker: mark.marker,
                pid,
                handle,
                stdin,
                taps: [stdout, stderr],
                deadline: deadline.and_then(|after| watch.started().checked_add(after)),
                stopping: None,
                whole,
                grace,
                watch,
            }),
            Err(error) => Err(Box::new(never_started(id, error, watch))),
        }
    }

    pub(super) fn raw_pid(&self) -> i32 {
        self.pid.as_raw_nonzero().get()
    }

    /// Starts to end its tree, or shortens an ending that is under way.
    pub(super) fn stop(&mut self, why: EndCause, grace: Option<Duration>) {
        let grace = grace.unwrap_or(self.grace);
        match &mut self.stopping {
            Some(stopping) if grace.is_zero() => stopping.ending.hurry(),
            Some(_) => {}
            None => {
                self.stopping = Some(Stopping {
                    why,
                    ending: EndingProcesses::new(grace),
                });
            }
        }
    }

    /// Whether its tree ends with its leader.
    pub(super) fn is_whole(&self) -> bool {
        self.whole
    }

    /// Whether its leader has just ended and its tree has not. The leader is not reaped before the
    /// tree.
    pub(super) fn leaves_a_tree(&mut self) -> bool {
        if !self.whole || self.stopping.is_some() {
            return false;
        }
        self.stop(EndCause::Over, None);
        true
    }

    /// Starts to end its tree if its deadline has passed.
    pub(super) fn check_deadline(&mut self) {
        if self.stopping.is_none()
            && self
                .deadline
                .is_some_and(|deadline| clock::until(deadline).is_zero())
        {
            self.stop(EndCause::Deadline, None);
        }
    }

    /// When it needs attention even if no event arrives.
    pub(super) fn wake_at(&self) -> Option<Instant> {
        match &self.stopping {
            Some(stopping) => stopping.ending.wake_at(),
            None => self.deadline,
        }
    }

    /// Reads one stream once. `hung_up` means that the poll saw no writer any more, so this may be
    /// the last read.
    pub(super) fn read(
        &mut self,
        stream: Stream,
        buffer: &mut [u8],
        hung_up: bool,
    ) -> Option<Event> {
        let tap = self.taps[stream as usize].as_mut()?;
        let Reading::Some(count) = tap.read(buffer) else {
            return None;
        };
        if hung_up {
            tap.close_if_dry(count, buffer.len());
        }
        tap.is_live().then(|| Event::Output {
            leaf: self.id,
            stream,
            bytes: buffer[..count].to_vec(),
        })
    }

    /// Reads what is in the pipes now and closes them. Does not wait for processes that still hold
    /// the other ends.
    pub(super) fn drain(&mut self, buffer: &mut [u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for stream in [Stream::Stdout, Stream::Stderr] {
            let Some(tap) = &mut self.taps[stream as usize] else {
                continue;
            };
            let mut waiting = tap.waiting();
            while waiting > 0 {
                let size = waiting.min(buffer.len());
                let Reading::Some(count) = tap.read(&mut buffer[..size]) else {
                    break;
                };
                waiting = waiting.saturating_sub(count);
                if tap.is_live() {
                    events.push(Event::Output {
                        leaf: self.id,
                        stream,
                        bytes: buffer[..count].to_vec(),
                    });
                }
            }
            tap.close();
        }
        self.stdin.close();
        events
    }

    /// Reaps the leader if it has ended.
    pub(super) fn reap(&self) -> Option<Status> {
        loop {
            match rustix::process::waitpid(Some(self.pid), WaitOptions::NOHANG) {
                Ok(Some((_, status))) => return Some(status.into()),
                Ok(None) => return None,
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return Some(Status::Unknown),
            }
        }
    }

    /// Kills the leader and its group without a scan, and waits for the leader. It is not reaped
    /// yet, so neither number can have been reused.
    pub(super) fn kill_unseen(&self) -> Status {
        let _gone = rustix::process::kill_process_group(self.pid, Signal::KILL);
        let _gone = rustix::process::kill_process(self.pid, Signal::KILL);
        let patience = Timespec::try_from(PATIENCE).ok();
        let _late = rustix::event::poll(
            &mut [PollFd::new(&self.handle, PollFlags::IN)],
            patience.as_ref(),
        );
        self.reap().unwrap_or(Status::Unknown)
    }

    /// Builds the report of its end. The streams have been drained before.
    pub(super) fn finish(self, status: Status, survivors: Vec<ProcessIdentity>) -> ProcessEnd {
        let [stdout, stderr] = self
            .taps
            .map(|tap| tap.map(Tap::finish).unwrap_or_default());
        ProcessEnd {
            leaf: self.id,
            pid: Some(self.pid.as_raw_nonzero().get()),
            cause: match self.stopping.map(|stopping| stopping.why) {
                None | Some(EndCause::Over) => Cause::Finished(status),
                Some(EndCause::Deadline) => Cause::TimedOut(status),
                Some(EndCause::Cancelled) => Cause::Cancelled(status),
            },
            stdout,
            stderr,
            stdin_refused: self.stdin.refused(),
            stdin_left: self.stdin.has_left(),
            elapsed: self.watch.elapsed(),
            survivors,
        }
    }
}

fn never_started(leaf: ChildId, error: SpawnError, watch: Stopwatch) -> ProcessEnd {
    ProcessEnd {
        leaf,
        pid: None,
        cause: Cause::NotStarted(error),
        stdout: super::Captured::default(),
        stderr: super::Captured::default(),
        stdin_refused: false,
        stdin_left: true,
        elapsed: watch.elapsed(),
        survivors: Vec::new(),
    }
}
