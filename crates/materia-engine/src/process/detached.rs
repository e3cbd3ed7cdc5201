//! Processes that are meant to outlive us.
//!
//! Owns starting those that need nothing from us (the supervisor of a run does: see
//! `detached_child`), and ending what a killed process left behind, found by the name in its
//! environment. A detached process belongs to no process set. Its mark keeps every enclosing
//! process set from treating it and its descendants as leftovers. It stays in our process group
//! unless it leaves that itself.

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

/// Detached children that may still have to be reaped. Held by pidfd because their pids may have
/// been reused.
static CHILDREN: Mutex<Vec<OwnedFd>> = Mutex::new(Vec::new());

/// Starts a process that outlives us, under a unique name. A stream that would need us to read or
/// write it becomes `/dev/null`; files and inherited streams are kept.
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

/// Keeps a child that outlives its caller. If it ends before us, the next start reaps it.
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

/// Whether this process belongs to the detached process of that name.
pub fn is_part_of(name: &str) -> bool {
    inherited::detached_name().is_some_and(|own| own == name)
}

/// Ends every process that carries the name of a detached process, and their descendants: the
/// leftovers of a killed supervisor (A6). Waits until they are gone.
pub fn end_detached(name: &str, grace: Duration) -> SweepReport {
    end(Some(name.as_bytes()), Scope::Detached, grace)
}

/// Ends everything that process sets with this name started (see [`ProcessSet::carry`]), and the
/// descendants: the leftovers of a killed process (A6). Waits until they are gone.
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
