//! The shipped library: every recipe runs with a fake agent and only its required arguments (R7).
//!
//! The tests check how many agents were asked, their prompts, and the written files. The fake agent
//! answers with the first line of its prompt, so an answer identifies the component that gave it.

mod context;
mod pipeline;
mod service;
mod single_agent;
mod step;

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::test_env::{TestCommand, TestEnv, TestOutput};

/// A test environment whose only agent is the fake.
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

    /// `materia` with the fake as its agent.
    pub fn materia(&self, args: &[&str]) -> TestCommand<'_> {
        self.env
            .materia(args)
            .env("MATERIA_CONFIG", self.env.home().join("config.json"))
    }

    /// Runs a recipe, which must succeed without warnings, and returns its output.
    pub fn run(&self, name: &str, args: &[&str]) -> String {
        let outcome = self
            .materia(&[&["run", name, "--json"], args].concat())
            .run();
        let report = success_report(&outcome);
        assert_has!(report, {"status": "ok", "warnings": []}, "{}", outcome.transcript());
        report["output"].as_str().unwrap().to_owned()
    }

    /// The prompts of all agents, in order.
    pub fn prompts(&self) -> Vec<String> {
        let text =
            std::fs::read_to_string(self.env.home().join("prompts.jsonl")).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    /// The only prompt with this beginning.
    pub fn prompt(&self, beginning: &str) -> String {
        let mut found = self.prompts();
        found.retain(|prompt| prompt.starts_with(beginning));
        assert_eq!(found.len(), 1, "{beginning}: {:#?}", self.prompts());
        found.remove(0)
    }

    /// Deletes the recorded prompts.
    pub fn clear_prompts(&self) {
        let _none = std::fs::remove_file(self.env.home().join("prompts.jsonl"));
    }

    /// Reads a file by its redacted path in a report.
    pub fn read(&self, reported: &str) -> String {
        let root = self.env.home().parent().unwrap().display().to_string();
        std::fs::read_to_string(reported.replace("[ROOT]", &root)).unwrap()
    }

    /// The path of a file in the project.
    pub fn path(&self, path: &str) -> PathBuf {
        self.env.work_dir().join(path)
    }
}

fn success_report(outcome: &TestOutput) -> Value {
    assert_eq!(outcome.code(), 0, "{}", outcome.transcript());
    outcome.json()
}

/// How the prompt of each component begins.
pub mod prompts {
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
fn every_shipped_recipe_is_run_by_a_test() {
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
        include_str!("library/single_agent.rs"),
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
fn list_has_every_kind_of_recipe_and_show_draws_the_parts() {
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
