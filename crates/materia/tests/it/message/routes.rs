//! The routing table, row by row.

use materia_engine::clock::Clock;
use serde_json::json;

use super::{assert_delivery, assert_refused};
use crate::spawn::{document, kinds, records};
use crate::test_env::TestEnv;

#[test]
fn a_message_to_a_run_without_a_reader_is_queued() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let report = env.send_ok(&[
        "run:a",
        "task.run",
        r#"{"suite": "fast"}"#,
        "--summary",
        "go",
        "--correlation",
        "c1",
    ]);
    assert_delivery(&report, [false, true, true], "mailbox", "queued_mailbox");
    env.send_ok(&["run:a", "task.run", "not {json", "--reply-to", "m1-x"]);
    let messages: Vec<_> = records(&env, "a")
        .into_iter()
        .filter(|record| record["type"] == "message")
        .collect();
    assert_eq!(messages[0]["data"]["body"], json!({"suite": "fast"}));
    assert_has!(messages[0]["data"], {"summary": "go", "correlation_id": "c1"});
    assert_has!(messages[1]["data"], {"body": "not {json", "reply_to": "m1-x"});
    assert_ne!(messages[0]["data"]["id"], messages[1]["data"]["id"]);
    env.kill("a");
}

#[test]
fn a_body_can_come_from_a_file_or_stdin_and_is_bounded() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let file = env.write("body.json", "[1, 2]");
    env.send_ok(&["run:a", "x", "--body-file", file.to_str().unwrap()]);
    env.materia(&["message", "run:a", "x", "--body-file", "-"])
        .stdin("from stdin")
        .run()
        .ok();
    let large = env.write("large.txt", "x".repeat(300 << 10));
    let outcome = env.send(&["run:a", "x", "--body-file", large.to_str().unwrap()]);
    assert_refused(&outcome, 2, "invalid_message");
    let bodies: Vec<_> = records(&env, "a")
        .iter()
        .filter(|record| record["type"] == "message")
        .map(|record| record["data"]["body"].clone())
        .collect();
    assert_eq!(bodies, [json!([1, 2]), json!("from stdin")]);
    env.kill("a");
}

#[test]
fn an_invalid_message_is_refused_and_not_written() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let before = kinds(&env, "a");
    for (args, code, name) in [
        (&["a", "x"] as &[&str], 2, "invalid_message"),
        (&["rum:a", "x"], 2, "invalid_message"),
        (&["run:..", "x"], 2, "invalid_message"),
        (&["run:a", "a b"], 2, "invalid_message"),
        (&["run:a", "x", "--metadata", "[]"], 2, "invalid_message"),
        (&["run:a", "x", "--metadata", "{"], 2, "invalid_metadata"),
        (&["run:b", "x"], 3, "run_not_found"),
        (&["tool:nothing", "x"], 3, "tool_not_found"),
        (&["coordinator", "x"], 2, "sender_required"),
        (
            &["coordinator", "x", "--from", "tool:t"],
            4,
            "sender_refused",
        ),
        (&["room:a", "x"], 2, "sender_required"),
        (&["room:a", "x", "--from", "run:b"], 4, "sender_refused"),
        (
            &["room:a", "x", "--from", "coordinator"],
            4,
            "sender_refused",
        ),
        (
            &[
                "room:a",
                "x",
                "--from",
                "run:a",
                "--metadata",
                r#"{"recipients": ["branch:b/w"]}"#,
            ],
            2,
            "invalid_recipient",
        ),
        (
            &[
                "room:a",
                "x",
                "--from",
                "run:a",
                "--metadata",
                r#"{"recipients": "branch:a/w"}"#,
            ],
            2,
            "invalid_recipient",
        ),
        (&["branch:a/w", "x", "--from", "run:b"], 4, "sender_refused"),
        (
            &["session:s", "x", "--from", "run:a"],
            4,
            "session_mismatch",
        ),
        (&["session:s", "x"], 2, "sender_required"),
    ] {
        assert_refused(&env.send(args), code, name);
    }
    assert_eq!(kinds(&env, "a"), before);
    env.kill("a");
}

#[test]
fn control_ends_a_run_once() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let report = env.send_ok(&["run:a", "control.kill"]);
    assert_delivery(
        &report,
        [true, false, true],
        "run-control",
        "control_applied",
    );
    assert_has!(report, {"stopped": true, "status": "killed"});
    let again = env.send_ok(&["run:a", "control.kill"]);
    assert_delivery(&again, [false, false, false], "run-control", "not_running");
    assert_eq!(again["status"], "killed");
    let late = env.send(&["run:a", "task.run"]);
    assert_refused(&late, 4, "run_not_running");
    env.spawn("b", "sleep 600", &[]);
    assert_eq!(
        env.send_ok(&["run:b", "control.cancel"])["status"],
        "cancelled"
    );
}

#[test]
fn a_branch_has_its_own_queue_even_after_the_run_has_ended() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let report = env.send_ok(&["branch:a/w", "task.run", "1", "--from", "branch:a/lead"]);
    assert_delivery(
        &report,
        [false, true, true],
        "branch-mailbox",
        "branch_persisted",
    );
    env.send_ok(&["branch:a/w", "task.run", "2"]);
    let received = env
        .materia(&["receive", "--address", "branch:a/w", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(received["message"]["body"], 1);
    let none = env
        .materia(&["receive", "--address", "run:a", "--timeout", "0", "--json"])
        .run();
    assert_refused(&none, 1, "timeout");
    env.kill("a");
    let report = env.send_ok(&["branch:a/w", "task.run", "3"]);
    assert_delivery(
        &report,
        [false, true, true],
        "branch-mailbox",
        "branch_persisted_parent_unavailable",
    );
    let communication = document(&env, "a", "communication.json");
    let contacts: Vec<&str> = communication["contacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["address"].as_str().unwrap())
        .collect();
    assert_eq!(contacts, ["branch:a/lead", "branch:a/w"]);
    assert_eq!(communication["contacts"][1]["parent"], "run:a");
}

#[test]
fn a_room_message_is_forwarded_to_its_recipients() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let report = env.send_ok(&[
        "room:a/main",
        "actor.join",
        r#"{"role": "worker"}"#,
        "--from",
        "branch:a/w",
    ]);
    assert_delivery(
        &report,
        [true, false, true],
        "room-timeline",
        "room_persisted",
    );
    assert_has!(report, {"to": "room:a", "forwarded": false});
    let report = env.send_ok(&[
        "room:a",
        "ask",
        "who?",
        "--from",
        "run:a",
        "--metadata",
        r#"{"recipients": ["branch:a/w"]}"#,
    ]);
    assert_has!(report, {"forwarded": true, "queued": true});
    let received = env
        .materia(&["receive", "--address", "branch:a/w", "--json"])
        .run()
        .ok()
        .json();
    assert_has!(received["message"], {"body": "who?", "to": "room:a"});
    env.materia(&[
        "receive",
        "--address",
        "branch:a/w",
        "--ack",
        received["message"]["id"].as_str().unwrap(),
    ])
    .run()
    .ok();
    env.send_ok(&["room:a", "actor.leave", "--from", "branch:a/w"]);
    let communication = document(&env, "a", "communication.json");
    assert_eq!(communication["self"], "run:a");
    assert_eq!(communication["rooms"][0]["address"], "room:a");
    assert_has!(communication["contacts"][0], {"role": "worker", "status": "left"});
    env.kill("a");
    // A message to the room of an ended run is kept, too.
    env.send_ok(&["room:a", "note", "done", "--from", "run:a"]);
}

#[test]
fn a_program_inside_a_run_sends_as_that_run_by_default() {
    let env = TestEnv::new();
    env.spawn(
        "a",
        "materia message coordinator progress.update '40 files'",
        &["--session", "s"],
    );
    assert_eq!(
        env.wait("a")["status"],
        "done",
        "{}",
        env.read_run_file("a", "stderr.log")
    );
    let sent = records(&env, "a")
        .into_iter()
        .find(|record| record["type"] == "message")
        .unwrap();
    assert_has!(sent["data"], {"from": "run:a", "body": "40 files"});
    let report = env.send_ok(&["coordinator", "x", "--from", "run:a"]);
    assert_delivery(
        &report,
        [false, true, true],
        "run-outbox",
        "coordinator_outbox_persisted",
    );
    let report = env.send_ok(&["session:s", "x", "--from", "branch:a/w"]);
    assert_delivery(
        &report,
        [false, true, true],
        "run-outbox",
        "session_outbox_persisted",
    );
}

#[test]
fn an_undeclared_type_is_a_warning_and_the_message_is_delivered() {
    let env = TestEnv::new();
    env.spawn(
        "a",
        "sleep 600",
        &[
            "--mailbox",
            r#"{"accepts": ["task.run"], "emits": ["done"]}"#,
        ],
    );
    let report = env.send_ok(&["run:a", "other"]);
    assert_delivery(&report, [false, true, true], "mailbox", "queued_mailbox");
    assert_eq!(
        report["warnings"],
        json!(["message type other is not declared in mailbox.accepts of run:a"])
    );
    assert_eq!(env.send_ok(&["run:a", "task.run"])["warnings"], json!([]));
    let out = env.send_ok(&["coordinator", "started", "--from", "run:a"]);
    assert_eq!(
        out["warnings"],
        json!(["message type started is not declared in mailbox.emits of run:a"])
    );
    let wrong = env
        .materia(&[
            "spawn",
            "--json",
            "--template",
            "true",
            "--mailbox",
            r#"{"deliver": "pigeon"}"#,
        ])
        .run();
    assert_refused(&wrong, 2, "invalid_mailbox");
    env.kill("a");
}

#[test]
fn a_new_generation_does_not_get_the_messages_of_the_old_one() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    env.send_ok(&["run:a", "task.run", "old"]);
    env.kill("a");
    env.spawn("a", "sleep 600", &[]);
    env.send_ok(&["run:a", "task.run", "new"]);
    let received = env
        .materia(&["receive", "--address", "run:a", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(received["message"]["body"], "new");
    let none = env
        .materia(&["receive", "--address", "run:a", "--timeout", "0", "--json"])
        .run();
    assert_refused(&none, 1, "timeout");
    env.kill("a");
}

#[test]
fn the_schema_of_a_message_is_available() {
    let env = TestEnv::new();
    let schema = env.materia(&["schema", "message"]).run().ok().json();
    assert_eq!(schema["required"], json!(["to", "type"]));
}

#[test]
fn a_message_archives_or_prunes_an_ended_run() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    for control in ["control.archive", "control.prune"] {
        assert_refused(&env.send(&["run:a", control]), 4, "run_not_terminal");
    }
    env.kill("a");
    let report = env.send_ok(&["run:a", "control.archive"]);
    assert_delivery(
        &report,
        [true, false, false],
        "run-control",
        "control_applied",
    );
    assert!(
        report["result"]["archiveDir"]
            .as_str()
            .unwrap()
            .contains("archived")
    );
    env.spawn("b", "true", &[]);
    env.wait("b");
    env.send_ok(&["run:b", "control.prune", r#"{"preserve_artifacts": true}"#]);
    assert_refused(&env.send(&["run:b", "x"]), 3, "run_not_found");
}

#[test]
fn a_full_queue_refuses_messages_until_one_is_handled() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let journal = materia_engine::run::journal(&env.run_dir("a"), &Clock::system()).unwrap();
    for number in 0..10_000 {
        journal
            .append(
                "message",
                &json!({"id": format!("m{number}"), "to": "run:a", "type": "x"}),
            )
            .unwrap();
    }
    let full = env.send(&["run:a", "task.run", "1"]);
    assert_refused(&full, 7, "mailbox_full");
    assert_eq!(
        env.send_ok(&["branch:a/w", "task.run", "1"])["reason"],
        "branch_persisted",
        "only the queue of the run is full"
    );
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
    assert_eq!(
        env.send_ok(&["run:a", "task.run", "1"])["reason"],
        "queued_mailbox"
    );
    env.kill("a");
}
