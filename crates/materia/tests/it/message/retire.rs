//! The bodies of control messages that end, archive or remove a run.

use serde_json::json;

use super::assert_refused;
use crate::test_env::TestEnv;

#[test]
fn a_prune_with_an_invalid_body_removes_nothing() {
    let env = TestEnv::new();
    env.spawn("a", "true", &[]);
    env.wait("a");
    for body in [
        r#"{"preserve_artifacts": "yes"}"#,
        r#"{"preserve_artifacts": 1}"#,
        r#"{"preserve_artifacts": null}"#,
        r#"{"preserveArtifacts": "true"}"#,
        r#"{"generation": 7}"#,
        "preserve_artifacts",
        "[true]",
    ] {
        let outcome = env.send(&["run:a", "control.prune", body]);
        assert_refused(&outcome, 2, "invalid_message");
    }
    assert!(env.run_dir("a").exists());
    env.send_ok(&["run:a", "control.prune", r#"{"preserveArtifacts": false}"#]);
}

#[test]
fn a_control_for_another_generation_is_refused() {
    let env = TestEnv::new();
    let for_generation = |generation: &str| json!({"generation": generation}).to_string();
    let generation =
        |spawned: serde_json::Value| spawned["generation"].as_str().unwrap().to_owned();
    let first = generation(env.spawn("a", "true", &[]));
    env.wait("a");
    let second = generation(env.spawn("a", "sleep 600", &[]));
    for control in [
        "control.kill",
        "control.cancel",
        "control.archive",
        "control.prune",
    ] {
        let late = env.send(&["run:a", control, &for_generation(&first)]);
        assert_refused(&late, 4, "stale_generation");
    }
    assert_eq!(env.run_state("a").status.as_str(), "running");
    assert_eq!(
        env.send_ok(&["run:a", "control.kill", &for_generation(&second)])["status"],
        "killed"
    );
    env.send_ok(&["run:a", "control.archive", &for_generation(&second)]);
    for control in ["control.archive", "control.prune"] {
        let late = env.send(&["run:a", control, &for_generation(&first)]);
        assert_refused(&late, 4, "stale_generation");
        env.send_ok(&["run:a", control, &for_generation(&second)]);
    }
}
