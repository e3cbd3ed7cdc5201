//! Recipes by name and by file: lookup, imports, explain, run.

pub mod reference;
mod stages;

use serde_json::json;

use crate::test_env::TestEnv;

/// Writes a recipe of the user.
pub fn write_user_recipe(env: &TestEnv, name: &str, text: &str) {
    let dir = env.home().join(".pi/agent/recipes");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join(name), text).unwrap();
}

#[test]
fn a_recipe_runs_by_name_by_path_and_by_file() {
    let env = TestEnv::new();
    write_user_recipe(
        &env,
        "greet.json",
        r#"{"args": ["who", "loud:bool=false"], "template": "echo hello {who} {loud?LOUD:}"}"#,
    );
    env.write("lib/twice.md", "---\ndescription: Twice\nimports:\n  g:\n    from: greet\n    values: {who: '<{who}>'}\n---\n\n```json\n[{\"name\": \"g\"}, {\"name\": \"g\", \"values\": {\"who\": \"again\"}}]\n```\n");
    let run_output = |args: &[&str]| env.materia(&[&["run"], args].concat()).run().ok().stdout;
    assert_eq!(run_output(&["greet", "who=you"]), "hello you\n");
    assert_eq!(
        run_output(&["greet", "who=you", "loud=yes"]),
        "hello you LOUD\n"
    );
    assert_eq!(run_output(&["lib/twice", "who=me"]), "hello again\n");
    assert_eq!(
        run_output(&["--file", "lib/twice.md", "who=me"]),
        "hello again\n"
    );
    let explained = env
        .materia(&["explain", "./lib/twice.md", "who=me", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(
        explained["tree"]["children"][0]["argv"],
        json!(["echo", "hello", "<me>"])
    );
    assert_eq!(explained["args"][0]["name"], "who");
    assert_eq!(explained["args"].as_array().unwrap().len(), 2);
}

#[test]
fn missing_broken_and_disabled_recipes_have_different_errors() {
    let env = TestEnv::new();
    write_user_recipe(&env, "broken.json", "{\n  \"template\": \"echo 'x\"\n}");
    write_user_recipe(
        &env,
        "off.json",
        r#"{"disabled": true, "template": "echo x"}"#,
    );
    write_user_recipe(
        &env,
        "utility-git-log.json",
        r#"{"template": "echo {n:int}"}"#,
    );
    let failure = |name: &str| {
        let outcome = env.materia(&["run", name, "--json"]).run();
        let error = outcome.json()["error"].clone();
        (
            outcome.code(),
            error["code"].as_str().unwrap().to_owned(),
            error,
        )
    };
    let (code, name, error) = failure("utility-git-statu");
    assert_eq!(code, 3);
    assert_eq!(name.as_str(), "recipe_not_found");
    assert_eq!(error["hint"], "did you mean `utility-git-status`?");
    let (code, name, error) = failure("broken");
    assert_eq!(code, 2);
    assert_eq!(name.as_str(), "unterminated_quote");
    assert_has!(error["at"], {"line": 2, "column": 21});
    assert_eq!(
        (failure("off").0, failure("off").1.as_str()),
        (4, "recipe_disabled")
    );
    // The user's recipe hides the shipped one, and its argument is missing.
    let (code, name, error) = failure("utility-git-log");
    assert_eq!((code, name.as_str()), (2, "missing_value"));
    assert!(
        error["hint"].as_str().unwrap().contains("expected: n=1"),
        "{error}"
    );
}

#[test]
fn an_error_in_an_import_names_that_file() {
    let env = TestEnv::new();
    env.write("part.json", r#"{"template": "echo {x"}"#);
    env.write("bad.json", r#"{"template": "echo {a.b}"}"#);
    env.write(
        "whole.json",
        r#"{"imports": {"p": "./bad.json"}, "template": {"name": "p"}}"#,
    );
    let outcome = env.materia(&["explain", "--file", "whole.json"]).run();
    assert_eq!(outcome.code(), 2);
    assert!(
        outcome.stderr.contains("bad.json:1:20"),
        "{}",
        outcome.transcript()
    );
    assert!(
        outcome.stderr.contains("is no placeholder"),
        "{}",
        outcome.transcript()
    );
}

#[test]
fn imports_between_recipes_are_listed() {
    let env = TestEnv::new();
    env.write(
        "../home/.pi/agent/recipes/mine.json",
        r#"{"imports": {"look": "utility-git-log"}, "template": {"name": "look"}}"#,
    );
    let shown = env
        .materia(&["inspect", "recipes", "--view", "imports", "--json"])
        .run()
        .ok()
        .json();
    let all = shown["imports"].as_array().unwrap();
    let mine: Vec<_> = all.iter().filter(|one| one["recipe"] == "mine").collect();
    assert_eq!(mine.len(), 1, "{shown}");
    assert_has!(mine[0], {"alias": "look", "from": "utility-git-log"});
    let text = env
        .materia(&["inspect", "recipes", "--view", "imports"])
        .run()
        .ok()
        .stdout;
    assert!(text.contains("mine look = utility-git-log\n"), "{text}");
}
