//! Actors that are killed anywhere: nothing is asked twice that was answered, nothing is lost that
//! was accepted.

use serde_json::{Value, json};

use super::{lines, posted, said};
use crate::house::House;
use crate::spawn::{kinds, records};

fn replies() -> Value {
    json!([{"match": {}, "text": "done", "times": 9, "usage": {"input": 3}}])
}

/// Starts an actor that dies at a point, waits for its end, and starts it again.
fn killed_at(house: &House, point: &str) {
    house.write("script.json", json!({"replies": replies()}).to_string());
    let words = [
        "spawn",
        "--as",
        "run:a",
        "--agent-script",
        "script.json",
        "do it",
    ];
    house
        .materia(&words)
        .env("MATERIA_FAILPOINT", format!("{point}:abort"))
        .run()
        .ok();
    assert_eq!(house.wait("a")["status"], "failed", "{point}");
    let words = ["spawn", "--as", "run:a", "--agent-script", "script.json"];
    house.materia(&words).run().ok();
}

#[test]
fn killed_at_any_step_it_answers_once() {
    for (point, turns) in [
        ("actor.started", 2),
        ("actor.ended", 2),
        ("actor.answered", 1),
    ] {
        let house = House::new();
        killed_at(&house, point);
        let answers = house.answers(1);
        house.say("and again", &[]);
        let all = house.answers(2);
        assert_eq!(
            (all.len(), &answers[0]["body"]),
            (2, &json!("done")),
            "{point}"
        );
        let asked = posted(&house, "a")
            .into_iter()
            .find(|message| message["body"] == "do it")
            .unwrap();
        assert_eq!(answers[0]["reply_to"], asked["id"], "{point}");
        let prompts = lines(&house.transcript())
            .iter()
            .filter(|line| **line == said("prompt", "do it"))
            .count();
        assert_eq!(prompts, turns, "{point}");
        let ends = records(&house, "a")
            .iter()
            .filter(|record| record["type"] == "turn.end")
            .count();
        assert_eq!(ends, 2, "{point}");
        let handled = kinds(&house, "a")
            .iter()
            .filter(|kind| *kind == "message.handled")
            .count();
        assert_eq!(handled, 2, "{point}");
        house.kill("a");
    }
}

#[test]
fn a_supervisor_that_is_killed_loses_no_message() {
    let house = House::new();
    let slow = json!([
        {"match": {"contains": "one"}, "text": "never", "delayMs": 600_000},
    ]);
    house.actor(&slow, &["one"]);
    house.until_file_has(house.run_place("a").journal(), "turn.start");
    house.say("two", &["--metadata", "{\"steer\": false}"]);
    house.kill_supervisor("a");
    assert_eq!(house.look("a").status.as_str(), "exited");
    assert_eq!(house.alive().len(), 0);
    house.actor(&replies(), &[]);
    let answers = house.answers(2);
    let asked: Vec<Value> = posted(&house, "a")
        .into_iter()
        .filter(|message| message["to"] == "run:a")
        .collect();
    let of = |at: usize| (&asked[at]["body"], &asked[at]["id"]);
    assert_eq!(
        (of(0), of(1)),
        (
            (&json!("one"), &answers[0]["reply_to"]),
            (&json!("two"), &answers[1]["reply_to"])
        )
    );
    house.kill("a");
}

#[test]
fn secrets_stand_in_no_record_of_a_turn() {
    let house = House::new();
    let key = format!("sk-ant-{}", "Qx7Zp2Lm9Rt4Vb8Nc3Kd".repeat(3));
    house.actor(
        &json!([{"match": {}, "text": format!("the key is {key}")}]),
        &["which key?"],
    );
    let answers = house.answers(1);
    assert!(!answers[0]["body"].as_str().unwrap().contains(&key));
    assert!(!house.run_file("a", "journal.jsonl").contains(&key));
    house.kill("a");
}
