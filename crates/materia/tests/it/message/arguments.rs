//! Messages that exceed a limit are refused with an error that names it.

use serde_json::json;

use crate::message::assert_refused;
use crate::test_env::TestEnv;

#[test]
fn a_body_that_json_cannot_store_exactly_is_refused() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let deep = format!("{}{}", "[".repeat(300), "]".repeat(300));
    for (args, expected) in [
        (
            ["run:a", "task.run", deep.as_str()].as_slice(),
            "nests deeper than",
        ),
        (
            &["run:a", "task.run", "123456789012345678901"],
            "the number 123456789012345678901",
        ),
        (
            &["run:a", "task.run", r#"{"id": [-9223372036854775809]}"#],
            "would be rounded",
        ),
        (
            &[
                "run:a",
                "task.run",
                "--metadata",
                r#"{"id": 18446744073709551616}"#,
            ],
            "`metadata` has the number",
        ),
    ] {
        let outcome = env.send(args);
        assert_refused(&outcome, 2, "invalid_message");
        assert!(
            outcome.json()["error"]["message"]
                .as_str()
                .unwrap()
                .contains(expected),
            "{}",
            outcome.transcript()
        );
    }
    env.send_ok(&[
        "run:a",
        "task.run",
        r#"{"id": "123456789012345678901", "n": 18446744073709551615}"#,
    ]);
    assert_eq!(
        env.receive("run:a")["body"],
        json!({"id": "123456789012345678901", "n": u64::MAX})
    );
    env.kill("a");
}

#[test]
fn an_exceeded_limit_is_named() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let long = env.send(&["run:a", &"t".repeat(129)]);
    assert_refused(&long, 2, "invalid_message");
    assert_eq!(
        long.json()["error"]["message"],
        "the message's `type` has 129 bytes, at most 128 are allowed"
    );
    let all: Vec<String> = (0..101)
        .map(|number| format!("branch:a/w{number}"))
        .collect();
    let metadata = json!({"recipients": all}).to_string();
    let many = env.send(&[
        "room:a",
        "task.run",
        "--from",
        "run:a",
        "--metadata",
        &metadata,
    ]);
    assert_refused(&many, 2, "too_many_recipients");
    let expected = "the message to room:a names 101 recipients, at most 100 are allowed";
    assert_eq!(many.json()["error"]["message"], expected);
    env.kill("a");
}

#[test]
fn a_failing_tool_is_reported_as_an_error() {
    let env = TestEnv::new();
    let broken = "sh -c 'echo no >&2; exit 3'";
    env.materia(&[
        "tool",
        "register",
        "broken",
        "--template",
        broken,
        "--description",
        "It fails",
    ])
    .run()
    .ok();
    let outcome = env.send(&["tool:broken", "task.run"]);
    assert_refused(&outcome, 1, "tool_failed");
    let message = outcome.json()["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(
        message,
        "the tool `broken` failed for message type task.run: exit code 3"
    );
    assert_eq!(
        (
            &outcome.json()["delivered"],
            &outcome.json()["result"]["code"]
        ),
        (&json!(true), &json!(3))
    );
}

#[test]
fn a_branch_of_an_ended_run_keeps_messages() {
    let env = TestEnv::new();
    env.spawn("a", "true", &[]);
    env.wait("a");
    let report = env.send_ok(&["branch:a/w", "task.run", "1"]);
    assert_eq!(report["reason"], "branch_persisted_parent_unavailable");
    assert_refused(&env.send(&["run:a", "task.run", "1"]), 4, "run_not_running");
}
