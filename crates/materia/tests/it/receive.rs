//! `receive`, stdin and named pipes: how the programs in a run get their messages (A5).

mod branches;
mod deaths;
mod holder;
mod pipe;

use materia_engine::clock::Clock;
use materia_engine::post::{MessageLog, MessagePosting};
use materia_engine::run;
use materia_model::message::MessageDraft;
use serde_json::{Value, json};

use crate::message::{assert_delivery, assert_refused};
use crate::spawn::records;
use crate::test_env::TestEnv;

/// A script that handles messages until the body of one is `stop`.
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

impl TestEnv {
    /// Receives the next message of a run in the name of this test.
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
    let env = TestEnv::new();
    let script = env.write("worker.sh", WORKER);
    env.spawn("w", &format!("sh {}", script.display()), &[]);
    for body in ["one", "two words", "stop"] {
        env.send_ok(&["run:w", "task.run", body]);
    }
    assert_eq!(
        env.wait("w")["status"],
        "done",
        "{}",
        env.read_run_file("w", "stderr.log")
    );
    assert_eq!(env.read("handled"), "one\ntwo words\nstop\n");
    assert_eq!(
        env.read("acks")
            .lines()
            .filter(|line| line.ends_with("handled"))
            .count(),
        3
    );
    let ends = records(&env, "w")
        .iter()
        .filter(|record| record["type"] == "message.handled")
        .count();
    assert_eq!(ends, 3);
}

#[test]
fn a_message_is_finished_once_and_a_repeat_is_reported() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    env.send_ok(&["run:a", "task.run", "1"]);
    env.send_ok(&["run:a", "task.run", "2"]);
    let (first, second) = (env.receive("run:a"), env.receive("run:a"));
    assert_eq!(first["body"], 1);
    assert_eq!(second["body"], 2);
    let finish = |args: &[&str]| {
        env.materia(&[&["receive", "--address", "run:a", "--json"], args].concat())
            .run()
    };
    let id = first["id"].as_str().unwrap();
    assert_eq!(finish(&["--ack", id]).ok().json()["already"], false);
    assert_eq!(finish(&["--ack", id]).ok().json()["already"], true);
    assert_refused(
        &finish(&["--fail", id, "--error", "e"]),
        4,
        "message_finished",
    );
    assert_refused(&finish(&["--ack", "m0-nothing"]), 3, "message_not_found");
    let other = second["id"].as_str().unwrap();
    let failed = finish(&["--fail", other, "--error", "no such suite"])
        .ok()
        .json();
    assert_has!(failed, {"status": "failed", "already": false});
    assert_eq!(finish(&["--fail", other]).code(), 2, "--fail needs --error");
    env.kill("a");
}

#[test]
fn a_message_or_the_end_of_the_run_wakes_a_waiting_receiver() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    let waiting = env
        .materia(&["receive", "--address", "run:a", "--json"])
        .start();
    env.send_ok(&["run:a", "task.run", "now"]);
    let got = waiting.wait().ok().json();
    assert_has!(got["message"], {"body": "now", "attempt": 1});
    let waiting = env
        .materia(&["receive", "--address", "run:a", "--json"])
        .start();
    env.kill("a");
    assert_refused(&waiting.wait(), 4, "run_not_running");
    let outside = env.materia(&["receive", "--json"]).run();
    assert_refused(&outside, 2, "usage");
    let room = env
        .materia(&["receive", "--json", "--address", "room:a"])
        .run();
    assert_refused(&room, 2, "usage");
}

#[test]
fn a_message_is_delivered_to_the_stdin_of_a_command() {
    let env = TestEnv::new();
    env.spawn("a", "head -n 1", &["--mailbox", r#"{"deliver": "stdin"}"#]);
    let report = env.send_ok(&["run:a", "task.run", r#"{"n": 1}"#]);
    assert_delivery(&report, [true, false, true], "stdin", "delivered");
    assert_eq!(env.wait("a")["status"], "done");
    let line: Value = serde_json::from_str(&env.read_run_file("a", "stdout.log")).unwrap();
    assert_eq!(line["type"], "task.run");
    assert_eq!(line["body"], json!({"n": 1}));
    assert_eq!(line["id"], report["id"]);
}

#[test]
fn a_retry_gets_the_stdin_messages_of_the_failed_attempt_again() {
    let env = TestEnv::new();
    env.write(
        "worker",
        "#!/bin/sh\nif mkdir first; then read line; kill -9 $$; fi\nexec head -n 3\n",
    );
    env.shell("chmod +x worker").run().ok();
    let template = format!(
        r#"{{"template": "{}/worker", "retry": 2}}"#,
        env.work_dir().display()
    );
    env.spawn("a", &template, &["--mailbox", r#"{"deliver": "stdin"}"#]);
    for body in ["one", "two", "three"] {
        env.materia(&["message", "run:a", "task.run", body])
            .run()
            .ok();
    }
    assert_eq!(env.wait("a")["status"], "done");
    let lines: Vec<Value> = env
        .read_run_file("a", "stdout.log")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let bodies: Vec<&Value> = lines.iter().map(|line| &line["body"]).collect();
    assert_eq!(bodies, ["one", "two", "three"]);
}

#[test]
fn messages_that_a_command_does_not_read_stay_queued() {
    let env = TestEnv::new();
    let large = env.write("large", "x".repeat(100_000));
    env.spawn("a", "sleep 600", &["--mailbox", r#"{"deliver": "stdin"}"#]);
    for _ in 0..2 {
        let args = [
            "message",
            "run:a",
            "task.run",
            "--body-file",
            large.to_str().unwrap(),
            "--json",
        ];
        let report = env.materia(&args).run().ok().json();
        assert_has!(report, {"delivered": false, "queued": true});
    }
    let mailbox = env
        .materia(&["inspect", "run:a", "--view", "mailbox", "--json"])
        .run()
        .ok()
        .json();
    let statuses: Vec<&Value> = mailbox["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|message| &message["status"])
        .collect();
    assert_eq!(statuses, ["queued", "queued"]);
    env.kill("a");
}

#[test]
fn the_next_command_gets_unread_stdin_messages() {
    let env = TestEnv::new();
    // The first command never reads stdin. The second one starts when `go` exists.
    env.write(
        "sleeper",
        "#!/bin/sh\nwhile ! [ -e go ]; do sleep 0.01; done\n",
    );
    env.shell("chmod +x sleeper").run().ok();
    let template = format!(r#"["{}/sleeper", "head -n 3"]"#, env.work_dir().display());
    env.spawn("a", &template, &["--mailbox", r#"{"deliver": "stdin"}"#]);
    for body in ["one", "two", "three"] {
        let report = env
            .materia(&["message", "run:a", "task.run", body, "--json"])
            .run()
            .ok()
            .json();
        assert_has!(report, {"delivered": false, "queued": true});
    }
    env.write("go", "");
    assert_eq!(env.wait("a")["status"], "done");
    let lines: Vec<Value> = env
        .read_run_file("a", "stdout.log")
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
        "the first message was offered to the command that does not read"
    );
    let mailbox = env
        .materia(&["inspect", "run:a", "--view", "mailbox", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(mailbox["counts"]["delivered"], 3, "{mailbox:#}");
}

#[test]
fn a_command_may_close_its_stdin() {
    let env = TestEnv::new();
    env.spawn(
        "a",
        "sh -c 'exec <&-; echo closed; exec sleep 600'",
        &["--mailbox", r#"{"deliver": "stdin"}"#],
    );
    env.wait_for_file_text(env.run_dir("a").stdout(), "closed");
    for body in ["one", "two"] {
        let report = env
            .materia(&["message", "run:a", "task.run", body, "--json"])
            .run()
            .ok()
            .json();
        assert_has!(report, {"delivered": false, "queued": true});
    }
    env.kill("a");
}

#[test]
fn a_message_sent_before_the_first_command_reaches_its_stdin() {
    let env = TestEnv::new();
    for round in 0..5 {
        let (run, mailbox) = (format!("run:r{round}"), r#"{"deliver": "stdin"}"#);
        let args = [
            "spawn",
            "--template",
            "head -n 1",
            "--as",
            &run,
            "--mailbox",
            mailbox,
        ];
        env.materia(&args).run().ok();
        // The supervisor is still starting: deliver without running a program in between.
        let run_dir = env.run_dir(&format!("r{round}"));
        let draft = MessageDraft {
            to: run,
            kind: "task.run".to_owned(),
            body: Some(json!(round)),
            ..MessageDraft::default()
        };
        let post = MessageLog::open(&run_dir.journal(), &Clock::system()).unwrap();
        post.deliver(MessagePosting::new(draft.check().unwrap()))
            .unwrap();
        run::ring(&run_dir);
        assert_eq!(env.wait(&format!("r{round}"))["status"], "done");
        let line: Value =
            serde_json::from_str(&env.read_run_file(&format!("r{round}"), "stdout.log")).unwrap();
        assert_eq!(line["body"], round);
    }
}

#[test]
fn a_message_is_written_to_a_named_pipe_or_stays_queued() {
    let env = TestEnv::new();
    let script = env.write(
        "pipe.sh",
        "cd \"$MATERIA_STATE_DIR\"; mkfifo control.fifo; exec 3<>control.fifo; echo up > up\nread -r a <&3; read -r b <&3; printf '%s\\n%s\\n' \"$a\" \"$b\"\n",
    );
    env.spawn(
        "a",
        &format!("sh {}", script.display()),
        &["--mailbox", r#"{"deliver": "fifo"}"#],
    );
    env.wait_for_file_text(env.run_dir("a").dir().join("up"), "up");
    let report = env.send_ok(&["run:a", "run.message", "next"]);
    assert_delivery(&report, [true, false, true], "fifo", "delivered");
    let large = env
        .send(&["run:a", "task.run", &"x".repeat(5000)])
        .ok()
        .json();
    assert_delivery(
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
    env.send_ok(&["run:a", "task.run", "whole"]);
    assert_eq!(env.wait("a")["status"], "done");
    let output = env.read_run_file("a", "stdout.log");
    let (first, second) = output.split_once('\n').unwrap();
    assert_eq!(first, "next");
    let whole: Value = serde_json::from_str(second).unwrap();
    assert_has!(whole, {"type": "task.run", "body": "whole"});
}

#[test]
fn a_missing_named_pipe_is_not_an_error() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &["--mailbox", r#"{"deliver": "fifo"}"#]);
    let report = env.send_ok(&["run:a", "run.message", "next"]);
    assert_delivery(
        &report,
        [false, true, true],
        "fifo",
        "delivery_failed_persisted",
    );
    assert_eq!(
        env.receive("run:a")["body"],
        "next",
        "the message can still be received"
    );
    env.kill("a");
}
