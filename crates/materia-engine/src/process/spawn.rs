//! Starts one process with `posix_spawn`.
//!
//! Owns the translation of a [`Command`] to the standard library's, and the pipes between us and
//! the child. The standard library uses `posix_spawn` (which does not copy our page tables) only
//! without `pre_exec`, a pidfd, or a search in a changed `PATH`, so this module uses none of them.
//! Knows nothing about trees or waiting.

use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::Stdio;

use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};

use super::command::{Command, Stdin, StreamSink};
use super::feed::Feed;
use super::inherited;
use super::output::Tap;
use super::program::{self, ProgramCache, SpawnError};
use crate::failpoint;

/// A started process, and our ends of its streams.
#[derive(Debug)]
pub(super) struct StartedProcess {
    pub(super) pid: Pid,
    pub(super) handle: OwnedFd,
    pub(super) stdin: Feed,
    pub(super) stdout: Option<Tap>,
    pub(super) stderr: Option<Tap>,
}

/// The process group of a new process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    /// Its own.
    Own,
    /// Ours.
    Ours,
}

/// Starts `command` with `marks` set in its environment (removed where `None`). They override the
/// command's own changes. `found` caches programs that were found.
pub(super) fn start(
    command: Command,
    group: Group,
    marks: &[(&str, Option<&OsStr>)],
    found: &mut ProgramCache,
) -> Result<StartedProcess, SpawnError> {
    let Command {
        argv,
        cwd,
        env,
        stdin,
        stdout,
        stderr,
        ..
    } = command;
    let name = argv.first().ok_or(SpawnError::Empty)?;
    let path = env.effective("PATH", inherited::search_path());
    let file = found.find(name, path, cwd.as_deref())?;
    let unprepared = |error: io::Error| SpawnError::from_preparation(name, &error);

    let mut child = std::process::Command::new(&file);
    child.arg0(name).args(&argv[1..]);
    if group == Group::Own {
        child.process_group(0);
    }
    if let Some(cwd) = &cwd {
        child.current_dir(cwd);
    }
    if env.is_cleared() {
        child.env_clear();
    }
    for (name, value) in env
        .changes()
        .chain(marks.iter().map(|(name, value)| (OsStr::new(name), *value)))
    {
        match value {
            Some(value) => child.env(name, value),
            None => child.env_remove(name),
        };
    }
    let (theirs, stdin) = feed(stdin).map_err(unprepared)?;
    child.stdin(theirs);
    let (theirs, stdout) = tap(stdout).map_err(unprepared)?;
    child.stdout(theirs);
    let (theirs, stderr) = tap(stderr).map_err(unprepared)?;
    child.stderr(theirs);

    failpoint::hit("process.spawn").map_err(unprepared)?;
    let spawned = child.spawn();
    // Close our copies of the child's ends: otherwise its output never reaches EOF.
    drop(child);
    let spawned =
        spawned.map_err(|error| program::explain(&error, &argv, &file, cwd.as_deref()))?;
    let pid = Pid::from_child(&spawned);
    let failed = failpoint::hit("process.spawned");
    match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
        Ok(handle) if failed.is_ok() => Ok(StartedProcess {
            pid,
            handle,
            stdin,
            stdout,
            stderr,
        }),
        other => {
            let error = failed.err().or(other.err().map(io::Error::from));
            undo(pid, group);
            Err(unprepared(error.unwrap_or_else(|| Errno::IO.into())))
        }
    }
}

/// Ends a child that cannot be supervised. It is not reaped yet, so its pid and group cannot have
/// been reused.
pub(super) fn undo(pid: Pid, group: Group) {
    let _ = rustix::process::kill_process(pid, Signal::KILL);
    if group == Group::Own {
        let _ = rustix::process::kill_process_group(pid, Signal::KILL);
    }
    while let Err(Errno::INTR) = rustix::process::waitpid(Some(pid), WaitOptions::empty()) {}
}

fn feed(stdin: Stdin) -> io::Result<(Stdio, Feed)> {
    Ok(match stdin {
        Stdin::Null => (Stdio::null(), Feed::default()),
        Stdin::Inherit => (Stdio::inherit(), Feed::default()),
        Stdin::File(file) => (file.into(), Feed::default()),
        Stdin::Bytes(bytes) if bytes.is_empty() => (Stdio::null(), Feed::default()),
        Stdin::Bytes(bytes) => {
            let (theirs, ours) = pipe()?;
            // Usually everything fits, and our end is closed before the child is started.
            (theirs.into(), Feed::finite(ours, bytes))
        }
        Stdin::Held => {
            let (theirs, ours) = pipe()?;
            (theirs.into(), Feed::held(ours))
        }
        Stdin::Fed => {
            let (theirs, ours) = pipe()?;
            (theirs.into(), Feed::read_through(ours))
        }
    })
}

/// Creates a pipe for a child to read from. Our end never blocks.
fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (theirs, ours) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    rustix::io::ioctl_fionbio(&ours, true)?;
    Ok((theirs, ours))
}

fn tap(sink: StreamSink) -> io::Result<(Stdio, Option<Tap>)> {
    Ok(match sink {
        StreamSink::Null => (Stdio::null(), None),
        StreamSink::Inherit => (Stdio::inherit(), None),
        StreamSink::File(file) => (file.into(), None),
        StreamSink::Capture(capture) => {
            let (ours, theirs) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
            rustix::io::ioctl_fionbio(&ours, true)?;
            (theirs.into(), Some(Tap::new(ours, capture)))
        }
    })
}
