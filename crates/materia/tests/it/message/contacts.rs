//! `communication.json`: whom a run can talk to, from its first command on, and right for every
//! generation.

use serde_json::{Value, json};

use crate::house::House;

fn contacts(house: &House, run: &str) -> Value {
    serde_json::from_str(&house.run_file(run, "communication.json")).unwrap()
}

#[test]
fn it_is_there_before_the_first_command() {
    let house = House::new();
    house.spawn("cf", "cat {communication_file}", &[]);
    assert_eq!(
        house.wait("cf")["status"],
        "done",
        "{}",
        house.run_file("cf", "stderr.log")
    );
    let read: Value = serde_json::from_str(&house.run_file("cf", "stdout.log")).unwrap();
    assert_eq!(
        (&read["self"], &read["root"]),
        (&json!("run:cf"), &json!("run:cf"))
    );
    assert_eq!(
        (&read["rooms"][0]["address"], &read["contacts"]),
        (&json!("room:cf"), &json!([]))
    );
    house.spawn(
        "m",
        "sh -c 'cat \"$MATERIA_STATE_DIR\"/comm*'",
        &["--mailbox", r#"{"accepts": ["task.run"]}"#],
    );
    assert_eq!(house.wait("m")["status"], "done");
    house.spawn("plain", "true", &[]);
    house.wait("plain");
    assert!(
        !house.run_place("plain").communication().exists(),
        "nobody asks for it"
    );
}

#[test]
fn a_new_generation_begins_with_a_new_one() {
    let house = House::new();
    house.spawn("a", "sleep 600", &[]);
    house.sent(&[
        "room:a",
        "actor.join",
        r#"{"status": "busy"}"#,
        "--from",
        "branch:a/w",
    ]);
    assert_eq!(contacts(&house, "a")["contacts"][0]["status"], "busy");
    house.kill("a");
    house.spawn("a", "true", &[]);
    house.wait("a");
    let view = house
        .materia(&["inspect", "run:a", "--view", "communication", "--json"])
        .run()
        .ok()
        .json();
    let written = contacts(&house, "a");
    assert_eq!(written["contacts"], view["contacts"]);
    assert_ne!(written["contacts"][0]["status"], "busy");
}
