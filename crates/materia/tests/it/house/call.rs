//! One program run in a house, and what came of it.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal};
use serde_json::Value;

use super::{House, NOW};

/// A program about to be run.
pub struct Call<'a> {
    house: &'a House,
    command: Command,
    shown: String,
    stdin: Vec<u8>,
}

/// What a program did.
pub struct Outcome {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to stdout, byte for byte.
    pub bytes: Vec<u8>,
    /// What it wrote to stdout, with the house's paths taken out.
    pub stdout: String,
    /// What it wrote to stderr, with the house's paths taken out.
    pub stderr: String,
    shown: String,
}

impl<'a> Call<'a> {
    pub(super) fn new(house: &'a House, program: &Path, name: &str, words: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.args(words).current_dir(house.work()).env_clear();
        command
            .env("PATH", search_path())
            .env("HOME", house.home())
            .env("LC_ALL", "C");
        command
            .env("TMPDIR", house.work())
            .env("MATERIA_HOUSE", house.mark())
            .env("MATERIA_TEST_CLOCK", NOW);
        let quoted = words.iter().map(|word| quote(word));
        let shown = std::iter::once(name.to_owned())
            .chain(quoted)
            .collect::<Vec<_>>()
            .join(" ");
        Self {
            house,
            command,
            shown,
            stdin: Vec::new(),
        }
    }

    /// The same call with a variable set.
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.command.env(name, value.into());
        self
    }

    /// The same call with a variable unset.
    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// The same call with this on its standard input.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Runs it to its end.
    pub fn run(mut self) -> Outcome {
        let bytes = std::mem::take(&mut self.stdin);
        let mut running = self.start();
        let mut stdin = running.child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || {
            let _reader_may_be_gone = stdin.write_all(&bytes);
        });
        let outcome = running.end();
        writer.join().unwrap();
        outcome
    }

    /// Starts it, with a standard input that stays open.
    pub fn start(mut self) -> Running<'a> {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = self
            .command
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", self.shown));
        Running {
            house: self.house,
            child,
            shown: self.shown,
            said: Vec::new(),
        }
    }
}

/// A program that runs.
pub struct Running<'a> {
    house: &'a House,
    child: Child,
    shown: String,
    said: Vec<u8>,
}

impl Running<'_> {
    /// Waits until its stderr has this text.
    pub fn until_said(&mut self, text: &str) {
        let stderr = self.child.stderr.as_mut().unwrap();
        while !String::from_utf8_lossy(&self.said).contains(text) {
            let mut byte = [0];
            let more = stderr.read(&mut byte).unwrap();
            assert!(
                more > 0,
                "it never said `{text}`: {}",
                String::from_utf8_lossy(&self.said)
            );
            self.said.extend_from_slice(&byte);
        }
    }

    /// The next line of its stdout, without its end.
    pub fn line(&mut self) -> String {
        let stdout = self.child.stdout.as_mut().unwrap();
        let mut line = Vec::new();
        let mut byte = [0];
        while stdout.read(&mut byte).unwrap() > 0 && byte != *b"\n" {
            line.extend_from_slice(&byte);
        }
        String::from_utf8(line).unwrap()
    }

    /// What it writes to stdout, to be read while it runs.
    pub fn stdout(&mut self) -> std::process::ChildStdout {
        self.child.stdout.take().unwrap()
    }

    /// Its standard input, to be written while it runs.
    pub fn stdin(&mut self) -> std::process::ChildStdin {
        self.child.stdin.take().unwrap()
    }

    /// Its number.
    pub fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) {
        rustix::process::kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its end.
    pub fn end(mut self) -> Outcome {
        let output = self.child.wait_with_output().unwrap();
        self.said.extend_from_slice(&output.stderr);
        Outcome {
            status: output.status,
            stdout: self.house.redact(&String::from_utf8_lossy(&output.stdout)),
            stderr: self.house.redact(&String::from_utf8_lossy(&self.said)),
            bytes: output.stdout,
            shown: self.shown,
        }
    }
}

impl Outcome {
    /// The exit code, or 128 and the signal's number.
    pub fn code(&self) -> i32 {
        self.status
            .code()
            .or(self.status.signal().map(|signal| 128 + signal))
            .unwrap()
    }

    /// The one JSON document on stdout.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}", self.transcript()))
    }

    /// Everything a person at the terminal would have seen.
    pub fn transcript(&self) -> String {
        let mut text = format!("$ {}\n{}", self.shown, self.stdout);
        if !self.stderr.is_empty() {
            text.push_str("--- stderr\n");
            text.push_str(&self.stderr);
        }
        if self.code() != 0 {
            text.push_str(&format!("--- exit {}\n", self.code()));
        }
        text
    }

    /// The same outcome, which must have ended well.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert!(self.status.success(), "{}", self.transcript());
        self
    }
}

/// The programs under test, then the system's.
fn search_path() -> OsString {
    let ours = Path::new(env!("CARGO_BIN_EXE_materia"))
        .parent()
        .unwrap()
        .to_owned();
    std::env::join_paths([
        ours,
        "/usr/local/bin".into(),
        "/usr/bin".into(),
        "/bin".into(),
    ])
    .unwrap()
}

fn quote(word: &str) -> String {
    let plain = !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c));
    if plain {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
