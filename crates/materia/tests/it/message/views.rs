//! `inspect` of messages, queues and rooms.

use std::io::{BufRead, BufReader};

use serde_json::Value;

use super::assert_refused;
use crate::test_env::TestEnv;

fn view(env: &TestEnv, target: &str, view: &str) -> Value {
    env.materia(&["inspect", target, "--view", view, "--json"])
        .run()
        .ok()
        .json()
}

fn text(env: &TestEnv, target: &str, view: &str) -> String {
    env.materia(&["inspect", target, "--view", view])
        .run()
        .ok()
        .stdout
}

#[test]
fn views_of_queues_and_messages_to_the_coordinator() {
    let env = TestEnv::new();
    env.spawn(
        "a",
        "sleep 600",
        &["--mailbox", r#"{"accepts": ["task.run"]}"#],
    );
    env.send_ok(&["run:a", "task.run", "one"]);
    env.send_ok(&["run:a", "task.run", "two"]);
    env.send_ok(&["branch:a/w", "task.run", "three"]);
    env.send_ok(&[
        "coordinator",
        "ask",
        "which?",
        "--from",
        "run:a",
        "--metadata",
        r#"{"requires_response": true}"#,
    ]);
    let first = env.receive("run:a");
    env.materia(&[
        "receive",
        "--address",
        "run:a",
        "--ack",
        first["id"].as_str().unwrap(),
    ])
    .run()
    .ok();
    let mailbox = view(&env, "run:a", "mailbox");
    assert_has!(mailbox["counts"], {"queued": 1, "handled": 1});
    let states: Vec<&str> = mailbox["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["status"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["handled", "queued"]);
    assert_eq!(mailbox["mailbox"]["accepts"][0]["type"], "task.run");
    assert_eq!(mailbox["incomplete"], false);
    assert_eq!(
        view(&env, "branch:a/w", "mailbox")["messages"][0]["summary"],
        "three"
    );
    let messages = view(&env, "run:a", "messages");
    assert_has!(messages["messages"][0], {"type": "ask", "attention": true});
    assert!(
        text(&env, "run:a", "messages")
            .contains("type=ask level=info delivery=followup attention=true summary=which?")
    );
    assert!(text(&env, "run:a", "mailbox").starts_with(
        "address=run:a accepts=task.run deliver=receive queued=1 claimed=0 handled=1"
    ));
    let communication = view(&env, "run:a", "communication");
    assert_eq!(communication["self"], "run:a");
    assert_eq!(communication["contacts"][0]["address"], "branch:a/w");
    let triage = view(&env, "tool:materia", "triage");
    assert_eq!(triage["attention_messages"][0]["run"], "a");
    assert_eq!(triage["active_runs"].as_array().unwrap().len(), 1);
    let fewer = env
        .materia(&[
            "inspect", "run:a", "--view", "mailbox", "--lines", "1", "--json",
        ])
        .run()
        .ok()
        .json();
    assert_eq!(fewer["messages"].as_array().unwrap().len(), 1);
    assert_eq!(fewer["incomplete"], true);
    env.kill("a");
}

#[test]
fn views_of_a_room() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    env.send_ok(&[
        "room:a",
        "actor.join",
        r#"{"role": "worker", "caps": ["rust"]}"#,
        "--from",
        "branch:a/w",
    ]);
    env.send_ok(&[
        "room:a",
        "chat.note",
        &"long ".repeat(200),
        "--from",
        "run:a",
    ]);
    let status = view(&env, "room:a", "status");
    assert_has!(status, {"messages": 2, "roster": 2, "present": 2});
    assert_eq!(status["last"]["from"], "run:a");
    assert_eq!(
        view(&env, "room:a", "messages")["messages"][1]["body"]
            .as_str()
            .unwrap()
            .len(),
        1000
    );
    let preview = view(&env, "room:a", "previews")["messages"][1]["body_preview"]
        .as_str()
        .unwrap()
        .len();
    assert!((320..360).contains(&preview), "{preview}");
    let roster = text(&env, "room:a", "roster");
    assert!(
        roster.contains("address=branch:a/w role=worker caps=[\"rust\"] status=present"),
        "{roster}"
    );
    assert_eq!(
        view(&env, "room:a", "contacts")["contacts"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    env.kill("a");
}

#[test]
fn unknown_views_and_runs_of_other_sessions_are_refused() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &["--session", "s"]);
    let inspect = |args: &[&str]| env.materia(&[&["inspect", "--json"], args].concat()).run();
    for target in ["run:a", "room:a", "branch:a/w"] {
        assert_refused(&inspect(&[target, "--view", "entrails"]), 2, "invalid_view");
        assert_refused(&inspect(&[target, "--session", "t"]), 4, "session_mismatch");
    }
    assert_refused(&inspect(&["room:b"]), 3, "run_not_found");
    assert_refused(&inspect(&["room:a/side"]), 2, "invalid_address");
    let triage = inspect(&["tool:materia", "--view", "triage", "--session", "t"])
        .ok()
        .json();
    assert_eq!(triage["active_runs"].as_array().unwrap().len(), 0);
    assert_eq!(triage["other_session_runs"], 1);
    env.kill("a");
}

#[test]
fn messages_can_be_followed_until_the_run_has_ended() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    env.send_ok(&["coordinator", "first", "--from", "run:a"]);
    let mut following = env
        .materia(&["inspect", "run:a", "--view", "messages", "--follow"])
        .start();
    let mut lines = BufReader::new(following.stdout()).lines();
    assert!(lines.next().unwrap().unwrap().contains("type=first"));
    env.send_ok(&["coordinator", "second", "--from", "run:a"]);
    assert!(lines.next().unwrap().unwrap().contains("type=second"));
    env.kill("a");
    assert!(lines.next().is_none());
    assert_eq!(following.wait().code(), 0);
}
