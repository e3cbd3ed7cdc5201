//! `materia doctor`: its checks, what it finds, and its report when something is broken.

use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;

use crate::test_env::TestEnv;

/// Returns a `PATH` with fake agents and the few system programs they need.
fn with_programs(env: &TestEnv, programs: &[(&str, &str)]) -> String {
    for (name, script) in programs {
        let path = env.write(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    let bin = env.work_dir().join("bin");
    for tool in ["sh", "sleep", "setsid"] {
        std::os::unix::fs::symlink(format!("/usr/bin/{tool}"), bin.join(tool)).unwrap();
    }
    bin.to_str().unwrap().to_owned()
}

#[test]
fn the_report_lists_checks_and_agents() {
    let env = TestEnv::new();
    let agents = [
        ("codex", "echo codex-cli 0.141.0"),
        ("aider", "echo 'no module \u{1b}[31m' >&2; exit 3"),
    ];
    let path = with_programs(&env, &agents);
    let outcome = env.materia(&["doctor"]).env("PATH", path).run().ok();
    let lines: Vec<String> = outcome.transcript().lines().map(redact_line).collect();
    assert_snapshot!(lines.join("\n"));
}

/// Replaces a line that differs from machine to machine.
fn redact_line(line: &str) -> String {
    let varies = ["durable writes", "free space", "file watches", "open files"];
    let varying = varies.iter().find(|name| line.contains(*name));
    varying.map_or_else(|| line.to_owned(), |name| format!("  … {name} …"))
}

#[test]
fn the_document_has_every_check_and_agent() {
    let env = TestEnv::new();
    let path = with_programs(&env, &[("claude", "echo '2.1.7 (Claude Code)'")]);
    let report = env
        .materia(&["doctor", "--json"])
        .env("PATH", path)
        .run()
        .ok()
        .json();
    let names: Vec<&str> = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "processes",
            "locks",
            "durable writes",
            "free space",
            "file watches",
            "open files"
        ]
    );
    let claude = report["agents"]
        .as_array()
        .unwrap()
        .iter()
        .find(|agent| agent["command"] == "claude")
        .unwrap();
    assert_eq!(claude["version"], "2.1.7");
    assert_eq!(
        report["paths"]["runs"],
        "[ROOT]/home/.pi/agent/tmp/pi-actors/runs"
    );
}

#[test]
fn an_unwritable_state_directory_is_reported_as_broken() {
    let env = TestEnv::new();
    let outcome = env
        .materia(&["doctor", "--json"])
        .env("MATERIA_HOME", "/proc/nowhere")
        .run();
    assert_eq!(outcome.code(), 1, "{}", outcome.transcript());
    let report = outcome.json();
    assert_eq!(report["ok"], false);
    let state = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .find(|check| check["name"] == "state")
        .unwrap();
    assert_eq!(state["health"], "broken");
    assert!(state["hint"].as_str().unwrap().contains("MATERIA_HOME"));
    env.materia(&["doctor"]).run();
    assert!(
        !env.home().join(".pi").exists(),
        "the scratch directory must be removed"
    );
}

#[test]
fn background_processes_of_a_checked_agent_are_ended() {
    let env = TestEnv::new();
    let path = with_programs(
        &env,
        &[("gemini", "setsid sleep 600 >/dev/null 2>&1 & echo 0.30.1")],
    );
    let report = env
        .materia(&["doctor", "--json"])
        .env("PATH", path)
        .run()
        .ok()
        .json();
    let gemini = report["agents"]
        .as_array()
        .unwrap()
        .iter()
        .find(|agent| agent["command"] == "gemini")
        .unwrap();
    assert_eq!(gemini["version"], "0.30.1");
}

#[test]
fn an_interrupt_leaves_no_process() {
    let env = TestEnv::new();
    let path = with_programs(
        &env,
        &[(
            "gemini",
            "trap '' TERM; kill -INT $PPID; sleep 600; sleep 600",
        )],
    );
    let outcome = env.materia(&["doctor"]).env("PATH", path).run();
    assert_eq!(outcome.code(), 130);
    assert_eq!(
        outcome.stderr,
        "error: interrupted; nothing was left running\n"
    );
}

#[test]
fn files_of_pi_materia_and_pi_actors_are_found_and_used_in_place() {
    let env = TestEnv::new();
    let hello = "{\"loadouts\": {\"Mine\": {\"entry\": \"a\", \"sockets\": {\"a\": {\"materia\": \"M\"}}}}, \"materia\": {\"M\": {\"command\": [\"true\"]}}}";
    let home = |path: &str, text: &str| {
        let path = env.home().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    home(".config/pi/pi-materia/materia.json", hello);
    home(
        ".pi/agent/recipes/greet.json",
        "{\"template\": \"echo hi\"}",
    );
    home(
        ".pi/agent/recipes/notes.md",
        "---\ndescription: x\n---\n```template\necho hi\n```\n",
    );
    env.write(".pi/pi-materia.json", "{\"activeLoadout\": \"Mine\"}");
    env.materia(&["autocast", "loadout:Mine", "x"])
        .env("MATERIA_TRUST", "1")
        .run()
        .ok();
    let report = env.materia(&["doctor", "--json"]).run().json();
    let found: Vec<(&str, &str)> = report["found"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["what"].as_str().unwrap(),
                one["detail"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("profile", "1 loadout, 1 materia"),
        ("project", "0 loadouts, 0 materia"),
        ("recipes", "2 recipes"),
        ("casts", "1 cast"),
    ];
    assert_eq!(found, expected);
    // The loadout and the recipe also work without an import.
    env.materia(&["grid", "Mine"]).run().ok();
    assert_eq!(env.materia(&["run", "greet"]).run().ok().stdout, "hi\n");
}
