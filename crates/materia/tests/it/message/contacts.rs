//! `communication.json`: the contacts of a run, from its first command on and for each generation.

use serde_json::{Value, json};

use crate::test_env::TestEnv;

fn contacts(env: &TestEnv, run: &str) -> Value {
    serde_json::from_str(&env.read_run_file(run, "communication.json")).unwrap()
}

#[test]
fn the_file_exists_before_the_first_command() {
    let env = TestEnv::new();
    env.spawn("cf", "cat {communication_file}", &[]);
    assert_eq!(
        env.wait("cf")["status"],
        "done",
        "{}",
        env.read_run_file("cf", "stderr.log")
    );
    let read: Value = serde_json::from_str(&env.read_run_file("cf", "stdout.log")).unwrap();
    assert_has!(read, {"self": "run:cf", "root": "run:cf"});
    assert_eq!(read["rooms"][0]["address"], "room:cf");
    assert_eq!(read["contacts"], json!([]));
    env.spawn(
        "m",
        "sh -c 'cat \"$MATERIA_STATE_DIR\"/comm*'",
        &["--mailbox", r#"{"accepts": ["task.run"]}"#],
    );
    assert_eq!(env.wait("m")["status"], "done");
    env.spawn("plain", "true", &[]);
    env.wait("plain");
    assert!(
        !env.run_dir("plain").communication().exists(),
        "the file is only written if the run uses it"
    );
}

#[test]
fn a_new_generation_gets_a_new_file() {
    let env = TestEnv::new();
    env.spawn("a", "sleep 600", &[]);
    env.send_ok(&[
        "room:a",
        "actor.join",
        r#"{"status": "busy"}"#,
        "--from",
        "branch:a/w",
    ]);
    assert_eq!(contacts(&env, "a")["contacts"][0]["status"], "busy");
    env.kill("a");
    env.spawn("a", "true", &[]);
    env.wait("a");
    let view = env
        .materia(&["inspect", "run:a", "--view", "communication", "--json"])
        .run()
        .ok()
        .json();
    let written = contacts(&env, "a");
    assert_eq!(written["contacts"], view["contacts"]);
    assert_ne!(written["contacts"][0]["status"], "busy");
}
