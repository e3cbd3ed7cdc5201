//! One call of a program: a line of JSON in, its output out, in bounded time and bounded memory.
//!
//! Owns the argv that is started (C19), the deadline and its default, and how the end is recorded
//! in artifacts and events (C12): a program that cannot be started has ended too. Never reads the
//! result: the kernel of the cast does.

use std::io::{self, Read, Seek};
use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_model::utility::{DEFAULT_TIMEOUT_MS, MAX_CAPTURE, UtilityExit};

use crate::process::{
    Capture, Captured, Cause, Command, ProcessSet, Spill, Status, Stdin, StreamSink,
};

/// A program and its input.
#[derive(Debug)]
pub struct Call<'a> {
    /// The program and its arguments.
    pub argv: &'a [String],
    /// The project directory.
    pub cwd: &'a Path,
    /// Its stdin: one line of JSON.
    pub input: String,
    /// The time limit, if it is not the default.
    pub timeout_ms: Option<u64>,
    /// A directory that spools output too large for memory, until it is truncated.
    pub spool: &'a Path,
}

/// The result of a call.
#[derive(Debug)]
pub struct Called {
    /// How it ended; artifact names are not filled in yet.
    pub ended: UtilityExit,
    /// The beginning of its stdout.
    pub stdout: Vec<u8>,
    /// The beginning of its stderr.
    pub stderr: Vec<u8>,
    /// Whether the user interrupted it, so that its end means nothing.
    pub interrupted: bool,
}

/// Calls a program and waits for it. Its whole process tree is gone when this returns (T13).
pub fn call(call: Call<'_>, processes: &mut ProcessSet) -> io::Result<Called> {
    let timeout_ms = call.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS);
    let capture = || {
        let spill = Spill::Unnamed(call.spool.to_owned());
        StreamSink::Capture(Capture {
            memory: MAX_CAPTURE,
            limit: MAX_CAPTURE as u64,
            spill,
            live: false,
        })
    };
    let command = Command {
        cwd: Some(call.cwd.to_owned()),
        stdin: Stdin::Bytes(call.input.into_bytes()),
        stdout: capture(),
        stderr: capture(),
        deadline: Some(Duration::from_millis(timeout_ms)),
        ..Command::new(call.argv)
    };
    let end = processes.run(command);
    let status = end.cause.status();
    let ended = UtilityExit {
        argv: call.argv.to_vec(),
        code: match status {
            Some(Status::Exited(code)) => Some(code),
            _ => None,
        },
        signal: match status {
            Some(Status::Signalled { signal, .. }) => Some(signal_name(signal)),
            _ => None,
        },
        timed_out: matches!(end.cause, Cause::TimedOut(_)),
        timeout_ms,
        duration_ms: u64::try_from(end.elapsed.as_millis()).unwrap_or(u64::MAX),
        spawn_error: match &end.cause {
            Cause::NotStarted(error) => Some(error.to_string()),
            _ => None,
        },
        stdout_truncated: end.stdout.total > MAX_CAPTURE as u64,
        stderr_truncated: end.stderr.total > MAX_CAPTURE as u64,
        ..UtilityExit::default()
    };
    let interrupted = matches!(end.cause, Cause::Cancelled(_));
    Ok(Called {
        ended,
        stdout: beginning(end.stdout)?,
        stderr: beginning(end.stderr)?,
        interrupted,
    })
}

/// The beginning of a stream, from memory or from its spool file.
fn beginning(captured: Captured) -> io::Result<Vec<u8>> {
    let Some(mut spool) = captured.spool else {
        return Ok(captured.bytes);
    };
    let mut bytes = Vec::with_capacity(MAX_CAPTURE);
    spool.rewind()?;
    spool.take(MAX_CAPTURE as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The argv that is started: scripts relative to the config file that names them get absolute paths
/// (C19).
///
/// That applies to the program if it has a slash in it, and to the first argument that is no
/// option.
pub fn located(argv: &[String], config_dir: &Path) -> Vec<String> {
    let beside = |word: &str| -> Option<PathBuf> {
        let path = config_dir.join(word);
        (Path::new(word).is_relative() && !word.is_empty() && path.is_file()).then_some(path)
    };
    let script = argv
        .iter()
        .skip(1)
        .position(|word| !word.starts_with('-'))
        .map(|position| position + 1);
    let resolved = argv.iter().enumerate().map(|(index, word)| {
        let candidate = if index == 0 {
            word.contains('/')
        } else {
            Some(index) == script
        };
        let found = candidate.then(|| beside(word)).flatten();
        found
            .and_then(|path| path.into_os_string().into_string().ok())
            .unwrap_or_else(|| word.clone())
    });
    resolved.collect()
}

/// The usual name of a signal.
fn signal_name(signal: i32) -> String {
    const NAMES: [&str; 31] = [
        "SIGHUP",
        "SIGINT",
        "SIGQUIT",
        "SIGILL",
        "SIGTRAP",
        "SIGABRT",
        "SIGBUS",
        "SIGFPE",
        "SIGKILL",
        "SIGUSR1",
        "SIGSEGV",
        "SIGUSR2",
        "SIGPIPE",
        "SIGALRM",
        "SIGTERM",
        "SIGSTKFLT",
        "SIGCHLD",
        "SIGCONT",
        "SIGSTOP",
        "SIGTSTP",
        "SIGTTIN",
        "SIGTTOU",
        "SIGURG",
        "SIGXCPU",
        "SIGXFSZ",
        "SIGVTALRM",
        "SIGPROF",
        "SIGWINCH",
        "SIGIO",
        "SIGPWR",
        "SIGSYS",
    ];
    let name = usize::try_from(signal)
        .ok()
        .and_then(|number| NAMES.get(number.checked_sub(1)?));
    name.map_or_else(|| format!("signal {signal}"), |name| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(argv: &[&str]) -> Vec<String> {
        argv.iter().map(|word| (*word).to_owned()).collect()
    }

    fn sh(script: &str, input: &str, timeout_ms: Option<u64>) -> Called {
        let dir = tempfile::tempdir().unwrap();
        let argv = words(&["sh", "-c", script]);
        let (cwd, input) = (dir.path(), input.to_owned());
        call(
            Call {
                argv: &argv,
                cwd,
                input,
                timeout_ms,
                spool: cwd,
            },
            &mut ProcessSet::new(),
        )
        .unwrap()
    }

    #[test]
    fn c12_every_end_is_told_alike() {
        let fine = sh("cat; echo talk >&2", "{}\n", None);
        assert_eq!(
            (fine.stdout.as_slice(), fine.stderr.as_slice()),
            (&b"{}\n"[..], &b"talk\n"[..])
        );
        assert_eq!(
            (fine.ended.code, fine.ended.timeout_ms),
            (Some(0), DEFAULT_TIMEOUT_MS)
        );
        assert_eq!(sh("exit 7", "", None).ended.code, Some(7));
        assert_eq!(
            sh("kill -KILL $$", "", None).ended.signal.as_deref(),
            Some("SIGKILL")
        );
        let late = sh("echo early; exec sleep 60", "", Some(200));
        assert!(
            late.ended.timed_out && late.stdout == b"early\n",
            "{late:?}"
        );
        let argv = words(&["no-such-program-q7"]);
        let (cwd, input) = (Path::new("/"), String::new());
        let missing = call(
            Call {
                argv: &argv,
                cwd,
                input,
                timeout_ms: None,
                spool: cwd,
            },
            &mut ProcessSet::new(),
        )
        .unwrap();
        assert!(
            missing
                .ended
                .spawn_error
                .unwrap()
                .contains("no-such-program-q7")
        );
    }

    #[test]
    fn the_beginning_of_a_long_output_is_kept_and_the_cut_is_told() {
        let long = sh("printf first; head -c 3000000 /dev/zero", "", None);
        assert_eq!(long.stdout.len(), MAX_CAPTURE);
        assert!(long.stdout.starts_with(b"first") && long.ended.stdout_truncated);
        assert!(!long.ended.stderr_truncated);
        let exact = sh(&format!("head -c {MAX_CAPTURE} /dev/zero"), "", None);
        assert!(exact.stdout.len() == MAX_CAPTURE && !exact.ended.stdout_truncated);
    }

    #[test]
    fn c12_a_program_may_leave_its_input_unread() {
        let early = sh("exit 0", &"x".repeat(4 << 20), None);
        assert_eq!(early.ended.code, Some(0));
    }

    #[test]
    fn c19_scripts_beside_the_config_file_are_named_in_full() {
        let dir = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(dir.path()).unwrap();
        crate::store::atomic::write(&root.join("tool"), b"#!/bin/sh\n").unwrap();
        let full = root.join("tool").to_string_lossy().into_owned();
        let cases = [
            (
                vec!["./tool", "-x"],
                vec![format!("{}/./tool", root.display()), "-x".to_owned()],
            ),
            (
                vec!["sh", "-e", "tool", "tool"],
                words(&["sh", "-e", &full, "tool"]),
            ),
            (vec!["tool"], words(&["tool"])),
            (vec!["sh", "-c", "cat"], words(&["sh", "-c", "cat"])),
            (vec!["/bin/sh", "absent"], words(&["/bin/sh", "absent"])),
        ];
        for (argv, expected) in cases {
            assert_eq!(located(&words(&argv), &root), expected);
        }
    }
}
