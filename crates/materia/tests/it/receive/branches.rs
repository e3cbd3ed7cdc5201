//! Messages to branches of a run that gets its messages by stdin or named pipe: it gets those, too.

use serde_json::{Value, json};

use crate::message::assert_delivery;
use crate::test_env::TestEnv;

/// The JSON lines in the stdout of a run.
fn stdout_lines(env: &TestEnv, id: &str) -> Vec<Value> {
    env.read_run_file(id, "stdout.log")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn messages_to_a_branch_reach_the_stdin_of_the_run() {
    let env = TestEnv::new();
    env.spawn("a", "head -n 3", &["--mailbox", r#"{"deliver": "stdin"}"#]);
    let report = env.send_ok(&["branch:a/w", "task.run", "1"]);
    assert_delivery(
        &report,
        [true, false, true],
        "branch-mailbox",
        "branch_persisted_forwarded",
    );
    assert_eq!(report["forwarded"], true);
    let both = json!({"recipients": ["branch:a/x", "branch:a/y"]}).to_string();
    let room_report = env.send_ok(&[
        "room:a",
        "task.run",
        "2",
        "--from",
        "run:a",
        "--metadata",
        &both,
    ]);
    assert_delivery(
        &room_report,
        [true, false, true],
        "room-timeline",
        "room_persisted",
    );
    assert_eq!(env.wait("a")["status"], "done");
    let read = stdout_lines(&env, "a");
    let to: Vec<_> = read
        .iter()
        .map(|line| line["to"].as_str().unwrap())
        .collect();
    assert_eq!(to, ["branch:a/w", "branch:a/x", "branch:a/y"]);
    let copy = format!("{}:x", room_report["id"].as_str().unwrap());
    assert_eq!(read[0]["id"], report["id"]);
    assert_eq!(read[1]["id"], json!(copy));
    assert_eq!(read[0]["body"], 1);
    assert_eq!(read[2]["body"], 2);
    for branch in ["w", "x", "y"] {
        let view = env
            .materia(&["inspect", &format!("branch:a/{branch}"), "--json"])
            .run()
            .ok()
            .json();
        assert_eq!(view["messages"][0]["status"], "delivered", "{view}");
    }
}

#[test]
fn messages_to_a_room_only_do_not_reach_stdin() {
    let env = TestEnv::new();
    env.spawn("a", "head -n 1", &["--mailbox", r#"{"deliver": "stdin"}"#]);
    env.send_ok(&["room:a", "actor.join", "hello", "--from", "branch:a/w"]);
    env.send_ok(&["coordinator", "progress.update", "half", "--from", "run:a"]);
    env.send_ok(&["branch:a/w", "task.run", "mine"]);
    env.wait("a");
    assert_eq!(stdout_lines(&env, "a")[0]["body"], "mine");
}

#[test]
fn messages_to_a_branch_go_to_the_named_pipe_or_stay_queued() {
    let env = TestEnv::new();
    let script = env.write(
        "reader.sh",
        "cd \"$MATERIA_STATE_DIR\"; mkfifo control.fifo; exec 3<>control.fifo; echo up > up\nread -r a <&3; printf '%s\\n' \"$a\"; sleep 600\n",
    );
    env.spawn("a", "sleep 600", &["--mailbox", r#"{"deliver": "fifo"}"#]);
    let early = env.send_ok(&["branch:a/w", "task.run", "1"]);
    assert_delivery(
        &early,
        [false, true, true],
        "branch-mailbox",
        "branch_persisted",
    );
    assert_eq!(early["deliveryError"], "there is no named pipe");
    assert_eq!(
        env.receive("branch:a/w")["body"],
        1,
        "the message can still be received"
    );
    env.spawn(
        "b",
        &format!("sh {}", script.display()),
        &["--mailbox", r#"{"deliver": "fifo"}"#],
    );
    env.wait_for_file_text(env.run_dir("b").dir().join("up"), "up");
    let report = env.send_ok(&["branch:b/w", "task.run", "2"]);
    assert_delivery(
        &report,
        [true, false, true],
        "branch-mailbox",
        "branch_persisted_forwarded",
    );
    env.wait_for_file_text(env.run_dir("b").dir().join("stdout.log"), "branch:b/w");
    env.kill("a");
    env.kill("b");
    let late = env.send_ok(&["branch:b/w", "task.run", "3"]);
    assert_delivery(
        &late,
        [false, true, true],
        "branch-mailbox",
        "branch_persisted_parent_unavailable",
    );
}
