//! A process that leads a session of its own from its first moment, and goes on with what we hold.
//!
//! Owns starting one, and what it does first. It is forked, makes its session, says so, and sleeps:
//! it becomes this program anew only when it is told something, or left alone, because that takes a
//! while in which somebody waits for us. Before we say a word of it to anybody it is out of our
//! group, so what ends that cannot hit it. What we hold open for it (a lock, a bell) is never let
//! go of in between, whoever of us is killed.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, NulError, OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};

use fork::Fork;
use nix::sys::signal::SigSet;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout, stderr, stdin, stdout};

use super::identity::Identity;
use super::program::SpawnError;
use super::spawn::{self, Group};
use super::{DETACHED_VARIABLE, LEAF_VARIABLE, detached, stat};
use crate::failpoint;

/// Starts this very program, also when its file was replaced meanwhile.
const OURSELVES: &CStr = c"/proc/self/exe";

/// What it says once it leads its session.
const READY: &[u8] = b"!";

/// What it is called until it is this program anew. It still has our environment then, so that only
/// its name says that it was detached on purpose (see [`Stat::leads`](super::stat::Stat)).
pub(super) const NAME: &CStr = c"materia:begins";

/// One at a time: who is forked holds what everybody before has open, until it becomes another
/// program, and nobody may wait for somebody who waits for him.
static FORKING: Mutex<()> = Mutex::new(());

/// A process that was started, and how we talk to it until we drop it.
#[derive(Debug)]
pub struct Leader {
    /// Who it is.
    pub identity: Identity,
    line: UnixStream,
}

impl Leader {
    /// Tells it what to do, once it is on its own.
    pub fn tell(&mut self, text: &[u8]) -> io::Result<()> {
        self.line.read_exact(&mut [0])?;
        self.line.write_all(text)
    }
}

/// Starts this program again as the leader of a session, with these words and variables, detached
/// under a name. It gets two files that we hold, which it finds by [`taken_over`].
pub fn spawn_leader(
    words: &[&OsStr],
    variables: &BTreeMap<OsString, OsString>,
    name: &str,
    held: [&dyn AsFd; 2],
) -> Result<Leader, SpawnError> {
    let words = words.iter().map(|word| CString::new(word.as_bytes()));
    let args = std::iter::once(Ok(OURSELVES.to_owned())).chain(words);
    let args = args
        .collect::<Result<Vec<_>, _>>()
        .map_err(|_| nul("a word"))?;
    let variables = environment(variables, name).map_err(|_| nul("a variable"))?;
    failpoint::hit("process.spawn").map_err(|error| unprepared(&error))?;
    let forking = FORKING.lock().unwrap_or_else(PoisonError::into_inner);
    let (line, theirs) = UnixStream::pair().map_err(|error| unprepared(&error))?;
    let pid = match fork::fork().map_err(|error| unprepared(&error))? {
        Fork::Parent(pid) => Pid::from_raw(pid).ok_or_else(|| refused(Errno::SRCH))?,
        Fork::Child => {
            drop(line);
            become_leader(&theirs, held.map(AsFd::as_fd), &args, &variables)
        }
    };
    drop((theirs, forking));
    match known(pid) {
        Ok(identity) => Ok(Leader { identity, line }),
        Err(error) => {
            // Before it is told nothing and begins to put that right beside us.
            spawn::undo(pid, Group::Ours);
            Err(unprepared(&error))
        }
    }
}

/// What the child does with what it shares with us, who may have threads: it asks nothing but the
/// kernel.
fn become_leader(
    line: &UnixStream,
    held: [BorrowedFd<'_>; 2],
    args: &[CString],
    variables: &[CString],
) -> ! {
    let _failed = prepare(line, held).map(|()| nix::unistd::execve(OURSELVES, args, variables));
    // We are a copy of somebody, whose destructors and buffers are not ours.
    let _gone = rustix::process::kill_process(rustix::process::getpid(), Signal::KILL);
    std::process::abort()
}

/// Leads a session with files as its first descriptors and no signal blocked, and waits until there
/// is something to read.
fn prepare(line: &UnixStream, held: [BorrowedFd<'_>; 2]) -> io::Result<()> {
    rustix::process::setsid()?;
    rustix::thread::set_name(NAME)?;
    dup2_stdin(line)?;
    dup2_stdout(held[0])?;
    dup2_stderr(held[1])?;
    SigSet::empty().thread_set_mask()?;
    let mut line = line;
    // Where nobody listens any more, there is something to put right all the same.
    let _left_alone = line.write_all(READY);
    let mut told = [PollFd::new(line, PollFlags::IN)];
    while let Err(Errno::INTR) = poll(&mut told, None) {}
    Ok(())
}

/// Who a child of ours is, which is reaped once it ends.
fn known(pid: Pid) -> io::Result<Identity> {
    let handle = rustix::process::pidfd_open(pid, PidfdFlags::empty())?;
    let number = pid.as_raw_nonzero().get();
    let identity = Identity::of(number).ok_or_else(|| stat::unread(number))?;
    failpoint::hit("process.spawned")?;
    detached::reap_later(handle);
    Ok(identity)
}

/// What this process was started with by [`spawn_leader`]: what it is told, and the two files it
/// goes on with. None of them is passed on to what it starts.
pub fn taken_over() -> io::Result<(File, [File; 2])> {
    let own = |fd: BorrowedFd<'_>| fd.try_clone_to_owned().map(File::from);
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

/// Variables with our marks, as programs are given them.
fn environment(
    variables: &BTreeMap<OsString, OsString>,
    name: &str,
) -> Result<Vec<CString>, NulError> {
    let ours = [LEAF_VARIABLE, DETACHED_VARIABLE].map(OsStr::new);
    let others = variables
        .iter()
        .map(|(name, value)| (name.as_os_str(), value.as_os_str()));
    let others = others.filter(|(name, _)| !ours.contains(name));
    let assigned = |(name, value): (&OsStr, &OsStr)| {
        let mut text = Vec::with_capacity(name.len() + value.len() + 2);
        text.extend_from_slice(name.as_bytes());
        text.push(b'=');
        text.extend_from_slice(value.as_bytes());
        CString::new(text)
    };
    others
        .chain([(ours[1], OsStr::new(name))])
        .map(assigned)
        .collect()
}

fn unprepared(error: &io::Error) -> SpawnError {
    SpawnError::from_preparation(OsStr::new("materia"), error)
}

fn refused(errno: Errno) -> SpawnError {
    unprepared(&errno.into())
}

fn nul(place: &str) -> SpawnError {
    SpawnError::NulByte {
        place: place.to_owned(),
    }
}
