//! Actors that are killed at any point: an answered message is not answered again, and no accepted
//! message is lost.

use serde_json::{Value, json};

use super::{entries, entry, messages};
use crate::spawn::{kinds, records};
use crate::test_env::TestEnv;

fn replies() -> Value {
    json!([{"match": {}, "text": "done", "times": 9, "usage": {"input": 3}}])
}

/// Starts an actor that aborts at a failpoint, waits until it has ended, and starts it again.
fn restart_after_abort(env: &TestEnv, point: &str) {
    env.write("script.json", json!({"replies": replies()}).to_string());
    let args = [
        "spawn",
        "--as",
        "run:a",
        "--agent-script",
        "script.json",
        "do it",
    ];
    env.materia(&args)
        .env("MATERIA_FAILPOINT", format!("{point}:abort"))
        .run()
        .ok();
    assert_eq!(env.wait("a")["status"], "failed", "{point}");
    let args = ["spawn", "--as", "run:a", "--agent-script", "script.json"];
    env.materia(&args).run().ok();
}

#[test]
fn killed_at_any_step_an_actor_answers_once() {
    for (point, turns) in [
        ("actor.started", 2),
        ("actor.ended", 2),
        ("actor.answered", 1),
    ] {
        let env = TestEnv::new();
        restart_after_abort(&env, point);
        let answers = env.wait_for_answers(1);
        env.send_chat("and again", &[]);
        let all = env.wait_for_answers(2);
        assert_eq!(all.len(), 2, "{point}");
        assert_eq!(answers[0]["body"], "done", "{point}");
        let asked = messages(&env, "a")
            .into_iter()
            .find(|message| message["body"] == "do it")
            .unwrap();
        assert_eq!(answers[0]["reply_to"], asked["id"], "{point}");
        let prompts = entries(&env.actor_transcript())
            .iter()
            .filter(|line| **line == entry("prompt", "do it"))
            .count();
        assert_eq!(prompts, turns, "{point}");
        let ends = records(&env, "a")
            .iter()
            .filter(|record| record["type"] == "turn.end")
            .count();
        assert_eq!(ends, 2, "{point}");
        let handled = kinds(&env, "a")
            .iter()
            .filter(|kind| *kind == "message.handled")
            .count();
        assert_eq!(handled, 2, "{point}");
        env.kill("a");
    }
}

#[test]
fn a_killed_supervisor_loses_no_message() {
    let env = TestEnv::new();
    let slow = json!([
        {"match": {"contains": "one"}, "text": "never", "delayMs": 600_000},
    ]);
    env.spawn_agent(&slow, &["one"]);
    env.wait_for_file_text(env.run_dir("a").journal(), "turn.start");
    env.send_chat("two", &["--metadata", "{\"steer\": false}"]);
    env.kill_supervisor("a");
    assert_eq!(env.run_state("a").status.as_str(), "exited");
    assert_eq!(env.live_processes().len(), 0);
    env.spawn_agent(&replies(), &[]);
    let answers = env.wait_for_answers(2);
    let asked: Vec<Value> = messages(&env, "a")
        .into_iter()
        .filter(|message| message["to"] == "run:a")
        .collect();
    assert_has!(asked[0], {"body": "one", "id": answers[0]["reply_to"]});
    assert_has!(asked[1], {"body": "two", "id": answers[1]["reply_to"]});
    env.kill("a");
}

#[test]
fn no_record_of_a_turn_contains_a_secret() {
    let env = TestEnv::new();
    let key = format!("sk-ant-{}", "Qx7Zp2Lm9Rt4Vb8Nc3Kd".repeat(3));
    env.spawn_agent(
        &json!([{"match": {}, "text": format!("the key is {key}")}]),
        &["which key?"],
    );
    let answers = env.wait_for_answers(1);
    assert!(!answers[0]["body"].as_str().unwrap().contains(&key));
    assert!(!env.read_run_file("a", "journal.jsonl").contains(&key));
    env.kill("a");
}
