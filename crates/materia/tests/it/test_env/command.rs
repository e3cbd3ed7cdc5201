//! A program run in a test environment, and its output.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};

use rustix::process::{Pid, Signal};
use serde_json::Value;

use super::{NOW, TestEnv};

/// A program that is ready to run.
pub struct TestCommand<'a> {
    env: &'a TestEnv,
    command: Command,
    command_line: String,
    stdin: Vec<u8>,
}

/// The exit status and output of a program.
pub struct TestOutput {
    pub status: ExitStatus,
    /// The unchanged bytes of stdout.
    pub bytes: Vec<u8>,
    /// Stdout as text, with the paths of the test environment redacted.
    pub stdout: String,
    /// Stderr as text, with the paths of the test environment redacted.
    pub stderr: String,
    command_line: String,
}

impl<'a> TestCommand<'a> {
    pub(super) fn new(env: &'a TestEnv, program: &Path, name: &str, args: &[&str]) -> Self {
        let mut command = Command::new(program);
        command.args(args).current_dir(env.work_dir()).env_clear();
        command
            .env("PATH", search_path())
            .env("HOME", env.home())
            .env("LC_ALL", "C");
        command
            .env("TMPDIR", env.work_dir())
            .env("MATERIA_TEST_ENV", env.marker())
            .env("MATERIA_TEST_CLOCK", NOW);
        let quoted = args.iter().map(|arg| quote(arg));
        let command_line = std::iter::once(name.to_owned())
            .chain(quoted)
            .collect::<Vec<_>>()
            .join(" ");
        Self {
            env,
            command,
            command_line,
            stdin: Vec::new(),
        }
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.command.env(name, value.into());
        self
    }

    /// Removes an environment variable.
    pub fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// Sets what [`Self::run`] writes to the program's stdin.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Runs the program and waits until it exits.
    pub fn run(mut self) -> TestOutput {
        let bytes = std::mem::take(&mut self.stdin);
        let mut process = self.start();
        let mut stdin = process.child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || {
            let _reader_may_be_gone = stdin.write_all(&bytes);
        });
        let output = process.wait();
        writer.join().unwrap();
        output
    }

    /// Starts the program. Its stdin stays open.
    pub fn start(mut self) -> TestProcess<'a> {
        self.command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let child = self
            .command
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", self.command_line));
        TestProcess {
            env: self.env,
            child,
            command_line: self.command_line,
            stderr: Vec::new(),
        }
    }
}

/// A running program.
pub struct TestProcess<'a> {
    env: &'a TestEnv,
    child: Child,
    command_line: String,
    /// The part of stderr that was read so far.
    stderr: Vec<u8>,
}

impl TestProcess<'_> {
    /// Waits until stderr contains this text.
    pub fn wait_for_stderr(&mut self, text: &str) {
        let stderr = self.child.stderr.as_mut().unwrap();
        while !String::from_utf8_lossy(&self.stderr).contains(text) {
            let mut byte = [0];
            let more = stderr.read(&mut byte).unwrap();
            assert!(
                more > 0,
                "stderr ended without `{text}`: {}",
                String::from_utf8_lossy(&self.stderr)
            );
            self.stderr.extend_from_slice(&byte);
        }
    }

    /// Reads the next line of stdout, without its newline.
    pub fn read_line(&mut self) -> String {
        let stdout = self.child.stdout.as_mut().unwrap();
        let mut line = Vec::new();
        let mut byte = [0];
        while stdout.read(&mut byte).unwrap() > 0 && byte != *b"\n" {
            line.extend_from_slice(&byte);
        }
        String::from_utf8(line).unwrap()
    }

    /// Takes stdout, to read it while the program runs.
    pub fn stdout(&mut self) -> std::process::ChildStdout {
        self.child.stdout.take().unwrap()
    }

    /// Takes stdin, to write to it while the program runs.
    pub fn stdin(&mut self) -> std::process::ChildStdin {
        self.child.stdin.take().unwrap()
    }

    pub fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }

    /// Sends a signal to the process.
    pub fn signal(&self, signal: Signal) {
        rustix::process::kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits until the process exits.
    pub fn wait(mut self) -> TestOutput {
        let output = self.child.wait_with_output().unwrap();
        self.stderr.extend_from_slice(&output.stderr);
        TestOutput {
            status: output.status,
            stdout: self.env.redact(&String::from_utf8_lossy(&output.stdout)),
            stderr: self.env.redact(&String::from_utf8_lossy(&self.stderr)),
            bytes: output.stdout,
            command_line: self.command_line,
        }
    }
}

impl TestOutput {
    /// The exit code, or 128 plus the number of the signal.
    pub fn code(&self) -> i32 {
        self.status
            .code()
            .or(self.status.signal().map(|signal| 128 + signal))
            .unwrap()
    }

    /// Stdout as one JSON document.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("{error}\n{}", self.transcript()))
    }

    /// The command line, both outputs and the exit code, as a user at a terminal sees them.
    pub fn transcript(&self) -> String {
        let mut text = format!("$ {}\n{}", self.command_line, self.stdout);
        if !self.stderr.is_empty() {
            text.push_str("--- stderr\n");
            text.push_str(&self.stderr);
        }
        if self.code() != 0 {
            text.push_str(&format!("--- exit {}\n", self.code()));
        }
        text
    }

    /// Asserts that the program failed with this exit code and reported this error code as JSON.
    #[track_caller]
    pub fn assert_error(&self, exit: i32, error: &str) {
        let reported = &self.json()["error"]["code"];
        assert!(
            self.code() == exit && reported == error,
            "expected exit {exit} and `{error}`\n{}",
            self.transcript()
        );
    }

    /// Asserts that the program exited with 0.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert!(self.status.success(), "{}", self.transcript());
        self
    }
}

/// The directory of the programs under test, then those of the system.
fn search_path() -> OsString {
    let under_test = Path::new(env!("CARGO_BIN_EXE_materia"))
        .parent()
        .unwrap()
        .to_owned();
    std::env::join_paths([
        under_test,
        "/usr/local/bin".into(),
        "/usr/bin".into(),
        "/bin".into(),
    ])
    .unwrap()
}

fn quote(arg: &str) -> String {
    let plain = !arg.is_empty()
        && arg
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c));
    if plain {
        arg.to_owned()
    } else {
        format!("'{}'", arg.replace('\'', "'\\''"))
    }
}
