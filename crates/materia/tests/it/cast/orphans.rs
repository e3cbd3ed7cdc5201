//! What a driver that was killed left running is ended before anything runs again (A6).

use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};

use super::{config, events, types};
use crate::house::{House, Running};

/// A utility whose child leaves its session and writes for ever; once there is a `go`, it looks how
/// much and ends.
fn escaping(name: &str) -> Value {
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

/// Casts in the background, until the escapee writes.
fn started<'a>(house: &'a House, name: &str) -> Running<'a> {
    house.write(&format!("{name}.json"), escaping(name).to_string());
    let running = house
        .materia(&["cast", "--config", &format!("{name}.json"), name])
        .start();
    until(&house.work().join(format!("{name}.late")));
    running
}

fn until(path: &Path) {
    while !path.exists() {
        std::thread::yield_now();
    }
}

fn killed(running: Running<'_>) {
    running.signal(Signal::KILL);
    assert_eq!(running.end().code(), 128 + 9);
}

#[test]
fn a6_resume_ends_what_a_killed_driver_left_before_the_visit_runs_again() {
    let house = House::new();
    killed(started(&house, "one"));
    assert!(house.alive().len() >= 2, "{:?}", house.alive());
    house.write("go", "");
    let resumed = house.materia(&["resume"]).run().ok();
    assert!(
        resumed.stderr.contains(" of the process that drove it"),
        "{}",
        resumed.transcript()
    );
    let size = house.read("one.late").len().to_string();
    assert_eq!(
        house.read("one.seen").trim(),
        size,
        "it wrote while the visit ran again"
    );
    assert!(house.alive().is_empty());
    let ended = events(&house)
        .into_iter()
        .find(|event| event["type"] == "orphans_ended")
        .unwrap();
    assert!(ended["data"]["count"].as_u64() >= Some(2), "{ended}");
}

#[test]
fn a6_abort_ends_them_too_and_nobody_elses() {
    let house = House::new();
    killed(started(&house, "one"));
    let other = started(&house, "two");
    let id = "2026-01-01T00-00-00-000Z";
    let aborted = house.materia(&["abort", id, "--json"]).run().ok().json();
    assert_eq!(aborted["status"], "aborted");
    let before = house.read("two.late").len();
    while house.read("two.late").len() == before {
        std::thread::yield_now();
    }
    let size = house.read("one.late").len();
    other.signal(Signal::TERM);
    assert_eq!(other.end().code(), 130);
    assert_eq!(
        house.read("one.late").len(),
        size,
        "it still wrote after the abort"
    );
    assert!(house.alive().is_empty());
}

#[test]
fn a6_what_a_detached_driver_left_is_found_as_well() {
    let house = House::new();
    house.write("one.json", escaping("one").to_string());
    let began = house
        .materia(&["cast", "--config", "one.json", "x", "--detach", "--json"])
        .run()
        .ok()
        .json();
    until(&house.work().join("one.late"));
    let lock = std::fs::read(super::run_dir(&house).join("events.jsonl.lock")).unwrap();
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
    house.write("go", "");
    let resumed = house
        .materia(&["resume", began["castId"].as_str().unwrap(), "--json"])
        .run()
        .ok();
    assert_eq!(resumed.json()["status"], "complete");
    assert_eq!(
        house.read("one.seen").trim(),
        house.read("one.late").len().to_string()
    );
    // The supervisor of the driver that was killed ends by itself; nobody waits for it.
    while !house.alive().is_empty() {
        std::thread::yield_now();
    }
    assert_eq!(
        types(&house)
            .iter()
            .filter(|kind| *kind == "cast_end")
            .count(),
        1
    );
}
