//! `receive`, stdin and named pipes: how the programs of a run get their messages (A5).

mod branches;
mod deaths;
mod holder;
mod pipe;

use materia_engine::clock::Clock;
use materia_engine::post::{MessageLog, Posting};
use materia_engine::run;
use materia_model::message::Draft;
use serde_json::{Value, json};

use crate::house::House;
use crate::message::{assert_fate, refused};
use crate::spawn::records;

/// A script that handles messages until one says `stop`.
const WORKER: &str = r#"
while :; do
  message=$(materia receive) || exit 9
  id=${message%% *}
  body=$(printf '%s\n' "$message" | sed 1d)
  echo "$body" >> handled
  materia receive --ack "$id" >> acks || exit 8
  [ "$body" = stop ] && exit 0
done
"#;

impl House {
    /// Takes the next message of a run, for this test.
    pub fn receive(&self, address: &str) -> Value {
        self.materia(&["receive", "--address", address, "--timeout", "30", "--json"])
            .run()
            .ok()
            .json()["message"]
            .clone()
    }
}

#[test]
fn a_script_handles_its_messages_in_order() {
    let house = House::new();
    let script = house.write("worker.sh", WORKER);
    house.spawn("w", &format!("sh {}", script.display()), &[]);
    for body in ["one", "two words", "stop"] {
        house.sent(&["run:w", "task.run", body]);
    }
    assert_eq!(
        house.wait("w")["status"],
        "done",
        "{}",
        house.run_file("w", "stderr.log")
    );
    assert_eq!(house.read("handled"), "one\ntwo words\nstop\n");
    assert_eq!(
        house
            .read("acks")
            .lines()
            .filter(|line| line.ends_with("handled"))
            .count(),
        3
    );
    let ends = records(&house, "w")
        .iter()
        .filter(|record| record["type"] == "message.handled")
        .count();
    assert_eq!(ends, 3);
}

#[test]
fn a_message_ends_once_and_a_repeat_is_told() {
    let house = House::new();
    house.spawn("a", "sleep 600", &[]);
    house.sent(&["run:a", "task.run", "1"]);
    house.sent(&["run:a", "task.run", "2"]);
    let (first, second) = (house.receive("run:a"), house.receive("run:a"));
    assert_eq!((&first["body"], &second["body"]), (&json!(1), &json!(2)));
    let settle = |words: &[&str]| {
        house
            .materia(&[&["receive", "--address", "run:a", "--json"], words].concat())
            .run()
    };
    let id = first["id"].as_str().unwrap();
    assert_eq!(settle(&["--ack", id]).ok().json()["already"], false);
    assert_eq!(settle(&["--ack", id]).ok().json()["already"], true);
    assert_eq!(
        refused(&settle(&["--fail", id, "--error", "e"])),
        (4, "message_finished".to_owned())
    );
    assert_eq!(
        refused(&settle(&["--ack", "m0-nothing"])),
        (3, "message_not_found".to_owned())
    );
    let other = second["id"].as_str().unwrap();
    let failed = settle(&["--fail", other, "--error", "no such suite"])
        .ok()
        .json();
    assert_eq!(
        (&failed["status"], &failed["already"]),
        (&json!("failed"), &json!(false))
    );
    assert_eq!(
        settle(&["--fail", other]).code(),
        2,
        "a failure has a reason"
    );
    house.kill("a");
}

#[test]
fn a_waiting_receiver_is_woken_by_a_message_and_by_the_end_of_its_run() {
    let house = House::new();
    house.spawn("a", "sleep 600", &[]);
    let waiting = house
        .materia(&["receive", "--address", "run:a", "--json"])
        .start();
    house.sent(&["run:a", "task.run", "now"]);
    let got = waiting.end().ok().json();
    assert_eq!(
        (&got["message"]["body"], &got["message"]["attempt"]),
        (&json!("now"), &json!(1))
    );
    let waiting = house
        .materia(&["receive", "--address", "run:a", "--json"])
        .start();
    house.kill("a");
    assert_eq!(refused(&waiting.end()), (4, "run_not_running".to_owned()));
    let outside = house.materia(&["receive", "--json"]).run();
    assert_eq!(refused(&outside), (2, "usage".to_owned()));
    let room = house
        .materia(&["receive", "--json", "--address", "room:a"])
        .run();
    assert_eq!(refused(&room), (2, "usage".to_owned()));
}

#[test]
fn a_message_reaches_the_stdin_of_a_command() {
    let house = House::new();
    house.spawn("a", "head -n 1", &["--mailbox", r#"{"deliver": "stdin"}"#]);
    let report = house.sent(&["run:a", "task.run", r#"{"n": 1}"#]);
    assert_fate(&report, [true, false, true], "stdin", "delivered");
    assert_eq!(house.wait("a")["status"], "done");
    let line: Value = serde_json::from_str(&house.run_file("a", "stdout.log")).unwrap();
    assert_eq!(
        (&line["type"], &line["body"], &line["id"]),
        (&json!("task.run"), &json!({"n": 1}), &report["id"])
    );
}

#[test]
fn what_a_command_had_on_its_stdin_that_failed_comes_again_for_the_next() {
    let house = House::new();
    house.write(
        "worker",
        "#!/bin/sh\nif mkdir first; then read line; kill -9 $$; fi\nexec head -n 3\n",
    );
    house.shell("chmod +x worker").run().ok();
    let template = format!(
        r#"{{"template": "{}/worker", "retry": 2}}"#,
        house.work().display()
    );
    house.spawn("a", &template, &["--mailbox", r#"{"deliver": "stdin"}"#]);
    for body in ["one", "two", "three"] {
        house
            .materia(&["message", "run:a", "task.run", body])
            .run()
            .ok();
    }
    assert_eq!(house.wait("a")["status"], "done");
    let lines: Vec<Value> = house
        .run_file("a", "stdout.log")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let bodies: Vec<&Value> = lines.iter().map(|line| &line["body"]).collect();
    assert_eq!(bodies, ["one", "two", "three"]);
}

#[test]
fn what_a_command_does_not_read_on_its_stdin_waits() {
    let house = House::new();
    let large = house.write("large", "x".repeat(100_000));
    house.spawn("a", "sleep 600", &["--mailbox", r#"{"deliver": "stdin"}"#]);
    for _ in 0..2 {
        let words = [
            "message",
            "run:a",
            "task.run",
            "--body-file",
            large.to_str().unwrap(),
            "--json",
        ];
        let report = house.materia(&words).run().ok().json();
        assert_eq!(
            (&report["delivered"], &report["queued"]),
            (&json!(false), &json!(true)),
            "{report}"
        );
    }
    let seen = house
        .materia(&["inspect", "run:a", "--view", "mailbox", "--json"])
        .run()
        .ok()
        .json();
    let standing: Vec<&Value> = seen["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| &message["status"])
        .collect();
    assert_eq!(standing, ["queued", "queued"]);
    house.kill("a");
}

#[test]
fn what_a_command_leaves_unread_on_its_stdin_comes_to_the_next() {
    let house = House::new();
    // It is as small as can be, and nobody reads it until the second command begins.
    house.write(
        "sleeper",
        "#!/bin/sh\nwhile ! [ -e go ]; do sleep 0.01; done\n",
    );
    house.shell("chmod +x sleeper").run().ok();
    let template = format!(r#"["{}/sleeper", "head -n 3"]"#, house.work().display());
    house.spawn("a", &template, &["--mailbox", r#"{"deliver": "stdin"}"#]);
    for body in ["one", "two", "three"] {
        let report = house
            .materia(&["message", "run:a", "task.run", body, "--json"])
            .run()
            .ok()
            .json();
        assert_eq!(
            (&report["delivered"], &report["queued"]),
            (&json!(false), &json!(true)),
            "{report}"
        );
    }
    house.write("go", "");
    assert_eq!(house.wait("a")["status"], "done");
    let lines: Vec<Value> = house
        .run_file("a", "stdout.log")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let bodies: Vec<(&Value, &Value)> = lines
        .iter()
        .map(|line| (&line["body"], &line["attempt"]))
        .collect();
    assert_eq!(
        bodies,
        [
            (&json!("one"), &json!(2)),
            (&json!("two"), &json!(1)),
            (&json!("three"), &json!(1))
        ],
        "the first one lay before the command that does not read"
    );
    let seen = house
        .materia(&["inspect", "run:a", "--view", "mailbox", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(seen["counts"]["delivered"], 3, "{seen:#}");
}

#[test]
fn a_command_that_closes_its_stdin_is_left_alone() {
    let house = House::new();
    house.spawn(
        "a",
        "sh -c 'exec <&-; echo closed; exec sleep 600'",
        &["--mailbox", r#"{"deliver": "stdin"}"#],
    );
    house.until_file_has(house.run_place("a").stdout(), "closed");
    for body in ["one", "two"] {
        let report = house
            .materia(&["message", "run:a", "task.run", body, "--json"])
            .run()
            .ok()
            .json();
        assert_eq!(
            (&report["delivered"], &report["queued"]),
            (&json!(false), &json!(true)),
            "{report}"
        );
    }
    house.kill("a");
}

#[test]
fn a_message_that_comes_before_the_first_command_reaches_its_stdin() {
    let house = House::new();
    for round in 0..5 {
        let (run, mailbox) = (format!("run:r{round}"), r#"{"deliver": "stdin"}"#);
        let words = [
            "spawn",
            "--template",
            "head -n 1",
            "--as",
            &run,
            "--mailbox",
            mailbox,
        ];
        house.materia(&words).run().ok();
        // Its supervisor is still getting up: no program is started in between.
        let place = house.run_place(&format!("r{round}"));
        let draft = Draft {
            to: run,
            kind: "task.run".to_owned(),
            body: Some(json!(round)),
            ..Draft::default()
        };
        let post = MessageLog::open(&place.journal(), &Clock::system()).unwrap();
        post.deliver(Posting::new(draft.check().unwrap())).unwrap();
        run::ring(&place);
        assert_eq!(house.wait(&format!("r{round}"))["status"], "done");
        let line: Value =
            serde_json::from_str(&house.run_file(&format!("r{round}"), "stdout.log")).unwrap();
        assert_eq!(line["body"], round);
    }
}

#[test]
fn a_message_reaches_the_reader_of_a_named_pipe_or_waits() {
    let house = House::new();
    let script = house.write(
        "pipe.sh",
        "cd \"$MATERIA_STATE_DIR\"; mkfifo control.fifo; exec 3<>control.fifo; echo up > up\nread -r a <&3; read -r b <&3; printf '%s\\n%s\\n' \"$a\" \"$b\"\n",
    );
    house.spawn(
        "a",
        &format!("sh {}", script.display()),
        &["--mailbox", r#"{"deliver": "fifo"}"#],
    );
    house.until_file_has(house.run_place("a").dir().join("up"), "up");
    let report = house.sent(&["run:a", "run.message", "next"]);
    assert_fate(&report, [true, false, true], "fifo", "delivered");
    let large = house
        .send(&["run:a", "task.run", &"x".repeat(5000)])
        .ok()
        .json();
    assert_fate(
        &large,
        [false, true, true],
        "fifo",
        "delivery_failed_persisted",
    );
    assert!(
        large["deliveryError"]
            .as_str()
            .unwrap()
            .contains("in one piece")
    );
    house.sent(&["run:a", "task.run", "whole"]);
    assert_eq!(house.wait("a")["status"], "done");
    let said = house.run_file("a", "stdout.log");
    let (first, second) = said.split_once('\n').unwrap();
    assert_eq!(first, "next");
    let whole: Value = serde_json::from_str(second).unwrap();
    assert_eq!(
        (&whole["type"], &whole["body"]),
        (&json!("task.run"), &json!("whole"))
    );
}

#[test]
fn a_named_pipe_that_nobody_made_is_no_error() {
    let house = House::new();
    house.spawn("a", "sleep 600", &["--mailbox", r#"{"deliver": "fifo"}"#]);
    let report = house.sent(&["run:a", "run.message", "next"]);
    assert_fate(
        &report,
        [false, true, true],
        "fifo",
        "delivery_failed_persisted",
    );
    assert_eq!(
        house.receive("run:a")["body"],
        "next",
        "it can still be received"
    );
    house.kill("a");
}
