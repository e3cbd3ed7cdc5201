//! A process that leads a session of its own from its first moment, and goes on with what we hold.
//!
//! Owns starting one, and what it does first. A detached process that makes its own session only after it has begun to
//! run can still be hit by what ends our group, and we could not end before it has: so the session is made by
//! `posix_spawn`, which the standard library does not offer. What we hold open for it (a lock, a bell) is never let go of
//! in between, whoever of us is killed.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, NulError, OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::OsStrExt;

use nix::spawn::{PosixSpawnAttr, PosixSpawnFileActions, PosixSpawnFlags, posix_spawn};
use nix::sys::signal::{SigSet, Signal};
use rustix::io::Errno;
use rustix::pipe::PipeFlags;
use rustix::process::{Pid, PidfdFlags};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout, stderr, stdin, stdout};

use super::identity::Identity;
use super::program::SpawnError;
use super::spawn::{self, Group};
use super::{DETACHED_VARIABLE, LEAF_VARIABLE, detached};
use crate::failpoint;

/// Starts this very program, also when its file was replaced meanwhile.
const OURSELVES: &CStr = c"/proc/self/exe";

/// A process that was started, and what it reads until we drop it.
#[derive(Debug)]
pub struct Leader {
    /// Who it is.
    pub identity: Identity,
    /// Where we tell it what to do.
    pub told: File,
}

/// Starts this program again as the leader of a session, with these words and variables, detached under a name. It gets
/// two files that we hold, which it finds by [`taken_over`].
pub fn spawn_leader(
    words: &[&OsStr],
    variables: &BTreeMap<OsString, OsString>,
    name: &str,
    held: [&dyn AsRawFd; 2],
) -> Result<Leader, SpawnError> {
    let (theirs, told) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(refused)?;
    let words = words.iter().map(|word| CString::new(word.as_bytes()));
    let args = std::iter::once(Ok(OURSELVES.to_owned())).chain(words);
    let args = args.collect::<Result<Vec<_>, _>>().map_err(|_| nul("a word"))?;
    let variables = environment(variables, name).map_err(|_| nul("a variable"))?;
    failpoint::hit("process.spawn").map_err(|error| unprepared(&error))?;
    let files = [theirs.as_raw_fd(), held[0].as_raw_fd(), held[1].as_raw_fd()];
    let pid = start(&files, &args, &variables).map_err(|errno| unprepared(&errno.into()))?;
    drop(theirs);
    let pid = Pid::from_raw(pid.as_raw()).ok_or_else(|| refused(Errno::SRCH))?;
    match known(pid) {
        Ok(identity) => Ok(Leader { identity, told: told.into() }),
        Err(error) => {
            // Before it is told nothing and begins to put that right beside us.
            spawn::undo(pid, Group::Ours);
            Err(unprepared(&error))
        }
    }
}

/// Who a child of ours is, which is reaped once it ends.
fn known(pid: Pid) -> io::Result<Identity> {
    let handle = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
    let identity = Identity::of(pid.as_raw_nonzero().get()).ok_or(Errno::SRCH)?;
    failpoint::hit("process.spawned")?;
    detached::reap_later(handle);
    Ok(identity)
}

/// What this process was started with by [`spawn_leader`]: what it is told, and the two files it goes on with. None of
/// them is passed on to what it starts.
pub fn taken_over() -> io::Result<(File, [File; 2])> {
    let own = |fd: std::os::fd::BorrowedFd<'_>| fd.try_clone_to_owned().map(File::from);
    let told = own(stdin().as_fd())?;
    let held = [own(stdout().as_fd())?, own(stderr().as_fd())?];
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    dup2_stdin(&nothing)?;
    dup2_stdout(&nothing)?;
    dup2_stderr(&nothing)?;
    // Nobody's directory is kept busy.
    rustix::process::chdir("/")?;
    Ok((told, held))
}

/// Starts it with files as its first descriptors, in a session of its own, with no signal blocked.
fn start(files: &[i32; 3], args: &[CString], variables: &[CString]) -> nix::Result<nix::unistd::Pid> {
    let mut actions = PosixSpawnFileActions::init()?;
    for (fd, number) in files.iter().zip(0..) {
        actions.add_dup2(*fd, number)?;
    }
    let mut attributes = PosixSpawnAttr::init()?;
    let session = PosixSpawnFlags::from_bits_retain(nix::libc::POSIX_SPAWN_SETSID.into());
    let signals = PosixSpawnFlags::POSIX_SPAWN_SETSIGDEF | PosixSpawnFlags::POSIX_SPAWN_SETSIGMASK;
    attributes.set_flags(session | signals)?;
    let mut ignored = SigSet::empty();
    ignored.add(Signal::SIGPIPE);
    attributes.set_sigdefault(&ignored)?;
    attributes.set_sigmask(&SigSet::empty())?;
    posix_spawn(OURSELVES, &actions, &attributes, args, variables)
}

/// Variables with our marks, as programs are given them.
fn environment(variables: &BTreeMap<OsString, OsString>, name: &str) -> Result<Vec<CString>, NulError> {
    let ours = [LEAF_VARIABLE, DETACHED_VARIABLE].map(OsStr::new);
    let others = variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()));
    let others = others.filter(|(name, _)| !ours.contains(name));
    let assigned = |(name, value): (&OsStr, &OsStr)| {
        let mut text = Vec::with_capacity(name.len() + value.len() + 2);
        text.extend_from_slice(name.as_bytes());
        text.push(b'=');
        text.extend_from_slice(value.as_bytes());
        CString::new(text)
    };
    others.chain([(ours[1], OsStr::new(name))]).map(assigned).collect()
}

fn unprepared(error: &io::Error) -> SpawnError {
    SpawnError::from_preparation(OsStr::new("materia"), error)
}

fn refused(errno: Errno) -> SpawnError {
    unprepared(&errno.into())
}

fn nul(place: &str) -> SpawnError {
    SpawnError::NulByte { place: place.to_owned() }
}
