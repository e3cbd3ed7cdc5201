//! `materia quest`: the board, its runner, and what is left of both after a kill.

use std::fs;

use insta::assert_snapshot;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::house::{House, Outcome};

/// A cast of one utility that writes its request down and fails for `bad`.
fn house() -> House {
    let house = House::new();
    let work = json!({"type": "utility", "timeoutMs": 600_000, "command": ["sh", "-c",
        "r=$(sed 's/.*\"request\":\"\\([a-z]*\\)\".*/\\1/'); echo $r >>done.txt; case $r in bad) exit 3;; wait) while [ ! -e go ]; do sleep 0.02; done;; esac"]});
    let talk = json!({"tools": "none", "prompt": "talk", "multiTurn": true});
    let one = |materia: &str| json!({"entry": "a", "sockets": {"a": {"materia": materia}}});
    house.write(
        "flow.json",
        json!({"activeLoadout": "W", "loadouts": {"W": one("Work"), "Talk": one("Talk")},
        "materia": {"Work": work, "Talk": talk}})
        .to_string(),
    );
    house.write(
        "script.json",
        json!({"replies": [{"text": "what?", "times": 9}]}).to_string(),
    );
    house
}

fn quest(house: &House, words: &[&str]) -> Outcome {
    house
        .materia(&[&["quest", "--config", "flow.json"], words].concat())
        .run()
}

fn add(house: &House, words: &[&str]) -> String {
    let added = quest(house, &[&["add", "--json"], words].concat())
        .ok()
        .json();
    added["quest"]["id"].as_str().unwrap().to_owned()
}

/// `status` of every quest, in their order.
fn statuses(house: &House) -> Vec<String> {
    let board = quest(house, &["list", "--json"]).ok().json();
    board["quests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["status"].as_str().unwrap().to_owned())
        .collect()
}

/// Fails unless the board on disk keeps the rules that other programs rely on.
fn board(house: &House) -> Value {
    let board: Value =
        serde_json::from_str(&house.read(".pi/pi-materia/quest-board.json")).unwrap();
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
fn a_board_reads_well() {
    let house = house();
    let said = [
        quest(&house, &[]),
        quest(&house, &["add", "first"]),
        quest(&house, &["add", "bad", "--title", "One that fails"]),
        quest(&house, &["add", "last", "--loadout", "Nobody"]),
        quest(&house, &["run"]),
        quest(&house, &["list"]),
        quest(&house, &["add", "later"]),
        quest(&house, &["list", "pending"]),
        quest(&house, &["show", "quest-00000002"]),
        quest(&house, &["show", "x"]),
        quest(&house, &["move", "x"]),
    ];
    assert_snapshot!(said.map(|outcome| outcome.transcript()).join("\n"));
}

#[test]
fn quests_run_in_order_and_failures_stop_where_wished() {
    let house = house();
    let ids: Vec<String> = ["one", "bad", "two"]
        .iter()
        .map(|word| add(&house, &[word]))
        .collect();
    quest(&house, &["move", &ids[2], "--first"]).ok();
    let ran = quest(&house, &["run", "--stop-on-failure", "--json"]);
    assert_eq!(
        (ran.code(), &ran.json()["stopped"]),
        (1, &json!("failed")),
        "{}",
        ran.transcript()
    );
    assert_eq!(house.read("done.txt"), "two\none\nbad\n");
    quest(&house, &["requeue", &ids[1]]).ok();
    let four = add(&house, &["four"]);
    let ran = quest(&house, &["run", "--json"]);
    assert_eq!((ran.code(), &ran.json()["stopped"]), (1, &json!("empty")));
    assert_eq!(
        statuses(&house),
        ["succeeded", "succeeded", "failed", "succeeded"]
    );
    assert_eq!(board(&house)["quests"][2]["attempts"], 2);
    let cast = quest(&house, &["show", &four, "--json"]).ok().json()["quest"]["lastCastId"].clone();
    let shown = house
        .materia(&["cast-show", cast.as_str().unwrap(), "--events", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(
        shown["events"][0]["data"]["quest"]["questId"],
        four.as_str()
    );
    quest(&house, &["remove", &four]).ok();
    let nobody = quest(&house, &["run", "--json"]).ok().json();
    assert_eq!(
        (&nobody["stopped"], &nobody["quests"]),
        (&json!("empty"), &json!([]))
    );
}

#[test]
fn a_quest_whose_cast_needs_somebody_is_blocked_until_it_had_them() {
    let house = house();
    let talk = add(&house, &["talk", "--loadout", "Talk"]);
    add(&house, &["after"]);
    let nobody = quest(&house, &["run", "--json"]);
    assert_eq!(
        (nobody.code(), &nobody.json()["error"]["code"]),
        (6, &json!("no_agent"))
    );
    assert_eq!(
        statuses(&house),
        ["pending", "pending"],
        "nothing is said about a quest that nobody could run"
    );
    let ran = quest(&house, &["run", "--agent-script", "script.json", "--json"])
        .ok()
        .json();
    assert_eq!(
        (&ran["stopped"], &ran["pending"]),
        (&json!("needs_you"), &json!(1))
    );
    assert_eq!(statuses(&house), ["blocked", "pending"]);
    house
        .materia(&["continue", "--agent-script", "script.json"])
        .run()
        .ok();
    assert_eq!(statuses(&house), ["succeeded", "pending"]);
    let again = quest(&house, &["run", &talk, "--json"]);
    assert_eq!(
        (again.code(), &again.json()["error"]["code"]),
        (4, &json!("refused"))
    );
}

#[test]
fn c17_a_runner_is_alone_and_stops_when_told_interrupted_or_aborted() {
    let house = house();
    add(&house, &["wait"]);
    add(&house, &["after"]);
    let running = house
        .materia(&["quest", "--config", "flow.json", "run", "--json"])
        .start();
    while statuses(&house)[0] != "running" {
        std::thread::yield_now();
    }
    let second = quest(&house, &["run", "--json"]);
    assert_eq!(
        (second.code(), &second.json()["error"]["code"]),
        (4, &json!("runner_in_use"))
    );
    assert_eq!(
        quest(
            &house,
            &["remove", board(&house)["quests"][0]["id"].as_str().unwrap()]
        )
        .code(),
        4
    );
    quest(&house, &["stop"]).ok();
    house.write("go", "");
    assert_eq!(running.end().json()["stopped"], "stopped");
    assert_eq!(statuses(&house), ["succeeded", "pending"]);
    fs::remove_file(house.work().join("go")).unwrap();

    let third = add(&house, &["wait"]);
    quest(&house, &["move", &third, "--first"]).ok();
    let running = house
        .materia(&["quest", "--config", "flow.json", "run", "--json"])
        .start();
    while house
        .materia(&["casts", "--status", "running", "--json"])
        .run()
        .ok()
        .json()["casts"]
        == json!([])
    {
        std::thread::yield_now();
    }
    house.materia(&["abort", "--json"]).run().ok();
    let stopped = running.end();
    assert_eq!(
        (stopped.code(), &stopped.json()["stopped"]),
        (130, &json!("interrupted")),
        "{}",
        stopped.transcript()
    );
    assert_eq!(statuses(&house)[0], "failed", "it was aborted");
    assert_eq!(
        house.read("done.txt").matches("after").count(),
        0,
        "nothing was run behind it"
    );
}

#[test]
fn a_runner_that_is_killed_leaves_a_board_that_tells_the_truth() {
    let house = house();
    add(&house, &["wait"]);
    let running = house
        .materia(&["quest", "--config", "flow.json", "run"])
        .start();
    while !house.work().join("done.txt").exists() {
        std::thread::yield_now();
    }
    running.signal(Signal::KILL);
    running.end();
    house.write("go", "");
    while !house.alive().is_empty() {
        std::thread::yield_now();
    }
    assert_eq!(statuses(&house), ["blocked"]);
    house.materia(&["resume", "--json"]).run().ok();
    assert_eq!(statuses(&house), ["succeeded"]);
    assert_eq!(
        quest(&house, &["run", "--json"]).ok().json()["stopped"],
        "empty"
    );
    assert_eq!(
        board(&house)["quests"][0]["lastResult"]["status"],
        "succeeded"
    );
    for failpoint in [
        "atomic.rename:1:abort",
        "atomic.write:1:torn",
        "lock.sign:1:abort",
    ] {
        let words = ["quest", "add", "more"];
        assert_ne!(
            house
                .materia(&words)
                .env("MATERIA_FAILPOINT", failpoint)
                .run()
                .code(),
            0,
            "{failpoint}"
        );
        assert_eq!(statuses(&house), ["succeeded"], "{failpoint}");
    }
}

#[test]
fn many_hands_lose_nothing_and_a_broken_board_is_left_alone() {
    let house = house();
    let calls: Vec<_> = (0..8)
        .map(|n| house.materia(&["quest", "add", &format!("n{n}")]).start())
        .collect();
    calls.into_iter().for_each(|call| drop(call.end().ok()));
    assert_eq!(statuses(&house).len(), 8);
    let file = house.write(
        ".pi/pi-materia/quest-board.json",
        "{\"version\": 1, \"quests\": 7}",
    );
    let refused = quest(&house, &["add", "x", "--json"]);
    assert_eq!(
        (refused.code(), &refused.json()["error"]["code"]),
        (2, &json!("bad_board"))
    );
    assert_eq!(
        fs::read_to_string(file).unwrap(),
        "{\"version\": 1, \"quests\": 7}"
    );
}

#[test]
fn a_detached_runner_goes_on_by_itself() {
    let house = house();
    add(&house, &["first"]);
    let second = add(&house, &["second"]);
    let refused = quest(&house, &["run", "nobody", "--detach", "--json"]);
    assert_eq!(refused.code(), 3, "{}", refused.transcript());
    let answered = quest(&house, &["run", &second, "--once", "--detach", "--json"])
        .ok()
        .json();
    assert_eq!(answered["status"], "running");
    assert_eq!(
        house.wait(answered["run"].as_str().unwrap())["status"],
        "done"
    );
    assert_eq!(house.read("done.txt"), "second\n");
    let answered = quest(&house, &["run", "--detach", "--json"]).ok().json();
    assert_eq!(
        house.wait(answered["run"].as_str().unwrap())["status"],
        "done"
    );
    assert_eq!(statuses(&house), ["succeeded", "succeeded"]);
}
