//! Messages that control a cast driven by a run (A12).

use serde_json::{Value, json};

use super::assert_refused;
use crate::test_env::TestEnv;

/// Spawns `run:c`, a cast whose only socket runs this shell command line.
fn spawn_cast(env: &TestEnv, line: &str) {
    let slow = json!({"type": "utility", "timeoutMs": 600_000, "command": ["sh", "-c", line]});
    let loadout = json!({"entry": "a", "sockets": {"a": {"materia": "Slow"}}});
    let config =
        json!({"activeLoadout": "T", "loadouts": {"T": loadout}, "materia": {"Slow": slow}});
    env.write("flow.json", config.to_string());
    let args = [
        "spawn",
        "--config",
        "flow.json",
        "--loadout",
        "T",
        "--as",
        "run:c",
        "--session",
        "s",
        "do it",
        "--json",
    ];
    env.materia(&args).run().ok();
}

fn cast_status(env: &TestEnv) -> Value {
    env.materia(&["inspect", "run:c", "--json"])
        .run()
        .ok()
        .json()["cast"]["status"]
        .clone()
}

#[test]
fn a_running_cast_is_aborted_with_its_processes() {
    let env = TestEnv::new();
    spawn_cast(
        &env,
        "cat >/dev/null; echo started >new; mv new started; sleep 600",
    );
    while !env.work_dir().join("started").exists() {
        std::thread::yield_now();
    }
    assert_eq!(cast_status(&env), "running");
    let early = env.send(&["run:c", "control.continue", "go on", "--session", "s"]);
    assert_refused(&early, 4, "cast_not_waiting");
    assert!(
        early.json()["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("control.abort"),
        "{}",
        early.transcript()
    );
    let others = env.send(&["run:c", "control.abort", "--session", "other"]);
    assert_refused(&others, 4, "session_mismatch");
    env.send_ok(&["run:c", "control.abort", "--session", "s"]);
    env.wait("c");
    assert_eq!(cast_status(&env), "aborted");
    assert_eq!(env.live_processes().len(), 0);
}

#[test]
fn a_failed_cast_is_recast_as_the_same_run() {
    let env = TestEnv::new();
    spawn_cast(&env, "cat >/dev/null; test -e ready && echo '{}'");
    env.wait("c");
    assert_eq!(cast_status(&env), "failed");
    env.write("ready", "");
    let report = env.send_ok(&["run:c", "control.recast", "--session", "s"]);
    assert_has!(report, {"consumer": "cast-driver", "delivered": true});
    env.wait("c");
    assert_eq!(cast_status(&env), "complete");
    let inspected = env
        .materia(&["inspect", "run:c", "--json"])
        .run()
        .ok()
        .json();
    assert_has!(inspected, {"generations": 2, "session": "s"});
}
