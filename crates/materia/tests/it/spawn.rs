//! `spawn`: runs that outlive the command that started them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use materia_engine::clock::Clock;
use materia_engine::process::{Exits, ProcessIdentity, Signal};
use materia_engine::run::{self, RunDir, RunRoot, Stopped};
use materia_engine::store::journal::{Follower, From};
use materia_model::run::{RunControl, RunState};
use serde_json::{Value, json};

use crate::test_env::TestEnv;

mod archive;
mod draft;
mod ends;
mod foreign_entries;
mod known_defects;
mod needs_mount;
mod output;
mod ownership;
mod preserved_artifacts;
mod retention;
mod secrets;
mod session_end;
mod slow;
mod soak;
mod starts;
mod status;

/// The longest wait for something that must happen soon.
const WAIT_TIMEOUT: Duration = Duration::from_secs(20);

/// Helpers for tests of runs.
impl TestEnv {
    /// Spawns a run with this id, waits until it has started its first command, and returns the report.
    pub fn spawn(&self, id: &str, template: &str, more: &[&str]) -> Value {
        let address = format!("run:{id}");
        let args = [
            &["spawn", "--json", "--template", template, "--as", &address],
            more,
        ]
        .concat();
        let report = self.materia(&args).run().ok().json();
        assert_eq!(report["ok"], true);
        self.wait_until_started(id);
        report
    }

    /// Waits until the last generation of a run has started a command or has ended.
    pub fn wait_until_started(&self, id: &str) {
        let mut follower = Follower::open(&self.run_dir(id).journal(), From::Beginning).unwrap();
        let mut started = false;
        while !started {
            let records = follower.next(Some(WAIT_TIMEOUT)).unwrap();
            assert!(!records.is_empty(), "run:{id} started no command");
            for record in records {
                match record.kind.as_str() {
                    "run.start" => started = false,
                    "command.start" | "run.end" => started = true,
                    _ => {}
                }
            }
        }
    }

    /// The directory of a run.
    pub fn run_dir(&self, id: &str) -> RunDir {
        self.runs_root().place(&id.parse().unwrap())
    }

    /// The directory of all runs.
    pub fn runs_root(&self) -> RunRoot {
        RunRoot::new(self.home().join(".pi/agent/tmp/pi-actors/runs"))
    }

    /// Waits until a run has ended and returns its entry in the report.
    pub fn wait(&self, id: &str) -> Value {
        self.materia(&["wait", &format!("run:{id}"), "--json"])
            .run()
            .json()["runs"][0]
            .clone()
    }

    /// Kills a run.
    pub fn kill(&self, id: &str) -> Stopped {
        run::stop(&self.run_dir(id), RunControl::Kill, None, &Clock::system()).unwrap()
    }

    /// Kills the supervisor of a run without warning and waits until it is gone.
    pub fn kill_supervisor(&self, id: &str) {
        let known = self.run_state(id).start.unwrap().supervisor;
        let supervisor = ProcessIdentity {
            pid: known.pid,
            start_time: known.start,
            boot_id: known.boot,
        };
        let mut exits = Exits::default();
        exits.add(&supervisor, ());
        supervisor.signal(Signal::KILL).unwrap();
        exits.next(None);
    }

    /// The observed state of a run.
    pub fn run_state(&self, id: &str) -> RunState {
        run::look(&self.run_dir(id), &Clock::system()).unwrap()
    }

    /// Reads a file in the directory of a run.
    pub fn read_run_file(&self, id: &str, name: &str) -> String {
        let path: PathBuf = self.run_dir(id).dir().join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// The real path for a redacted path in a report.
    pub fn expand_path(&self, reported: &Value) -> PathBuf {
        let home = self.home();
        reported
            .as_str()
            .unwrap()
            .replace("[ROOT]", home.parent().unwrap().to_str().unwrap())
            .into()
    }

    /// Waits until a file has this text. Polls, because nothing reports when a run has written it.
    pub fn wait_for_file_text(&self, path: impl AsRef<Path>, text: &str) {
        self.wait_for_file_bytes(path, text.as_bytes());
    }

    /// Like [`Self::wait_for_file_text`], for bytes.
    pub fn wait_for_file_bytes(&self, path: impl AsRef<Path>, bytes: &[u8]) {
        let path = path.as_ref();
        let began = std::time::Instant::now();
        let has = |found: Vec<u8>| found.windows(bytes.len()).any(|window| window == bytes);
        while !std::fs::read(path).is_ok_and(has) {
            let text = String::from_utf8_lossy(bytes);
            assert!(
                began.elapsed().as_secs() < 60,
                "timed out waiting for `{text}` in {}",
                path.display()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// The records in a run's journal.
pub fn records(env: &TestEnv, id: &str) -> Vec<Value> {
    env.read_run_file(id, "journal.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The types of the records in a run's journal.
pub fn kinds(env: &TestEnv, id: &str) -> Vec<String> {
    records(env, id)
        .iter()
        .map(|record| record["type"].as_str().unwrap().to_owned())
        .collect()
}

/// Reads a JSON file in the directory of a run.
pub fn document(env: &TestEnv, id: &str, name: &str) -> Value {
    serde_json::from_str(&env.read_run_file(id, name)).unwrap_or(json!(null))
}
