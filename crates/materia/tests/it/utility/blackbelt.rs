//! `blackbelt-bootstrap` and `blackbelt-maintain`, without jj and with a fake that logs its calls.

use serde_json::{Value, json};

use super::{git, utility};
use crate::test_env::{TestEnv, TestOutput};

/// A fake `jj` that logs its arguments. Marker files control it: `norepo`, `dirty`, and `fail-WORD`,
/// which fails calls with that argument.
const FAKE_JJ: &str = r#"#!/bin/sh
echo "$*" >>jj.log
for word in "$@"; do
  [ -e "fail-$word" ] && { echo "refused  $word" >&2; exit 3; }
done
case "$1" in
  root) [ -e norepo ] && { echo 'Error: There is no jj repo in "."' >&2; exit 1; }; pwd ;;
  git) [ -e stays ] || rm -f norepo ;;
  diff) [ -e dirty ] && echo 'M file.txt' ;;
  new) rm -f dirty ;;
esac
exit 0
"#;

fn env_with_fake_jj(markers: &[&str]) -> TestEnv {
    let env = TestEnv::new();
    env.write("bin/jj", FAKE_JJ);
    env.shell("chmod +x bin/jj").run().ok();
    for marker in markers {
        env.write(marker, "");
    }
    env
}

fn run(env: &TestEnv, name: &str, input: &Value) -> TestOutput {
    let path = format!(
        "{}/bin:/usr/local/bin:/usr/bin:/bin",
        env.work_dir().display()
    );
    env.materia(&["utility", name])
        .stdin(input.to_string())
        .env("PATH", path)
        .run()
}

fn without_jj(env: &TestEnv, name: &str, input: &Value) -> TestOutput {
    let command = env.materia(&["utility", name]).stdin(input.to_string());
    command.env("PATH", env.work_dir().join("nobin")).run()
}

/// The calls of the fake so far.
fn jj_calls(env: &TestEnv) -> Vec<String> {
    let log = std::fs::read_to_string(env.work_dir().join("jj.log")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}

fn item(title: &str) -> Value {
    json!({"item": {"title": title}, "state": {"blackbeltBootstrap": {"bookmarkName": "blackbelt/q"}}})
}

#[test]
fn without_jj_bootstrap_fails_and_changes_nothing() {
    let env = TestEnv::new();
    git(&env, "init");
    for json in [false, true] {
        let args: &[&str] = &["utility", "blackbelt-bootstrap", "--json"];
        let command = env
            .materia(&args[..if json { 3 } else { 2 }])
            .stdin("{\"castId\": \"test\"}");
        let outcome = command.env("PATH", env.work_dir().join("nobin")).run();
        assert_eq!(outcome.code(), 1);
        let expected = json!({"state": {"blackbeltBootstrap": {
            "ok": false, "error": "`jj` was not found on PATH", "available": {"jj": false}, "initialized": false,
            "newWorkingCommit": false, "root": null, "emptyHead": false}}});
        assert_eq!(outcome.json(), expected);
        assert!(
            outcome.stderr.contains("error: `jj` was not found on PATH"),
            "{}",
            outcome.stderr
        );
    }
    assert!(!env.work_dir().join(".jj").exists());
}

#[test]
fn without_jj_or_a_repository_maintain_is_not_satisfied() {
    let env = TestEnv::new();
    let outcome = without_jj(&env, "blackbelt-maintain", &item("feat: x")).ok();
    let context = "`jj` was not found on PATH: install it, then run Blackbelt-Bootstrap first. [bookmark: blackbelt/q]";
    assert_eq!(
        outcome.json(),
        json!({"satisfied": false, "context": context})
    );
    assert_eq!(outcome.stderr, "");

    let env = env_with_fake_jj(&["norepo", "dirty"]);
    let result = run(&env, "blackbelt-maintain", &item("feat: x"))
        .ok()
        .json();
    let context =
        "This is no jj repository: run Blackbelt-Bootstrap first. [bookmark: blackbelt/q]";
    assert_eq!(result, json!({"satisfied": false, "context": context}));
    assert_eq!(jj_calls(&env), ["root"]);
}

#[test]
fn bootstrap_creates_a_repository_a_commit_and_a_bookmark() {
    let env = env_with_fake_jj(&["norepo", "dirty", "fail-set", "fail-create"]);
    let outcome = run(&env, "blackbelt-bootstrap", &json!({"castId": "test"})).ok();
    let report = &outcome.json()["state"]["blackbeltBootstrap"];
    let name = report["bookmarkName"].as_str().unwrap();
    assert!(
        name.starts_with("blackbelt/") && name.ends_with("-9f86d08188"),
        "{name}"
    );
    let expected = json!({"ok": true, "root": "[ROOT]/project", "available": {"jj": true}, "initialized": true,
        "newWorkingCommit": true, "emptyHead": true, "bookmarkName": name});
    assert_eq!(*report, expected);
    let calls = [
        "root".to_owned(),
        "git init --config=git.colocate=false".to_owned(),
        "root".to_owned(),
        "diff --summary".to_owned(),
        "new".to_owned(),
        format!("bookmark set {name} --revision @"),
        format!("bookmark create {name} --revision @"),
        format!("bookmark move {name} --to @"),
    ];
    assert_eq!(jj_calls(&env), calls);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn an_existing_repository_only_gets_a_bookmark() {
    let env = env_with_fake_jj(&[]);
    let input = json!({"castId": " ", "runDir": "/r", "params": {"bookmarkName": "  "}});
    let report =
        run(&env, "blackbelt-bootstrap", &input).ok().json()["state"]["blackbeltBootstrap"].take();
    assert_has!(report, {"initialized": false, "newWorkingCommit": false});
    let name = report["bookmarkName"].as_str().unwrap();
    assert!(name.ends_with("-6588117f7b"), "{name}");
    let calls = [
        "root",
        "diff --summary",
        &format!("bookmark set {name} --revision @"),
    ];
    assert_eq!(jj_calls(&env), calls);
    let input = json!({"params": {"bookmarkName": "Feature Name.lock"}});
    let report =
        run(&env, "blackbelt-bootstrap", &input).ok().json()["state"]["blackbeltBootstrap"].take();
    assert_eq!(report["bookmarkName"], "blackbelt/feature-name-lock");
}

#[test]
fn in_a_git_repository_jj_chooses_the_mode() {
    let env = env_with_fake_jj(&["norepo"]);
    git(&env, "init");
    let outcome = run(&env, "blackbelt-bootstrap", &json!({})).ok();
    assert_eq!(jj_calls(&env)[1], "git init");
    assert!(
        outcome.stderr.contains("beside an existing .git"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_failed_bootstrap_reports_the_error_of_jj() {
    for (markers, message) in [
        (
            &["norepo", "fail-init"][..],
            "`jj git init` failed (exit code 3): refused init",
        ),
        (&["norepo", "stays"], "there is still no repository"),
        (
            &["fail-diff"],
            "`jj diff --summary` failed (exit code 3): refused diff",
        ),
        (
            &["dirty", "fail-new"],
            "`jj new` failed (exit code 3): refused new",
        ),
        (
            &["fail-bookmark"],
            "`jj bookmark set blackbelt/mine` failed (exit code 3): refused bookmark",
        ),
    ] {
        let env = env_with_fake_jj(markers);
        let outcome = run(
            &env,
            "blackbelt-bootstrap",
            &json!({"params": {"bookmarkName": "mine"}}),
        );
        assert_eq!(outcome.code(), 1, "{}", outcome.transcript());
        let report = outcome.json()["state"]["blackbeltBootstrap"].take();
        assert_eq!(report["ok"], false);
        assert!(
            report["error"].as_str().unwrap().contains(message),
            "{report}"
        );
        assert!(outcome.stderr.contains(message), "{}", outcome.stderr);
    }
    let env = env_with_fake_jj(&[]);
    for name in [json!(7), json!("x".repeat(300))] {
        let outcome = run(
            &env,
            "blackbelt-bootstrap",
            &json!({"params": {"bookmarkName": name}}),
        );
        assert_eq!(outcome.code(), 2, "{}", outcome.transcript());
    }
    assert!(jj_calls(&env).is_empty());
}

#[test]
fn maintain_describes_moves_the_bookmark_and_opens_a_commit() {
    for (title, message) in [
        ("feat: x", "describe -m feat: x"),
        ("--help", "describe --message=--help"),
    ] {
        let env = env_with_fake_jj(&["dirty"]);
        let result = run(&env, "blackbelt-maintain", &item(title)).ok().json();
        let context = format!("Checkpoint: {title} [bookmark: blackbelt/q]");
        assert_eq!(result, json!({"satisfied": true, "context": context}));
        let calls = [
            "root",
            "diff --summary",
            message,
            "bookmark set blackbelt/q --revision @",
            "new",
        ];
        assert_eq!(jj_calls(&env), calls);
        let again = run(&env, "blackbelt-maintain", &item(title)).ok().json();
        assert_eq!(again["satisfied"], true);
        assert_eq!(
            jj_calls(&env)[5..],
            ["root", "diff --summary"],
            "an empty checkpoint must not be created"
        );
    }
}

#[test]
fn without_a_bookmark_or_a_title_maintain_does_not_call_jj() {
    let env = env_with_fake_jj(&["dirty"]);
    for state in [
        json!({}),
        json!(null),
        json!({"blackbeltBootstrap": {"bookmarkName": " "}}),
    ] {
        let result = run(
            &env,
            "blackbelt-maintain",
            &json!({"item": {"title": "x"}, "state": state}),
        )
        .ok()
        .json();
        assert_eq!(result["satisfied"], false);
        let context = result["context"].as_str().unwrap();
        assert!(
            context.contains("Blackbelt-Bootstrap") && !context.contains("[bookmark"),
            "{context}"
        );
    }
    for (title, bookmark) in [
        (json!(" "), "blackbelt/q"),
        (json!(null), "blackbelt/q"),
        (json!("x"), "--help"),
    ] {
        let state = json!({"blackbeltBootstrap": {"bookmarkName": bookmark}});
        let input = json!({"item": {"title": title}, "state": state});
        let result = run(&env, "blackbelt-maintain", &input).ok().json();
        assert_eq!(result["satisfied"], false);
        assert!(
            result["context"]
                .as_str()
                .unwrap()
                .ends_with(&format!("[bookmark: {bookmark}]")),
            "{result}"
        );
    }
    assert!(jj_calls(&env).is_empty());
}

#[test]
fn if_jj_fails_maintain_is_not_satisfied() {
    for (marker, message, last) in [
        ("fail-diff", "`jj diff --summary` failed", "diff --summary"),
        ("fail-describe", "`jj describe -m` failed", "describe -m x"),
        (
            "fail-bookmark",
            "`jj bookmark set blackbelt/q` failed",
            "bookmark move blackbelt/q --to @",
        ),
        (
            "fail-new",
            "`jj new` failed (exit code 3): refused new [bookmark: blackbelt/q]",
            "new",
        ),
    ] {
        let env = env_with_fake_jj(&["dirty", marker]);
        let result = run(&env, "blackbelt-maintain", &item("x")).ok().json();
        let context = result["context"].as_str().unwrap();
        assert!(
            result["satisfied"] == false && context.contains(message),
            "{marker}: {context}"
        );
        assert!(context.ends_with("[bookmark: blackbelt/q]"), "{context}");
        assert_eq!(jj_calls(&env).last().unwrap(), last);
    }
    let env = TestEnv::new();
    assert_eq!(utility(&env, "blackbelt-maintain", &json!([])).code(), 2);
}
