//! `materia split`: the words of a text, and errors with their column.

use insta::assert_snapshot;
use serde_json::json;

use crate::test_env::TestEnv;

#[test]
fn words_are_listed_one_per_line() {
    let env = TestEnv::new();
    let text = r#"grep -n 'two words' "a\"b" \{x\} C:\x ''"#;
    let outcome = env.materia(&["split", text]).run().ok();
    assert_snapshot!(outcome.transcript());
    let words =
        json!({"ok": true, "words": ["grep", "-n", "two words", "a\"b", "{x}", "C:\\x", ""]});
    assert_eq!(
        env.materia(&["split", text, "--json"]).run().ok().json(),
        words
    );
}

#[test]
fn a_text_may_look_like_an_option_or_be_empty() {
    let env = TestEnv::new();
    let outcome = env
        .materia(&["split", "--json", "--", "-x --json"])
        .run()
        .ok();
    assert_eq!(outcome.json()["words"], json!(["-x", "--json"]));
    assert_eq!(
        env.materia(&["split", "", "--json"]).run().ok().json()["words"],
        json!([])
    );
}

#[test]
fn an_open_quote_is_an_error_with_its_column() {
    let env = TestEnv::new();
    let outcome = env.materia(&["split", "echo it's"]).run();
    assert_snapshot!(outcome.transcript());
    let error = env.materia(&["split", "echo it's", "--json"]).run().json();
    assert_eq!(error["error"]["at"]["column"], 8);
}
