//! The context that agents inside a run get about their recipe.

use serde_json::{Value, json};

use super::{LibraryHarness, prompts};

fn context_records(prompt: &str) -> Vec<Value> {
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
fn an_agent_gets_the_recipes_of_its_run_and_its_position() {
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
    let context = context_records(&harness.prompt(prompts::REVIEW));
    assert_has!(context[0], {"role": "entry", "name": "twice"});
    assert_eq!(context[0]["recipe"], top, "the recipe must be unchanged");
    let here: Vec<&Value> = context
        .iter()
        .filter(|record| record["you_are_here"] == true)
        .collect();
    assert_eq!(here.len(), 1, "{context:#?}");
    assert_eq!(here[0]["import_path"][0], "first", "{context:#?}");
    assert_eq!(here[0]["you_are_here_path"], here[0]["import_path"]);
    assert!(
        harness
            .env
            .read_run_file("a", "run.json")
            .contains("context.jsonl")
    );
}

#[test]
fn without_a_recipe_or_with_actor_context_off_there_is_no_context() {
    let harness = LibraryHarness::new();
    let node = json!({"template": "materia agent run", "input": "Say something"});
    harness.env.write(
        "off.json",
        json!({"actor_context": false, "template": node}).to_string(),
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
            &node.to_string(),
            "--as",
            "run:b",
            "--json",
        ])
        .run()
        .ok();
    harness.env.wait("b");
    // A foreground run has no context, either.
    harness
        .env
        .write("on.json", json!({"template": node}).to_string());
    harness
        .materia(&["run", "--file", "on.json", "--json"])
        .run()
        .ok();
    assert_eq!(harness.prompts().len(), 3);
    for prompt in harness.prompts() {
        assert!(!prompt.contains("## Context"), "{prompt}");
    }
}
