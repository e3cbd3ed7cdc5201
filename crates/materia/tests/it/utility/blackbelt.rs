//! `blackbelt-bootstrap` and `blackbelt-maintain`: without jj for real; the calls and their order
//! with a stand-in that writes down what it is told.

use serde_json::{Value, json};

use super::{git, utility};
use crate::test_env::{TestEnv, TestOutput};

/// A `jj` that logs its words and obeys marker files: `norepo`, `dirty`, and `fail-WORD` for a call
/// with that word.
const STAND_IN: &str = r#"#!/bin/sh
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

fn with_stand_in(markers: &[&str]) -> TestEnv {
    let env = TestEnv::new();
    env.write("bin/jj", STAND_IN);
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
    let call = env.materia(&["utility", name]).stdin(input.to_string());
    call.env("PATH", env.work_dir().join("nobin")).run()
}

/// What the stand-in was told so far.
fn told(env: &TestEnv) -> Vec<String> {
    let log = std::fs::read_to_string(env.work_dir().join("jj.log")).unwrap_or_default();
    log.lines().map(str::to_owned).collect()
}

fn item(title: &str) -> Value {
    json!({"item": {"title": title}, "state": {"blackbeltBootstrap": {"bookmarkName": "blackbelt/q"}}})
}

#[test]
fn without_jj_bootstrap_fails_with_its_payload_and_changes_nothing() {
    let env = TestEnv::new();
    git(&env, "init");
    for json_voice in [false, true] {
        let args: &[&str] = &["utility", "blackbelt-bootstrap", "--json"];
        let call = env
            .materia(&args[..if json_voice { 3 } else { 2 }])
            .stdin("{\"castId\": \"test\"}");
        let outcome = call.env("PATH", env.work_dir().join("nobin")).run();
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
fn without_jj_or_a_repository_maintain_is_not_satisfied_and_sends_to_bootstrap() {
    let env = TestEnv::new();
    let outcome = without_jj(&env, "blackbelt-maintain", &item("feat: x")).ok();
    let context = "`jj` was not found on PATH: install it, then run Blackbelt-Bootstrap first. [bookmark: blackbelt/q]";
    assert_eq!(
        outcome.json(),
        json!({"satisfied": false, "context": context})
    );
    assert_eq!(outcome.stderr, "");

    let env = with_stand_in(&["norepo", "dirty"]);
    let result = run(&env, "blackbelt-maintain", &item("feat: x"))
        .ok()
        .json();
    let context =
        "This is no jj repository: run Blackbelt-Bootstrap first. [bookmark: blackbelt/q]";
    assert_eq!(result, json!({"satisfied": false, "context": context}));
    assert_eq!(told(&env), ["root"]);
}

#[test]
fn bootstrap_makes_a_repository_a_commit_and_a_bookmark_in_this_order() {
    let env = with_stand_in(&["norepo", "dirty", "fail-set", "fail-create"]);
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
    assert_eq!(told(&env), calls);
    assert_eq!(outcome.stderr, "");
}

#[test]
fn a_repository_that_is_ready_only_gets_its_bookmark() {
    let env = with_stand_in(&[]);
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
    assert_eq!(told(&env), calls);
    let input = json!({"params": {"bookmarkName": "Feature Name.lock"}});
    let report =
        run(&env, "blackbelt-bootstrap", &input).ok().json()["state"]["blackbeltBootstrap"].take();
    assert_eq!(report["bookmarkName"], "blackbelt/feature-name-lock");
}

#[test]
fn beside_git_the_mode_is_left_to_jj() {
    let env = with_stand_in(&["norepo"]);
    git(&env, "init");
    let outcome = run(&env, "blackbelt-bootstrap", &json!({})).ok();
    assert_eq!(told(&env)[1], "git init");
    assert!(
        outcome.stderr.contains("beside an existing .git"),
        "{}",
        outcome.stderr
    );
}

#[test]
fn a_bootstrap_that_fails_says_what_jj_said() {
    for (markers, said) in [
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
        let env = with_stand_in(markers);
        let outcome = run(
            &env,
            "blackbelt-bootstrap",
            &json!({"params": {"bookmarkName": "mine"}}),
        );
        assert_eq!(outcome.code(), 1, "{}", outcome.transcript());
        let report = outcome.json()["state"]["blackbeltBootstrap"].take();
        assert_eq!(report["ok"], false);
        assert!(report["error"].as_str().unwrap().contains(said), "{report}");
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
    }
    let env = with_stand_in(&[]);
    for name in [json!(7), json!("x".repeat(300))] {
        let outcome = run(
            &env,
            "blackbelt-bootstrap",
            &json!({"params": {"bookmarkName": name}}),
        );
        assert_eq!(outcome.code(), 2, "{}", outcome.transcript());
    }
    assert!(told(&env).is_empty());
}

#[test]
fn maintain_describes_moves_and_opens_in_this_order() {
    for (title, message) in [
        ("feat: x", "describe -m feat: x"),
        ("--help", "describe --message=--help"),
    ] {
        let env = with_stand_in(&["dirty"]);
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
        assert_eq!(told(&env), calls);
        let again = run(&env, "blackbelt-maintain", &item(title)).ok().json();
        assert_eq!(again["satisfied"], true);
        assert_eq!(
            told(&env)[5..],
            ["root", "diff --summary"],
            "there are no empty checkpoints"
        );
    }
}

#[test]
fn maintain_asks_jj_nothing_without_a_bookmark_or_a_title() {
    let env = with_stand_in(&["dirty"]);
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
    assert!(told(&env).is_empty());
}

#[test]
fn what_jj_refuses_is_not_satisfied() {
    for (marker, said, last) in [
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
        let env = with_stand_in(&["dirty", marker]);
        let result = run(&env, "blackbelt-maintain", &item("x")).ok().json();
        let context = result["context"].as_str().unwrap();
        assert!(
            result["satisfied"] == false && context.contains(said),
            "{marker}: {context}"
        );
        assert!(context.ends_with("[bookmark: blackbelt/q]"), "{context}");
        assert_eq!(told(&env).last().unwrap(), last);
    }
    let env = TestEnv::new();
    assert_eq!(utility(&env, "blackbelt-maintain", &json!([])).code(), 2);
}
