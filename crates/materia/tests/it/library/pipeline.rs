//! Pipelines: how many agents are asked, and that later ones read what earlier ones found.

use super::{Shelf, says};

/// The prompt of one stage has the answers of others in it.
fn reads(shelf: &Shelf, stage: &str, others: &[&str]) {
    let prompt = shelf.prompt(stage);
    for other in others {
        assert!(prompt.contains(other), "{stage} lacks {other:?}:\n{prompt}");
    }
}

fn answer(of: &str) -> String {
    format!("TO {of}")
}

/// A project with a history, documents, a changelog, a package, a skill and a check.
fn project(shelf: &Shelf) {
    let house = &shelf.house;
    house.write("README.md", "# Readme of it\n");
    house.write("docs/guide.md", "# The guide\n\ntext\n");
    house.write(
        "CHANGELOG.md",
        "# Changelog\n\n## 2.0.0\n\n- newest thing\n\n## 1.0.0\n\n- older thing\n",
    );
    house.write("package.json", r#"{"name": "gadget", "version": "2.0.0"}"#);
    house.write(
        "skills/it/SKILL.md",
        "---\nname: gadgetry\ndescription: knows gadgets\n---\n# Gadgetry\n",
    );
    house.write("Makefile", "check:\n\t@echo CHECKED-WELL\n");
    let git = "git -c init.defaultBranch=main init -q . && git add -A && \
        git -c user.name=a -c user.email=a@b commit -qm 'the first commit' && echo x > untracked.txt";
    house.shell(git).run().ok();
}

#[test]
fn reviews_are_verified_merged_judged_and_shaped() {
    let shelf = Shelf::new();
    for (name, words, lenses) in [
        ("subagent-review-coordinator", &["scope=src"][..], 3),
        ("lens-swarm", &["scope=src"], 3),
        ("pipeline-review-readiness", &["scope=src"], 4),
    ] {
        shelf.forget();
        let output = shelf.run(name, words);
        let reviews = shelf
            .prompts()
            .iter()
            .filter(|prompt| prompt.starts_with(says::REVIEW))
            .count();
        assert_eq!(
            (reviews, shelf.prompts().len()),
            (lenses, lenses + 4),
            "{name}"
        );
        reads(
            &shelf,
            says::VERIFY,
            &[&answer(says::REVIEW), "branch: correctness status: done"],
        );
        reads(
            &shelf,
            says::MERGE,
            &[&answer(says::REVIEW), &answer(says::VERIFY)],
        );
        reads(
            &shelf,
            says::JUDGE,
            &[&answer(says::MERGE), &answer(says::VERIFY)],
        );
        reads(
            &shelf,
            says::NORMALIZE,
            &[&answer(says::MERGE), &answer(says::JUDGE)],
        );
        assert!(output.contains(&answer(says::NORMALIZE)), "{output}");
    }
    reads(
        &shelf,
        says::VERIFY,
        &["No proven finding of high severity"],
    );
}

#[test]
fn stage_models_fall_back_to_the_model() {
    let shelf = Shelf::new();
    shelf.run(
        "subagent-review-coordinator",
        &[
            "scope=s",
            r#"lenses=["one"]"#,
            "model=base",
            "judge_model=fine",
        ],
    );
    reads(
        &shelf,
        says::MERGE,
        &["ANSWER base TO Review", "ANSWER base TO Verify"],
    );
    reads(
        &shelf,
        says::NORMALIZE,
        &["ANSWER base TO Merge", "ANSWER fine TO Judge"],
    );
}

#[test]
fn an_architecture_is_criticised_before_it_is_merged() {
    let shelf = Shelf::new();
    shelf.run("pipeline-architect-coordinator", &["problem=store a lot"]);
    assert_eq!(shelf.prompts().len(), 8);
    reads(
        &shelf,
        says::CRITIC,
        &[&answer(says::REVIEW), "store a lot"],
    );
    reads(
        &shelf,
        says::VERIFY,
        &[&answer(says::REVIEW), &answer(says::CRITIC)],
    );
    reads(
        &shelf,
        says::MERGE,
        &[
            &answer(says::REVIEW),
            &answer(says::CRITIC),
            &answer(says::VERIFY),
        ],
    );
    reads(&shelf, says::NORMALIZE, &[&answer(says::MERGE)]);
}

#[test]
fn several_models_are_merged_and_judged() {
    let shelf = Shelf::new();
    shelf.run(
        "pipeline-quorum-review",
        &["prompt=which way?", r#"models=["m1","m2"]"#],
    );
    assert_eq!(shelf.prompts().len(), 5);
    reads(
        &shelf,
        says::MERGE,
        &["ANSWER m1 TO which way?", "ANSWER m2 TO which way?"],
    );
    reads(&shelf, says::JUDGE, &[&answer(says::MERGE), "ANSWER m1"]);
    reads(
        &shelf,
        says::NORMALIZE,
        &[&answer(says::MERGE), &answer(says::JUDGE)],
    );
}

#[test]
fn research_goes_from_a_plan_to_a_brief() {
    let shelf = Shelf::new();
    shelf.run("pipeline-research-synthesis", &["question=what is it?"]);
    assert_eq!(shelf.prompts().len(), 6);
    reads(
        &shelf,
        says::EVIDENCE,
        &["what is it?", &answer(says::PLAN)],
    );
    reads(&shelf, says::CONTRADICTIONS, &[&answer(says::EVIDENCE)]);
    reads(
        &shelf,
        says::VERIFY,
        &[&answer(says::EVIDENCE), &answer(says::CONTRADICTIONS)],
    );
    reads(
        &shelf,
        says::MERGE,
        &[
            &answer(says::EVIDENCE),
            &answer(says::CONTRADICTIONS),
            &answer(says::VERIFY),
        ],
    );
    reads(&shelf, says::NORMALIZE, &[&answer(says::MERGE)]);
}

#[test]
fn checkpoints_go_on_and_tasks_become_cards() {
    let shelf = Shelf::new();
    shelf.run(
        "pipeline-checkpoint-continuation",
        &["state=half", "question=left or right?"],
    );
    assert_eq!(shelf.prompts().len(), 3);
    reads(&shelf, says::CHECKPOINT, &["left or right?"]);
    reads(
        &shelf,
        says::FOLLOWUP,
        &[&answer(says::CHECKPOINT), "easiest to undo"],
    );
    reads(&shelf, says::NORMALIZE, &[&answer(says::FOLLOWUP)]);
    shelf.forget();
    shelf.run("pipeline-development-tasking", &["goal=fix it"]);
    assert_eq!(shelf.prompts().len(), 4);
    reads(&shelf, says::TASK_CARD, &["fix it", &answer(says::PLAN)]);
    reads(
        &shelf,
        says::CRITIC,
        &[&answer(says::TASK_CARD), &answer(says::PLAN)],
    );
    reads(
        &shelf,
        says::NORMALIZE,
        &[&answer(says::TASK_CARD), &answer(says::CRITIC)],
    );
}

#[test]
fn artifacts_are_prepared_written_and_bundled() {
    let shelf = Shelf::new();
    let output = shelf.run(
        "pipeline-artifact-report",
        &["input=raw facts", "artifact_path=out/r.md"],
    );
    assert_eq!(shelf.prompts().len(), 2);
    reads(&shelf, says::NORMALIZE, &["raw facts"]);
    reads(
        &shelf,
        says::ARTIFACT,
        &[&answer(says::NORMALIZE), "out/r.md"],
    );
    assert!(
        output.contains(r#""type":"artifact.prepared""#) && output.contains(says::ARTIFACT),
        "{output}"
    );
    assert!(!shelf.path("out/r.md").exists());

    shelf.forget();
    let words = ["input=raw facts", "artifact_path=out/r.md"];
    shelf.run("pipeline-artifact-write", &words);
    assert!(
        shelf
            .house
            .read("out/r.md")
            .contains(&answer(says::ARTIFACT))
    );
    shelf.forget();
    let again = shelf
        .materia(&["run", "pipeline-artifact-write", words[0], words[1]])
        .run();
    assert!(
        again.code() != 0 && again.stderr.contains("mode=overwrite"),
        "{}",
        again.transcript()
    );
    assert_eq!(
        shelf.prompts().len(),
        0,
        "nobody is paid for what cannot be written"
    );

    let words = [
        "input=raw",
        "artifact_path=b/r.md",
        "manifest_path=b/manifest.json",
    ];
    let output = shelf.run("pipeline-artifact-bundle", &words);
    assert_eq!(shelf.prompts().len(), 2);
    let manifest: serde_json::Value =
        serde_json::from_str(&shelf.house.read("b/manifest.json")).unwrap();
    assert_eq!(
        (&manifest["exists"], &manifest["status"]),
        (&true.into(), &"ready".into())
    );
    assert_eq!(manifest["bytes"], shelf.house.read("b/r.md").len());
    assert!(output.contains("artifact.bundled"), "{output}");
    shelf.forget();
    let gate = [
        "run_validation=true",
        "validation_command=false",
        "write_mode=overwrite",
    ];
    let stopped = shelf
        .materia(&[&["run", "pipeline-artifact-bundle"][..], &words, &gate].concat())
        .run();
    assert!(
        stopped.code() != 0 && shelf.prompts().is_empty(),
        "{}",
        stopped.transcript()
    );
}

#[test]
fn the_health_of_a_repository_is_told_from_all_evidence() {
    let shelf = Shelf::new();
    project(&shelf);
    let output = shelf.run("pipeline-repo-health", &[]);
    assert_eq!(shelf.prompts().len(), 2);
    let evidence = [
        "?? untracked.txt",
        "the first commit",
        "guide.md: The guide",
        "CHECKED-WELL",
    ];
    reads(&shelf, says::NORMALIZE, &evidence);
    reads(
        &shelf,
        says::ARTIFACT,
        &[&answer(says::NORMALIZE), "Validation: passed"],
    );
    assert!(output.contains(&answer(says::ARTIFACT)));
    shelf
        .house
        .write("Makefile", "check:\n\t@echo BROKEN >&2; exit 3\n");
    shelf.forget();
    shelf.run("pipeline-repo-health", &["artifact_path=health.md"]);
    reads(&shelf, says::NORMALIZE, &["Validation: failed", "BROKEN"]);
    assert!(
        shelf
            .house
            .read("health.md")
            .contains(&answer(says::ARTIFACT))
    );
}

#[test]
fn a_release_is_told_from_changelog_package_skill_and_checks() {
    let shelf = Shelf::new();
    project(&shelf);
    let evidence = ["newest thing", "gadget", "knows gadgets", "CHECKED-WELL"];
    shelf.run("pipeline-release-summary", &[]);
    assert_eq!(shelf.prompts().len(), 1);
    reads(&shelf, says::ARTIFACT, &evidence);
    shelf.forget();
    shelf.run("pipeline-release-readiness", &["version=1.0.0"]);
    assert_eq!(shelf.prompts().len(), 10);
    let review = shelf
        .prompts()
        .into_iter()
        .find(|prompt| prompt.starts_with(says::REVIEW))
        .unwrap();
    for part in ["older thing", "gadget", "knows gadgets", "CHECKED-WELL"] {
        assert!(review.contains(part), "{review}");
    }
    reads(
        &shelf,
        says::ARTIFACT,
        &["older thing", "CHECKED-WELL", &answer(says::NORMALIZE)],
    );
}

#[test]
fn documents_media_runs_and_history_are_reported() {
    let shelf = Shelf::new();
    project(&shelf);
    shelf.run("pipeline-docs-maintenance", &[]);
    assert_eq!(shelf.prompts().len(), 3);
    reads(
        &shelf,
        says::REVIEW,
        &["guide.md: The guide", "Readme of it"],
    );
    reads(&shelf, says::PLAN, &[&answer(says::REVIEW)]);
    reads(
        &shelf,
        says::ARTIFACT,
        &[&answer(says::PLAN), &answer(says::REVIEW)],
    );
    shelf.forget();
    std::fs::create_dir_all(shelf.house.home().join("Music/band")).unwrap();
    std::fs::write(shelf.house.home().join("Music/band/song.flac"), "").unwrap();
    shelf.run("pipeline-media-library", &[]);
    reads(&shelf, says::ARTIFACT, &["#EXTM3U", "song.flac"]);
    assert_eq!(shelf.prompts().len(), 1);
    shelf.forget();
    shelf
        .materia(&["spawn", "--template", "false", "--as", "run:broken"])
        .run()
        .ok();
    shelf.materia(&["wait", "run:broken"]).run();
    shelf.run("pipeline-async-run-ops", &[]);
    assert_eq!(shelf.prompts().len(), 2);
    reads(&shelf, says::NORMALIZE, &["run:broken failed"]);
    reads(
        &shelf,
        says::ARTIFACT,
        &[&answer(says::NORMALIZE), "run:broken failed"],
    );
    let glance = shelf.run("pipeline-git-glance", &[]);
    assert!(
        glance.contains("untracked.txt") && glance.contains("the first commit"),
        "{glance}"
    );
}

#[test]
fn an_agent_that_fails_stops_a_pipeline_before_it_writes() {
    let shelf = Shelf::new();
    let broken = serde_json::json!({"agents": {"fake": {"command": ["false"]}}, "agent": "fake"});
    std::fs::write(shelf.house.home().join("config.json"), broken.to_string()).unwrap();
    let outcome = shelf
        .materia(&[
            "run",
            "pipeline-artifact-write",
            "input=x",
            "artifact_path=r.md",
        ])
        .run();
    assert!(
        outcome.code() != 0 && !shelf.path("r.md").exists(),
        "{}",
        outcome.transcript()
    );
}

#[test]
fn a_spawned_recipe_brings_its_artifacts_and_its_mailbox_and_tells_its_coordinator() {
    let shelf = Shelf::new();
    let words = [
        "spawn",
        "pipeline-artifact-write",
        "input=x",
        "artifact_path=r.md",
        "--as",
        "run:report",
    ];
    shelf.materia(&words).run().ok();
    shelf.materia(&["wait", "run:report"]).run().ok();
    let run = shelf
        .materia(&["inspect", "run:report", "--view", "artifacts", "--json"])
        .run()
        .ok()
        .stdout;
    assert!(run.contains("r.md"), "{run}");
    let messages = shelf
        .materia(&["inspect", "run:report", "--view", "messages", "--json"])
        .run()
        .ok()
        .stdout;
    assert!(messages.contains("artifact.written"), "{messages}");
    let mailbox = shelf
        .materia(&["inspect", "run:report", "--view", "mailbox", "--json"])
        .run()
        .ok()
        .stdout;
    assert!(mailbox.contains("artifact.written"), "{mailbox}");
}
