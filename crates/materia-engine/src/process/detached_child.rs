//! A detached child: this program started again as the leader of its own session.
//!
//! Owns starting one, sending it its order, and what it inherits. Once it has been started it is
//! in a session of its own and executes this program: a signal to our process group does not reach
//! it, and the mark in its environment keeps it out of every process tree around it. It blocks on
//! its stdin until it gets its order; if we are killed before that, it reads EOF. The files that it
//! inherits (a lock, a wake-up pipe) stay open throughout, whichever of the two processes is
//! killed. Never decides what the child does.
//!
//! Between fork and exec the child still has our environment, so a scan of `/proc` counts it as
//! part of the tree that we are in. A process that ends that tree then ends us as well, and we have
//! not reported the child yet. The one scan that could find the child alone is that of an adopting
//! process set in another thread of this process. A process with such a set therefore starts no
//! detached child beside it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, PipeWriter, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use rustix::process::{Pid, PidfdFlags};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout, stderr, stdin, stdout};

use super::identity::ProcessIdentity;
use super::program::{self, SpawnError};
use super::spawn::{self, Group};
use super::{DETACHED_VARIABLE, LEAF_VARIABLE, detached, stat};
use crate::failpoint;

/// The program that runs now, even if its file has been replaced since it was started.
const SELF_EXE: &str = "/proc/self/exe";

/// A detached child that waits for its order, which ends when this is dropped.
#[derive(Debug)]
pub struct DetachedChild {
    /// The identity of its process.
    pub identity: ProcessIdentity,
    order: PipeWriter,
}

impl DetachedChild {
    /// Sends the child its order; an error if the child has ended.
    pub fn send_order(&mut self, order: &[u8]) -> io::Result<()> {
        self.order.write_all(order)
    }
}

/// Starts this program with exactly these arguments and variables, detached under `name`. The child
/// gets the files by [`inherited_files`].
pub fn spawn_detached_child(
    args: &[&OsStr],
    variables: &BTreeMap<OsString, OsString>,
    name: &str,
    files: [&dyn AsFd; 2],
) -> Result<DetachedChild, SpawnError> {
    failpoint::hit("process.spawn").map_err(|error| unprepared(&error))?;
    let (stdin, order) = io::pipe().map_err(|error| unprepared(&error))?;
    let [first, second] = files.map(|file| file.as_fd().try_clone_to_owned());
    let mut command = Command::new(SELF_EXE);
    command
        .args(args)
        .env_clear()
        .envs(variables)
        .env_remove(LEAF_VARIABLE)
        .env(DETACHED_VARIABLE, name)
        .stdin(stdin)
        .stdout(first.map_err(|error| unprepared(&error))?)
        .stderr(second.map_err(|error| unprepared(&error))?);
    lead_session_from_start(&mut command);
    let child = command.spawn().map_err(|error| {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        program::explain(&error, &args, Path::new(SELF_EXE), None)
    })?;
    // Closes our copy of the pipe's reading end: otherwise an order to a dead child would succeed.
    drop(command);
    let pid = Pid::from_child(&child);
    match identify(pid) {
        Ok(identity) => Ok(DetachedChild { identity, order }),
        Err(error) => {
            // End the child before it can read EOF and start to clean up.
            spawn::undo(pid, Group::Ours);
            Err(unprepared(&error))
        }
    }
}

/// Lets the child lead a session, with no signal blocked, before it executes its program. The
/// standard library passes our signal mask on, and we may have been started with any.
#[expect(
    unsafe_code,
    reason = "nothing safe runs code between fork and exec, or sets a signal mask"
)]
fn lead_session_from_start(command: &mut Command) {
    // SAFETY: The closure runs in a child that was forked from a process with threads, so it must
    // neither allocate nor lock. It only calls setsid, sigemptyset and sigprocmask, which POSIX
    // lists as async-signal-safe, and makes errors of plain numbers. sigemptyset initializes the
    // set before sigprocmask reads it, and both pointers are valid for the duration of the calls.
    unsafe {
        command.pre_exec(|| {
            rustix::process::setsid()?;
            let mut none = MaybeUninit::<libc::sigset_t>::uninit();
            libc::sigemptyset(none.as_mut_ptr());
            match libc::sigprocmask(libc::SIG_SETMASK, none.as_ptr(), std::ptr::null_mut()) {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        });
    }
}

/// The identity of a child of ours, which is reaped later.
fn identify(pid: Pid) -> io::Result<ProcessIdentity> {
    let handle = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
    let number = pid.as_raw_nonzero().get();
    let identity = ProcessIdentity::of(number).ok_or_else(|| stat::unread(number))?;
    failpoint::hit("process.spawned")?;
    detached::reap_later(handle);
    Ok(identity)
}

/// What this process, a detached child, inherited: the reading end of its order, and the two files.
/// None of them is passed on to its own children.
pub fn inherited_files() -> io::Result<(File, [File; 2])> {
    let own = |fd: BorrowedFd<'_>| fd.try_clone_to_owned().map(File::from);
    let order = own(stdin().as_fd())?;
    let files = [own(stdout().as_fd())?, own(stderr().as_fd())?];
    let null = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&null)?;
    dup2_stdout(&null)?;
    dup2_stderr(&null)?;
    // The launcher's directory can be unmounted while we run.
    rustix::process::chdir("/")?;
    Ok((order, files))
}

fn unprepared(error: &io::Error) -> SpawnError {
    SpawnError::from_preparation(OsStr::new("materia"), error)
}
