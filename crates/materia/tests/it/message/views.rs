//! `inspect` of messages, queues and rooms.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use super::refused;
use crate::house::House;

fn view(house: &House, target: &str, view: &str) -> Value {
    house
        .materia(&["inspect", target, "--view", view, "--json"])
        .run()
        .ok()
        .json()
}

fn text(house: &House, target: &str, view: &str) -> String {
    house
        .materia(&["inspect", target, "--view", view])
        .run()
        .ok()
        .stdout
}

#[test]
fn queues_and_what_was_said_to_the_coordinator_can_be_seen() {
    let house = House::new();
    house.spawn(
        "a",
        "sleep 600",
        &["--mailbox", r#"{"accepts": ["task.run"]}"#],
    );
    house.sent(&["run:a", "task.run", "one"]);
    house.sent(&["run:a", "task.run", "two"]);
    house.sent(&["branch:a/w", "task.run", "three"]);
    house.sent(&[
        "coordinator",
        "ask",
        "which?",
        "--from",
        "run:a",
        "--metadata",
        r#"{"requires_response": true}"#,
    ]);
    let first = house.receive("run:a");
    house
        .materia(&[
            "receive",
            "--address",
            "run:a",
            "--ack",
            first["id"].as_str().unwrap(),
        ])
        .run()
        .ok();
    let mailbox = view(&house, "run:a", "mailbox");
    assert_eq!(
        (&mailbox["counts"]["queued"], &mailbox["counts"]["handled"]),
        (&json!(1), &json!(1))
    );
    let states: Vec<&str> = mailbox["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["status"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["handled", "queued"]);
    assert_eq!(
        (
            &mailbox["mailbox"]["accepts"][0]["type"],
            &mailbox["incomplete"]
        ),
        (&json!("task.run"), &json!(false))
    );
    assert_eq!(
        view(&house, "branch:a/w", "mailbox")["messages"][0]["summary"],
        "three"
    );
    let messages = view(&house, "run:a", "messages");
    assert_eq!(
        (
            &messages["messages"][0]["type"],
            &messages["messages"][0]["attention"]
        ),
        (&json!("ask"), &json!(true))
    );
    assert!(
        text(&house, "run:a", "messages")
            .contains("type=ask level=info delivery=followup attention=true summary=which?")
    );
    assert!(text(&house, "run:a", "mailbox").starts_with(
        "address=run:a accepts=task.run deliver=receive queued=1 claimed=0 handled=1"
    ));
    let talk = view(&house, "run:a", "communication");
    assert_eq!(
        (&talk["self"], &talk["contacts"][0]["address"]),
        (&json!("run:a"), &json!("branch:a/w"))
    );
    let triage = view(&house, "tool:materia", "triage");
    assert_eq!(
        (
            &triage["attention_messages"][0]["run"],
            triage["active_runs"].as_array().unwrap().len()
        ),
        (&json!("a"), 1)
    );
    let fewer = house
        .materia(&[
            "inspect", "run:a", "--view", "mailbox", "--lines", "1", "--json",
        ])
        .run()
        .ok()
        .json();
    assert_eq!(
        (
            fewer["messages"].as_array().unwrap().len(),
            &fewer["incomplete"]
        ),
        (1, &json!(true))
    );
    house.kill("a");
}

#[test]
fn a_room_can_be_seen_from_every_side() {
    let house = House::new();
    house.spawn("a", "sleep 600", &[]);
    house.sent(&[
        "room:a",
        "actor.join",
        r#"{"role": "worker", "caps": ["rust"]}"#,
        "--from",
        "branch:a/w",
    ]);
    house.sent(&[
        "room:a",
        "chat.note",
        &"long ".repeat(200),
        "--from",
        "run:a",
    ]);
    let status = view(&house, "room:a", "status");
    assert_eq!(
        (&status["messages"], &status["roster"], &status["present"]),
        (&json!(2), &json!(2), &json!(2))
    );
    assert_eq!(status["last"]["from"], "run:a");
    assert_eq!(
        view(&house, "room:a", "messages")["messages"][1]["body"]
            .as_str()
            .unwrap()
            .len(),
        1000
    );
    let preview = view(&house, "room:a", "previews")["messages"][1]["body_preview"]
        .as_str()
        .unwrap()
        .len();
    assert!((320..360).contains(&preview), "{preview}");
    let roster = text(&house, "room:a", "roster");
    assert!(
        roster.contains("address=branch:a/w role=worker caps=[\"rust\"] status=present"),
        "{roster}"
    );
    assert_eq!(
        view(&house, "room:a", "contacts")["contacts"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    house.kill("a");
}

#[test]
fn views_that_are_not_there_and_runs_of_others_are_refused() {
    let house = House::new();
    house.spawn("a", "sleep 600", &["--session", "s"]);
    let inspect = |words: &[&str]| {
        house
            .materia(&[&["inspect", "--json"], words].concat())
            .run()
    };
    for target in ["run:a", "room:a", "branch:a/w"] {
        assert_eq!(
            refused(&inspect(&[target, "--view", "entrails"])),
            (2, "invalid_view".to_owned())
        );
        assert_eq!(
            refused(&inspect(&[target, "--session", "t"])),
            (4, "session_mismatch".to_owned())
        );
    }
    assert_eq!(
        refused(&inspect(&["room:b"])),
        (3, "run_not_found".to_owned())
    );
    assert_eq!(
        refused(&inspect(&["room:a/side"])),
        (2, "invalid_address".to_owned())
    );
    let triage = inspect(&["tool:materia", "--view", "triage", "--session", "t"])
        .ok()
        .json();
    assert_eq!(
        (
            triage["active_runs"].as_array().unwrap().len(),
            &triage["other_session_runs"]
        ),
        (0, &json!(1))
    );
    house.kill("a");
}

#[test]
fn what_is_said_can_be_followed_until_the_run_is_over() {
    let house = House::new();
    house.spawn("a", "sleep 600", &[]);
    house.sent(&["coordinator", "first", "--from", "run:a"]);
    let mut following = house
        .materia(&["inspect", "run:a", "--view", "messages", "--follow"])
        .start();
    let mut lines = BufReader::new(following.stdout()).lines();
    assert!(lines.next().unwrap().unwrap().contains("type=first"));
    house.sent(&["coordinator", "second", "--from", "run:a"]);
    assert!(lines.next().unwrap().unwrap().contains("type=second"));
    house.kill("a");
    assert!(lines.next().is_none());
    assert_eq!(following.end().code(), 0);
}
