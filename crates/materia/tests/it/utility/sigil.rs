//! `commit-sigil`: returns the work items unchanged, with a verdict on their titles.

use serde_json::{Value, json};

use super::utility;
use crate::test_env::TestEnv;

fn items_with_titles(titles: &[&str]) -> Value {
    titles
        .iter()
        .map(|title| json!({"title": title, "context": "c", "more": [1, {"z": null, "a": 2.5}]}))
        .collect()
}

#[test]
fn valid_titles_satisfy_and_the_items_are_returned() {
    let env = TestEnv::new();
    let items = items_with_titles(&[
        "feat: add login",
        "fix(auth): handle timeout",
        "feat(api)!: new",
        "  chore: spaced  ",
    ]);
    let outcome = utility(
        &env,
        "commit-sigil",
        &json!({"state": {"workItems": items}}),
    )
    .ok();
    let expected =
        json!({"workItems": items, "satisfied": true, "context": "All work items validated."});
    assert_eq!(outcome.json(), expected);
    assert_eq!(
        outcome.stdout.trim_end(),
        expected.to_string(),
        "the order of fields must not change"
    );
    assert_eq!(outcome.stderr, "");
}

#[test]
fn unusual_types_are_only_a_notice() {
    let env = TestEnv::new();
    let result = utility(
        &env,
        "commit-sigil",
        &json!({"state": {"workItems": items_with_titles(&["custom: y"])}}),
    )
    .ok()
    .json();
    assert_eq!(result["satisfied"], true);
    let context = result["context"].as_str().unwrap();
    assert!(
        context.contains("Work item 0: custom.") && context.contains("refactor"),
        "{context}"
    );
}

#[test]
fn wrong_titles_are_reported_with_a_suggestion() {
    let env = TestEnv::new();
    let items = items_with_titles(&[
        "feat: ok",
        "bad title",
        "Feat: add x",
        "feat():x",
        "My Module: do it",
    ]);
    let result = utility(
        &env,
        "commit-sigil",
        &json!({"state": {"workItems": items}}),
    )
    .ok()
    .json();
    assert_has!(result, {"satisfied": false, "workItems": items});
    let lines: Vec<&str> = result["context"].as_str().unwrap().lines().collect();
    let line = |index: usize, title: &str, suggested: &str| {
        format!(
            "Work item {index}: title must start with type: (feat:, fix:, chore:, docs:, …). \
             \"{title}\" could be \"{suggested}\"."
        )
    };
    assert_eq!(lines[0], line(1, "bad title", "chore: bad title"));
    assert_eq!(lines[1], line(2, "Feat: add x", "feat: add x"));
    assert_eq!(lines[2], line(3, "feat():x", "feat: x"));
    assert_eq!(
        lines[3],
        line(4, "My Module: do it", "chore(mymodule): do it")
    );
    assert!(
        lines[4].contains("type(scope): description") && lines.len() == 5,
        "{lines:?}"
    );
}

#[test]
fn missing_titles_fail_and_other_values_are_ignored() {
    let env = TestEnv::new();
    let items = json!([{"context": "c"}, {"title": " "}, {"title": 7}, "text", 3, null]);
    let outcome = utility(
        &env,
        "commit-sigil",
        &json!({"state": {"workItems": items}}),
    )
    .ok();
    let result = outcome.json();
    assert_has!(result, {"satisfied": false, "workItems": items});
    assert_eq!(
        result["context"]
            .as_str()
            .unwrap()
            .matches("it has no title")
            .count(),
        3
    );
    assert_eq!(outcome.stderr.lines().count(), 3, "{}", outcome.stderr);
}

#[test]
fn only_work_items_are_checked() {
    let env = TestEnv::new();
    let bad = items_with_titles(&["Bad"]);
    for input in [
        json!({}),
        json!({"state": {}}),
        json!({"state": {"workItems": []}, "workItems": bad}),
        json!({"state": {"tasks": bad, "workItems": "none"}, "tasks": bad, "work": bad}),
    ] {
        let result = utility(&env, "commit-sigil", &input).ok().json();
        let expected = json!({"workItems": [], "satisfied": true, "context": "There are no work items to validate."});
        assert_eq!(result, expected, "{input}");
    }
    let direct = utility(&env, "commit-sigil", &json!({"workItems": bad}))
        .ok()
        .json();
    assert_has!(direct, {"satisfied": false, "workItems": bad});
}

#[test]
fn the_context_is_limited() {
    let env = TestEnv::new();
    let long = "x".repeat(10_000);
    let items = items_with_titles(&vec![long.as_str(); 200]);
    let result = utility(
        &env,
        "commit-sigil",
        &json!({"state": {"workItems": items}}),
    )
    .ok()
    .json();
    let context = result["context"].as_str().unwrap();
    assert!(
        context.len() < 64 * 1024 && context.contains("And 150 more."),
        "{}",
        context.len()
    );
    assert_eq!(result["workItems"], items);
}
