//! `materia quest`: the board, its runner, and both after a kill.

use std::fs;

use insta::assert_snapshot;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::test_env::{TestEnv, TestOutput};

/// A test environment with a loadout whose utility records its request and fails for `bad`.
fn example_env() -> TestEnv {
    let env = TestEnv::new();
    let work = json!({"type": "utility", "timeoutMs": 600_000, "command": ["sh", "-c",
        "r=$(sed 's/.*\"request\":\"\\([a-z]*\\)\".*/\\1/'); echo $r >>done.txt; case $r in bad) exit 3;; wait) while [ ! -e go ]; do sleep 0.02; done;; esac"]});
    let talk = json!({"tools": "none", "prompt": "talk", "multiTurn": true});
    let one = |materia: &str| json!({"entry": "a", "sockets": {"a": {"materia": materia}}});
    env.write(
        "flow.json",
        json!({"activeLoadout": "W", "loadouts": {"W": one("Work"), "Talk": one("Talk")},
        "materia": {"Work": work, "Talk": talk}})
        .to_string(),
    );
    env.write(
        "script.json",
        json!({"replies": [{"text": "what?", "times": 9}]}).to_string(),
    );
    env
}

fn quest(env: &TestEnv, args: &[&str]) -> TestOutput {
    env.materia(&[&["quest", "--config", "flow.json"], args].concat())
        .run()
}

fn add(env: &TestEnv, args: &[&str]) -> String {
    let added = quest(env, &[&["add", "--json"], args].concat()).ok().json();
    added["quest"]["id"].as_str().unwrap().to_owned()
}

/// The status of every quest, in board order.
fn statuses(env: &TestEnv) -> Vec<String> {
    let board = quest(env, &["list", "--json"]).ok().json();
    board["quests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["status"].as_str().unwrap().to_owned())
        .collect()
}

/// Reads the board from disk and asserts the invariants that other programs rely on.
fn board(env: &TestEnv) -> Value {
    let board: Value = serde_json::from_str(&env.read(".pi/pi-materia/quest-board.json")).unwrap();
    assert_eq!(board["version"], 1);
    for quest in board["quests"].as_array().unwrap() {
        assert_eq!(
            quest["status"] == "running",
            quest.get("currentCastId").is_some(),
            "{quest}"
        );
    }
    board
}

#[test]
fn the_board_as_text() {
    let env = example_env();
    let outputs = [
        quest(&env, &[]),
        quest(&env, &["add", "first"]),
        quest(&env, &["add", "bad", "--title", "One that fails"]),
        quest(&env, &["add", "last", "--loadout", "Nobody"]),
        quest(&env, &["run"]),
        quest(&env, &["list"]),
        quest(&env, &["add", "later"]),
        quest(&env, &["list", "pending"]),
        quest(&env, &["show", "quest-00000002"]),
        quest(&env, &["show", "x"]),
        quest(&env, &["move", "x"]),
    ];
    assert_snapshot!(outputs.map(|outcome| outcome.transcript()).join("\n"));
}

#[test]
fn quests_run_in_order_and_can_stop_on_failure() {
    let env = example_env();
    let ids: Vec<String> = ["one", "bad", "two"]
        .iter()
        .map(|word| add(&env, &[word]))
        .collect();
    quest(&env, &["move", &ids[2], "--first"]).ok();
    let ran = quest(&env, &["run", "--stop-on-failure", "--json"]);
    assert_eq!(ran.code(), 1, "{}", ran.transcript());
    assert_eq!(ran.json()["stopped"], "failed", "{}", ran.transcript());
    assert_eq!(env.read("done.txt"), "two\none\nbad\n");
    quest(&env, &["requeue", &ids[1]]).ok();
    let four = add(&env, &["four"]);
    let ran = quest(&env, &["run", "--json"]);
    assert_eq!(ran.code(), 1);
    assert_eq!(ran.json()["stopped"], "empty");
    assert_eq!(
        statuses(&env),
        ["succeeded", "succeeded", "failed", "succeeded"]
    );
    assert_eq!(board(&env)["quests"][2]["attempts"], 2);
    let cast = quest(&env, &["show", &four, "--json"]).ok().json()["quest"]["lastCastId"].clone();
    let shown = env
        .materia(&["cast-show", cast.as_str().unwrap(), "--events", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(
        shown["events"][0]["data"]["quest"]["questId"],
        four.as_str()
    );
    quest(&env, &["remove", &four]).ok();
    let nothing = quest(&env, &["run", "--json"]).ok().json();
    assert_has!(nothing, {"stopped": "empty", "quests": []});
}

#[test]
fn a_quest_whose_cast_waits_for_the_user_is_blocked() {
    let env = example_env();
    let talk = add(&env, &["talk", "--loadout", "Talk"]);
    add(&env, &["after"]);
    let no_agent = quest(&env, &["run", "--json"]);
    no_agent.assert_error(6, "no_agent");
    assert_eq!(
        statuses(&env),
        ["pending", "pending"],
        "a quest without an agent must stay pending"
    );
    let ran = quest(&env, &["run", "--agent-script", "script.json", "--json"])
        .ok()
        .json();
    assert_has!(ran, {"stopped": "needs_you", "pending": 1});
    assert_eq!(statuses(&env), ["blocked", "pending"]);
    env.materia(&["continue", "--agent-script", "script.json"])
        .run()
        .ok();
    assert_eq!(statuses(&env), ["succeeded", "pending"]);
    let again = quest(&env, &["run", &talk, "--json"]);
    again.assert_error(4, "refused");
}

#[test]
fn c17_only_one_runner_runs_and_it_can_be_stopped_or_aborted() {
    let env = example_env();
    add(&env, &["wait"]);
    add(&env, &["after"]);
    let running = env
        .materia(&["quest", "--config", "flow.json", "run", "--json"])
        .start();
    while statuses(&env)[0] != "running" {
        std::thread::yield_now();
    }
    let second = quest(&env, &["run", "--json"]);
    second.assert_error(4, "runner_in_use");
    assert_eq!(
        quest(
            &env,
            &["remove", board(&env)["quests"][0]["id"].as_str().unwrap()]
        )
        .code(),
        4
    );
    quest(&env, &["stop"]).ok();
    env.write("go", "");
    assert_eq!(running.wait().json()["stopped"], "stopped");
    assert_eq!(statuses(&env), ["succeeded", "pending"]);
    fs::remove_file(env.work_dir().join("go")).unwrap();

    let third = add(&env, &["wait"]);
    quest(&env, &["move", &third, "--first"]).ok();
    let running = env
        .materia(&["quest", "--config", "flow.json", "run", "--json"])
        .start();
    while env
        .materia(&["casts", "--status", "running", "--json"])
        .run()
        .ok()
        .json()["casts"]
        == json!([])
    {
        std::thread::yield_now();
    }
    env.materia(&["abort", "--json"]).run().ok();
    let stopped = running.wait();
    assert_eq!(stopped.code(), 130, "{}", stopped.transcript());
    assert_eq!(
        stopped.json()["stopped"],
        "interrupted",
        "{}",
        stopped.transcript()
    );
    assert_eq!(statuses(&env)[0], "failed", "the quest was aborted");
    assert_eq!(
        env.read("done.txt").matches("after").count(),
        0,
        "the next quest must not run"
    );
}

#[test]
fn after_a_killed_runner_the_board_is_correct() {
    let env = example_env();
    add(&env, &["wait"]);
    let running = env
        .materia(&["quest", "--config", "flow.json", "run"])
        .start();
    while !env.work_dir().join("done.txt").exists() {
        std::thread::yield_now();
    }
    running.signal(Signal::KILL);
    running.wait();
    env.write("go", "");
    while !env.live_processes().is_empty() {
        std::thread::yield_now();
    }
    assert_eq!(statuses(&env), ["blocked"]);
    env.materia(&["resume", "--json"]).run().ok();
    assert_eq!(statuses(&env), ["succeeded"]);
    assert_eq!(
        quest(&env, &["run", "--json"]).ok().json()["stopped"],
        "empty"
    );
    assert_eq!(
        board(&env)["quests"][0]["lastResult"]["status"],
        "succeeded"
    );
    for failpoint in [
        "atomic.rename:1:abort",
        "atomic.write:1:torn",
        "lock.sign:1:abort",
    ] {
        let args = ["quest", "add", "more"];
        assert_ne!(
            env.materia(&args)
                .env("MATERIA_FAILPOINT", failpoint)
                .run()
                .code(),
            0,
            "{failpoint}"
        );
        assert_eq!(statuses(&env), ["succeeded"], "{failpoint}");
    }
}

#[test]
fn concurrent_adds_are_kept_and_a_broken_board_is_not_changed() {
    let env = example_env();
    let calls: Vec<_> = (0..8)
        .map(|n| env.materia(&["quest", "add", &format!("n{n}")]).start())
        .collect();
    calls.into_iter().for_each(|call| drop(call.wait().ok()));
    assert_eq!(statuses(&env).len(), 8);
    let file = env.write(
        ".pi/pi-materia/quest-board.json",
        "{\"version\": 1, \"quests\": 7}",
    );
    let refused = quest(&env, &["add", "x", "--json"]);
    refused.assert_error(2, "bad_board");
    assert_eq!(
        fs::read_to_string(file).unwrap(),
        "{\"version\": 1, \"quests\": 7}"
    );
}

#[test]
fn a_detached_runner_completes_in_the_background() {
    let env = example_env();
    add(&env, &["first"]);
    let second = add(&env, &["second"]);
    let refused = quest(&env, &["run", "nobody", "--detach", "--json"]);
    assert_eq!(refused.code(), 3, "{}", refused.transcript());
    let report = quest(&env, &["run", &second, "--once", "--detach", "--json"])
        .ok()
        .json();
    assert_eq!(report["status"], "running");
    assert_eq!(env.wait(report["run"].as_str().unwrap())["status"], "done");
    assert_eq!(env.read("done.txt"), "second\n");
    let report = quest(&env, &["run", "--detach", "--json"]).ok().json();
    assert_eq!(env.wait(report["run"].as_str().unwrap())["status"], "done");
    assert_eq!(statuses(&env), ["succeeded", "succeeded"]);
}
