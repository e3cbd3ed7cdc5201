//! `materia run`: every status, the JSON report, the text output, and everything that can happen
//! during a run.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::test_env::{TestEnv, TestOutput};

mod failure;
mod flow;
mod hostile;
mod input;
mod interrupt;
mod naive;
mod terminal;

/// Runs a template and returns the exit code and the report.
fn run_json(env: &TestEnv, template: &Value, more: &[&str]) -> (i32, Value) {
    let template = template.to_string();
    let args = [&["run", "--json", "--template", &template], more].concat();
    let outcome = env.materia(&args).run();
    (outcome.code(), outcome.json())
}

/// Runs a template with text output.
fn run_text(env: &TestEnv, template: &Value, more: &[&str]) -> TestOutput {
    let template = template.to_string();
    env.materia(&[&["run", "--template", &template], more].concat())
        .run()
}

/// One field of every entry of a list.
fn field_of_each(list: &Value, field: &str) -> Vec<Value> {
    list.as_array()
        .unwrap()
        .iter()
        .map(|entry| entry[field].clone())
        .collect()
}

#[test]
fn every_status_has_its_exit_code() {
    let env = TestEnv::new();
    let cases = [
        (json!("true"), "ok", 0, 0, 0),
        (json!("sh -c 'exit 3'"), "failed", 3, 1, 1),
        (json!(["false", "true"]), "degraded", 0, 0, 1),
        (json!(["false", "sh -c 'exit 4'"]), "failed", 1, 1, 1),
        (
            json!([{"failure": "branch", "template": "sh -c 'exit 5'"}, "true"]),
            "failed",
            5,
            1,
            1,
        ),
        (
            json!({"parallel": true, "template": ["true", "false"]}),
            "degraded",
            0,
            0,
            1,
        ),
        (
            json!({"parallel": true, "template": ["false", "false"]}),
            "failed",
            1,
            1,
            1,
        ),
        (json!("sh -c 'kill -9 $$'"), "failed", 137, 1, 1),
        (
            json!({"timeout": 100, "template": "sleep 30"}),
            "failed",
            124,
            1,
            1,
        ),
        (json!("no-such-program"), "failed", 127, 1, 1),
        (json!("./work"), "failed", 127, 1, 1),
        (json!("/"), "failed", 126, 1, 1),
        (json!({"when": "nope", "template": "false"}), "ok", 0, 0, 0),
        (
            json!(["true", {"when": "nope", "template": "false"}]),
            "ok",
            0,
            0,
            0,
        ),
    ];
    for (template, status, code, exit, strict) in cases {
        let (exited, document) = run_json(&env, &template, &[]);
        assert_has!(document, {"status": status, "code": code}, "{template}");
        assert_eq!(exited, exit, "{template}");
        assert_eq!(document["ok"], json!(status != "failed"), "{template}");
        assert_eq!(
            run_json(&env, &template, &["--strict"]).0,
            strict,
            "{template} --strict"
        );
    }
}

#[test]
fn the_report_has_exactly_the_documented_keys() {
    let env = TestEnv::new();
    let template = json!({"parallel": true, "template": ["echo hi", {"label": "bad", "template": "sh -c 'echo no >&2; exit 3'"}]});
    let (_, mut document) = run_json(&env, &template, &["--jobs", "1"]);
    for command in document["commands"].as_array_mut().unwrap() {
        assert!(command["durationMs"].is_u64());
        command["durationMs"] = json!(0);
    }
    let risk = document["warnings"][0].take();
    assert!(risk.as_str().unwrap().contains("sh"), "{risk}");
    let keys: Vec<String> = document.as_object().unwrap().keys().cloned().collect();
    assert_eq!(
        keys.join(" "),
        "ok status code output outputTruncated outputFile commands failures branches coverage warnings"
    );
    let argv = json!(["sh", "-c", "echo no >&2; exit 3"]);
    assert_eq!(
        document,
        json!({
            "ok": true, "status": "degraded", "code": 0,
            "output": "--- branch: branch 1 status: done ---\nhi\n\n--- branch: bad status: failed ---\nexit: 3\nstderr: no",
            "outputTruncated": false, "outputFile": null,
            "commands": [
                {"argv": ["echo", "hi"], "label": null, "code": 0, "signal": null, "timedOut": false, "attempt": 1, "durationMs": 0},
                {"argv": argv, "label": "bad", "code": 3, "signal": null, "timedOut": false, "attempt": 1, "durationMs": 0}
            ],
            "failures": [{"argv": argv, "label": "bad", "code": 3, "signal": null, "timedOut": false, "stderr": "no"}],
            "branches": [
                {"label": "branch 1", "status": "done", "code": 0, "stderr": ""},
                {"label": "bad", "status": "failed", "code": 3, "stderr": "no"}
            ],
            "coverage": {"done": 1, "failed": 1, "expected": 2, "coverage": 0.5, "degraded": true, "usable": true},
            "warnings": [null]
        })
    );
    assert_eq!(
        run_json(&env, &json!("true"), &[]).1["coverage"],
        Value::Null
    );
}

#[test]
fn text_output_has_the_output_on_stdout_and_failures_on_stderr() {
    let env = TestEnv::new();
    let cases = [
        json!("echo hi"),
        json!(["sh -c 'echo part; echo boom >&2; exit 3'", "echo went on"]),
        json!([{"label": "check", "failure": "branch", "template": "false"}, "echo never"]),
        json!({"timeout": 100, "template": "sleep 30"}),
        json!("sh -c 'kill -9 $$'"),
        json!("no-such-program --flag"),
        json!({"args": ["made:path"], "output": "made", "template": ["true"]}),
        json!([{"label": "group", "timeout": 50, "template": [{"delay": 60000, "template": "true"}]}, "echo on"]),
        json!({"parallel": true, "repeat": 23, "template": "sh -c 'exit {index+1}'"}),
    ];
    let transcripts: Vec<String> = cases
        .iter()
        .map(|template| run_text(&env, template, &["--jobs", "1", "made=no.txt"]).transcript())
        .collect();
    assert_snapshot!(transcripts.join("\n"));
}

#[test]
fn without_a_terminal_there_are_no_escape_codes() {
    let env = TestEnv::new();
    let outcome = run_text(
        &env,
        &json!(["false", {"parallel": true, "template": ["echo a", "sleep 0.3"]}]),
        &[],
    );
    assert!(
        !outcome.stderr.contains('\u{1b}') && !outcome.stdout.contains('\u{1b}'),
        "{}",
        outcome.transcript()
    );
    assert!(!outcome.stderr.contains("running"), "{}", outcome.stderr);
    let coloured = run_text(&env, &json!(["false", "true"]), &["--color", "always"]);
    assert!(coloured.stderr.contains('\u{1b}'));
}

#[test]
fn jobs_limits_the_whole_run() {
    let env = TestEnv::new();
    // `mkdir lock` fails if two commands run at the same time.
    let template =
        json!({"parallel": true, "repeat": 8, "template": "sh -c 'mkdir lock && rmdir lock'"});
    let (_, document) = run_json(&env, &template, &["--jobs", "1"]);
    assert_eq!(document["status"], "ok", "{document}");
    let wrong = env
        .materia(&["run", "--jobs", "0", "--template", "true"])
        .run();
    assert_eq!(wrong.code(), 2);
}

#[test]
fn concurrency_limits_one_node() {
    let env = TestEnv::new();
    let template = json!({"parallel": true, "concurrency": 1, "repeat": 5, "template": "sh -c 'mkdir lock && rmdir lock'"});
    assert_eq!(run_json(&env, &template, &[]).1["status"], "ok");
}
