//! Recipes that ask one agent, or several agents the same question.

use super::{LibraryHarness, prompts};

/// A recipe, its required arguments, and what its prompt must contain.
const RECIPES: [(&str, &[&str], &[&str]); 18] = [
    (
        "subagent-prompt",
        &["prompt=why is it so?"],
        &["why is it so?"],
    ),
    (
        "subagent-tools",
        &["prompt=look", "tools=read,grep"],
        &["look", "read,grep"],
    ),
    (
        "subagent-review",
        &["scope=src/a.rs"],
        &[prompts::REVIEW, "src/a.rs", "correctness"],
    ),
    (
        "subagent-critic",
        &["target=the plan"],
        &[prompts::CRITIC, "the plan"],
    ),
    (
        "subagent-plan",
        &["goal=ship it"],
        &[prompts::PLAN, "ship it"],
    ),
    (
        "subagent-verify",
        &["claim=it works"],
        &[prompts::VERIFY, "it works"],
    ),
    (
        "subagent-evidence-map",
        &["question=who?"],
        &[prompts::EVIDENCE, "who?"],
    ),
    (
        "subagent-contradiction-map",
        &["inputs=a; not a"],
        &[prompts::CONTRADICTIONS, "a; not a"],
    ),
    (
        "subagent-merge",
        &["inputs=x and y"],
        &[prompts::MERGE, "x and y", "consensus-first"],
    ),
    (
        "subagent-normalize",
        &["input=raw"],
        &[prompts::NORMALIZE, "raw"],
    ),
    (
        "subagent-artifact",
        &["input=facts", "artifact_path=out/a.md"],
        &[prompts::ARTIFACT, "facts", "out/a.md"],
    ),
    (
        "subagent-message",
        &["payload=done 3 of 4"],
        &["done 3 of 4", "component.update", "coordinator"],
    ),
    (
        "subagent-task-card",
        &["goal=fix the bug"],
        &[prompts::TASK_CARD, "fix the bug"],
    ),
    (
        "subagent-conflict-report",
        &["change=mine", "conflict=theirs"],
        &["mine", "theirs"],
    ),
    (
        "subagent-checkpoint",
        &["state=half done", "question=which way?"],
        &[prompts::CHECKPOINT, "which way?"],
    ),
    (
        "subagent-followup",
        &["checkpoint=c1", "reply=left"],
        &[prompts::FOLLOWUP, "c1", "left"],
    ),
    (
        "subagent-judge",
        &["report=the report"],
        &[prompts::JUDGE, "the report"],
    ),
    (
        "subagent-prompt",
        &["prompt={x} \"q\" 'r'\n$(date)\n--json"],
        &["{x} \"q\" 'r'\n$(date)\n--json"],
    ),
];

#[test]
fn each_recipe_asks_once_and_prints_the_answer() {
    let harness = LibraryHarness::new();
    for (name, args, parts) in RECIPES {
        harness.clear_prompts();
        let output = harness.run(name, args);
        let prompts = harness.prompts();
        assert_eq!(prompts.len(), 1, "{name}: {prompts:?}");
        for part in parts {
            assert!(
                prompts[0].contains(part),
                "{name} lacks {part:?}: {}",
                prompts[0]
            );
        }
        let first = prompts[0].lines().next().unwrap();
        assert_eq!(output, format!("ANSWER  TO {first}\n"), "{name}");
    }
}

#[test]
fn a_missing_argument_is_reported_before_an_agent_is_asked() {
    let harness = LibraryHarness::new();
    let outcome = harness
        .materia(&["run", "subagent-checkpoint", "state=x", "--json"])
        .run();
    outcome.assert_error(2, "missing_value");
    assert_eq!(harness.prompts().len(), 0);
}

#[test]
fn options_and_attached_files_reach_the_agent() {
    let harness = LibraryHarness::new();
    harness.env.write("notes.txt", "the notes\n");
    harness.env.write("empty.txt", "");
    let args = [
        "scope=x",
        "model=big/one",
        "agent=fake",
        "attach=notes.txt\nempty.txt",
    ];
    assert!(
        harness
            .run("subagent-review", &args)
            .starts_with("ANSWER big/one TO")
    );
    let prompt = harness.prompt(prompts::REVIEW);
    assert!(
        prompt.contains("## Attached: notes.txt\n\nthe notes"),
        "{prompt}"
    );
    assert!(
        prompt.contains("## Attached: empty.txt\n\n(empty"),
        "{prompt}"
    );
    let gone = harness
        .materia(&["run", "subagent-review", "scope=x", "attach=gone.txt"])
        .run();
    assert!(
        gone.code() != 0 && gone.stderr.contains("gone.txt"),
        "{}",
        gone.transcript()
    );
}

#[test]
fn several_models_and_prompts_are_asked_in_parallel() {
    let harness = LibraryHarness::new();
    let output = harness.run(
        "subagent-quorum",
        &["prompt=which?", r#"models=["m1","m2","m3"]"#],
    );
    assert_eq!(harness.prompts().len(), 3);
    for model in ["m1", "m2", "m3"] {
        assert!(
            output.contains(&format!("branch: {model} status: done")),
            "{output}"
        );
        assert!(
            output.contains(&format!("ANSWER {model} TO which?")),
            "{output}"
        );
    }
    harness.clear_prompts();
    let prompts = r#"prompts=["one?","two?"]"#;
    let output = harness.run("subagents-prompts", &[prompts]);
    assert!(
        output.contains("TO one?") && output.contains("TO two?"),
        "{output}"
    );
    assert_eq!(harness.prompts().len(), 2);
    harness.clear_prompts();
    let output = harness.run(
        "subagents-prompts",
        &[
            prompts,
            "report_path=out/all.md",
            "summary_path=out/short.md",
        ],
    );
    assert_eq!(harness.env.read("out/all.md"), output);
    assert!(harness.prompt(prompts::NORMALIZE).contains("TO two?"));
    assert!(
        harness
            .env
            .read("out/short.md")
            .contains(prompts::NORMALIZE)
    );
}
