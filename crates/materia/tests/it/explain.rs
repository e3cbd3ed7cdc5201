//! `materia explain`: the whole tree before anything runs, the arguments, and every error with its
//! position.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::test_env::TestEnv;

const TREE: &str = r#"{
  "args": ["target:path", "mode:enum(check,fix)=check"],
  "template": [
    "prepare {target}",
    {"when": "fast", "label": "quick look", "template": "peek {target}"},
    {"parallel": true, "concurrency": 2, "min_successful": 1, "template": [
      {"label": "lint", "timeout": 300, "template": "lint --{mode} 'two words'"},
      {"retry": 3, "recover": "rm -f lock", "failure": "branch", "template": ["build", "test"]}
    ]}
  ]
}"#;

#[test]
fn the_tree_as_text() {
    let env = TestEnv::new();
    env.write("tree.json", TREE);
    assert_snapshot!(
        env.materia(&["explain", "--file", "tree.json", "target=src"])
            .run()
            .ok()
            .transcript()
    );
}

#[test]
fn the_report_has_the_tree_the_arguments_and_the_warnings() {
    let env = TestEnv::new();
    let template = r#"{"args": ["n:int=2"], "template": ["echo {n}", {"when": "nope", "template": "sh -c x"}]}"#;
    let document = env
        .materia(&["explain", "--json", "--template", template])
        .run()
        .ok()
        .json();
    let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["ok", "tree", "args", "warnings"]);
    assert_eq!(document["tree"]["kind"], "sequence");
    let [echo, skipped] = document["tree"]["children"].as_array().unwrap().as_slice() else {
        panic!()
    };
    assert_has!(echo, {"kind": "command", "argv": ["echo", "2"], "stdin": "none"});
    assert_eq!(skipped["skipped"], true);
    let n = json!({"name": "n", "type": "int", "required": false, "default": 2});
    assert!(
        document["args"].as_array().unwrap().contains(&n),
        "{}",
        document["args"]
    );
    assert!(
        document["warnings"][0].as_str().unwrap().contains("sh"),
        "{}",
        document["warnings"]
    );
}

#[test]
fn explain_starts_nothing() {
    let env = TestEnv::new();
    env.materia(&["explain", "--template", "touch made"])
        .run()
        .ok();
    assert!(!env.work_dir().join("made").exists());
}

#[test]
fn the_schema_needs_no_values_and_is_one_document() {
    let env = TestEnv::new();
    env.write("tree.json", TREE);
    let schema = env
        .materia(&["explain", "--file", "tree.json", "--schema"])
        .run()
        .ok();
    assert_eq!(schema.stdout.lines().count(), 1);
    let fast = &schema.json()["properties"]["fast"];
    assert_eq!(
        schema.json(),
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {
                "target": {"type": "string", "description": "a path"},
                "mode": {"type": "string", "enum": ["check", "fix"], "default": "check"},
                "fast": fast
            },
            "required": ["target"],
            "additionalProperties": false
        })
    );
    let with_json = env
        .materia(&["explain", "--file", "tree.json", "--schema", "--json"])
        .run()
        .ok();
    assert_eq!(with_json.stdout, schema.stdout);
    let wrong = env
        .materia(&[
            "explain",
            "--template",
            "echo {",
            "--schema",
            "--values",
            "v.json",
        ])
        .run();
    assert_eq!(wrong.code(), 2);
}

#[test]
fn errors_have_the_argument_the_column_and_a_hint() {
    let env = TestEnv::new();
    env.write("broken.json", "{\n  \"template\": [\"echo\",\n}\n");
    let invocations: &[&[&str]] = &[
        &["explain", "--template", "echo {a!}"],
        &["explain", "--template", "echo 'open"],
        &["explain", "--template", "echo {name}"],
        &["explain", "--template", "echo {n:int}", "n=many"],
        &[
            "explain",
            "--template",
            r#"{"template": "echo {x}", "retries": 2, "defaults": {"x": "{y}", "y": "{x}"}}"#,
        ],
        &[
            "explain",
            "--template",
            r#"{"when": "a && b", "template": "true"}"#,
        ],
        &["explain", "--file", "broken.json"],
        &["explain", "--file", "missing.json"],
        &["explain", "no-such-recipe"],
    ];
    let transcripts: Vec<String> = invocations
        .iter()
        .map(|args| env.materia(args).run().transcript())
        .collect();
    assert_snapshot!(transcripts.join("\n"));
}

#[test]
fn all_errors_are_reported_at_once() {
    let env = TestEnv::new();
    let outcome = env
        .materia(&[
            "explain",
            "--json",
            "--template",
            r#"["echo {a!}", "echo {b!}"]"#,
        ])
        .run();
    assert_eq!(outcome.code(), 2);
    let error: &Value = &outcome.json()["error"];
    assert!(error["issues"].as_array().unwrap().len() >= 2, "{error}");
    assert!(
        error["at"]["column"].is_u64() && error["hint"].is_string(),
        "{error}"
    );
}
