//! What a control message may say about the run that it ends, moves away or removes.

use serde_json::json;

use super::refused;
use crate::house::House;

#[test]
fn what_is_not_understood_about_artifacts_removes_nothing() {
    let house = House::new();
    house.spawn("a", "true", &[]);
    house.wait("a");
    for body in [
        r#"{"preserve_artifacts": "yes"}"#,
        r#"{"preserve_artifacts": 1}"#,
        r#"{"preserve_artifacts": null}"#,
        r#"{"preserveArtifacts": "true"}"#,
        r#"{"generation": 7}"#,
        "preserve_artifacts",
        "[true]",
    ] {
        let outcome = house.send(&["run:a", "control.prune", body]);
        assert_eq!(
            refused(&outcome),
            (2, "invalid_message".to_owned()),
            "{body}"
        );
    }
    assert!(house.run_place("a").exists());
    house.sent(&["run:a", "control.prune", r#"{"preserveArtifacts": false}"#]);
}

#[test]
fn what_is_meant_for_another_generation_changes_nothing() {
    let house = House::new();
    let meant = |generation: &str| json!({"generation": generation}).to_string();
    let generation =
        |spawned: serde_json::Value| spawned["generation"].as_str().unwrap().to_owned();
    let first = generation(house.spawn("a", "true", &[]));
    house.wait("a");
    let second = generation(house.spawn("a", "sleep 600", &[]));
    for control in [
        "control.kill",
        "control.cancel",
        "control.archive",
        "control.prune",
    ] {
        let late = house.send(&["run:a", control, &meant(&first)]);
        assert_eq!(
            refused(&late),
            (4, "stale_generation".to_owned()),
            "{control}"
        );
    }
    assert_eq!(house.look("a").status.as_str(), "running");
    assert_eq!(
        house.sent(&["run:a", "control.kill", &meant(&second)])["status"],
        "killed"
    );
    house.sent(&["run:a", "control.archive", &meant(&second)]);
    for control in ["control.archive", "control.prune"] {
        let late = house.send(&["run:a", control, &meant(&first)]);
        assert_eq!(
            refused(&late),
            (4, "stale_generation".to_owned()),
            "{control}"
        );
        house.sent(&["run:a", control, &meant(&second)]);
    }
}
