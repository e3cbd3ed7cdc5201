//! `materia cast` and the commands that continue a cast: the report, the directory, the text output.

use std::fs;
use std::path::PathBuf;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::test_env::{TestEnv, TestOutput};

mod resume;
mod matrix;
mod orphans;
mod terminal;

/// A utility that prints this JSON.
fn printing_utility(text: &Value) -> Value {
    json!({"type": "utility", "command": ["sh", "-c", "cat >/dev/null; printf %s \"$1\"", "says", text.to_string()],
        "parse": "json"})
}

/// A config with one loadout.
fn config(sockets: &Value, materia: &Value) -> Value {
    json!({"activeLoadout": "T", "loadouts": {"T": {"entry": "a", "sockets": sockets}}, "materia": materia})
}

/// Casts a config.
fn cast(env: &TestEnv, config: &Value, more: &[&str]) -> TestOutput {
    env.write("flow.json", config.to_string());
    env.materia(&[&["cast", "--config", "flow.json", "do the work"], more].concat())
        .run()
}

/// The directory of the only cast.
fn run_dir(env: &TestEnv) -> PathBuf {
    let casts = fs::read_dir(env.work_dir().join(".pi/pi-materia")).unwrap();
    let mut dirs: Vec<PathBuf> = casts.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(dirs.len(), 1, "{dirs:?}");
    dirs.remove(0)
}

/// The events of the only cast, without the records of the journal itself.
fn events(env: &TestEnv) -> Vec<Value> {
    let text = fs::read_to_string(run_dir(env).join("events.jsonl")).unwrap();
    let events = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.filter(|event| event["type"] != "journal").collect()
}

fn event_types(env: &TestEnv) -> Vec<String> {
    events(env)
        .iter()
        .map(|event| event["type"].as_str().unwrap().to_owned())
        .collect()
}

/// The paths of all files below a directory.
fn files(dir: &std::path::Path) -> Vec<String> {
    let mut all = Vec::new();
    let mut pending = vec![dir.to_owned()];
    while let Some(next) = pending.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                pending.push(path);
            } else {
                all.push(path);
            }
        }
    }
    let mut names: Vec<String> = all
        .iter()
        .map(|path| {
            path.strip_prefix(dir)
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

fn hello_config() -> Value {
    let mut first = printing_utility(&json!({"hello": "HELLO", "satisfied": true}));
    first["assign"] = json!({"word": "$.hello"});
    config(
        &json!({"a": {"materia": "Say", "edges": [{"when": "satisfied", "to": "b"}]}, "b": {"materia": "Talk"}}),
        &json!({"Say": first, "Talk": {"tools": "none", "prompt": "say it"}}),
    )
}

fn write_script(env: &TestEnv, replies: &Value) {
    env.write("script.json", json!({"replies": replies}).to_string());
}

#[test]
fn a_cast_writes_its_report_events_and_artifacts() {
    let env = TestEnv::new();
    write_script(
        &env,
        &json!([{"match": {"socket": "b"}, "text": "done", "usage": {"input": 3, "output": 4}}]),
    );
    let outcome = cast(
        &env,
        &hello_config(),
        &["--agent-script", "script.json", "--json"],
    )
    .ok();
    let used = json!({"tokens": {"input": 3, "output": 4, "cacheRead": 0, "cacheWrite": 0, "total": 7}, "cost": {"total": 0.0}});
    let mut by_materia = used.clone();
    by_materia["turns"] = json!(1);
    let mut usage = by_materia.clone();
    usage["bySocket"] = json!({"b": used});
    usage["byMateria"] = json!({"Talk": by_materia});
    let id = "2026-01-01T00-00-00-000Z";
    let expected = json!({
        "ok": true, "castId": id, "status": "complete", "runDir": format!("[ROOT]/project/.pi/pi-materia/{id}"),
        "loadout": "T", "visits": {"a": 1, "b": 1}, "traversals": {"a->b": 1},
        "state": {"envelope": {"satisfied": true}, "word": "HELLO"}, "item": null, "usage": usage, "error": null
    });
    assert_eq!(outcome.json(), expected);
    assert_eq!(
        event_types(&env),
        [
            "cast_start",
            "socket_route",
            "socket_start",
            "utility_input",
            "utility_command",
            "socket_complete",
            "socket_route",
            "socket_start",
            "agent_turn_start",
            "agent_turn_end",
            "socket_complete",
            "socket_route",
            "cast_end"
        ]
    );
    assert_eq!(
        files(&run_dir(&env)),
        [
            "config.resolved.json",
            "events.jsonl",
            "events.jsonl.lock",
            "manifest.json",
            "sockets/a/1.command.json",
            "sockets/a/1.input.json",
            "sockets/a/1.stderr.txt",
            "sockets/a/1.stdout.txt",
            "sockets/b/1.output.md",
            "sockets/b/1.prompt.md",
            "usage.json"
        ]
    );
    let dir = run_dir(&env);
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(dir.join("manifest.json")).unwrap()).unwrap();
    let artifacts: Vec<&str> = manifest["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["artifact"].as_str().unwrap())
        .collect();
    assert!(
        artifacts
            .iter()
            .all(|artifact| dir.join(artifact).is_file()),
        "{artifacts:?}"
    );
    assert_has!(manifest, {"format": 1, "status": "complete"});
}

#[test]
fn text_output_has_a_line_per_step_and_the_directory() {
    let env = TestEnv::new();
    write_script(
        &env,
        &json!([{"match": {"socket": "b"}, "error": "empty"}, {"match": {"socket": "b"}, "text": "done"}]),
    );
    let outcome = cast(&env, &hello_config(), &["--agent-script", "script.json"]).ok();
    assert_snapshot!(outcome.transcript(), @r"
    $ materia cast --config flow.json 'do the work' --agent-script script.json
    complete: 2026-01-01T00-00-00-000Z, 2 steps
    artifacts: [ROOT]/project/.pi/pi-materia/2026-01-01T00-00-00-000Z
    next: materia cast-show 2026-01-01T00-00-00-000Z
    --- stderr
    cast: 2026-01-01T00-00-00-000Z with the loadout `T`
    done: a (Say)
    retry: b (Talk), again because of empty
    done: b (Talk)
    answer: of b (Talk)
      done
    ");
}

#[test]
fn a_failed_utility_is_reported_and_its_output_kept() {
    let env = TestEnv::new();
    let broken =
        json!({"type": "utility", "command": ["sh", "-c", "echo part; echo bad >&2; exit 7"]});
    let outcome = cast(
        &env,
        &config(&json!({"a": {"materia": "U"}}), &json!({"U": broken})),
        &[],
    );
    assert_eq!(outcome.code(), 1);
    assert_snapshot!(outcome.transcript(), @r#"
    $ materia cast --config flow.json 'do the work'
    failed: 2026-01-01T00-00-00-000Z, 1 step
    artifacts: [ROOT]/project/.pi/pi-materia/2026-01-01T00-00-00-000Z
    next: materia cast-show 2026-01-01T00-00-00-000Z
    next: materia recast 2026-01-01T00-00-00-000Z
    --- stderr
    cast: 2026-01-01T00-00-00-000Z with the loadout `T`
    failed: a (U)
    error: U: "sh" "-c" "echo part; echo bad >&2; exit 7" failed with exit code 7; stderr: bad; see sockets/a/1.stdout.txt and sockets/a/1.stderr.txt
    --- exit 1
    "#);
    let dir = run_dir(&env).join("sockets/a");
    assert_eq!(
        files(&dir),
        [
            "1.command.json",
            "1.input.json",
            "1.stderr.txt",
            "1.stdout.txt"
        ]
    );
    assert_eq!(
        fs::read_to_string(dir.join("1.stderr.txt")).unwrap(),
        "bad\n"
    );
    assert_eq!(
        event_types(&env)
            .iter()
            .filter(|kind| *kind == "cast_end")
            .count(),
        1
    );
}

#[test]
fn a_wrong_definition_or_a_missing_agent_starts_nothing() {
    let env = TestEnv::new();
    let nowhere = config(&json!({"a": {"materia": "Nobody"}}), &json!({}));
    let recipe = config(
        &json!({"a": {"materia": "R"}}),
        &json!({"R": {"type": "utility", "recipe": "r"}}),
    );
    let open = json!({"T": {"type": "utility", "template": "echo {nobody}"}});
    let open = config(&json!({"a": {"materia": "T"}}), &open);
    let cases = [
        (nowhere, &["--json"][..], 2, "unknown_materia"),
        (hello_config(), &["--json"], 6, "no_agent"),
        (
            hello_config(),
            &["--json", "--loadout", "Nope"],
            3,
            "unknown_loadout",
        ),
        (
            hello_config(),
            &["--json", "--agent-script", "none.json"],
            3,
            "unreadable",
        ),
        (
            hello_config(),
            &["--json", "--agent-script", "flow.json"],
            2,
            "invalid_agent_script",
        ),
        (recipe, &["--json"], 2, "recipe_not_found"),
        (open, &["--json"], 2, "missing_value"),
    ];
    for (config, more, exit, code) in cases {
        let outcome = cast(&env, &config, more);
        outcome.assert_error(exit, code);
    }
    assert!(!env.work_dir().join(".pi").exists());
}

#[test]
fn limits_and_authentication_errors_have_their_own_exit_codes() {
    let env = TestEnv::new();
    let again = config(
        &json!({"a": {"materia": "Say", "edges": [{"to": "b"}]}, "b": {"materia": "Say", "edges": [{"to": "a", "maxTraversals": 2}]}}),
        &json!({"Say": printing_utility(&json!({}))}),
    );
    let stopped = cast(&env, &again, &["--json"]);
    stopped.assert_error(7, "edge_limit");
    write_script(&env, &json!([{"error": "auth"}]));
    let refused = cast(
        &env,
        &hello_config(),
        &["--json", "--agent-script", "script.json"],
    );
    refused.assert_error(6, "agent_auth");
}

#[test]
fn s1_the_config_of_a_project_runs_only_if_trusted() {
    let env = TestEnv::new();
    let touch = json!({"type": "utility", "command": ["touch", "ran"]});
    let project_config = config(
        &json!({"a": {"materia": "Touch"}}),
        &json!({"Touch": touch}),
    );
    env.write(".pi/pi-materia.json", project_config.to_string());
    let refused = env.materia(&["cast", "x", "--json"]).run();
    refused.assert_error(4, "untrusted");
    assert!(
        refused.json()["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("`materia trust`")
    );
    assert!(
        !env.work_dir().join("ran").exists() && !env.work_dir().join(".pi/pi-materia").exists()
    );
    env.materia(&["cast", "x", "--json"])
        .env("MATERIA_TRUST", "1")
        .run()
        .ok();
    assert!(env.work_dir().join("ran").exists());
}

#[test]
fn c18_a_shipped_utility_leaves_the_same_artifacts_as_a_program() {
    let env = TestEnv::new();
    let ignore = json!({"type": "utility", "parse": "json", "params": {"patterns": ["out/"]},
        "script": {"kind": "shippedUtility", "name": "ensure-ignored.mjs"}});
    let outcome = cast(
        &env,
        &config(&json!({"a": {"materia": "I"}}), &json!({"I": ignore})),
        &["--json"],
    )
    .ok();
    assert_eq!(outcome.json()["status"], "complete");
    assert!(env.read(".gitignore").contains("out/"));
    let names = files(&run_dir(&env).join("sockets/a"));
    assert_eq!(
        names,
        [
            "1.command.json",
            "1.input.json",
            "1.stderr.txt",
            "1.stdout.txt"
        ]
    );
}

#[test]
fn c20_a_template_can_be_a_utility() {
    let env = TestEnv::new();
    let template = json!({"type": "utility", "parse": "json", "params": {"word": "hi"}, "assign": {"said": "$.said"},
        "template": ["cat", "sh -c 'cat >/dev/null; printf %s \"$1\"' x '\\{\"said\": \"{word}\"\\}'"]});
    let outcome = cast(
        &env,
        &config(&json!({"a": {"materia": "T"}}), &json!({"T": template})),
        &["--json"],
    );
    assert_eq!(
        outcome.json()["state"]["said"],
        "hi",
        "{}",
        outcome.transcript()
    );
}

#[test]
fn the_example_runs_without_a_model() {
    let env = TestEnv::new();
    let example =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hello.json");
    let outcome = env
        .materia(&[
            "cast",
            "--config",
            example.to_str().unwrap(),
            "hello",
            "--json",
        ])
        .run()
        .ok();
    let document = outcome.json();
    assert_eq!(document["state"]["greeting"], "hello from a utility");
    assert_eq!(document["state"]["report"], "done!");
    assert_eq!(document["visits"], json!({"greet": 1, "report": 1}));
}
