//! Messages that steer a cast which a run drives (A12).

use serde_json::{Value, json};

use super::assert_refused;
use crate::test_env::TestEnv;

/// A cast whose one socket runs this line, as `run:c`.
fn cast(env: &TestEnv, line: &str) {
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

fn standing(env: &TestEnv) -> Value {
    env.materia(&["inspect", "run:c", "--json"])
        .run()
        .ok()
        .json()["cast"]["status"]
        .clone()
}

#[test]
fn a_cast_that_runs_is_aborted_with_everything_it_started() {
    let env = TestEnv::new();
    cast(
        &env,
        "cat >/dev/null; echo started >new; mv new started; sleep 600",
    );
    while !env.work_dir().join("started").exists() {
        std::thread::yield_now();
    }
    assert_eq!(standing(&env), "running");
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
    assert_eq!(standing(&env), "aborted");
    assert_eq!(env.live_processes().len(), 0);
}

#[test]
fn a_cast_that_failed_is_taken_up_again_as_the_same_run() {
    let env = TestEnv::new();
    cast(&env, "cat >/dev/null; test -e ready && echo '{}'");
    env.wait("c");
    assert_eq!(standing(&env), "failed");
    env.write("ready", "");
    let report = env.send_ok(&["run:c", "control.recast", "--session", "s"]);
    assert_has!(report, {"consumer": "cast-driver", "delivered": true});
    env.wait("c");
    assert_eq!(standing(&env), "complete");
    let seen = env
        .materia(&["inspect", "run:c", "--json"])
        .run()
        .ok()
        .json();
    assert_has!(seen, {"generations": 2, "session": "s"});
}
