//! Processes that a killed driver left running are ended before anything runs again (A6).

use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{config, event_types, events};
use crate::test_env::{TestEnv, TestProcess};

/// A utility whose child leaves its session and keeps writing to a file. If `go` exists, the utility
/// records the size of that file and exits.
fn escaping_config(name: &str) -> Value {
    let escapee = format!("echo up >{name}.up; while sleep 0.01; do echo x >>{name}.late; done");
    let script = format!(
        "cat >/dev/null; if [ -e go ]; then wc -c <{name}.late >{name}.seen; exit 0; fi; \
         setsid sh -c '{escapee}' & sleep 600"
    );
    let utility = json!({"type": "utility", "command": ["sh", "-c", script], "timeoutMs": 600_000});
    config(
        &json!({"a": {"materia": "Escape"}}),
        &json!({"Escape": utility}),
    )
}

/// Starts a cast and waits until the escaped process writes.
fn start_cast<'a>(env: &'a TestEnv, name: &str) -> TestProcess<'a> {
    env.write(&format!("{name}.json"), escaping_config(name).to_string());
    let running = env
        .materia(&["cast", "--config", &format!("{name}.json"), name])
        .start();
    wait_for_file(&env.work_dir().join(format!("{name}.late")));
    running
}

fn wait_for_file(path: &Path) {
    while !path.exists() {
        std::thread::yield_now();
    }
}

fn kill_driver(running: TestProcess<'_>) {
    running.signal(Signal::KILL);
    assert_eq!(running.wait().code(), 128 + 9);
}

#[test]
fn a6_resume_ends_orphans_before_the_visit_runs_again() {
    let env = TestEnv::new();
    kill_driver(start_cast(&env, "one"));
    assert!(
        env.live_processes().len() >= 2,
        "{:?}",
        env.live_processes()
    );
    env.write("go", "");
    let resumed = env.materia(&["resume"]).run().ok();
    assert!(
        resumed.stderr.contains(" of the process that drove it"),
        "{}",
        resumed.transcript()
    );
    let size = env.read("one.late").len().to_string();
    assert_eq!(
        env.read("one.seen").trim(),
        size,
        "the orphan wrote while the visit ran again"
    );
    assert!(env.live_processes().is_empty());
    let ended = events(&env)
        .into_iter()
        .find(|event| event["type"] == "orphans_ended")
        .unwrap();
    assert!(ended["data"]["count"].as_u64() >= Some(2), "{ended}");
}

#[test]
fn a6_abort_ends_the_orphans_of_its_cast_only() {
    let env = TestEnv::new();
    kill_driver(start_cast(&env, "one"));
    let other = start_cast(&env, "two");
    let id = "2026-01-01T00-00-00-000Z";
    let aborted = env.materia(&["abort", id, "--json"]).run().ok().json();
    assert_eq!(aborted["status"], "aborted");
    let before = env.read("two.late").len();
    while env.read("two.late").len() == before {
        std::thread::yield_now();
    }
    let size = env.read("one.late").len();
    other.signal(Signal::TERM);
    assert_eq!(other.wait().code(), 130);
    assert_eq!(
        env.read("one.late").len(),
        size,
        "the orphan still wrote after the abort"
    );
    assert!(env.live_processes().is_empty());
}

#[test]
fn a6_orphans_of_a_detached_driver_are_ended() {
    let env = TestEnv::new();
    env.write("one.json", escaping_config("one").to_string());
    let began = env
        .materia(&["cast", "--config", "one.json", "x", "--detach", "--json"])
        .run()
        .ok()
        .json();
    wait_for_file(&env.work_dir().join("one.late"));
    let lock = std::fs::read(super::run_dir(&env).join("events.jsonl.lock")).unwrap();
    let holder: Value = serde_json::from_slice(&lock).unwrap();
    let driver = i32::try_from(holder["pid"].as_i64().unwrap()).unwrap();
    let driver = rustix::process::Pid::from_raw(driver).unwrap();
    let watched =
        rustix::process::pidfd_open(driver, rustix::process::PidfdFlags::empty()).unwrap();
    rustix::process::pidfd_send_signal(&watched, Signal::KILL).unwrap();
    rustix::event::poll(
        &mut [rustix::event::PollFd::new(
            &watched,
            rustix::event::PollFlags::IN,
        )],
        None,
    )
    .unwrap();
    env.write("go", "");
    let resumed = env
        .materia(&["resume", began["castId"].as_str().unwrap(), "--json"])
        .run()
        .ok();
    assert_eq!(resumed.json()["status"], "complete");
    assert_eq!(
        env.read("one.seen").trim(),
        env.read("one.late").len().to_string()
    );
    // The supervisor of the killed driver exits by itself; no command waits for it.
    while !env.live_processes().is_empty() {
        std::thread::yield_now();
    }
    assert_eq!(
        event_types(&env)
            .iter()
            .filter(|kind| *kind == "cast_end")
            .count(),
        1
    );
}
