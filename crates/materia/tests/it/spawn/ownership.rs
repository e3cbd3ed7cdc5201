//! Ownership: sessions, parents and children of runs.

use super::*;

#[test]
fn a_session_sees_only_its_own_runs() {
    let env = TestEnv::new();
    env.spawn("mine", "true", &["--session", "s1"]);
    env.spawn("theirs", "true", &["--session", "s2"]);
    env.spawn("nobodys", "true", &[]);
    for id in ["mine", "theirs", "nobodys"] {
        env.wait(id);
    }
    for verb in ["inspect", "wait"] {
        let allowed = env
            .materia(&[verb, "run:mine", "--session", "s1", "--json"])
            .run();
        assert_eq!(allowed.code(), 0, "{}", allowed.transcript());
        for other in ["run:theirs", "run:nobodys"] {
            let refused = env
                .materia(&[verb, other, "--json"])
                .env("MATERIA_SESSION", "s1")
                .run();
            assert_eq!(refused.code(), 4, "{}", refused.transcript());
            assert_eq!(refused.json()["error"]["code"], "session_mismatch");
            assert!(refused.json()["error"]["hint"].is_string());
        }
    }
    let inventory = |target: &str, session: &str| {
        env.materia(&["inspect", target, "--session", session, "--json"])
            .run()
            .json()
    };
    for target in ["coordinator", "session:s1", "session:all"] {
        let seen = inventory(target, "s1");
        assert_eq!(seen["runs"][0]["run"], "mine");
        assert_eq!(seen["runs"].as_array().unwrap().len(), 1);
        assert_has!(seen, {"otherRuns": 2, "otherSessions": 1});
    }
    assert_eq!(
        inventory("session:s2", "s1")["error"]["code"],
        "session_mismatch"
    );
    let everything = env
        .materia(&["inspect", "session:all", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(everything["runs"].as_array().unwrap().len(), 3);
}

#[test]
fn a_run_spawned_inside_a_run_is_its_child() {
    let env = TestEnv::new();
    let inside =
        "sh -c 'materia spawn --template true --as run:child >/dev/null && materia wait run:child'";
    env.spawn("parent", inside, &["--session", "s1"]);
    let ended = env.wait("parent");
    assert_has!(ended, {"status": "done", "children": {"child": "done"}});
    let child = env.run_state("child").start.unwrap();
    assert_eq!(
        (child.parent.as_deref(), child.session.as_deref()),
        (Some("parent"), Some("s1"))
    );
}

#[test]
fn a_child_run_outlives_its_parent() {
    let env = TestEnv::new();
    env.spawn(
        "parent",
        "materia spawn --template 'sleep 600' --as run:child",
        &[],
    );
    assert_eq!(env.wait("parent")["status"], "done");
    assert_eq!(env.run_state("child").status.as_str(), "running");
    env.kill("child");
}

#[test]
fn a_run_retires_when_its_children_have_ended() {
    let env = TestEnv::new();
    let inside = "sh -c 'materia spawn --template true --as run:child >/dev/null; sleep 600'";
    env.spawn("parent", inside, &["--retire-when", "children_terminal"]);
    let ended = env.wait("parent");
    assert_eq!(ended["status"], "done", "{ended}");
    assert!(
        ended["evidence"].as_str().unwrap().starts_with("retired"),
        "{ended}"
    );
    assert!(env.live_processes().is_empty());
}

#[test]
fn the_end_of_a_session_kills_runs_that_ask_for_it() {
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
    let ended = run::end_session(&env.runs_root(), "s1", &Clock::system()).unwrap();
    assert_eq!(
        ended
            .iter()
            .map(|(run, _)| run.as_str())
            .collect::<Vec<_>>(),
        ["goes"]
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
fn the_end_of_a_run_notifies_its_session() {
    let env = TestEnv::new();
    env.spawn("a", "true", &["--session", "s1"]);
    env.wait("a");
    assert!(env.runs_root().session("s1").unwrap().join("bell").exists());
}

#[test]
fn a_cast_is_a_run() {
    let env = TestEnv::new();
    let greet = json!({"type": "utility", "command": ["sh", "-c", "cat >/dev/null; printf '{\"said\": 1}'"]});
    let flow = json!({"activeLoadout": "Other", "materia": {"Greet": greet}, "loadouts": {
        "Hello": {"entry": "a", "sockets": {"a": {"materia": "Greet"}}},
        "Other": {"entry": "a", "sockets": {"a": {"materia": "Greet"}}}}});
    env.write("flow.json", flow.to_string());
    let args = [
        "spawn",
        "--loadout",
        "Hello",
        "say it",
        "--config",
        "flow.json",
        "--as",
        "run:c",
        "--json",
    ];
    let spawned = env.materia(&args).run().ok().json();
    assert_has!(spawned, {"run": "c", "status": "running"});
    let ended = env.wait("c");
    assert_has!(ended, {"status": "done", "cast": {"loadout": "Hello"}});
    assert!(
        env.read_run_file("c", "stdout.log")
            .starts_with("complete:"),
        "{}",
        env.read_run_file("c", "stdout.log")
    );
    let unknown = env
        .materia(&[
            "spawn",
            "--loadout",
            "Nope",
            "x",
            "--config",
            "flow.json",
            "--json",
        ])
        .run();
    assert_eq!(unknown.code(), 3, "{}", unknown.transcript());
    let two = env
        .materia(&[
            "spawn",
            "--loadout",
            "Hello",
            "a",
            "b",
            "--config",
            "flow.json",
            "--json",
        ])
        .run();
    assert_eq!(two.code(), 2);
}
