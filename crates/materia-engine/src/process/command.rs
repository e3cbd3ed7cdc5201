//! Describes a process to start: argv, directory, environment, streams, deadline.
//!
//! Owns plain data and its defaults. Starts nothing. There is no shell and no quoting: argv is
//! passed on unchanged (invariant 7).

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

/// Default time that a tree gets to end by itself after SIGTERM (T13).
pub const DEFAULT_GRACE: Duration = Duration::from_secs(5);

/// One command to run as a child process.
#[derive(Debug)]
pub struct Command {
    /// The program and its arguments, passed on unchanged.
    pub argv: Vec<OsString>,
    /// Its working directory; ours when `None`. A relative program with a `/` is resolved from
    /// here.
    pub cwd: Option<PathBuf>,
    /// Changes to the inherited environment.
    pub env: EnvChanges,
    /// The source of its stdin.
    pub stdin: Stdin,
    /// The destination of its stdout.
    pub stdout: StreamSink,
    /// The destination of its stderr.
    pub stderr: StreamSink,
    /// How long it may run before its tree is ended, counted from its start.
    pub deadline: Option<Duration>,
    /// How long its tree may take to end after SIGTERM.
    pub grace: Duration,
    /// Whether its tree ends with it. If so, no descendant outlives it, even if it exits by itself.
    pub whole: bool,
}

impl Command {
    /// A command with nothing on stdin, and stdout and stderr captured.
    pub fn new<A: Into<OsString>>(argv: impl IntoIterator<Item = A>) -> Self {
        Self {
            argv: argv.into_iter().map(Into::into).collect(),
            cwd: None,
            env: EnvChanges::default(),
            stdin: Stdin::Null,
            stdout: StreamSink::Capture(Capture::default()),
            stderr: StreamSink::Capture(Capture::default()),
            deadline: None,
            grace: DEFAULT_GRACE,
            whole: false,
        }
    }
}

/// Changes to the environment that a command inherits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvChanges {
    clear: bool,
    changes: BTreeMap<OsString, Option<OsString>>,
}

impl EnvChanges {
    /// Starts from an empty environment instead of the inherited one. Discards earlier changes.
    pub fn clear(&mut self) -> &mut Self {
        self.clear = true;
        self.changes.clear();
        self
    }

    /// Sets a variable.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> &mut Self {
        self.changes.insert(name.into(), Some(value.into()));
        self
    }

    /// Removes a variable.
    pub fn remove(&mut self, name: impl Into<OsString>) -> &mut Self {
        self.changes.insert(name.into(), None);
        self
    }

    /// Whether the inherited environment is dropped.
    pub(super) fn is_cleared(&self) -> bool {
        self.clear
    }

    pub(super) fn changes(&self) -> impl Iterator<Item = (&OsStr, Option<&OsStr>)> {
        self.changes
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_deref()))
    }

    /// The value that the child gets, given the inherited one.
    pub(super) fn effective(&self, name: &str, inherited: Option<OsString>) -> Option<OsString> {
        match self.changes.get(OsStr::new(name)) {
            Some(change) => change.clone(),
            None => inherited.filter(|_| !self.clear),
        }
    }
}

/// The source of a command's stdin.
#[derive(Debug)]
pub enum Stdin {
    /// `/dev/null`.
    Null,
    /// These bytes, then EOF.
    Bytes(Vec<u8>),
    /// This file, from its current position.
    File(File),
    /// A pipe that [`ProcessSet::send`](super::ProcessSet::send) writes to until it is closed.
    Held,
    /// Like `Held`, but also tracks whether the child has read everything: see
    /// [`ProcessSet::has_taken_all`](super::ProcessSet::has_taken_all).
    Fed,
    /// Our own stdin.
    Inherit,
}

/// The destination of a command's stdout or stderr.
#[derive(Debug)]
pub enum StreamSink {
    /// `/dev/null`.
    Null,
    /// This file, written by the child directly.
    File(File),
    /// A pipe that we read into bounded memory.
    Capture(Capture),
    /// Our own stream.
    Inherit,
}

/// How much of a stream is kept, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// Maximum number of bytes kept in memory. Of a longer stream, the last ones are kept.
    pub memory: usize,
    /// Maximum number of bytes kept overall. The rest is counted and discarded.
    pub limit: u64,
    /// Receives the complete stream once it exceeds `memory`; created only then.
    pub spill: Spill,
    /// Whether every chunk is also reported as [`Event::Output`](super::Event::Output) when it
    /// arrives.
    pub live: bool,
}

/// The destination of a stream that exceeds its memory bound.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Spill {
    /// None: the end of the stream is kept in memory, the rest is only counted.
    #[default]
    Nowhere,
    /// A file with this path and mode 0600.
    Named(PathBuf),
    /// An unnamed file on the filesystem of this directory. Once it is open, nothing is kept in
    /// memory, and a stream that is not reported live is moved inside the kernel.
    Unnamed(PathBuf),
}

impl Default for Capture {
    fn default() -> Self {
        Self {
            memory: 256 * 1024,
            limit: 1 << 30,
            spill: Spill::Nowhere,
            live: false,
        }
    }
}
