//! Utilities of the library: recipes with one deterministic step, and the steps themselves.

use serde_json::{Value, json};

use super::LibraryHarness;
use crate::test_env::TestEnv;

fn parse_json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn git_and_changelog_utilities() {
    let harness = LibraryHarness::new();
    let env = &harness.env;
    env.write(
        "CHANGELOG.md",
        "# C\n\n## [1.1.0]\n\n- b\n\n## [1.0.0]\n\n- a\n",
    );
    env.shell(
        "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm first",
    )
    .run()
    .ok();
    env.write("new.txt", "");
    assert!(
        harness
            .run("utility-git-status", &[])
            .contains("?? new.txt")
    );
    assert!(harness.run("utility-git-log", &[]).contains("first"));
    assert!(
        harness
            .run("utility-changelog-head", &[])
            .starts_with("# C\n")
    );
    assert_eq!(
        harness.run("utility-changelog-section", &[]),
        "## [1.1.0]\n\n- b\n"
    );
    assert_eq!(
        harness.run("utility-changelog-section", &["version=1.0.0"]),
        "## [1.0.0]\n\n- a\n"
    );
    let missing = harness
        .materia(&["run", "utility-changelog-section", "version=9"])
        .run();
    assert!(
        missing.code() != 0 && missing.stderr.contains("[1.1.0]"),
        "{}",
        missing.transcript()
    );
}

#[test]
fn package_skill_and_document_summaries() {
    let harness = LibraryHarness::new();
    harness.env.write(
        "package.json",
        r#"{"name": "n", "version": "1.0.0", "scripts": {"test": "x"}}"#,
    );
    let package = parse_json(&harness.run("utility-package-summary", &[]));
    assert_has!(package, {"name": "n", "scripts": ["test"]});
    assert_eq!(
        parse_json(&harness.run("utility-skill-summary", &[]))["count"],
        0
    );
    harness.env.write("SKILL.md", "---\nname: s\n---\n# S\n");
    assert_eq!(
        parse_json(&harness.run("utility-skill-summary", &[]))["skills"][0]["name"],
        "s"
    );
    harness.env.write("docs/a.md", "# Alpha\n");
    harness.env.write("docs/deep/b.md", "no title\n");
    let index = harness.run("utility-markdown-index", &["directory=docs"]);
    assert_eq!(
        index,
        "# Documents\n\n- a.md: Alpha (1 lines)\n- deep/b.md: (no title) (1 lines)\n"
    );
    let gone = harness
        .materia(&["run", "utility-markdown-index", "directory=none"])
        .run();
    assert!(
        gone.code() != 0 && gone.stderr.contains("cannot be read"),
        "{}",
        gone.transcript()
    );
}

#[test]
fn playlists_in_three_formats() {
    let harness = LibraryHarness::new();
    let music = harness.env.home().join("Music");
    std::fs::create_dir_all(music.join("a/b")).unwrap();
    for file in ["one.mp3", "a/two.OGG", "a/b/deep.mp3", "text.txt"] {
        std::fs::write(music.join(file), "").unwrap();
    }
    let paths = harness.run("utility-playlist-build", &[]);
    assert_eq!(paths, harness.run("utility-playlist-scan", &[]));
    assert_eq!(paths.lines().count(), 2, "{paths}");
    let list = harness.run(
        "utility-playlist-build",
        &["output_mode=m3u", "max_depth=9"],
    );
    assert!(list.starts_with("#EXTM3U\n#EXTINF:-1,deep\n"), "{list}");
    assert_eq!(
        parse_json(&harness.run("utility-playlist-build", &["output_mode=json"]))["count"],
        2
    );
    assert!(
        harness
            .run("music-player", &["command=list"])
            .ends_with("one.mp3\n")
    );
}

#[test]
fn messages_manifests_and_files_from_stdin() {
    let harness = LibraryHarness::new();
    harness.env.write("in.txt", "the body");
    let message = parse_json(&harness.run(
        "utility-actor-message",
        &["type=task.done", "--stdin", "in.txt"],
    ));
    assert_eq!(
        message,
        json!({"to": "coordinator", "type": "task.done", "body": "the body", "metadata": {}})
    );
    let bad = harness
        .materia(&["run", "utility-actor-message", "type=no type"])
        .run();
    assert!(
        bad.code() != 0 && bad.stderr.contains("unsupported characters"),
        "{}",
        bad.transcript()
    );
    let written = parse_json(&harness.run(
        "utility-artifact-write",
        &["artifact_path=a/b.txt", "--stdin", "in.txt"],
    ));
    assert_eq!(written["bytes"], 8);
    assert_eq!(harness.env.read("a/b.txt").as_str(), "the body");
    let manifest =
        parse_json(&harness.run("utility-artifact-manifest", &["artifact_path=a/b.txt"]));
    assert_has!(manifest, {"exists": true, "bytes": 8});
    let none = parse_json(&harness.run("utility-artifact-manifest", &["artifact_path=none"]));
    assert_has!(none, {"exists": false, "sha256": null});
    let args = ["artifact_path=a/b.txt", "mode=append", "source=in.txt"];
    harness.run("utility-artifact-write", &args);
    assert_eq!(harness.env.read("a/b.txt"), "the bodythe body");
    let refused = harness
        .materia(&["run", "utility-artifact-write", "artifact_path=a/b.txt"])
        .run();
    assert!(
        refused.code() != 0 && refused.stderr.contains("there already"),
        "{}",
        refused.transcript()
    );
}

#[test]
fn log_run_and_recipe_utilities() {
    let harness = LibraryHarness::new();
    assert!(
        harness
            .run("utility-validate-recipe", &[])
            .contains("no recipes")
    );
    harness.env.write("log.jsonl", "1\n{\"a\":2}\n{\"torn");
    assert_eq!(
        harness.run("utility-jsonl-tail", &["file=log.jsonl"]),
        "1\n{\"a\":2}\n"
    );
    harness
        .materia(&["spawn", "--template", "true", "--as", "run:fine"])
        .run()
        .ok();
    harness.materia(&["wait", "run:fine"]).run().ok();
    assert!(
        harness
            .run("utility-run-summary", &[])
            .starts_with("fine done ")
    );
    let files = harness.run("utility-run-state-files", &[]);
    assert!(files.ends_with("fine/run.json\n"), "{files}");
    let ops = parse_json(&harness.run("utility-run-ops-snapshot", &["target_run=run:fine"]));
    assert_eq!(ops["counts"], json!({"done": 1}));
    assert_eq!(ops["total"], 1);
    assert_eq!(ops["inspectedRun"]["ended"], "done");
    assert_eq!(ops["recommendations"][0], json!("nothing needs attention"));
    harness
        .env
        .write("recipes/good.json", r#"{"template": "echo x"}"#);
    assert!(
        harness
            .run("utility-validate-recipe", &["target=recipes"])
            .contains("good.json: ok")
    );
    harness
        .env
        .write("recipes/bad.json", r#"{"template": "echo {a.b}"}"#);
    let bad = harness
        .materia(&["run", "utility-validate-recipe", "target=recipes"])
        .run();
    assert!(
        bad.code() != 0 && bad.stderr.contains("1 of 2 recipes"),
        "{}",
        bad.transcript()
    );
}

#[test]
fn a_validation_runs_without_a_shell_and_is_reported() {
    let harness = LibraryHarness::new();
    let passed = harness.run("utility-validation-wrapper", &["command=echo 'a  b' $HOME"]);
    assert!(
        passed.contains("# Validation: passed") && passed.contains("a  b $HOME"),
        "{passed}"
    );
    let failed = harness
        .materia(&["run", "utility-validation-wrapper", "command=ls /none-such"])
        .run();
    assert!(
        failed.code() != 0 && failed.stderr.contains("none-such"),
        "{}",
        failed.transcript()
    );
    let report = harness.run(
        "utility-validation-wrapper",
        &["command=sleep 60", "timeout_ms=50", "report=true"],
    );
    assert!(
        report.contains("failed") && report.contains("no end in 50 ms"),
        "{report}"
    );
    let shell = harness
        .materia(&["run", "utility-validation-wrapper", "command=a && b"])
        .run();
    assert!(
        shell.code() != 0 && shell.stderr.contains("there is no shell"),
        "{}",
        shell.transcript()
    );
    assert!(
        harness
            .run(
                "utility-validation-wrapper",
                &["command=auto", "report=true"]
            )
            .contains("not run")
    );
}

#[test]
fn unknown_steps_and_arguments_get_a_suggestion() {
    let env = TestEnv::new();
    let wrong = env.materia(&["utility", "artifact-write", "pat=x"]).run();
    assert_eq!(wrong.code(), 2);
    assert!(
        wrong.stderr.contains("did you mean path=…?"),
        "{}",
        wrong.transcript()
    );
    let near = env.materia(&["utility", "artefact-write"]).run();
    assert!(
        near.code() == 3 && near.stderr.contains("artifact-write"),
        "{}",
        near.transcript()
    );
    let outside = env.materia(&["utility", "locker"]).run();
    assert!(
        outside.code() == 2 && outside.stderr.contains("materia spawn locker"),
        "{}",
        outside.transcript()
    );
}
