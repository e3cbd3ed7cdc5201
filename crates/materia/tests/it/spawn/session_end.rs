//! The end of a session ends the runs that ask for it (A9).

use serde_json::json;

use crate::mcp::Client;
use crate::message::{assert_delivery, assert_refused};
use crate::test_env::TestEnv;

#[test]
fn only_the_host_or_the_operator_can_end_a_session() {
    let env = TestEnv::new();
    env.spawn(
        "goes",
        "sleep 600",
        &["--session", "s1", "--on-session-end", "kill"],
    );
    env.spawn("stays", "sleep 600", &["--session", "s1"]);
    env.spawn(
        "other",
        "sleep 600",
        &["--session", "s2", "--on-session-end", "kill"],
    );
    let foreign = env.send(&["session:s1", "control.end", "--session", "s2"]);
    assert_refused(&foreign, 4, "session_mismatch");
    let inside = env
        .materia(&["message", "--json", "session:s1", "control.end"])
        .env("MATERIA_SESSION", "s1")
        .env("MATERIA_RUN", "stays")
        .run();
    assert_refused(&inside, 4, "session_mismatch");
    let ended = env.send_ok(&["session:s1", "control.end", "--session", "s1"]);
    assert_delivery(
        &ended,
        [true, false, false],
        "session-control",
        "control_applied",
    );
    assert_eq!(
        ended["result"]["ended"],
        json!([{"run": "goes", "status": "killed"}])
    );
    let again = env.send_ok(&["session:s1", "control.end"]);
    assert_delivery(
        &again,
        [true, false, false],
        "session-control",
        "nothing_to_end",
    );
    for (id, status) in [
        ("goes", "killed"),
        ("stays", "running"),
        ("other", "running"),
    ] {
        assert_eq!(env.run_state(id).status.as_str(), status, "{id}");
        env.kill(id);
    }
}

#[test]
fn closing_an_unnamed_mcp_connection_ends_its_session() {
    let env = TestEnv::new();
    let mut client = Client::open(&env, &["mcp"]);
    client.call(
        "spawn",
        json!({"template": "sleep 600", "as": "run:goes", "on_session_end": "kill"}),
    );
    client.call("spawn", json!({"template": "sleep 600", "as": "run:stays"}));
    client.close();
    let mut named = Client::open(&env, &["mcp", "--session", "mine"]);
    named.call(
        "spawn",
        json!({"template": "sleep 600", "as": "run:named", "on_session_end": "kill"}),
    );
    named.close();
    for (id, status) in [
        ("goes", "killed"),
        ("stays", "running"),
        ("named", "running"),
    ] {
        assert_eq!(env.run_state(id).status.as_str(), status, "{id}");
        env.kill(id);
    }
}

#[test]
fn a_session_cannot_restart_the_run_of_another_session() {
    let env = TestEnv::new();
    let args = [
        "spawn",
        "--json",
        "--template",
        "echo mine",
        "--as",
        "run:a",
        "--session",
        "s2",
    ];
    for foreign in ["sleep 600", "echo theirs"] {
        env.spawn("a", foreign, &["--session", "s1"]);
        if foreign != "sleep 600" {
            env.wait("a");
        }
        let taken = env.materia(&args).run();
        assert_refused(&taken, 4, "session_mismatch");
        env.kill("a");
    }
    assert_eq!(env.read_run_file("a", "stdout.log"), "theirs\n");
    env.materia(&["inspect", "run:a", "--session", "s1"])
        .run()
        .ok();
    // The operator may.
    env.spawn("a", "echo ours", &[]);
    assert_eq!(env.wait("a")["status"], "done");
}
