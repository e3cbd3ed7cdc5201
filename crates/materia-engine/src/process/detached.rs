//! Processes that are meant to outlive us.
//!
//! Owns the start of those that need nothing from us (the supervisor of a run does: see
//! `detached_child`), and ending what a killed process left behind, by the name that it carries. A
//! detached process belongs to no process set: its mark keeps every process set around it from taking it,
//! and everything below it, for a leftover. It stays in our process group unless it leaves that
//! itself.

use std::ffi::OsStr;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::process::{Pid, WaitId, WaitIdOptions};

use super::command::{Command, Stdin, StreamSink};
use super::ending::{EndingProcesses, ProcessScan};
use super::event::SweepReport;
use super::identity::ProcessIdentity;
use super::inherited;
use super::program::{ProgramCache, SpawnError};
use super::spawn::{self, Group};
use super::tree::{self, Asker, Scope};
use super::{DETACHED_VARIABLE, LEAF_VARIABLE};
use crate::clock;

/// Detached children of ours that may still have to be reaped, by pidfd: their pids may be others'
/// by now.
static CHILDREN: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// Starts a process that outlives us, under a name nobody else uses. Streams are files, inherited,
/// or nothing; what would need us to read or write is nothing.
pub fn spawn_detached(command: Command, name: &str) -> Result<ProcessIdentity, SpawnError> {
    let program = command.argv.first().cloned().unwrap_or_default();
    let pid = start(command, name)?;
    let gone = || SpawnError::Other {
        program: program.into(),
        reason: "it is gone already".into(),
    };
    ProcessIdentity::of(pid.as_raw_nonzero().get()).ok_or_else(gone)
}

fn start(mut command: Command, name: &str) -> Result<Pid, SpawnError> {
    if matches!(command.stdin, Stdin::Bytes(_) | Stdin::Held | Stdin::Fed) {
        command.stdin = Stdin::Null;
    }
    for sink in [&mut command.stdout, &mut command.stderr] {
        if matches!(sink, StreamSink::Capture(_)) {
            *sink = StreamSink::Null;
        }
    }
    let marks = [
        (LEAF_VARIABLE, None),
        (DETACHED_VARIABLE, Some(OsStr::new(name))),
    ];
    let started = spawn::start(command, Group::Ours, &marks, &mut ProgramCache::default())?;
    reap_later(started.handle);
    Ok(started.pid)
}

/// Remembers a child of ours that outlives whoever asked for it: one that ends before us is reaped
/// when the next is started.
pub(super) fn reap_later(handle: OwnedFd) {
    let mut children = CHILDREN.lock().unwrap_or_else(PoisonError::into_inner);
    children.retain(|child| {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        matches!(
            rustix::process::waitid(WaitId::PidFd(child.as_fd()), options),
            Ok(None)
        )
    });
    children.push(handle);
}

/// Whether this process is part of what was detached under a name.
pub fn is_part_of(name: &str) -> bool {
    inherited::detached_name().is_some_and(|own| own == name)
}

/// Ends everything that still carries the name of a detached process, and what descends from it:
/// what is left after its supervisor was killed (A6). Waits until it is gone.
pub fn end_detached(name: &str, grace: Duration) -> SweepReport {
    end(Some(name.as_bytes()), Scope::Detached, grace)
}

/// Ends everything that was started by process sets that carried this name (see [`ProcessSet::carry`]),
/// and what descends from it: what is left after their process was killed (A6). Waits until it is
/// gone.
///
/// [`ProcessSet::carry`]: super::ProcessSet::carry
pub fn end_carried(name: &str, grace: Duration) -> SweepReport {
    end(None, Scope::Left(name), grace)
}

fn end(detached: Option<&[u8]>, scope: Scope<'_>, grace: Duration) -> SweepReport {
    let me = rustix::process::getpid().as_raw_nonzero().get();
    let asker = Asker {
        me,
        adopting: false,
        nursery: "",
        detached,
        leaves: &[],
    };
    let mut ending = EndingProcesses::new(grace);
    loop {
        let over = ending.advance(|known| {
            let processes = tree::snapshot();
            let members = tree::members(asker, scope, &processes, known, tree::marks_of);
            ProcessScan {
                processes,
                members,
                stirred: false,
            }
        });
        if let Some(survivors) = over {
            return SweepReport {
                ended: ending.ended(),
                survivors,
            };
        }
        wait_for(&mut ending);
    }
}

fn wait_for(ending: &mut EndingProcesses) {
    let mut fds: Vec<PollFd<'_>> = ending
        .held()
        .iter()
        .map(|held| PollFd::new(held, PollFlags::IN))
        .collect();
    let timeout = ending
        .wake_at()
        .and_then(|due| Timespec::try_from(clock::until(due)).ok());
    let happened = rustix::event::poll(&mut fds, timeout.as_ref());
    let gone: Vec<usize> = match happened {
        Ok(_) => (0..fds.len())
            .rev()
            .filter(|index| !fds[*index].revents().is_empty())
            .collect(),
        Err(_) => Vec::new(),
    };
    for index in gone {
        ending.release(index);
    }
}
