//! `materia casts`, `cast-show` and `status`: they show only observed states (P4).

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::test_env::TestEnv;

/// A config with a loop over two items: each is worked on and checked, and the first one needs
/// rework.
pub fn loop_config() -> Value {
    let sockets = json!({
        "plan": {"materia": "Plan", "edges": [{"to": "work"}]},
        "work": {"materia": "Work", "edges": [{"to": "check"}]},
        "check": {"materia": "Check", "edges": [
            {"when": "not_satisfied", "to": "work", "maxTraversals": 2}, {"when": "satisfied", "to": "work"}]}
    });
    let loops = json!({"l": {"sockets": ["work", "check"], "consumes": {"from": "plan", "output": "workItems"},
        "exit": {"from": "check", "when": "satisfied", "to": "end"}}});
    let tools = "none";
    json!({"activeLoadout": "T", "budget": {"maxTokens": 1000, "maxCostUsd": 2},
        "loadouts": {"T": {"entry": "plan", "sockets": sockets, "loops": loops}},
        "materia": {
            "Plan": {"tools": tools, "prompt": "plan", "generator": true, "parse": "json"},
            "Work": {"tools": tools, "prompt": "work"},
            "Check": {"tools": tools, "prompt": "check", "parse": "json"}}})
}

/// The agent script for [`loop_config`].
pub fn loop_script() -> Value {
    let items = json!([{"title": "First", "context": "a"}, {"title": "Second", "context": "b"}]);
    json!({"replies": [
        {"match": {"socket": "plan"}, "json": {"workItems": items}, "usage": {"input": 10, "output": 20, "cost": {"total": 0.01}}},
        {"match": {"socket": "work"}, "text": "did it", "usage": {"input": 30, "output": 10}, "times": 9},
        {"match": {"socket": "check", "item": "WI-1"}, "json": {"satisfied": false, "context": "not yet"}, "usage": {"input": 5, "output": 5}},
        {"match": {"socket": "check"}, "json": {"satisfied": true}, "usage": {"input": 5, "output": 5}, "times": 9}
    ]})
}

/// A test environment with [`loop_config`] and [`loop_script`].
pub fn example_env() -> TestEnv {
    let env = TestEnv::new();
    env.write("flow.json", loop_config().to_string());
    env.write("script.json", loop_script().to_string());
    env
}

const CAST: [&str; 6] = [
    "cast",
    "--config",
    "flow.json",
    "--agent-script",
    "script.json",
    "do the work\nand more",
];

#[test]
fn casts_cast_show_and_status_as_text() {
    let env = example_env();
    let nothing = env.materia(&["casts"]).run().ok();
    env.materia(&CAST).run().ok();
    env.materia(&CAST)
        .env("MATERIA_FAILPOINT", "journal.sync:5:abort")
        .run();
    let args: [&[&str]; 4] = [
        &["casts"],
        &["cast-show", "2026-01-01T00-00-00-000Z"],
        &["status"],
        &["status", "2026-01-01T00-00-00-000Z"],
    ];
    let mut transcripts = vec![nothing.transcript()];
    transcripts.extend(args.map(|args| env.materia(args).run().ok().transcript()));
    assert_snapshot!(transcripts.join("\n"));
}

#[test]
fn p4_a_cast_is_running_only_while_its_driver_is_alive() {
    let env = TestEnv::new();
    let slow = json!({"type": "utility", "timeoutMs": 600_000, "command":
        ["sh", "-c", "cat >/dev/null; echo started >new; mv new started; while [ ! -e go ]; do sleep 0.05; done"]});
    env.write("flow.json", json!({"activeLoadout": "T", "loadouts": {"T": {"entry": "a", "sockets": {"a": {"materia": "Slow"}}}},
        "materia": {"Slow": slow}}).to_string());
    let detached = env
        .materia(&["cast", "--config", "flow.json", "x", "--detach", "--json"])
        .run()
        .ok()
        .json();
    while !env.work_dir().join("started").exists() {
        std::thread::yield_now();
    }
    let listed = env.materia(&["casts", "--json"]).run().ok().json();
    let one = &listed["casts"][0];
    assert_has!(one, {"castId": detached["castId"], "status": "running"});
    assert_eq!(one["at"]["socket"], "a");
    let pid = one["driver"].as_u64().unwrap();
    let status = env.materia(&["status", "--json"]).run().ok().json();
    assert_eq!(status["driver"], json!(pid));
    assert_eq!(status["graph"][0]["current"], true);
    env.shell(&format!("kill -9 {pid}")).run().ok();
    while env.materia(&["casts", "--json"]).run().ok().json()["casts"][0]["status"] != "interrupted"
    {
        std::thread::yield_now();
    }
    let status = env.materia(&["status"]).run().ok().stdout;
    assert!(
        status.contains("needs you: nobody drives it")
            && status.contains("next: materia resume 2026"),
        "{status}"
    );
    let steps = env.materia(&["cast-show", "--json"]).run().ok().json();
    assert_eq!(steps["steps"][0]["outcome"], "interrupted");
    env.materia(&["abort", "--json"]).run().ok();
    assert_eq!(
        env.materia(&["casts", "--json"]).run().ok().json()["casts"][0]["status"],
        "aborted"
    );
    env.write("go", "");
    while !env.live_processes().is_empty() {
        std::thread::yield_now();
    }
}

#[test]
fn stale_snapshots_are_ignored_and_a_damaged_cast_hides_no_other() {
    let env = example_env();
    for _ in 0..3 {
        env.materia(&CAST).run().ok();
    }
    let casts = env.work_dir().join(".pi/pi-materia");
    let ids: Vec<String> = {
        let listed = env.materia(&["casts", "--json"]).run().ok().json();
        listed["casts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["castId"].as_str().unwrap().to_owned())
            .collect()
    };
    let in_order = |one: &String, other: &String| one > other;
    assert!(ids.is_sorted_by(in_order) && ids.len() == 3, "{ids:?}");
    let manifest = casts.join(&ids[0]).join("manifest.json");
    let mut document: Value =
        serde_json::from_str(&fs::read_to_string(&manifest).unwrap()).unwrap();
    document["status"] = json!("failed");
    document["logBytes"] = json!(1);
    fs::write(&manifest, document.to_string()).unwrap();
    fs::remove_file(casts.join(&ids[1]).join("manifest.json")).unwrap();
    let log = casts.join(&ids[2]).join("events.jsonl");
    fs::remove_file(casts.join(&ids[2]).join("manifest.json")).unwrap();
    fs::write(&log, "no journal\n").unwrap();
    let listed = env.materia(&["casts", "--json"]).run().ok().json();
    let statuses: Vec<&str> = (0..3)
        .map(|n| listed["casts"][n]["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["complete", "complete", "unreadable"]);
    assert_eq!(
        listed["casts"][1]["usage"],
        json!({"tokens": 180, "cost": 0.01, "turns": 7})
    );
    let some = env
        .materia(&["casts", "--status", "complete", "--limit", "1", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(some["casts"].as_array().unwrap().len(), 1);
    assert_eq!(some["total"], 3);
}

#[test]
fn without_an_id_a_command_takes_the_newest_suitable_cast() {
    let env = example_env();
    env.materia(&CAST)
        .env("MATERIA_FAILPOINT", "journal.sync:5:abort")
        .run();
    env.materia(&CAST).run().ok();
    let resumed = env
        .materia(&["resume", "--agent-script", "script.json", "--json"])
        .run();
    assert_eq!(
        resumed.json()["castId"],
        "2026-01-01T00-00-00-000Z",
        "{}",
        resumed.transcript()
    );
    let nothing = env.materia(&["resume", "--json"]).run();
    nothing.assert_error(4, "refused");
    assert_eq!(env.materia(&["status", "nope", "--json"]).run().code(), 3);
    assert_eq!(
        env.materia(&["cast-show", "2026", "--json"]).run().json()["error"]["code"],
        "ambiguous"
    );
    let all = env
        .materia(&[
            "cast-show",
            "2026-01-01T00-00-00-000Z-2",
            "--events",
            "--artifacts",
            "--json",
        ])
        .run()
        .ok()
        .json();
    assert!(
        all["artifacts"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["path"] == "sockets/plan/1.prompt.md")
    );
    assert!(
        all["events"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["type"] == "cast_end")
    );
    let steps: Vec<String> = all["steps"]
        .as_array()
        .unwrap()
        .iter()
        .map(|step| {
            format!(
                "{}:{} {}",
                step["socket"].as_str().unwrap(),
                step["visit"],
                step["outcome"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(steps.len(), 7, "{steps:?}");
    assert!(
        steps.iter().all(|step| step.ends_with(" done")),
        "{steps:?}"
    );
}
