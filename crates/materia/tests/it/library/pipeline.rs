//! Pipelines: how many agents are asked, and that later stages get the answers of earlier ones.

use super::{LibraryHarness, prompts};

/// Asserts that the prompt of a stage contains these parts.
fn assert_prompt(harness: &LibraryHarness, stage: &str, parts: &[&str]) {
    let prompt = harness.prompt(stage);
    for part in parts {
        assert!(prompt.contains(part), "{stage} lacks {part:?}:\n{prompt}");
    }
}

fn answer(of: &str) -> String {
    format!("TO {of}")
}

/// Creates a project with a history, documents, a changelog, a package, a skill and a check.
fn create_project(harness: &LibraryHarness) {
    let env = &harness.env;
    env.write("README.md", "# Readme of it\n");
    env.write("docs/guide.md", "# The guide\n\ntext\n");
    env.write(
        "CHANGELOG.md",
        "# Changelog\n\n## 2.0.0\n\n- newest thing\n\n## 1.0.0\n\n- older thing\n",
    );
    env.write("package.json", r#"{"name": "gadget", "version": "2.0.0"}"#);
    env.write(
        "skills/it/SKILL.md",
        "---\nname: gadgetry\ndescription: knows gadgets\n---\n# Gadgetry\n",
    );
    env.write("Makefile", "check:\n\t@echo CHECKED-WELL\n");
    let git = "git -c init.defaultBranch=main init -q . && git add -A && \
        git -c user.name=a -c user.email=a@b commit -qm 'the first commit' && echo x > untracked.txt";
    env.shell(git).run().ok();
}

#[test]
fn reviews_are_verified_merged_judged_and_shaped() {
    let harness = LibraryHarness::new();
    for (name, args, lenses) in [
        ("subagent-review-coordinator", &["scope=src"][..], 3),
        ("lens-swarm", &["scope=src"], 3),
        ("pipeline-review-readiness", &["scope=src"], 4),
    ] {
        harness.clear_prompts();
        let output = harness.run(name, args);
        let reviews = harness
            .prompts()
            .iter()
            .filter(|prompt| prompt.starts_with(prompts::REVIEW))
            .count();
        assert_eq!(
            (reviews, harness.prompts().len()),
            (lenses, lenses + 4),
            "{name}"
        );
        assert_prompt(
            &harness,
            prompts::VERIFY,
            &[&answer(prompts::REVIEW), "branch: correctness status: done"],
        );
        assert_prompt(
            &harness,
            prompts::MERGE,
            &[&answer(prompts::REVIEW), &answer(prompts::VERIFY)],
        );
        assert_prompt(
            &harness,
            prompts::JUDGE,
            &[&answer(prompts::MERGE), &answer(prompts::VERIFY)],
        );
        assert_prompt(
            &harness,
            prompts::NORMALIZE,
            &[&answer(prompts::MERGE), &answer(prompts::JUDGE)],
        );
        assert!(output.contains(&answer(prompts::NORMALIZE)), "{output}");
    }
    assert_prompt(
        &harness,
        prompts::VERIFY,
        &["No proven finding of high severity"],
    );
}

#[test]
fn stage_models_fall_back_to_the_model() {
    let harness = LibraryHarness::new();
    harness.run(
        "subagent-review-coordinator",
        &[
            "scope=s",
            r#"lenses=["one"]"#,
            "model=base",
            "judge_model=fine",
        ],
    );
    assert_prompt(
        &harness,
        prompts::MERGE,
        &["ANSWER base TO Review", "ANSWER base TO Verify"],
    );
    assert_prompt(
        &harness,
        prompts::NORMALIZE,
        &["ANSWER base TO Merge", "ANSWER fine TO Judge"],
    );
}

#[test]
fn an_architecture_is_criticised_before_it_is_merged() {
    let harness = LibraryHarness::new();
    harness.run("pipeline-architect-coordinator", &["problem=store a lot"]);
    assert_eq!(harness.prompts().len(), 8);
    assert_prompt(
        &harness,
        prompts::CRITIC,
        &[&answer(prompts::REVIEW), "store a lot"],
    );
    assert_prompt(
        &harness,
        prompts::VERIFY,
        &[&answer(prompts::REVIEW), &answer(prompts::CRITIC)],
    );
    assert_prompt(
        &harness,
        prompts::MERGE,
        &[
            &answer(prompts::REVIEW),
            &answer(prompts::CRITIC),
            &answer(prompts::VERIFY),
        ],
    );
    assert_prompt(&harness, prompts::NORMALIZE, &[&answer(prompts::MERGE)]);
}

#[test]
fn several_models_are_merged_and_judged() {
    let harness = LibraryHarness::new();
    harness.run(
        "pipeline-quorum-review",
        &["prompt=which way?", r#"models=["m1","m2"]"#],
    );
    assert_eq!(harness.prompts().len(), 5);
    assert_prompt(
        &harness,
        prompts::MERGE,
        &["ANSWER m1 TO which way?", "ANSWER m2 TO which way?"],
    );
    assert_prompt(
        &harness,
        prompts::JUDGE,
        &[&answer(prompts::MERGE), "ANSWER m1"],
    );
    assert_prompt(
        &harness,
        prompts::NORMALIZE,
        &[&answer(prompts::MERGE), &answer(prompts::JUDGE)],
    );
}

#[test]
fn research_goes_from_a_plan_to_a_brief() {
    let harness = LibraryHarness::new();
    harness.run("pipeline-research-synthesis", &["question=what is it?"]);
    assert_eq!(harness.prompts().len(), 6);
    assert_prompt(
        &harness,
        prompts::EVIDENCE,
        &["what is it?", &answer(prompts::PLAN)],
    );
    assert_prompt(
        &harness,
        prompts::CONTRADICTIONS,
        &[&answer(prompts::EVIDENCE)],
    );
    assert_prompt(
        &harness,
        prompts::VERIFY,
        &[&answer(prompts::EVIDENCE), &answer(prompts::CONTRADICTIONS)],
    );
    assert_prompt(
        &harness,
        prompts::MERGE,
        &[
            &answer(prompts::EVIDENCE),
            &answer(prompts::CONTRADICTIONS),
            &answer(prompts::VERIFY),
        ],
    );
    assert_prompt(&harness, prompts::NORMALIZE, &[&answer(prompts::MERGE)]);
}

#[test]
fn checkpoints_are_continued_and_tasks_become_cards() {
    let harness = LibraryHarness::new();
    harness.run(
        "pipeline-checkpoint-continuation",
        &["state=half", "question=left or right?"],
    );
    assert_eq!(harness.prompts().len(), 3);
    assert_prompt(&harness, prompts::CHECKPOINT, &["left or right?"]);
    assert_prompt(
        &harness,
        prompts::FOLLOWUP,
        &[&answer(prompts::CHECKPOINT), "easiest to undo"],
    );
    assert_prompt(&harness, prompts::NORMALIZE, &[&answer(prompts::FOLLOWUP)]);
    harness.clear_prompts();
    harness.run("pipeline-development-tasking", &["goal=fix it"]);
    assert_eq!(harness.prompts().len(), 4);
    assert_prompt(
        &harness,
        prompts::TASK_CARD,
        &["fix it", &answer(prompts::PLAN)],
    );
    assert_prompt(
        &harness,
        prompts::CRITIC,
        &[&answer(prompts::TASK_CARD), &answer(prompts::PLAN)],
    );
    assert_prompt(
        &harness,
        prompts::NORMALIZE,
        &[&answer(prompts::TASK_CARD), &answer(prompts::CRITIC)],
    );
}

#[test]
fn artifacts_are_prepared_written_and_bundled() {
    let harness = LibraryHarness::new();
    let output = harness.run(
        "pipeline-artifact-report",
        &["input=raw facts", "artifact_path=out/r.md"],
    );
    assert_eq!(harness.prompts().len(), 2);
    assert_prompt(&harness, prompts::NORMALIZE, &["raw facts"]);
    assert_prompt(
        &harness,
        prompts::ARTIFACT,
        &[&answer(prompts::NORMALIZE), "out/r.md"],
    );
    assert!(
        output.contains(r#""type":"artifact.prepared""#) && output.contains(prompts::ARTIFACT),
        "{output}"
    );
    assert!(!harness.path("out/r.md").exists());

    harness.clear_prompts();
    let args = ["input=raw facts", "artifact_path=out/r.md"];
    harness.run("pipeline-artifact-write", &args);
    assert!(
        harness
            .env
            .read("out/r.md")
            .contains(&answer(prompts::ARTIFACT))
    );
    harness.clear_prompts();
    let again = harness
        .materia(&["run", "pipeline-artifact-write", args[0], args[1]])
        .run();
    assert!(
        again.code() != 0 && again.stderr.contains("mode=overwrite"),
        "{}",
        again.transcript()
    );
    assert_eq!(
        harness.prompts().len(),
        0,
        "no agent is asked if the file cannot be written"
    );

    let args = [
        "input=raw",
        "artifact_path=b/r.md",
        "manifest_path=b/manifest.json",
    ];
    let output = harness.run("pipeline-artifact-bundle", &args);
    assert_eq!(harness.prompts().len(), 2);
    let manifest: serde_json::Value =
        serde_json::from_str(&harness.env.read("b/manifest.json")).unwrap();
    assert_has!(manifest, {"exists": true, "status": "ready"});
    assert_eq!(manifest["bytes"], harness.env.read("b/r.md").len());
    assert!(output.contains("artifact.bundled"), "{output}");
    harness.clear_prompts();
    let gate = [
        "run_validation=true",
        "validation_command=false",
        "write_mode=overwrite",
    ];
    let stopped = harness
        .materia(&[&["run", "pipeline-artifact-bundle"][..], &args, &gate].concat())
        .run();
    assert!(
        stopped.code() != 0 && harness.prompts().is_empty(),
        "{}",
        stopped.transcript()
    );
}

#[test]
fn repo_health_uses_all_evidence() {
    let harness = LibraryHarness::new();
    create_project(&harness);
    let output = harness.run("pipeline-repo-health", &[]);
    assert_eq!(harness.prompts().len(), 2);
    let evidence = [
        "?? untracked.txt",
        "the first commit",
        "guide.md: The guide",
        "CHECKED-WELL",
    ];
    assert_prompt(&harness, prompts::NORMALIZE, &evidence);
    assert_prompt(
        &harness,
        prompts::ARTIFACT,
        &[&answer(prompts::NORMALIZE), "Validation: passed"],
    );
    assert!(output.contains(&answer(prompts::ARTIFACT)));
    harness
        .env
        .write("Makefile", "check:\n\t@echo BROKEN >&2; exit 3\n");
    harness.clear_prompts();
    harness.run("pipeline-repo-health", &["artifact_path=health.md"]);
    assert_prompt(
        &harness,
        prompts::NORMALIZE,
        &["Validation: failed", "BROKEN"],
    );
    assert!(
        harness
            .env
            .read("health.md")
            .contains(&answer(prompts::ARTIFACT))
    );
}

#[test]
fn release_summary_uses_changelog_package_skill_and_checks() {
    let harness = LibraryHarness::new();
    create_project(&harness);
    let evidence = ["newest thing", "gadget", "knows gadgets", "CHECKED-WELL"];
    harness.run("pipeline-release-summary", &[]);
    assert_eq!(harness.prompts().len(), 1);
    assert_prompt(&harness, prompts::ARTIFACT, &evidence);
    harness.clear_prompts();
    harness.run("pipeline-release-readiness", &["version=1.0.0"]);
    assert_eq!(harness.prompts().len(), 10);
    let review = harness
        .prompts()
        .into_iter()
        .find(|prompt| prompt.starts_with(prompts::REVIEW))
        .unwrap();
    for part in ["older thing", "gadget", "knows gadgets", "CHECKED-WELL"] {
        assert!(review.contains(part), "{review}");
    }
    assert_prompt(
        &harness,
        prompts::ARTIFACT,
        &["older thing", "CHECKED-WELL", &answer(prompts::NORMALIZE)],
    );
}

#[test]
fn documents_media_runs_and_history_are_reported() {
    let harness = LibraryHarness::new();
    create_project(&harness);
    harness.run("pipeline-docs-maintenance", &[]);
    assert_eq!(harness.prompts().len(), 3);
    assert_prompt(
        &harness,
        prompts::REVIEW,
        &["guide.md: The guide", "Readme of it"],
    );
    assert_prompt(&harness, prompts::PLAN, &[&answer(prompts::REVIEW)]);
    assert_prompt(
        &harness,
        prompts::ARTIFACT,
        &[&answer(prompts::PLAN), &answer(prompts::REVIEW)],
    );
    harness.clear_prompts();
    std::fs::create_dir_all(harness.env.home().join("Music/band")).unwrap();
    std::fs::write(harness.env.home().join("Music/band/song.flac"), "").unwrap();
    harness.run("pipeline-media-library", &[]);
    assert_prompt(&harness, prompts::ARTIFACT, &["#EXTM3U", "song.flac"]);
    assert_eq!(harness.prompts().len(), 1);
    harness.clear_prompts();
    harness
        .materia(&["spawn", "--template", "false", "--as", "run:broken"])
        .run()
        .ok();
    harness.materia(&["wait", "run:broken"]).run();
    harness.run("pipeline-async-run-ops", &[]);
    assert_eq!(harness.prompts().len(), 2);
    assert_prompt(&harness, prompts::NORMALIZE, &["run:broken failed"]);
    assert_prompt(
        &harness,
        prompts::ARTIFACT,
        &[&answer(prompts::NORMALIZE), "run:broken failed"],
    );
    let glance = harness.run("pipeline-git-glance", &[]);
    assert!(
        glance.contains("untracked.txt") && glance.contains("the first commit"),
        "{glance}"
    );
}

#[test]
fn a_failing_agent_stops_a_pipeline_before_it_writes() {
    let harness = LibraryHarness::new();
    let broken = serde_json::json!({"agents": {"fake": {"command": ["false"]}}, "agent": "fake"});
    std::fs::write(harness.env.home().join("config.json"), broken.to_string()).unwrap();
    let outcome = harness
        .materia(&[
            "run",
            "pipeline-artifact-write",
            "input=x",
            "artifact_path=r.md",
        ])
        .run();
    assert!(
        outcome.code() != 0 && !harness.path("r.md").exists(),
        "{}",
        outcome.transcript()
    );
}

#[test]
fn a_spawned_recipe_has_its_artifacts_mailbox_and_messages() {
    let harness = LibraryHarness::new();
    let args = [
        "spawn",
        "pipeline-artifact-write",
        "input=x",
        "artifact_path=r.md",
        "--as",
        "run:report",
    ];
    harness.materia(&args).run().ok();
    harness.materia(&["wait", "run:report"]).run().ok();
    let run = harness
        .materia(&["inspect", "run:report", "--view", "artifacts", "--json"])
        .run()
        .ok()
        .stdout;
    assert!(run.contains("r.md"), "{run}");
    let messages = harness
        .materia(&["inspect", "run:report", "--view", "messages", "--json"])
        .run()
        .ok()
        .stdout;
    assert!(messages.contains("artifact.written"), "{messages}");
    let mailbox = harness
        .materia(&["inspect", "run:report", "--view", "mailbox", "--json"])
        .run()
        .ok()
        .stdout;
    assert!(mailbox.contains("artifact.written"), "{mailbox}");
}
