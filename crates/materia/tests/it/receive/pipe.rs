//! The named pipe of a run: one line per message, with its id, in the order of sending, including
//! messages sent before the pipe existed.

use std::path::Path;

use materia_engine::run;
use serde_json::{Value, json};

use crate::message::assert_delivery;
use crate::test_env::TestEnv;

/// Creates the pipe when the test opens the gate, then copies this many lines to stdout.
const READER: &str = r#"
cd "$MATERIA_STATE_DIR"
mkfifo gate
read -r lines < gate
mkfifo control.fifo
exec 3<>control.fifo
echo up > up
head -n "$lines" <&3
"#;

/// Spawns a run that waits before it creates its pipe.
fn spawn_reader(env: &TestEnv, id: &str) {
    let script = env.write("reader.sh", READER);
    env.spawn(
        id,
        &format!("sh {}", script.display()),
        &["--mailbox", r#"{"deliver": "fifo"}"#],
    );
    env.wait_for_file(env.run_dir(id).dir().join("gate"));
}

/// Lets the run create its pipe and read this many lines.
fn open_gate(env: &TestEnv, id: &str, lines: usize) {
    let dir = env.run_dir(id).dir().to_owned();
    std::fs::write(dir.join("gate"), format!("{lines}\n")).unwrap();
    env.wait_for_file_text(dir.join("up"), "up");
}

fn stdout_lines(env: &TestEnv, id: &str) -> Vec<Value> {
    env.read_run_file(id, "stdout.log")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn statuses(env: &TestEnv, address: &str) -> Vec<Value> {
    let view = env
        .materia(&["inspect", address, "--view", "mailbox", "--json"])
        .run()
        .ok()
        .json();
    let listed = view["messages"].as_array().unwrap().iter();
    listed.map(|message| message["status"].clone()).collect()
}

#[test]
fn messages_sent_before_the_pipe_existed_come_first() {
    let env = TestEnv::new();
    spawn_reader(&env, "a");
    let early = env.send_ok(&["run:a", "task.run", "1"]);
    assert_delivery(
        &early,
        [false, true, true],
        "fifo",
        "delivery_failed_persisted",
    );
    let branch = env.send_ok(&["branch:a/w", "task.run", "2"]);
    let both = json!({"recipients": ["branch:a/x", "branch:a/y"]}).to_string();
    let room = env.send_ok(&[
        "room:a",
        "task.run",
        "3",
        "--from",
        "run:a",
        "--metadata",
        &both,
    ]);
    env.send_ok(&["run:a", "task.run", &"x".repeat(5000)]);
    open_gate(&env, "a", 5);
    let late = env.send_ok(&["run:a", "task.run", "4"]);
    assert_delivery(&late, [true, false, true], "fifo", "delivered");
    assert_eq!(env.wait("a")["status"], "done");
    let lines = stdout_lines(&env, "a");
    let ids: Vec<&Value> = lines.iter().map(|line| &line["id"]).collect();
    let copy = |branch: &str| json!(format!("{}:{branch}", room["id"].as_str().unwrap()));
    assert_eq!(
        ids,
        [
            &early["id"],
            &branch["id"],
            &copy("x"),
            &copy("y"),
            &late["id"]
        ]
    );
    let to: Vec<&Value> = lines.iter().map(|line| &line["to"]).collect();
    assert_eq!(
        to,
        ["run:a", "branch:a/w", "branch:a/x", "branch:a/y", "run:a"]
    );
    assert_eq!(
        statuses(&env, "run:a"),
        ["delivered", "delivered", "queued"],
        "a message that is too long stays queued"
    );
    assert_eq!(statuses(&env, "branch:a/x"), ["delivered"]);
}

#[test]
fn the_supervisor_delivers_messages_sent_before_the_pipe_existed() {
    let env = TestEnv::new();
    spawn_reader(&env, "a");
    let ids = ["1", "2"].map(|body| env.send_ok(&["run:a", "task.run", body])["id"].clone());
    open_gate(&env, "a", 2);
    // Wake the supervisor; it would poll only after a while.
    run::ring(&env.run_dir("a"));
    assert_eq!(env.wait("a")["status"], "done");
    assert_eq!(
        stdout_lines(&env, "a")
            .iter()
            .map(|line| line["id"].clone())
            .collect::<Vec<_>>(),
        ids
    );
    assert_eq!(statuses(&env, "run:a"), ["delivered", "delivered"]);
}

#[test]
fn many_senders_get_one_order_without_repeats() {
    const SENDERS: usize = 6;
    let env = TestEnv::new();
    spawn_reader(&env, "a");
    env.send_ok(&["run:a", "task.run", "early"]);
    open_gate(&env, "a", SENDERS + 1);
    let send = |number: usize| {
        env.materia(&["message", "run:a", "task.run", &number.to_string()])
            .start()
    };
    let senders: Vec<_> = (0..SENDERS).map(send).collect();
    for sender in senders {
        sender.wait().ok();
    }
    assert_eq!(env.wait("a")["status"], "done");
    let ids: Vec<String> = stdout_lines(&env, "a")
        .iter()
        .map(|line| line["id"].as_str().unwrap().to_owned())
        .collect();
    let sent: Vec<String> = crate::spawn::records(&env, "a")
        .iter()
        .filter(|record| record["type"] == "message")
        .map(|record| record["data"]["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(ids, sent);
}

impl TestEnv {
    /// Waits until a file exists.
    fn wait_for_file(&self, path: impl AsRef<Path>) {
        self.shell(&format!(
            "until test -e {}; do sleep 0.01; done",
            path.as_ref().display()
        ))
        .run()
        .ok();
    }
}
