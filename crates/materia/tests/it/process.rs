//! The process floor, through real processes.
//!
//! Every test has a den: a directory and a mark that all its processes carry. A den that is not empty at the end fails
//! the test. Nurseries run in a host process, so that the tests themselves adopt nobody.
#![allow(clippy::disallowed_methods, reason = "tests start hosts and read /proc")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use materia_engine::process::{Identity, Signal};
use serde_json::{Value, json};

mod ends;
mod escapes;
mod slow;
mod streams;

const FAKE: &str = env!("CARGO_BIN_EXE_materia-fake");

/// What a machine under load may add to a grace period.
const SLACK_MS: u64 = 4000;

struct Den {
    directory: tempfile::TempDir,
    mark: String,
}

impl Den {
    fn new() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let mark = format!("{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        Self { directory: tempfile::tempdir().unwrap(), mark }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn pids(&self) -> String {
        self.path("pids").to_str().unwrap().to_owned()
    }

    /// A command that starts `argv` with this den's mark.
    fn marked(&self, argv: &[&str]) -> Command {
        let mut command = Command::new(argv[0]);
        command.args(&argv[1..]).env("MATERIA_HOUSE", &self.mark);
        command
    }

    /// Lets a host do `script` and gives its report.
    fn host(&self, script: &Value) -> Value {
        self.host_as(&[FAKE, "host"], script)
    }

    fn host_as(&self, argv: &[&str], script: &Value) -> Value {
        let mut host = self.marked(argv);
        let mut host = host.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        host.stdin.take().unwrap().write_all(script.to_string().as_bytes()).unwrap();
        let output = host.wait_with_output().unwrap();
        assert!(output.status.success(), "the host itself failed");
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// Runs one command in an adopting host; the report of its end.
    fn run(&self, command: Value) -> Value {
        let mut report = self.host(&json!({ "commands": [command] }));
        report["ended"][0].take()
    }

    /// Fails if a process of this den runs.
    fn assert_empty(&self) {
        let left = marked_processes(&self.mark);
        assert!(left.is_empty(), "left running: {left:?}");
        let escaped: Vec<Identity> = self.recorded().into_iter().filter(Identity::is_alive).collect();
        assert!(escaped.is_empty(), "escaped: {escaped:?}");
    }

    /// The processes that wrote themselves down.
    fn recorded(&self) -> Vec<Identity> {
        let text = std::fs::read_to_string(self.pids()).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for Den {
    /// Whatever a failed test left is ended here, so that it disturbs nobody else.
    fn drop(&mut self) {
        for left in self.recorded() {
            let _ = left.signal(Signal::KILL);
        }
        for (pid, _) in marked_processes(&self.mark) {
            let _ = Identity::of(pid).map(|left| left.signal(Signal::KILL));
        }
    }
}

/// The processes with a mark in their environment, and their command lines.
fn marked_processes(mark: &str) -> Vec<(i32, String)> {
    let wanted = format!("MATERIA_HOUSE={mark}");
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let marked = pids.filter(|pid| {
        let environ = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environ.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    });
    let line = |pid| std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    marked.map(|pid| (pid, String::from_utf8_lossy(&line(pid)).replace('\0', " "))).collect()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Asserts that nothing came between the start and the report but what should.
fn assert_within(ended: &Value, milliseconds: u64) {
    let took = ended["elapsed_ms"].as_u64().unwrap();
    assert!(took <= milliseconds + SLACK_MS, "took {took} ms: {ended}");
}

/// Runs `check` and says how long it took.
fn timed<T>(check: impl FnOnce() -> T) -> (T, u64) {
    let start = Instant::now();
    let result = check();
    (result, u64::try_from(start.elapsed().as_millis()).unwrap())
}
