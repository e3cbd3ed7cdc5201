//! The library that ships: every recipe is run with a fake agent and its required arguments only
//! (R7).
//!
//! What is looked at: how many agents were asked, what each was told, what was written. The fake
//! answers with the first line of its prompt, so that an answer says whose it is.

mod context;
mod leaf;
mod pipeline;
mod service;
mod step;

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::test_env::{TestCommand, TestEnv, TestOutput};

/// A env whose only agent is the fake.
pub struct LibraryHarness {
    pub env: TestEnv,
}

impl LibraryHarness {
    pub fn new() -> Self {
        let env = TestEnv::new();
        let prompts = env.home().join("prompts.jsonl");
        let command = json!([
            env!("CARGO_BIN_EXE_materia-fake"),
            "agent",
            "--prompts",
            prompts,
            "--brief",
            "{model}"
        ]);
        let config = json!({"agents": {"fake": {"command": command}}, "agent": "fake"});
        std::fs::write(env.home().join("config.json"), config.to_string()).unwrap();
        Self { env }
    }

    /// A call of `materia` whose agents are the fake.
    pub fn materia(&self, words: &[&str]) -> TestCommand<'_> {
        self.env
            .materia(words)
            .env("MATERIA_CONFIG", self.env.home().join("config.json"))
    }

    /// Runs a recipe, which has to go well in every part.
    pub fn run(&self, name: &str, words: &[&str]) -> String {
        let outcome = self
            .materia(&[&["run", name, "--json"], words].concat())
            .run();
        let report = whole(&outcome);
        assert_has!(report, {"status": "ok", "warnings": []}, "{}", outcome.transcript());
        report["output"].as_str().unwrap().to_owned()
    }

    /// The prompts that the agents were given, in order.
    pub fn prompts(&self) -> Vec<String> {
        let text =
            std::fs::read_to_string(self.env.home().join("prompts.jsonl")).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The one prompt that begins like this.
    pub fn prompt(&self, beginning: &str) -> String {
        let mut found = self.prompts();
        found.retain(|prompt| prompt.starts_with(beginning));
        assert_eq!(found.len(), 1, "{beginning}: {:#?}", self.prompts());
        found.remove(0)
    }

    /// Forgets the prompts.
    pub fn forget(&self) {
        let _none = std::fs::remove_file(self.env.home().join("prompts.jsonl"));
    }

    /// A file, by its path as it is told.
    pub fn read(&self, told: &str) -> String {
        let root = self.env.home().parent().unwrap().display().to_string();
        std::fs::read_to_string(told.replace("[ROOT]", &root)).unwrap()
    }

    /// A file of the project.
    pub fn path(&self, path: &str) -> PathBuf {
        self.env.work_dir().join(path)
    }
}

fn whole(outcome: &TestOutput) -> Value {
    assert_eq!(outcome.code(), 0, "{}", outcome.transcript());
    outcome.json()
}

/// The first line of each component's prompt.
pub mod says {
    pub const REVIEW: &str = "Review one scope";
    pub const CRITIC: &str = "Attack this target";
    pub const PLAN: &str = "Plan how to reach";
    pub const VERIFY: &str = "Verify this claim";
    pub const EVIDENCE: &str = "Map the evidence";
    pub const CONTRADICTIONS: &str = "Map the contradictions";
    pub const MERGE: &str = "Merge these inputs";
    pub const NORMALIZE: &str = "Bring this input";
    pub const ARTIFACT: &str = "Write the text of one artifact";
    pub const TASK_CARD: &str = "Write one task card";
    pub const CHECKPOINT: &str = "Write a checkpoint";
    pub const FOLLOWUP: &str = "Go on from this checkpoint";
    pub const JUDGE: &str = "Judge this report";
}

#[test]
fn every_recipe_that_ships_is_run_by_a_test() {
    let harness = LibraryHarness::new();
    let listed = harness
        .materia(&["recipe", "list", "--json"])
        .run()
        .ok()
        .json();
    let packaged: Vec<&str> = listed["recipes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_str().unwrap())
        .collect();
    assert!(packaged.len() >= 61, "{packaged:?}");
    let tests = [
        include_str!("library/leaf.rs"),
        include_str!("library/pipeline.rs"),
        include_str!("library/service.rs"),
        include_str!("library/step.rs"),
    ]
    .concat();
    let missing: Vec<&&str> = packaged
        .iter()
        .filter(|name| !tests.contains(&format!("\"{name}\"")))
        .collect();
    assert!(missing.is_empty(), "no test runs {missing:?}");
}

#[test]
fn the_list_has_a_line_for_each_and_show_draws_the_composition() {
    let harness = LibraryHarness::new();
    let list = harness.materia(&["recipe", "list"]).run().ok().stdout;
    for part in [
        "launcher",
        "pipeline",
        "service",
        "utility",
        "subagent-prompt",
        "Ask one agent one thing",
    ] {
        assert!(list.contains(part), "{list}");
    }
    let show = harness
        .materia(&["recipe", "show", "pipeline-research-synthesis"])
        .run()
        .ok()
        .stdout;
    for part in [
        "question",
        "@planner",
        "@evidence",
        "@contradictions",
        "@verifier",
        "@merger",
        "@normalizer",
    ] {
        assert!(show.contains(part), "{show}");
    }
}
