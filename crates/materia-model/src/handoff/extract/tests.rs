//! C5 as a table, and properties that hold for any text.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::handoff::contract::OutputAuthor;

fn judge() -> OutputContract {
    OutputContract {
        author: OutputAuthor::Agent,
        generator: false,
        needs_satisfied: true,
        assign: Vec::new(),
    }
}

fn context(text: &str) -> String {
    match answer(text, &judge()) {
        Ok(found) => found
            .payload
            .get("context")
            .and_then(Value::as_str)
            .unwrap_or("-")
            .to_owned(),
        Err(invalid) => format!("{:?}: {invalid}", invalid.kind),
    }
}

#[test]
fn c5_the_first_candidate_that_holds_the_contract_wins() {
    let cases = [
        (r#"{"satisfied": true, "context": "plain"}"#, "plain"),
        (
            "Here:\n```json\n{\"satisfied\": true, \"context\": \"fenced\"}\n```\nThanks!",
            "fenced",
        ),
        (
            "  ````JSON\n{\"satisfied\": true, \"context\": \"long fence\"}\n````",
            "long fence",
        ),
        (
            r#"My verdict is {"satisfied": false, "context": "inline"} as said."#,
            "inline",
        ),
        (
            r#"{"satisfied": true, "context": "one"}{"satisfied": false, "context": "two"}"#,
            "one",
        ),
        (
            r#"The set {a, b} and {word} {"satisfied": true, "context": "after"}"#,
            "after",
        ),
        (
            r#"{"satisfied": true, "context": "run ```json {\"satisfied\": false} ``` first"}"#,
            "run ```json {\"satisfied\": false} ``` first",
        ),
        (
            "```json\n{\"example\": 1}\n```\nand\n```json\n{\"satisfied\": true, \"context\": \"second\"}\n```",
            "second",
        ),
        (
            r#"Draft: {"passed": true} Final: {"satisfied": true, "context": "final"}"#,
            "final",
        ),
        (
            r#"Steps [1, 2] done. {"satisfied": true, "context": "object"}"#,
            "object",
        ),
        (
            r#"[x] and [ {"satisfied": true, "context": "not a list"} oops"#,
            "not a list",
        ),
        (r#"{"satisfied": true, "context": "x}y{z"} tail }"#, "x}y{z"),
        (
            r#"Use {"key": then {"satisfied": true, "context": "after a false start"}"#,
            "after a false start",
        ),
        (
            r#"He said "hm {"satisfied": true, "context": "odd quotes"}"#,
            "odd quotes",
        ),
        (
            "```\nnot json\n```\n{\"satisfied\": true, \"context\": \"behind a fence\"}",
            "behind a fence",
        ),
        (
            "```json {\"satisfied\": true, \"context\": \"one line\"} ```",
            "one line",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(context(text), expected, "{text}");
    }
}

#[test]
fn c5_only_top_level_objects_are_candidates() {
    let cases = [
        (
            r#"{"result": {"satisfied": true, "context": "nested"}}"#,
            "HandoffValidation: ",
        ),
        (
            r#"[{"satisfied": true, "context": "in a list"}]"#,
            "JsonParse: the answer must be one JSON object, not a list",
        ),
        (
            r#"see [{"satisfied": true}] there"#,
            "JsonParse: no JSON object was found",
        ),
        (
            r#"{"satisfied": true, "context": {"satisfied": true},}"#,
            "JsonParse: the JSON object is invalid",
        ),
        (
            r#"cut: {"list": [{"satisfied": true}, {"sat"#,
            "JsonParse: the JSON object is invalid",
        ),
        (
            r#"{"satisfied": true, "context": "bad",}"#,
            "JsonParse: the JSON object is invalid: trailing comma",
        ),
        (
            "nothing here",
            "JsonParse: no JSON object was found in the answer, which begins with `nothing here`",
        ),
        (" \n", "JsonParse: the answer is empty"),
    ];
    for (text, expected) in cases {
        let found = context(text);
        assert!(found.starts_with(expected), "{text}: {found}");
    }
}

#[test]
fn c5_the_best_candidate_is_reported() {
    let text = r#"{"example": 1, "other": 2} {"satisfied": "yes"} {"more": 1, "and": 2}"#;
    let invalid = answer(text, &judge()).unwrap_err();
    assert_eq!(invalid.kind, OutputStage::HandoffValidation);
    assert_eq!(invalid.issues.len(), 1);
    assert_eq!(invalid.issues[0].path, "$.satisfied");
}

#[test]
fn c5_stdout_is_one_document_and_logs_belong_on_stderr() {
    let utility = OutputContract {
        author: OutputAuthor::Utility,
        needs_satisfied: false,
        ..judge()
    };
    assert_eq!(
        stdout(" {\"a\": 1}\n", &utility).unwrap().payload["a"],
        json!(1)
    );
    for (text, expected) in [
        ("log line\n{\"a\": 1}", "write logs to stderr"),
        ("```json\n{}\n```", "write logs to stderr"),
        ("[\"x\"]", "not a list"),
        ("", "stdout is empty"),
        (
            "{\"satisfied\": null}",
            "`satisfied` must be true or false, not null",
        ),
    ] {
        let message = stdout(text, &utility).unwrap_err().to_string();
        assert!(message.contains(expected), "{text}: {message}");
    }
}

#[test]
fn hostile_texts_of_a_megabyte_are_read_quickly() {
    for unit in [
        "{",
        "[",
        "{\"",
        "{\"a\" ",
        "{\"a\":",
        "[{",
        "{}",
        "```\n{",
        "\"{\"",
        "{\"a\":[1,",
    ] {
        // Brackets alone are the worst case of the scan; the others cost a parse each.
        let size = if unit.len() == 1 { 1 << 20 } else { 1 << 17 };
        let text = unit.repeat(size / unit.len());
        assert!(answer(&text, &judge()).is_err(), "{unit}");
        let closed = format!("{text} x {{\"satisfied\": true}}");
        let _ = answer(&closed, &judge());
    }
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(answer(&deep, &judge()).is_err());
}

#[test]
fn many_small_objects_do_not_hide_the_answer() {
    let text = format!(
        "{}{{\"satisfied\": true, \"context\": \"last\"}}",
        "{\"a\": 1} ".repeat(5000)
    );
    assert_eq!(context(&text), "last");
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,200}|[\\[\\]{}\",:a1`\n\\\\ ]{0,200}") {
        let _ = answer(&text, &judge());
        let _ = stdout(&text, &judge());
    }

    #[test]
    fn an_object_is_found_behind_any_prose_without_brackets(before in "[^{}\\[\\]`]{0,60}", after in "[^{}\\[\\]`]{0,60}") {
        let text = format!("{before}{{\"satisfied\": true, \"context\": \"it\"}}{after}");
        prop_assert_eq!(context(&text), "it");
    }
}
