//! The process floor, through real processes.
//!
//! Every test has a harness, which must be empty at its end. Nurseries run in a host process, so that
//! the tests themselves adopt nobody.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use materia_engine::process::{Identity, Signal};
use serde_json::{Value, json};

use crate::test_env::TestEnv;

mod ends;
mod escapes;
mod slow;
mod streams;

const FAKE: &str = "materia-fake";

/// What a machine under load may add to a grace period.
const SLACK_MS: u64 = 4000;

/// A env, and a file where processes write themselves down that may lose the env's mark.
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

    fn pids(&self) -> String {
        text(&self.path("pids")).to_owned()
    }

    /// Lets a host do `script` and gives its report.
    fn host(&self, script: &Value) -> Value {
        self.env
            .fake(&["host"])
            .stdin(script.to_string())
            .run()
            .ok()
            .json()
    }

    /// Runs one command in an adopting host; the report of its end.
    fn run(&self, command: impl Into<Value>) -> Value {
        let commands = Value::Array(vec![command.into()]);
        let mut report = self.host(&json!({ "commands": commands }));
        report["ended"][0].take()
    }

    /// Fails if a process of this harness runs.
    fn assert_empty(&self) {
        let left = self.env.live_processes();
        assert!(left.is_empty(), "left running: {left:?}");
        let escaped: Vec<Identity> = self
            .recorded()
            .into_iter()
            .filter(Identity::is_alive)
            .collect();
        assert!(escaped.is_empty(), "escaped: {escaped:?}");
    }

    /// The processes that wrote themselves down.
    fn recorded(&self) -> Vec<Identity> {
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
    /// Whoever a failed test let escape is ended here, so that it disturbs nobody else; the env
    /// ends the rest.
    fn drop(&mut self) {
        for left in self.recorded() {
            let _ = left.signal(Signal::KILL);
        }
    }
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
