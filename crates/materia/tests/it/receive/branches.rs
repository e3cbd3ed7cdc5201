//! Messages to branches of a run whose process is handed its messages: it is handed those, too.

use serde_json::{Value, json};

use crate::house::House;
use crate::message::assert_fate;

/// What a run wrote, line by line.
fn lines(house: &House, id: &str) -> Vec<Value> {
    house
        .run_file(id, "stdout.log")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn what_is_for_a_branch_is_read_on_the_stdin_of_the_run() {
    let house = House::new();
    house.spawn("a", "head -n 3", &["--mailbox", r#"{"deliver": "stdin"}"#]);
    let report = house.sent(&["branch:a/w", "task.run", "1"]);
    assert_fate(
        &report,
        [true, false, true],
        "branch-mailbox",
        "branch_persisted_forwarded",
    );
    assert_eq!(report["forwarded"], true);
    let both = json!({"recipients": ["branch:a/x", "branch:a/y"]}).to_string();
    let said = house.sent(&[
        "room:a",
        "task.run",
        "2",
        "--from",
        "run:a",
        "--metadata",
        &both,
    ]);
    assert_fate(
        &said,
        [true, false, true],
        "room-timeline",
        "room_persisted",
    );
    assert_eq!(house.wait("a")["status"], "done");
    let read = lines(&house, "a");
    let to: Vec<_> = read
        .iter()
        .map(|line| line["to"].as_str().unwrap())
        .collect();
    assert_eq!(to, ["branch:a/w", "branch:a/x", "branch:a/y"]);
    let copy = format!("{}:x", said["id"].as_str().unwrap());
    assert_eq!(
        (&read[0]["id"], &read[1]["id"]),
        (&report["id"], &json!(copy))
    );
    assert_eq!((&read[0]["body"], &read[2]["body"]), (&json!(1), &json!(2)));
    for branch in ["w", "x", "y"] {
        let view = house
            .materia(&["inspect", &format!("branch:a/{branch}"), "--json"])
            .run()
            .ok()
            .json();
        assert_eq!(view["messages"][0]["status"], "delivered", "{view}");
    }
}

#[test]
fn what_is_for_the_room_alone_is_on_no_stdin() {
    let house = House::new();
    house.spawn("a", "head -n 1", &["--mailbox", r#"{"deliver": "stdin"}"#]);
    house.sent(&["room:a", "actor.join", "hello", "--from", "branch:a/w"]);
    house.sent(&["coordinator", "progress.update", "half", "--from", "run:a"]);
    house.sent(&["branch:a/w", "task.run", "mine"]);
    house.wait("a");
    assert_eq!(lines(&house, "a")[0]["body"], "mine");
}

#[test]
fn what_is_for_a_branch_goes_through_the_named_pipe_or_waits() {
    let house = House::new();
    let script = house.write(
        "reader.sh",
        "cd \"$MATERIA_STATE_DIR\"; mkfifo control.fifo; exec 3<>control.fifo; echo up > up\nread -r a <&3; printf '%s\\n' \"$a\"; sleep 600\n",
    );
    house.spawn("a", "sleep 600", &["--mailbox", r#"{"deliver": "fifo"}"#]);
    let early = house.sent(&["branch:a/w", "task.run", "1"]);
    assert_fate(
        &early,
        [false, true, true],
        "branch-mailbox",
        "branch_persisted",
    );
    assert_eq!(early["deliveryError"], "there is no named pipe");
    assert_eq!(
        house.receive("branch:a/w")["body"],
        1,
        "it can still be received"
    );
    house.spawn(
        "b",
        &format!("sh {}", script.display()),
        &["--mailbox", r#"{"deliver": "fifo"}"#],
    );
    house.until_file_has(house.run_place("b").dir().join("up"), "up");
    let report = house.sent(&["branch:b/w", "task.run", "2"]);
    assert_fate(
        &report,
        [true, false, true],
        "branch-mailbox",
        "branch_persisted_forwarded",
    );
    house.until_file_has(house.run_place("b").dir().join("stdout.log"), "branch:b/w");
    house.kill("a");
    house.kill("b");
    let late = house.sent(&["branch:b/w", "task.run", "3"]);
    assert_fate(
        &late,
        [false, true, true],
        "branch-mailbox",
        "branch_persisted_parent_unavailable",
    );
}
