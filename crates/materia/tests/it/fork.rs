//! `materia fork`: a new cast that starts after a finished step of another one, which stays unchanged.

use serde_json::json;

use crate::casts::example_env;
use crate::test_env::TestEnv;

const CAST: [&str; 6] = [
    "cast",
    "--config",
    "flow.json",
    "--agent-script",
    "script.json",
    "do the work",
];
const FIRST: &str = "2026-01-01T00-00-00-000Z";

/// The checksums of all files of the first cast.
fn checksums(env: &TestEnv) -> String {
    let line = format!("cd .pi/pi-materia/{FIRST} && find . -type f | sort | xargs cksum");
    env.shell(&line).run().ok().stdout
}

#[test]
fn a_fork_continues_after_the_step_and_the_original_is_unchanged() {
    let env = example_env();
    env.materia(&CAST).run().ok();
    let before = checksums(&env);
    // Step 3 is the check that sent the first item back.
    let fork = [
        "fork",
        FIRST,
        "--at",
        "3",
        "--agent-script",
        "script.json",
        "--json",
    ];
    let forked = env.materia(&fork).run().ok().json();
    assert_has!(forked, {"castId": "2026-01-01T00-00-00-000Z-2", "status": "complete"});
    assert_eq!(
        forked["visits"],
        json!({"plan": 1, "work": 4, "check": 4}),
        "the script requests rework once more"
    );
    assert_eq!(checksums(&env), before);
    let shown = env
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
    let origin = json!({"castId": FIRST, "step": 3, "socket": "check", "visit": 1});
    assert_eq!(shown["events"][0]["data"]["forkedFrom"], origin);
    let has = |path: &str| {
        shown["artifacts"]
            .as_array()
            .unwrap()
            .iter()
            .any(|one| one["path"] == path)
    };
    assert!(
        has("sockets/plan/1.output.json") && has("sockets/check/1-WI-1.output.md"),
        "{}",
        shown["artifacts"]
    );
    let second = "2026-01-01T00-00-00-000Z-2";
    let prompt = env.read(&format!(
        ".pi/pi-materia/{second}/sockets/{}/2-WI-1.prompt.md",
        "work"
    ));
    assert!(
        prompt.contains("not yet"),
        "the reason for the rework is missing: {prompt}"
    );
}

#[test]
fn a_fork_can_be_held_and_needs_a_finished_step() {
    let env = example_env();
    env.materia(&CAST)
        .env("MATERIA_FAILPOINT", "journal.sync:5:abort")
        .run();
    let held = env
        .materia(&["fork", FIRST, "--at", "plan:1", "--hold", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(held["status"], "interrupted");
    assert_eq!(held["graph"][0]["visits"], 1);
    for step in ["9", "check:2", "nope:1", "x"] {
        let refused = env.materia(&["fork", FIRST, "--at", step, "--json"]).run();
        refused.assert_error(3, "step_not_found");
    }
    let resumed = env
        .materia(&["resume", "--agent-script", "script.json", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(resumed["castId"], held["castId"]);
}

#[test]
fn a_killed_fork_leaves_no_cast() {
    let env = example_env();
    env.materia(&CAST).run().ok();
    for point in [
        "dir.rename:1:abort",
        "artifact.create:2:abort",
        "journal.write:3:torn",
        "atomic.rename:2:abort",
    ] {
        let fork = ["fork", FIRST, "--at", "3", "--hold"];
        let killed = env.materia(&fork).env("MATERIA_FAILPOINT", point).run();
        assert_ne!(killed.code(), 0, "{point}");
        let listed = env.materia(&["casts", "--json"]).run().ok().json();
        assert_eq!(listed["total"], 1, "{point}: {listed}");
    }
}

#[test]
fn a_detached_fork_completes_in_the_background() {
    let env = example_env();
    env.materia(&CAST).run().ok();
    let fork = [
        "fork",
        FIRST,
        "--at",
        "3",
        "--agent-script",
        "script.json",
        "--detach",
        "--json",
    ];
    let report = env.materia(&fork).run().ok().json();
    assert_has!(report, {"castId": format!("{FIRST}-2"), "status": "running"});
    assert_eq!(env.wait(report["run"].as_str().unwrap())["status"], "done");
    let shown = env
        .materia(&["cast-show", &format!("{FIRST}-2"), "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(shown["status"], "complete", "{shown}");
}
