//! Steps that read the output of earlier stages (R7): complete files that are removed afterwards.

use crate::test_env::TestEnv;

#[test]
fn r7_later_steps_read_the_exact_output_of_stages() {
    let env = TestEnv::new();
    let recipe = r#"{"template": [
        {"stage": "small", "template": "printf 'a\\n'"},
        {"stage": "large", "template": "head -c 300000 /dev/zero"},
        {"stage": "broken", "template": "sh -c 'echo lost; exit 3'"},
        {"stage": "off", "when": false, "template": "echo never"},
        {"parallel": true, "stage": "both", "template": [{"label": "one", "template": "echo 1"}, "cat {stages.small}"]},
        "wc -c {stages.small} {stages.large} {stages.broken} {stages.off}",
        "cat - {stages.both} {stages.one}"
    ]}"#;
    env.write("r.json", recipe);
    let outcome = env.materia(&["run", "--file", "r.json"]).run();
    let counts: Vec<&str> = outcome
        .stdout
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(
        &counts[..5],
        ["2", "300000", "0", "0", "300002"],
        "{}",
        outcome.transcript()
    );
    assert!(
        outcome
            .stdout
            .contains("--- branch: one status: done ---\n1\n"),
        "{}",
        outcome.transcript()
    );
    assert!(
        outcome.stdout.ends_with("a\n\n1\n") || outcome.stdout.ends_with("a\n1\n"),
        "{}",
        outcome.transcript()
    );
    let names: Vec<_> = std::fs::read_dir(env.work_dir())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["r.json"], "the files of the stages must be removed");
}

#[test]
fn r7_a_reference_to_an_unknown_stage_is_refused() {
    let env = TestEnv::new();
    let late = r#"["touch ran", {"stage": "late", "template": "echo"}, "cat {stages.lat}"]"#;
    let outcome = env.materia(&["run", "--template", late]).run();
    assert_eq!(outcome.code(), 2);
    assert!(
        outcome.stderr.contains("did you mean {stages.late}?"),
        "{}",
        outcome.transcript()
    );
    assert!(!env.work_dir().join("ran").exists());
}

#[test]
fn a_packaged_pipeline_shows_all_its_stages() {
    let env = TestEnv::new();
    env
        .shell(
            "git init -q -b main . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first",
        )
        .run()
        .ok();
    let outcome = env.materia(&["run", "pipeline-git-glance"]).run().ok();
    assert!(
        outcome.stdout.starts_with("## main\n") && outcome.stdout.ends_with("first\n"),
        "{}",
        outcome.transcript()
    );
}
