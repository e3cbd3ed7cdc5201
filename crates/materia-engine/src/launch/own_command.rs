//! One command of this program in its own process.
//!
//! Owns starting it, bounding what is read of it, and ending it with its whole process tree when
//! the call is cancelled. A server uses this for calls that execute programs: what they start ends
//! with them, and a crash affects nothing else. Never interprets what the command prints.

use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::time::Duration;

use crate::process::{
    Capture, Command, Event, Interrupts, ProcessEnd, ProcessSet, Stdin, StopReason, StreamSink,
};

/// The running binary, even if its file was replaced meanwhile.
const SELF_EXE: &str = "/proc/self/exe";
/// Maximum number of stdout bytes that are read.
const MAX_STDOUT: usize = 8 << 20;
/// How long a cancelled command may take to end.
const CANCEL_GRACE: Duration = Duration::from_secs(2);

/// A command of this program.
#[derive(Debug)]
pub struct OwnCommand {
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its stdin.
    pub stdin: Option<String>,
    /// Its working directory.
    pub cwd: Option<PathBuf>,
    /// The session on whose behalf it runs.
    pub session: Option<String>,
    /// Whether it may trust a project's files because `MATERIA_TRUST` says so.
    pub keeps_trust: bool,
}

/// Runs the command until it ends. An interrupt ends it.
pub fn run(command: OwnCommand, interrupts: &Interrupts) -> io::Result<ProcessEnd> {
    let mut processes = ProcessSet::new();
    for fd in interrupts.fds() {
        processes.watch(fd.as_fd())?;
    }
    let child = processes.spawn(prepared(command));
    let mut stopping = false;
    loop {
        match processes.next(None) {
            Some(Event::Ended(ended)) => return Ok(*ended),
            Some(Event::Readable(watch)) if interrupts.came() && !stopping => {
                stopping = true;
                // The descriptor stays readable and would wake us in a loop until the command has
                // ended.
                processes.unwatch(watch);
                processes.stop(child, StopReason::Within(CANCEL_GRACE));
            }
            Some(_) => {}
            None => return Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

fn prepared(command: OwnCommand) -> Command {
    let arguments = command.arguments.iter().map(String::as_str);
    let mut prepared = Command::new([SELF_EXE].into_iter().chain(arguments));
    prepared.cwd = command.cwd;
    if let Some(session) = command.session {
        prepared.env.set("MATERIA_SESSION", session);
    }
    if !command.keeps_trust {
        prepared.env.remove("MATERIA_TRUST");
    }
    prepared.stdin = command
        .stdin
        .map_or(Stdin::Null, |text| Stdin::Bytes(text.into_bytes()));
    prepared.stdout = StreamSink::Capture(Capture {
        memory: MAX_STDOUT,
        ..Capture::default()
    });
    prepared.grace = CANCEL_GRACE;
    prepared
}
