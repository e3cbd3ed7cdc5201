//! The examples: each one runs as its README says, in a real repository, with scripted agents.
//!
//! Loadouts use their own `rehearsal.json`. Recipes ask a fake agent that answers with the first
//! line of its prompt.

mod loadouts;
mod recipes;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::test_env::{TestCommand, TestEnv, TestOutput};

/// A test environment with a git repository and a fake agent.
struct ExampleRepo {
    env: TestEnv,
}

impl ExampleRepo {
    /// Creates a repository with these files in its first commit.
    fn new(files: &[(&str, &str)]) -> Self {
        let env = TestEnv::new();
        let config = "[user]\nname = Tester\nemail = tester@localhost\n[init]\ndefaultBranch = main\n\
            [commit]\ngpgSign = false\n[tag]\ngpgSign = false\n";
        std::fs::write(env.home().join(".gitconfig"), config).unwrap();
        let prompts = env.home().join("prompts.jsonl");
        let command = json!([
            env!("CARGO_BIN_EXE_materia-fake"),
            "agent",
            "--prompts",
            prompts,
            "--brief",
            "{model}"
        ]);
        let agents = json!({"agents": {"fake": {"command": command}}, "agent": "fake"});
        std::fs::write(env.home().join("agents.json"), agents.to_string()).unwrap();
        let repo = Self { env };
        repo.env.write(".gitignore", ".pi/\n__pycache__/\n");
        for (path, text) in files {
            repo.env.write(path, text);
        }
        repo.sh("git init -q && git add -A && git commit -qm 'chore: begin'");
        repo
    }

    /// Runs a shell command line and returns its stdout.
    fn sh(&self, line: &str) -> String {
        self.env.shell(line).run().ok().stdout
    }

    /// The titles of the commits, newest first.
    fn log(&self) -> Vec<String> {
        self.sh("git log --format=%s")
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// `materia` with the fake as its agent.
    fn materia(&self, args: &[&str]) -> TestCommand<'_> {
        self.env
            .materia(args)
            .env("MATERIA_CONFIG", self.env.home().join("agents.json"))
    }

    /// Casts an example with its rehearsal.
    fn cast(&self, example: &str, request: &str) -> TestOutput {
        self.cast_command(example, request).run()
    }

    fn cast_command(&self, example: &str, request: &str) -> TestCommand<'_> {
        let config = file(example, "loadout.json");
        let script = file(example, "rehearsal.json");
        self.env.materia(&[
            "cast",
            request,
            "--config",
            &config,
            "--agent-script",
            &script,
            "--json",
        ])
    }

    /// Runs a recipe of an example.
    fn run(&self, recipe: &str, args: &[&str]) -> TestOutput {
        self.materia(&[&["run", recipe, "--json"], args].concat())
            .run()
    }

    /// The prompts that the fake agent was given.
    fn prompts(&self) -> Vec<String> {
        let text =
            std::fs::read_to_string(self.env.home().join("prompts.jsonl")).unwrap_or_default();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// The directory of all examples.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .canonicalize()
        .unwrap()
}

/// The path of a file in an example.
fn file(example: &str, name: &str) -> String {
    folder()
        .join(example)
        .join(name)
        .to_str()
        .unwrap()
        .to_owned()
}

/// The report of a cast, which must be complete.
#[track_caller]
fn complete(outcome: &TestOutput) -> Value {
    let document = outcome.json();
    assert_eq!(document["status"], "complete", "{}", outcome.transcript());
    document
}

#[test]
fn every_example_has_a_test_a_readme_and_a_list_entry() {
    let tests = [
        include_str!("examples/loadouts.rs"),
        include_str!("examples/recipes.rs"),
    ]
    .concat();
    let list = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let mut count = 0;
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_dir() {
            continue;
        }
        count += 1;
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(
            tests.contains(&format!("\"{name}\"")),
            "no test runs {name}"
        );
        assert!(
            list.contains(&format!("]({name}/README.md)")),
            "examples/README.md does not list {name}"
        );
        let page = std::fs::read_to_string(path.join("README.md")).unwrap();
        assert!(
            page.contains(&format!("examples/{name}/")),
            "the README of {name} does not say how to start it"
        );
    }
    assert!(count >= 14, "{count}");
}

#[test]
fn every_example_is_valid_without_warnings() {
    let env = TestEnv::new();
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            let is = |file: &&String| Path::new(file.as_str()).exists();
            let known = [
                "loadout.json".to_owned(),
                format!("{name}.json"),
                format!("{name}.md"),
            ];
            let known = known.map(|known| path.join(known).to_str().unwrap().to_owned());
            files.push(
                known
                    .iter()
                    .find(is)
                    .unwrap_or_else(|| panic!("{name} has no definition"))
                    .clone(),
            );
        }
    }
    let args: Vec<&str> = ["validate", "--json"]
        .into_iter()
        .chain(files.iter().map(String::as_str))
        .collect();
    let report = env.materia(&args).run().ok().json();
    let issues: Vec<&Value> = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|file| file["issues"] != json!([]))
        .collect();
    assert!(issues.is_empty(), "{issues:#?}");
}
