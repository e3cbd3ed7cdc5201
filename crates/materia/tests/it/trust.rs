//! `materia trust`: nothing from a project runs before the user has trusted exactly these files (S1,
//! S2).

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::test_env::{TestEnv, TestOutput};

/// A test environment with a project whose config runs a script.
fn project_env() -> TestEnv {
    let env = TestEnv::new();
    env.write("tools/mark.sh", "cat >/dev/null; echo ran >>ran\n");
    write_project_config(
        &env,
        &json!({"Mark": {"type": "utility", "command": ["sh", "tools/mark.sh"]}}),
    );
    env
}

/// Writes a project config with these materia.
fn write_project_config(env: &TestEnv, materia: &Value) {
    let first = materia.as_object().unwrap().keys().next().unwrap();
    let loadouts = json!({"T": {"entry": "a", "sockets": {"a": {"materia": first}}}});
    let config = json!({"activeLoadout": "T", "loadouts": loadouts, "materia": materia});
    env.write(".pi/pi-materia.json", config.to_string());
}

fn cast(env: &TestEnv) -> TestOutput {
    env.materia(&["cast", "go", "--json"]).run()
}

fn refusal(outcome: &TestOutput) -> String {
    assert_eq!(outcome.code(), 4, "{}", outcome.transcript());
    let error = &outcome.json()["error"];
    assert_eq!(error["code"], "untrusted");
    assert!(
        error["hint"].as_str().unwrap().contains("`materia trust`"),
        "{error}"
    );
    error["message"].as_str().unwrap().to_owned()
}

/// Runs a shell command line on a terminal and types an answer.
fn answer_on_terminal(env: &TestEnv, line: &str, typed: &str) -> TestOutput {
    env.write("line.sh", format!("{line}\n"));
    env.shell("script -qec 'sh line.sh' /dev/null")
        .env("TERM", "xterm")
        .stdin(typed)
        .run()
}

fn times_run(env: &TestEnv) -> usize {
    std::fs::read_to_string(env.work_dir().join("ran"))
        .unwrap_or_default()
        .lines()
        .count()
}

pub(crate) fn trust(env: &TestEnv) {
    env.materia(&["trust"]).env("MATERIA_TRUST", "1").run().ok();
}

#[test]
fn s1_without_a_terminal_a_cast_is_refused_with_a_hint() {
    let env = project_env();
    assert!(refusal(&cast(&env)).contains("is not trusted"));
    let output = env.materia(&["trust", "--json"]).run();
    output.assert_error(4, "no_terminal");
    let shown = env.materia(&["trust", "--show"]).run().ok().stdout;
    for part in [
        "not trusted: [ROOT]/project/.pi/pi-materia.json",
        "Mark (command)\n    sh tools/mark.sh",
        "tools/mark.sh  sha256 ",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(times_run(&env), 0);
    assert!(!env.home().join(".config/pi/pi-materia/trust.json").exists());
}

#[test]
fn s1_on_a_terminal_the_first_use_asks_and_stores_the_answer() {
    let env = project_env();
    for (typed, code) in [("n\n", 4), ("\n", 4), ("y\n", 0)] {
        let outcome = answer_on_terminal(&env, "materia cast go", typed);
        assert_eq!(outcome.code(), code, "{typed:?}: {}", outcome.transcript());
        assert!(
            outcome.stdout.contains("sh tools/mark.sh")
                && outcome.stdout.contains("Trust this? [y/N]")
        );
        assert_eq!(times_run(&env), usize::from(code == 0));
    }
    let again = answer_on_terminal(&env, "materia cast go", "");
    assert!(
        again.code() == 0 && !again.stdout.contains("Trust this?"),
        "{}",
        again.transcript()
    );
    cast(&env).ok();
    let ledger = env.home().join(".config/pi/pi-materia/trust.json");
    assert_eq!(
        ledger.metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn s1_any_change_needs_new_trust_and_is_named() {
    let env = project_env();
    trust(&env);
    cast(&env).ok();
    env.write("tools/mark.sh", "cat >/dev/null; echo ran >>ran \n");
    assert!(refusal(&cast(&env)).contains("`tools/mark.sh` has changed"));
    env.write(".pi/tools/mark.sh", "echo mine\n");
    assert!(refusal(&cast(&env)).contains("`.pi/tools/mark.sh` is new"));
    std::fs::remove_dir_all(env.work_dir().join(".pi/tools")).unwrap();
    trust(&env);
    cast(&env).ok();
    env.write(
        ".pi/pi-materia.json",
        format!("{} ", env.read(".pi/pi-materia.json")),
    );
    assert!(refusal(&cast(&env)).contains("`.pi/pi-materia.json` has changed"));
    assert_eq!(times_run(&env), 2);
}

#[test]
fn s1_trust_is_listed_and_revoked() {
    let env = project_env();
    trust(&env);
    let file = env
        .work_dir()
        .canonicalize()
        .unwrap()
        .join(".pi/pi-materia.json");
    let listed = env.materia(&["trust", "--list", "--json"]).run().ok();
    let whole: Value = serde_json::from_slice(&listed.bytes).unwrap();
    assert!(
        whole["trusted"][file.to_str().unwrap()]["files"]["tools/mark.sh"].is_string(),
        "{whole}"
    );
    assert!(
        env.materia(&["trust"])
            .run()
            .ok()
            .stdout
            .starts_with("trusted: "),
        "a trusted project must not be asked about again"
    );
    env.materia(&["trust", "--revoke", "."]).run().ok();
    refusal(&cast(&env));
    let again = env.materia(&["trust", "--revoke", ".", "--json"]).run();
    again.assert_error(3, "not_trusted");
    let nothing = TestEnv::new();
    assert_eq!(
        nothing.materia(&["trust"]).run().ok().stdout,
        "this project brings nothing that would run\n"
    );
}

#[test]
fn s1_roles_templates_and_settings_need_trust() {
    let env = TestEnv::new();
    env.write("build.sh", "true\n");
    let materia = json!({
        "Build": {"tools": "coding", "prompt": "work"},
        "Check": {"type": "utility", "params": {"script": "build.sh"}, "template": ["sh {script}", "cat"]},
    });
    write_project_config(&env, &materia);
    refusal(&cast(&env));
    let shown = env
        .materia(&["trust", "--show", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(
        shown["acts"][0],
        json!({"name": "Build", "kind": "agent", "detail": "all tools"})
    );
    assert_eq!(
        shown["acts"][1]["commands"],
        json!([["sh", "build.sh"], ["cat"]])
    );
    assert!(shown["files"]["build.sh"].is_string());
    env.write(".pi/pi-materia.json", "{\"artifactDir\": \"elsewhere\"}");
    env.write("script.json", "{\"replies\": []}");
    refusal(
        &env.materia(&["cast", "x", "--json", "--agent-script", "script.json"])
            .run(),
    );
}

#[test]
fn s2_a_program_inside_a_cast_cannot_trust() {
    let env = project_env();
    let line = "cat >/dev/null; MATERIA_TRUST=1 materia trust 2>&1; \
        env -i HOME=\"$HOME\" PATH=\"$PATH\" MATERIA_TRUST=1 materia trust 2>&1; echo end";
    let inside =
        json!({"type": "utility", "command": ["sh", "-c", line], "assign": {"said": "lastOutput"}});
    write_project_config(&env, &json!({"In": inside}));
    let outcome = env
        .materia(&["cast", "go", "--json"])
        .env("MATERIA_TRUST", "1")
        .run()
        .ok();
    let dir = outcome.json()["runDir"]
        .as_str()
        .unwrap()
        .replace("[ROOT]/project/", "");
    let output = env.read(&format!("{dir}/sockets/a/1.stdout.txt"));
    assert_eq!(
        output
            .matches("cannot agree to what a project brings")
            .count(),
        2,
        "{output}"
    );
    refusal(&cast(&env));
    for name in ["MATERIA_RUN", "MATERIA_SESSION"] {
        let command = env
            .materia(&["trust", "--json"])
            .env("MATERIA_TRUST", "1")
            .env(name, "x");
        assert_eq!(command.run().json()["error"]["code"], "operator_only");
    }
}

#[test]
fn s1_a_cast_from_another_user_is_not_continued() {
    let env = TestEnv::new();
    env.write("fail.json", json!({
        "activeLoadout": "T",
        "loadouts": {"T": {"entry": "a", "sockets": {"a": {"materia": "F"}}}},
        "materia": {"F": {"type": "utility", "command": ["sh", "-c", "cat >/dev/null; echo ran >>ran; exit 1"]}},
    }).to_string());
    let failed = env
        .materia(&["cast", "--config", "fail.json", "go", "--json"])
        .run();
    let dir = failed.json()["runDir"]
        .as_str()
        .unwrap()
        .replace("[ROOT]/project/", "");
    assert_eq!(
        env.materia(&["recast", "--json"]).run().code(),
        1,
        "a cast of this user continues"
    );
    assert_eq!(times_run(&env), 2);
    let definition = env.read(&format!("{dir}/config.resolved.json"));
    env.write(
        &format!("{dir}/config.resolved.json"),
        definition.replace("echo ran", "echo ran "),
    );
    let refused = env.materia(&["recast", "--json"]).run();
    refused.assert_error(4, "untrusted");
    env.write(&format!("{dir}/config.resolved.json"), definition);
    let other_home = env
        .materia(&["recast", "--json"])
        .env("MATERIA_HOME", env.home().join("other"));
    assert_eq!(other_home.run().code(), 4, "another home has another key");
    assert_eq!(times_run(&env), 2);
    env.materia(&["recast", "--json"])
        .env("MATERIA_TRUST", "1")
        .run();
    assert_eq!(times_run(&env), 3);
    env.materia(&["abort", "--json"])
        .env("MATERIA_HOME", env.home().join("other"))
        .run();
}

#[test]
fn c20_a_tilde_in_a_template_is_the_home_directory() {
    let env = TestEnv::new();
    let template =
        json!({"type": "utility", "template": ["cat", "~/tool"], "assign": {"said": "lastOutput"}});
    env.shell(
        "mkdir -p ~; printf '#!/bin/sh\\ncat >/dev/null; echo at home' >~/tool; chmod +x ~/tool",
    )
    .run()
    .ok();
    write_project_config(&env, &json!({"T": template}));
    let outcome = env
        .materia(&["cast", "go", "--json"])
        .env("MATERIA_TRUST", "1")
        .run()
        .ok();
    let dir = outcome.json()["runDir"]
        .as_str()
        .unwrap()
        .replace("[ROOT]/project/", "");
    assert_eq!(
        env.read(&format!("{dir}/sockets/a/1.stdout.txt")),
        "at home\n"
    );
}

#[test]
fn s1_imports_of_a_project_recipe_need_trust() {
    let env = TestEnv::new();
    env.write(
        "recipes/top.json",
        r#"{"imports": {"part": "./deep/part.json"}, "template": {"name": "part"}}"#,
    );
    env.write(
        "recipes/deep/part.json",
        r#"{"template": "sh {recipe_dir}/mark.sh"}"#,
    );
    env.write("recipes/deep/mark.sh", "cat >/dev/null; echo ran >>ran\n");
    write_project_config(
        &env,
        &json!({"Mark": {"type": "utility", "recipe": "./recipes/top.json"}}),
    );
    let shown = env
        .materia(&["trust", "--show", "--json"])
        .run()
        .ok()
        .json();
    let files: Vec<&String> = shown["files"].as_object().unwrap().keys().collect();
    let all = [
        ".pi/pi-materia.json",
        "recipes/deep/mark.sh",
        "recipes/deep/part.json",
        "recipes/top.json",
    ];
    assert_eq!(files, all, "{shown}");
    assert_eq!(
        shown["acts"][0]["commands"][0][1], "{recipe_dir}/mark.sh",
        "the commands must be shown: {shown}"
    );
    trust(&env);
    cast(&env).ok();
    assert_eq!(times_run(&env), 1);
    for (file, text) in [
        (
            "recipes/deep/part.json",
            r#"{"template": "sh -c 'echo other >>ran'"}"#,
        ),
        ("recipes/deep/mark.sh", "echo other >>ran\n"),
    ] {
        let before = env.read(file);
        env.write(file, text);
        let message = refusal(&cast(&env));
        assert!(message.contains(file), "{message}");
        env.write(file, before);
        cast(&env).ok();
    }
    assert_eq!(times_run(&env), 3);
}
