//! Messages that steer a cast which a run drives (A12).

use serde_json::{Value, json};

use super::refused;
use crate::house::House;

/// A cast whose one socket runs this line, as `run:c`.
fn cast(house: &House, line: &str) {
    let slow = json!({"type": "utility", "timeoutMs": 600_000, "command": ["sh", "-c", line]});
    let loadout = json!({"entry": "a", "sockets": {"a": {"materia": "Slow"}}});
    let config =
        json!({"activeLoadout": "T", "loadouts": {"T": loadout}, "materia": {"Slow": slow}});
    house.write("flow.json", config.to_string());
    let words = [
        "spawn",
        "--config",
        "flow.json",
        "--loadout",
        "T",
        "--as",
        "run:c",
        "--session",
        "s",
        "do it",
        "--json",
    ];
    house.materia(&words).run().ok();
}

fn standing(house: &House) -> Value {
    house
        .materia(&["inspect", "run:c", "--json"])
        .run()
        .ok()
        .json()["cast"]["status"]
        .clone()
}

#[test]
fn a_cast_that_runs_is_aborted_with_everything_it_started() {
    let house = House::new();
    cast(
        &house,
        "cat >/dev/null; echo started >new; mv new started; sleep 600",
    );
    while !house.work().join("started").exists() {
        std::thread::yield_now();
    }
    assert_eq!(standing(&house), "running");
    let early = house.send(&["run:c", "control.continue", "go on", "--session", "s"]);
    assert_eq!(refused(&early), (4, "cast_not_waiting".to_owned()));
    assert!(
        early.json()["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("control.abort"),
        "{}",
        early.transcript()
    );
    let others = house.send(&["run:c", "control.abort", "--session", "other"]);
    assert_eq!(refused(&others), (4, "session_mismatch".to_owned()));
    house.sent(&["run:c", "control.abort", "--session", "s"]);
    house.wait("c");
    assert_eq!(standing(&house), "aborted");
    assert_eq!(house.alive().len(), 0);
}

#[test]
fn a_cast_that_failed_is_taken_up_again_as_the_same_run() {
    let house = House::new();
    cast(&house, "cat >/dev/null; test -e ready && echo '{}'");
    house.wait("c");
    assert_eq!(standing(&house), "failed");
    house.write("ready", "");
    let report = house.sent(&["run:c", "control.recast", "--session", "s"]);
    assert_eq!(
        (&report["consumer"], &report["delivered"]),
        (&json!("cast-driver"), &json!(true))
    );
    house.wait("c");
    assert_eq!(standing(&house), "complete");
    let seen = house
        .materia(&["inspect", "run:c", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(
        (&seen["generations"], &seen["session"]),
        (&json!(2), &json!("s"))
    );
}
