//! What to start: argv, directory, environment, streams, deadline.
//!
//! Owns plain data and its defaults. Starts nothing. There is no shell and no quoting: argv is argv
//! (invariant 7).

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

/// How long a tree may take to end by itself after SIGTERM, unless told otherwise (T13).
pub const DEFAULT_GRACE: Duration = Duration::from_secs(5);

/// One command to run as a leaf.
#[derive(Debug)]
pub struct Command {
    /// The program and its arguments, passed on as they are.
    pub argv: Vec<OsString>,
    /// Where it runs; the caller's directory when `None`. A relative program with a `/` is looked
    /// up from here.
    pub cwd: Option<PathBuf>,
    /// Changes to the inherited environment.
    pub env: EnvChanges,
    /// What it reads.
    pub stdin: Stdin,
    /// Where its stdout goes.
    pub stdout: StreamSink,
    /// Where its stderr goes.
    pub stderr: StreamSink,
    /// How long it may take before its tree is ended; counted from its start.
    pub deadline: Option<Duration>,
    /// How long its tree may take to end after SIGTERM.
    pub grace: Duration,
    /// Whether its tree ends with it: then nothing that it started outlives it, however it ends
    /// itself.
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

/// Changes to the environment a command inherits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnvChanges {
    clear: bool,
    changes: BTreeMap<OsString, Option<OsString>>,
}

impl EnvChanges {
    /// Starts from nothing instead of from what is inherited. What was set or removed before is
    /// forgotten.
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

    /// Whether nothing is inherited.
    pub(super) fn is_cleared(&self) -> bool {
        self.clear
    }

    pub(super) fn changes(&self) -> impl Iterator<Item = (&OsStr, Option<&OsStr>)> {
        self.changes
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_deref()))
    }

    /// The value a child would see, given what it would inherit.
    pub(super) fn effective(&self, name: &str, inherited: Option<OsString>) -> Option<OsString> {
        match self.changes.get(OsStr::new(name)) {
            Some(change) => change.clone(),
            None => inherited.filter(|_| !self.clear),
        }
    }
}

/// What a command reads.
#[derive(Debug)]
pub enum Stdin {
    /// Nothing: `/dev/null`.
    Null,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// This file, from its current position.
    File(File),
    /// What [`ProcessSet::send`](super::ProcessSet::send) gives it, until it is closed.
    Held,
    /// The same, where it matters what of it was read: see
    /// [`ProcessSet::has_taken_all`](super::ProcessSet::has_taken_all).
    Fed,
    /// What we read ourselves.
    Inherit,
}

/// Where a stream of a command goes.
#[derive(Debug)]
pub enum StreamSink {
    /// Nowhere: `/dev/null`.
    Null,
    /// To this file, without passing through our memory.
    File(File),
    /// Into our memory, bounded.
    Capture(Capture),
    /// Where ours goes.
    Inherit,
}

/// How much of a stream is kept, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capture {
    /// Bytes kept in memory. A longer stream keeps its last so many.
    pub memory: usize,
    /// Bytes kept at all. What comes after is counted and thrown away.
    pub limit: u64,
    /// What takes the complete stream once it outgrows `memory`; made only then.
    pub spill: Spill,
    /// Whether every piece is also told as [`Event::Output`](super::Event::Output) when it arrives.
    pub live: bool,
}

/// Where a stream goes that outgrew memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Spill {
    /// Nowhere: its end is kept, the rest is counted.
    #[default]
    Nowhere,
    /// To a file with this name and mode 0600.
    Named(PathBuf),
    /// To a file without a name, on the filesystem of this directory. From then on nothing is kept
    /// in memory, and what is not told live is moved inside the kernel.
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
