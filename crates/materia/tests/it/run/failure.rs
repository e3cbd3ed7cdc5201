//! Failures: scopes, retries, recoveries, deadlines, quorums, cancelled branches.

use super::*;

/// A command that waits until all these files exist, then runs `then`.
fn wait_for_files(files: &[&str], then: &str) -> String {
    let tests: Vec<String> = files.iter().map(|file| format!("test -e {file}")).collect();
    format!(
        "sh -c 'until {}; do sleep 0.01; done; {then}'",
        tests.join(" && ")
    )
}

/// A command that creates the file `ready` and runs until SIGTERM, then runs `then`.
fn until_sigterm(ready: &str, then: &str) -> String {
    format!("sh -c 'trap \"{then}\" TERM; touch {ready}; while :; do sleep 0.01; done'")
}

#[test]
fn after_a_root_failure_nothing_else_starts() {
    let env = TestEnv::new();
    let template = json!({"parallel": true, "concurrency": 2, "template": [
        "sleep 30", {"failure": "root", "template": "sh -c 'echo no >&2; exit 3'"}, "touch third", "touch fourth"
    ]});
    let (exit, document) = run_json(&env, &template, &[]);
    assert_eq!(exit, 1);
    assert_has!(document, {"code": 3, "status": "failed"});
    let statuses = ["cancelled", "failed", "cancelled", "cancelled"];
    assert_eq!(field_of_each(&document["branches"], "status"), statuses);
    assert_eq!(field_of_each(&document["failures"], "code"), [3]);
    assert!(!env.work_dir().join("third").exists() && !env.work_dir().join("fourth").exists());
}

#[test]
fn a_root_failure_stops_every_level_at_once() {
    let env = TestEnv::new();
    // The inner sibling exits only after the outer one, so the run must not wait for it first.
    let inner = json!({"parallel": true, "template": [
        {"failure": "root", "template": wait_for_files(&["one", "two"], "exit 1")},
        until_sigterm("one", "until test -e gone; do sleep 0.01; done; exit 0"),
    ]});
    let template = json!({"parallel": true, "concurrency": 2, "template": [
        {"template": ["true", inner]}, until_sigterm("two", "touch gone; exit 0"), "touch never"
    ]});
    let (exit, document) = run_json(&env, &template, &[]);
    assert_eq!(exit, 1);
    assert_eq!(document["code"], 1);
    assert!(
        field_of_each(&document["commands"], "signal")
            .iter()
            .all(Value::is_null),
        "a command was killed: {document}"
    );
    assert!(!env.work_dir().join("never").exists());
}

#[test]
fn a_group_with_a_root_failure_is_retried_first() {
    let env = TestEnv::new();
    let once = "sh -c 'if test ! -e tried; then touch tried; exit 1; fi'";
    let group = json!({"retry": 2, "parallel": true, "template": [{"failure": "root", "template": once}, until_sigterm("x", "exit 0")]});
    let second = json!({"retry": 2, "parallel": true, "template": [{"failure": "root", "template": once}, "true"]});
    let (_, document) = run_json(
        &env,
        &json!({"parallel": true, "template": [second, "true"]}),
        &[],
    );
    assert_eq!(document["status"], "ok", "{document}");
    assert_eq!(document["failures"], json!([]));
    assert_eq!(document["coverage"]["expected"], 4, "{document}");
    std::fs::remove_file(env.work_dir().join("tried")).unwrap();
    // The second attempt never ends by itself; only the deadline of the outer node ends it.
    let (exit, document) = run_json(&env, &json!({"timeout": 1000, "template": [group]}), &[]);
    assert_eq!(exit, 1, "{document}");
    assert_eq!(document["code"], 124, "{document}");
    assert!(field_of_each(&document["commands"], "attempt").contains(&json!(2)));
}

#[test]
fn a_failed_branch_does_not_stop_its_siblings() {
    let env = TestEnv::new();
    let template = json!({"parallel": true, "template": [
        {"label": "a", "failure": "branch", "template": ["false", "touch never"]}, wait_for_files(&["late"], "echo b"), "touch late"
    ]});
    let (exit, document) = run_json(&env, &template, &[]);
    assert_eq!(exit, 0);
    assert_eq!(document["status"], "degraded");
    assert_eq!(
        field_of_each(&document["branches"], "status"),
        ["failed", "done", "done"]
    );
    assert!(!env.work_dir().join("never").exists());
}

#[test]
fn attempts_are_counted_and_only_the_last_one_matters() {
    let env = TestEnv::new();
    let third = "sh -c 'echo x >> tries; test $(wc -l < tries) -ge 3'";
    let (exit, document) = run_json(
        &env,
        &json!(["echo in", {"retry": 5, "template": third}]),
        &[],
    );
    assert_eq!(exit, 0);
    assert_has!(document, {"status": "ok", "failures": []});
    assert_eq!(
        field_of_each(&document["commands"], "attempt"),
        [1, 1, 2, 3]
    );
    assert_eq!(field_of_each(&document["commands"], "code"), [0, 1, 1, 0]);

    let group = json!({"failure": "branch", "retry": 2, "template": ["true", "false"]});
    let (exit, document) = run_json(&env, &group, &[]);
    assert_eq!(exit, 1);
    assert_eq!(document["code"], 1);
    assert_eq!(
        field_of_each(&document["commands"], "attempt"),
        [1, 1, 2, 2].map(Value::from).to_vec()
    );
    assert_eq!(
        document["failures"].as_array().unwrap().len(),
        1,
        "only the last attempt counts: {document}"
    );
}

#[test]
fn recovery_gets_the_failed_output_and_the_retry_the_input() {
    let env = TestEnv::new();
    let attempt = "sh -c 'cat >> seen; echo half; test -e recovered'";
    let template = json!(["printf in,", {"retry": 2, "recover": "sh -c 'cat > recovered'", "template": attempt}]);
    let (exit, document) = run_json(&env, &template, &[]);
    assert_eq!(exit, 0);
    assert_has!(document, {"status": "ok", "output": "half\n"});
    assert_eq!(
        (env.read("seen").as_str(), env.read("recovered").as_str()),
        ("in,in,", "half\n")
    );
    assert_eq!(
        field_of_each(&document["commands"], "attempt"),
        [1, 1, 1, 2]
    );
}

#[test]
fn a_failed_recovery_fails_the_node_and_stops_the_run() {
    let env = TestEnv::new();
    let template =
        json!([{"retry": 5, "recover": "sh -c 'exit 9'", "template": "false"}, "touch never"]);
    let (exit, document) = run_json(&env, &template, &[]);
    assert_eq!(exit, 1);
    assert_eq!(document["code"], 9);
    assert_eq!(field_of_each(&document["failures"], "code"), [1, 9]);
    assert_eq!(document["commands"].as_array().unwrap().len(), 2);
    assert!(!env.work_dir().join("never").exists());
}

#[test]
fn a_successful_recovery_does_not_count_as_success() {
    let env = TestEnv::new();
    let template = json!(["false", {"retry": 2, "recover": "true", "template": "false"}]);
    assert_eq!(run_json(&env, &template, &[]).1["status"], "failed");
}

#[test]
fn the_deadline_of_the_attempts_does_not_include_recovery() {
    let env = TestEnv::new();
    let template = json!({"retry": 2, "timeout": 500, "recover": "sh -c 'sleep 0.7; touch recovered'",
        "template": ["sh -c 'test -e recovered || exec sleep 30; echo good'"]});
    let (exit, document) = run_json(&env, &template, &[]);
    assert_eq!(exit, 0, "{document}");
    assert_has!(document, {"status": "ok", "output": "good\n"});
    assert_eq!(
        field_of_each(&document["commands"], "timedOut"),
        [true, false, false]
    );
}

#[test]
fn an_outer_deadline_ends_retries() {
    let env = TestEnv::new();
    let inner =
        json!({"retry": 1_000_000, "recover": "true", "template": "sh -c 'sleep 0.02; exit 1'"});
    let (exit, document) = run_json(&env, &json!({"timeout": 400, "template": [inner]}), &[]);
    assert_eq!(exit, 1);
    assert_has!(document, {"code": 124, "status": "failed"});
    assert!(
        field_of_each(&document["failures"], "timedOut").contains(&json!(true)),
        "{}",
        document["failures"]
    );
}

#[test]
fn a_deadline_while_no_command_runs_is_a_failure() {
    let env = TestEnv::new();
    let waits = json!({"label": "group", "timeout": 50, "template": [{"delay": 60000, "template": "touch never"}]});
    let (exit, document) = run_json(&env, &json!([waits, "echo on"]), &[]);
    assert_eq!(exit, 0);
    assert_has!(document, {"status": "degraded", "output": "on\n"});
    let failure = json!([{"argv": [], "label": "group", "code": 124, "signal": null, "timedOut": true, "stderr": "it took longer than 50 ms"}]);
    assert_eq!(document["failures"], failure);
}

#[test]
fn a_timeout_uses_the_failure_scope_of_its_own_node() {
    let env = TestEnv::new();
    let group = |failure| json!({"timeout": 100, "failure": failure, "template": [{"failure": "root", "template": "sleep 30"}]});
    let (_, continued) = run_json(&env, &json!([group("continue"), "echo on"]), &[]);
    assert_has!(continued, {"status": "degraded", "output": "on\n"});
    let (_, stopped) = run_json(&env, &json!([group("root"), "touch never"]), &[]);
    assert_has!(stopped, {"status": "failed", "code": 124});
    assert!(!env.work_dir().join("never").exists());
}

#[test]
fn a_timeout_is_a_failure_even_if_the_command_exits_with_0() {
    let env = TestEnv::new();
    let polite = "sh -c 'trap \"exit 0\" TERM; while :; do sleep 0.01; done'";
    let (_, document) = run_json(
        &env,
        &json!({"parallel": true, "template": [{"timeout": 100, "template": polite}, "true"]}),
        &[],
    );
    assert_eq!(
        field_of_each(&document["branches"], "status"),
        ["timeout", "done"]
    );
    assert_eq!(field_of_each(&document["branches"], "code"), [124, 0]);
    assert!(
        document["output"]
            .as_str()
            .unwrap()
            .contains("status: timeout ---\nexit: 124\n"),
        "{document}"
    );
}

#[test]
fn a_quorum_counts_successes_only() {
    let env = TestEnv::new();
    let quorum = |min_successful: usize| {
        json!([{"parallel": true, "min_successful": min_successful, "template": [
        "true", "false", "true", {"when": "nope", "template": "true"}
    ]}, "echo on"])
    };
    assert_eq!(run_json(&env, &quorum(2), &[]).1["output"], "on\n");
    let (_, reached) = run_json(
        &env,
        &json!({"parallel": true, "min_successful": 2, "template": ["true", "true", "false"]}),
        &[],
    );
    assert_has!(reached, {"status": "degraded", "coverage": {"coverage": 2.0 / 3.0}});
    let (exit, missed) = run_json(&env, &quorum(3)[0], &[]);
    assert_eq!(exit, 1);
    assert_has!(missed, {"status": "failed", "code": 1});
    assert_eq!(
        missed["coverage"]["expected"], 3,
        "a skipped branch does not count"
    );
    let retried = json!({"retry": 2, "parallel": true, "min_successful": 1, "template": ["sh -c 'if test ! -e t; then touch t; exit 1; fi'"]});
    assert_eq!(run_json(&env, &retried, &[]).1["status"], "ok");
}

#[test]
fn coverage_counts_the_branches_of_every_level() {
    let env = TestEnv::new();
    let template = json!({"parallel": true, "template": [{"label": "in", "parallel": true, "template": ["true", "false"]}, "true"]});
    let (_, document) = run_json(&env, &template, &[]);
    assert_eq!(
        field_of_each(&document["branches"], "label"),
        ["branch 1", "branch 2", "in", "branch 2"]
    );
    assert_has!(document["coverage"], {"done": 3, "expected": 4});
}

#[test]
fn a_missing_output_file_is_a_failure() {
    let env = TestEnv::new();
    let node = |make: &str| json!({"args": ["file:path"], "output": "file", "retry": 2, "template": [make]});
    let (exit, document) = run_json(&env, &node("true"), &["file=here.txt"]);
    assert_eq!(exit, 1);
    assert_eq!(document["status"], "failed");
    assert!(
        document["failures"].to_string().contains("here.txt"),
        "{document}"
    );
    assert_eq!(field_of_each(&document["commands"], "attempt"), [1, 2]);
    let (_, document) = run_json(&env, &node("touch {file}"), &["file=here.txt"]);
    assert_has!(document, {"status": "ok", "output": "here.txt"});
    let (_, text) = run_json(
        &env,
        &json!({"output": "in {file}", "template": "echo other"}),
        &["file=here.txt"],
    );
    assert_eq!(text["output"], "in here.txt");
}
