//! Pipelines: how many agents are asked, and that later ones read what earlier ones found.

use super::{LibraryHarness, prompts};

/// The prompt of one stage has the answers of others in it.
fn reads(harness: &LibraryHarness, stage: &str, others: &[&str]) {
    let prompt = harness.prompt(stage);
    for other in others {
        assert!(prompt.contains(other), "{stage} lacks {other:?}:\n{prompt}");
    }
}

fn answer(of: &str) -> String {
    format!("TO {of}")
}

/// A project with a history, documents, a changelog, a package, a skill and a check.
fn project(harness: &LibraryHarness) {
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
        reads(
            &harness,
            prompts::VERIFY,
            &[&answer(prompts::REVIEW), "branch: correctness status: done"],
        );
        reads(
            &harness,
            prompts::MERGE,
            &[&answer(prompts::REVIEW), &answer(prompts::VERIFY)],
        );
        reads(
            &harness,
            prompts::JUDGE,
            &[&answer(prompts::MERGE), &answer(prompts::VERIFY)],
        );
        reads(
            &harness,
            prompts::NORMALIZE,
            &[&answer(prompts::MERGE), &answer(prompts::JUDGE)],
        );
        assert!(output.contains(&answer(prompts::NORMALIZE)), "{output}");
    }
    reads(
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
    reads(
        &harness,
        prompts::MERGE,
        &["ANSWER base TO Review", "ANSWER base TO Verify"],
    );
    reads(
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
    reads(
        &harness,
        prompts::CRITIC,
        &[&answer(prompts::REVIEW), "store a lot"],
    );
    reads(
        &harness,
        prompts::VERIFY,
        &[&answer(prompts::REVIEW), &answer(prompts::CRITIC)],
    );
    reads(
        &harness,
        prompts::MERGE,
        &[
            &answer(prompts::REVIEW),
            &answer(prompts::CRITIC),
            &answer(prompts::VERIFY),
        ],
    );
    reads(&harness, prompts::NORMALIZE, &[&answer(prompts::MERGE)]);
}

#[test]
fn several_models_are_merged_and_judged() {
    let harness = LibraryHarness::new();
    harness.run(
        "pipeline-quorum-review",
        &["prompt=which way?", r#"models=["m1","m2"]"#],
    );
    assert_eq!(harness.prompts().len(), 5);
    reads(
        &harness,
        prompts::MERGE,
        &["ANSWER m1 TO which way?", "ANSWER m2 TO which way?"],
    );
    reads(
        &harness,
        prompts::JUDGE,
        &[&answer(prompts::MERGE), "ANSWER m1"],
    );
    reads(
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
    reads(
        &harness,
        prompts::EVIDENCE,
        &["what is it?", &answer(prompts::PLAN)],
    );
    reads(
        &harness,
        prompts::CONTRADICTIONS,
        &[&answer(prompts::EVIDENCE)],
    );
    reads(
        &harness,
        prompts::VERIFY,
        &[&answer(prompts::EVIDENCE), &answer(prompts::CONTRADICTIONS)],
    );
    reads(
        &harness,
        prompts::MERGE,
        &[
            &answer(prompts::EVIDENCE),
            &answer(prompts::CONTRADICTIONS),
            &answer(prompts::VERIFY),
        ],
    );
    reads(&harness, prompts::NORMALIZE, &[&answer(prompts::MERGE)]);
}

#[test]
fn checkpoints_go_on_and_tasks_become_cards() {
    let harness = LibraryHarness::new();
    harness.run(
        "pipeline-checkpoint-continuation",
        &["state=half", "question=left or right?"],
    );
    assert_eq!(harness.prompts().len(), 3);
    reads(&harness, prompts::CHECKPOINT, &["left or right?"]);
    reads(
        &harness,
        prompts::FOLLOWUP,
        &[&answer(prompts::CHECKPOINT), "easiest to undo"],
    );
    reads(&harness, prompts::NORMALIZE, &[&answer(prompts::FOLLOWUP)]);
    harness.clear_prompts();
    harness.run("pipeline-development-tasking", &["goal=fix it"]);
    assert_eq!(harness.prompts().len(), 4);
    reads(
        &harness,
        prompts::TASK_CARD,
        &["fix it", &answer(prompts::PLAN)],
    );
    reads(
        &harness,
        prompts::CRITIC,
        &[&answer(prompts::TASK_CARD), &answer(prompts::PLAN)],
    );
    reads(
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
    reads(&harness, prompts::NORMALIZE, &["raw facts"]);
    reads(
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
        "nobody is paid for what cannot be written"
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
fn the_health_of_a_repository_is_told_from_all_evidence() {
    let harness = LibraryHarness::new();
    project(&harness);
    let output = harness.run("pipeline-repo-health", &[]);
    assert_eq!(harness.prompts().len(), 2);
    let evidence = [
        "?? untracked.txt",
        "the first commit",
        "guide.md: The guide",
        "CHECKED-WELL",
    ];
    reads(&harness, prompts::NORMALIZE, &evidence);
    reads(
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
    reads(
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
fn a_release_is_told_from_changelog_package_skill_and_checks() {
    let harness = LibraryHarness::new();
    project(&harness);
    let evidence = ["newest thing", "gadget", "knows gadgets", "CHECKED-WELL"];
    harness.run("pipeline-release-summary", &[]);
    assert_eq!(harness.prompts().len(), 1);
    reads(&harness, prompts::ARTIFACT, &evidence);
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
    reads(
        &harness,
        prompts::ARTIFACT,
        &["older thing", "CHECKED-WELL", &answer(prompts::NORMALIZE)],
    );
}

#[test]
fn documents_media_runs_and_history_are_reported() {
    let harness = LibraryHarness::new();
    project(&harness);
    harness.run("pipeline-docs-maintenance", &[]);
    assert_eq!(harness.prompts().len(), 3);
    reads(
        &harness,
        prompts::REVIEW,
        &["guide.md: The guide", "Readme of it"],
    );
    reads(&harness, prompts::PLAN, &[&answer(prompts::REVIEW)]);
    reads(
        &harness,
        prompts::ARTIFACT,
        &[&answer(prompts::PLAN), &answer(prompts::REVIEW)],
    );
    harness.clear_prompts();
    std::fs::create_dir_all(harness.env.home().join("Music/band")).unwrap();
    std::fs::write(harness.env.home().join("Music/band/song.flac"), "").unwrap();
    harness.run("pipeline-media-library", &[]);
    reads(&harness, prompts::ARTIFACT, &["#EXTM3U", "song.flac"]);
    assert_eq!(harness.prompts().len(), 1);
    harness.clear_prompts();
    harness
        .materia(&["spawn", "--template", "false", "--as", "run:broken"])
        .run()
        .ok();
    harness.materia(&["wait", "run:broken"]).run();
    harness.run("pipeline-async-run-ops", &[]);
    assert_eq!(harness.prompts().len(), 2);
    reads(&harness, prompts::NORMALIZE, &["run:broken failed"]);
    reads(
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
fn an_agent_that_fails_stops_a_pipeline_before_it_writes() {
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
fn a_spawned_recipe_brings_its_artifacts_and_its_mailbox_and_tells_its_coordinator() {
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
