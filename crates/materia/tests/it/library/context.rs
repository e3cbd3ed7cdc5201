//! What agents inside a run are told about the recipe they are a part of.

use serde_json::{Value, json};

use super::{LibraryHarness, prompts};

fn records(prompt: &str) -> Vec<Value> {
    let (_, block) = prompt
        .split_once("```jsonl\n")
        .unwrap_or_else(|| panic!("no context: {prompt}"));
    let (block, _) = block.split_once("```").unwrap();
    block
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn an_agent_in_a_run_knows_the_recipes_around_it_and_which_is_its_own() {
    let harness = LibraryHarness::new();
    let top = json!({"description": "Reviews twice", "async": true,
        "imports": {"first": {"from": "subagent-review", "values": {"scope": "src"}}},
        "template": [{"name": "first"}, "cat"]});
    harness
        .env
        .write("../home/.pi/agent/recipes/twice.json", top.to_string());
    harness
        .materia(&["spawn", "twice", "--as", "run:a", "--json"])
        .run()
        .ok();
    harness.env.wait("a");
    let told = records(&harness.prompt(prompts::REVIEW));
    assert_has!(told[0], {"role": "entry", "name": "twice"});
    assert_eq!(told[0]["recipe"], top, "the document as it is written");
    let here: Vec<&Value> = told
        .iter()
        .filter(|record| record["you_are_here"] == true)
        .collect();
    assert_eq!(here.len(), 1, "{told:#?}");
    assert_eq!(here[0]["import_path"][0], "first", "{told:#?}");
    assert_eq!(here[0]["you_are_here_path"], here[0]["import_path"]);
    assert!(
        harness
            .env
            .read_run_file("a", "run.json")
            .contains("context.jsonl")
    );
}

#[test]
fn who_does_not_want_it_and_who_has_no_recipe_is_told_nothing() {
    let harness = LibraryHarness::new();
    let leaf = json!({"template": "materia agent run", "input": "Say something"});
    harness.env.write(
        "off.json",
        json!({"actor_context": false, "template": leaf}).to_string(),
    );
    harness
        .materia(&["spawn", "--file", "off.json", "--as", "run:a", "--json"])
        .run()
        .ok();
    harness.env.wait("a");
    harness
        .materia(&[
            "spawn",
            "--template",
            &leaf.to_string(),
            "--as",
            "run:b",
            "--json",
        ])
        .run()
        .ok();
    harness.env.wait("b");
    // In the foreground nobody keeps anything for it either.
    harness
        .env
        .write("on.json", json!({"template": leaf}).to_string());
    harness
        .materia(&["run", "--file", "on.json", "--json"])
        .run()
        .ok();
    assert_eq!(harness.prompts().len(), 3);
    for prompt in harness.prompts() {
        assert!(!prompt.contains("## Context"), "{prompt}");
    }
}
