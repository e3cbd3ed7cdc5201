//! `materia validate`: every error with its position and a hint.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::test_env::TestEnv;

const GOOD: &str = r#"{
  "loadouts": {"Hello": {"sockets": {"hello": {"materia": "Greet"}}}},
  "materia": {"Greet": {"command": ["echo", "hi"]}}
}"#;

const BROKEN: &str = r#"{
  // A comment is fine.
  "loadouts": {
    "Full-Auto": {"sockets": {"a": {"materia": "Build"}}},
    "Flow": {
      "entry": "plan",
      "sockets": {
        "plan": {"materia": "Auto-Plann", "edges": [{"to": "bild"}]},
        "build": {"materia": "Build", "edges": [{"when": "satisfied", "to": "end"}]},
      },
    },
  },
  "materia": {"Shout": {"prompt": "Shout", "tools": "everything"}},
  "budgets": {},
}
"#;

#[test]
fn errors_as_text() {
    let env = TestEnv::new();
    env.write("good.json", GOOD);
    env.write("broken.json", BROKEN);
    env.write("syntax.json", "{\n  \"loadouts\": {,}\n}\n");
    env.write("recipe.json", r#"{"name": "hi", "template": "echo hi"}"#);
    let outcome = env
        .materia(&[
            "validate",
            "good.json",
            "broken.json",
            "syntax.json",
            "recipe.json",
            "missing.json",
        ])
        .run();
    assert_eq!(outcome.code(), 2);
    assert_snapshot!(outcome.transcript());
}

#[test]
fn errors_as_json() {
    let env = TestEnv::new();
    env.write("good.json", GOOD);
    env.write("broken.json", BROKEN);
    let good = env
        .materia(&["validate", "--json", "good.json"])
        .run()
        .ok()
        .json();
    assert_eq!(
        good,
        json!({"ok": true, "files": [{"file": "good.json", "ok": true, "issues": []}]})
    );
    let outcome = env
        .materia(&["validate", "--json", "good.json", "broken.json"])
        .run();
    assert_eq!(outcome.code(), 2);
    let document = outcome.json();
    assert_eq!(document["ok"], false);
    assert_eq!(document["files"][0]["ok"], true);
    let issues = document["files"][1]["issues"].as_array().unwrap();
    let codes: Vec<&str> = issues
        .iter()
        .filter_map(|issue| issue["code"].as_str())
        .collect();
    assert!(
        codes.contains(&"readonly-loadout") && codes.contains(&"unknown-materia"),
        "{codes:?}"
    );
    let target = issues
        .iter()
        .find(|issue| issue["code"] == "unknown-endpoint")
        .unwrap();
    assert_eq!(target["path"], "loadouts.Flow.sockets.plan.edges[0].to");
    assert_has!(target, {"line": 8, "column": 60});
    assert!(
        target["message"].is_string() && target["hint"].is_string(),
        "{target}"
    );
}

#[test]
fn warnings_do_not_fail() {
    let env = TestEnv::new();
    env.write(
        "warned.json",
        GOOD.replacen('{', "{\n  \"budgets\": {},", 1),
    );
    let outcome = env.materia(&["validate", "warned.json"]).run().ok();
    assert_snapshot!(outcome.transcript());
}

#[test]
fn a_file_is_validated_with_the_shipped_config_only() {
    let env = TestEnv::new();
    env.write(
        ".pi/pi-materia.json",
        r#"{"materia": {"Mine": {"command": ["true"]}}}"#,
    );
    env.write(
        "flow.json",
        r#"{"loadouts": {"F": {"sockets": {"a": {"materia": "Mine"}}}}}"#,
    );
    env.write(
        "ship.json",
        r#"{"loadouts": {"F": {"sockets": {"a": {"materia": "Detect-VCS"}}}}}"#,
    );
    assert_eq!(env.materia(&["validate", "flow.json"]).run().code(), 2);
    env.materia(&["validate", "ship.json"]).run().ok();
}

#[test]
fn a_file_that_breaks_a_shipped_loadout_gets_a_warning() {
    let env = TestEnv::new();
    env.write("less.json", r#"{"materia": {"Commit-Sigil": null}}"#);
    let document = env
        .materia(&["validate", "--json", "less.json"])
        .run()
        .ok()
        .json();
    let issue = &document["files"][0]["issues"][0];
    assert_has!(issue, {"severity": "warning", "code": "unknown-materia"});
    assert!(
        issue["path"]
            .as_str()
            .unwrap()
            .starts_with("loadouts.Release."),
        "{issue}"
    );
}

#[test]
fn hostile_files_are_refused_without_a_crash() {
    let env = TestEnv::new();
    env.write("deep.json", "[".repeat(100_000));
    env.write("binary.json", [0xff, 0xfe, 0x00]);
    env.write("large.json", vec![b' '; (8 << 20) + 1]);
    env.write("empty.json", "");
    let files = ["deep.json", "binary.json", "large.json", "empty.json", "."];
    let outcome = env
        .materia(&[&["validate", "--json"], &files[..]].concat())
        .run();
    assert_eq!(outcome.code(), 2);
    let document: Value = outcome.json();
    let checked = document["files"].as_array().unwrap();
    assert_eq!(checked.len(), files.len());
    for file in checked {
        assert_eq!(file["ok"], false, "{file}");
        assert_eq!(file["issues"].as_array().unwrap().len(), 1, "{file}");
    }
}
