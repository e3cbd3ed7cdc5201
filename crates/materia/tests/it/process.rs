//! The process layer, tested with real processes.
//!
//! At the end of a test no process of its harness may be left. Child processes are started by the
//! `host` role of the fake, so that the test itself never becomes a subreaper.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use materia_engine::process::{ProcessIdentity, Signal};
use serde_json::{Value, json};

use crate::test_env::TestEnv;

mod ends;
mod escapes;
mod slow;
mod streams;

const FAKE: &str = "materia-fake";

/// The additional time that a loaded machine may need.
const SLACK_MS: u64 = 4000;

/// A test environment, and a file in which processes record their identity. Some of them lose the
/// marker of the environment.
struct ProcessHarness {
    env: TestEnv,
}

impl ProcessHarness {
    fn new() -> Self {
        Self {
            env: TestEnv::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.env.work_dir().join(name)
    }

    fn pid_file(&self) -> String {
        text(&self.path("pids")).to_owned()
    }

    /// Runs a script in the host and returns the report.
    fn run_host(&self, script: &Value) -> Value {
        self.env
            .fake(&["host"])
            .stdin(script.to_string())
            .run()
            .ok()
            .json()
    }

    /// Runs one command in the host and returns the report of its end.
    fn run(&self, command: impl Into<Value>) -> Value {
        let commands = Value::Array(vec![command.into()]);
        let mut report = self.run_host(&json!({ "commands": commands }));
        report["ended"][0].take()
    }

    /// Asserts that no process of this harness is alive.
    fn assert_no_processes(&self) {
        let left = self.env.live_processes();
        assert!(left.is_empty(), "left running: {left:?}");
        let escaped: Vec<ProcessIdentity> = self
            .recorded()
            .into_iter()
            .filter(ProcessIdentity::is_alive)
            .collect();
        assert!(escaped.is_empty(), "escaped: {escaped:?}");
    }

    /// The processes in the pid file.
    fn recorded(&self) -> Vec<ProcessIdentity> {
        let text = if self.path("pids").exists() {
            self.env.read("pids")
        } else {
            String::new()
        };
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

impl Drop for ProcessHarness {
    /// Kills the recorded processes that a failed test left. The test environment kills the rest.
    fn drop(&mut self) {
        for left in self.recorded() {
            let _ = left.signal(Signal::KILL);
        }
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Asserts that a command did not take longer than this, plus the slack.
fn assert_within(ended: &Value, milliseconds: u64) {
    let took = ended["elapsed_ms"].as_u64().unwrap();
    assert!(took <= milliseconds + SLACK_MS, "took {took} ms: {ended}");
}

/// Runs `check` and measures the time in milliseconds.
fn timed<T>(check: impl FnOnce() -> T) -> (T, u64) {
    let start = Instant::now();
    let result = check();
    (result, u64::try_from(start.elapsed().as_millis()).unwrap())
}
