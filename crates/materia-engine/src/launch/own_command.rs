//! One command of this program in a process of its own.
//!
//! Owns starting it, bounding what is read of it, and ending it with its whole process tree when
//! the call is cancelled. A server uses this for calls that execute programs: what they start ends
//! with them, and a crash takes nothing else with it. Never looks into what the command prints.

use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;
use std::time::Duration;

use crate::process::{
    Capture, Command, Event, Interrupts, ProcessEnd, ProcessSet, Stdin, StopReason, StreamSink,
};

/// This program, even if its file was replaced meanwhile.
const SELF_EXE: &str = "/proc/self/exe";
/// How much of its stdout is read, in bytes.
const MAX_STDOUT: usize = 8 << 20;
/// How long a cancelled command may take to end.
const CANCEL_GRACE: Duration = Duration::from_secs(2);

/// A command of this program.
#[derive(Debug)]
pub struct OwnCommand {
    /// Its arguments.
    pub arguments: Vec<String>,
    /// What it reads.
    pub stdin: Option<String>,
    /// Where it runs.
    pub cwd: Option<PathBuf>,
    /// The session on whose behalf it runs.
    pub session: Option<String>,
    /// Whether it may accept what a project brings because `MATERIA_TRUST` says so.
    pub keeps_trust: bool,
}

/// Runs the command until it ends or until it is interrupted, which ends it.
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
                // It stays readable, and would wake us until the command has ended.
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
