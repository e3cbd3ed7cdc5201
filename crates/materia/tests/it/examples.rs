//! The examples: each is run as its README says, in a real repository, with scripted agents; what
//! it did is looked at.
//!
//! Loadouts play their own `rehearsal.json`. Recipes ask a fake agent that answers with the first
//! line of its prompt.

mod loadouts;
mod recipes;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::test_env::{TestCommand, TestEnv, TestOutput};

/// A repository in a env, and an agent that is a fake.
struct Repo {
    env: TestEnv,
}

impl Repo {
    /// A repository with these files in its first commit.
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

    /// Runs a line in the shell; what it wrote.
    fn sh(&self, line: &str) -> String {
        self.env.shell(line).run().ok().stdout
    }

    /// The titles of the commits, the newest first.
    fn log(&self) -> Vec<String> {
        self.sh("git log --format=%s")
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// A call of `materia` whose agent is the fake.
    fn materia(&self, words: &[&str]) -> TestCommand<'_> {
        self.env
            .materia(words)
            .env("MATERIA_CONFIG", self.env.home().join("agents.json"))
    }

    /// Casts an example with its rehearsal.
    fn cast(&self, example: &str, request: &str) -> TestOutput {
        self.cast_call(example, request).run()
    }

    fn cast_call(&self, example: &str, request: &str) -> TestCommand<'_> {
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

    /// Runs a recipe of an example; its report.
    fn run(&self, recipe: &str, words: &[&str]) -> TestOutput {
        self.materia(&[&["run", recipe, "--json"], words].concat())
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

/// The folder of all examples.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples")
        .canonicalize()
        .unwrap()
}

/// A file of an example.
fn file(example: &str, name: &str) -> String {
    folder()
        .join(example)
        .join(name)
        .to_str()
        .unwrap()
        .to_owned()
}

/// The document of a cast that came to its end.
#[track_caller]
fn complete(outcome: &TestOutput) -> Value {
    let document = outcome.json();
    assert_eq!(document["status"], "complete", "{}", outcome.transcript());
    document
}

#[test]
fn every_example_is_run_explained_and_listed() {
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
            "{name}: its page does not say how it is started"
        );
    }
    assert!(count >= 14, "{count}");
}

#[test]
fn every_example_is_valid_without_a_warning() {
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
    let words: Vec<&str> = ["validate", "--json"]
        .into_iter()
        .chain(files.iter().map(String::as_str))
        .collect();
    let report = env.materia(&words).run().ok().json();
    let issues: Vec<&Value> = report["files"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|file| file["issues"] != json!([]))
        .collect();
    assert!(issues.is_empty(), "{issues:#?}");
}
