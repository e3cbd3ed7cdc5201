//! `materia split`: words, and where a text has none.

use insta::assert_snapshot;
use serde_json::json;

use crate::house::House;

#[test]
fn words_are_listed_one_per_line() {
    let house = House::new();
    let text = r#"grep -n 'two words' "a\"b" \{x\} C:\x ''"#;
    let outcome = house.materia(&["split", text]).run().ok();
    assert_snapshot!(outcome.transcript());
    let words =
        json!({"ok": true, "words": ["grep", "-n", "two words", "a\"b", "{x}", "C:\\x", ""]});
    assert_eq!(
        house.materia(&["split", text, "--json"]).run().ok().json(),
        words
    );
}

#[test]
fn a_text_may_look_like_an_option_or_be_empty() {
    let house = House::new();
    let outcome = house
        .materia(&["split", "--json", "--", "-x --json"])
        .run()
        .ok();
    assert_eq!(outcome.json()["words"], json!(["-x", "--json"]));
    assert_eq!(
        house.materia(&["split", "", "--json"]).run().ok().json()["words"],
        json!([])
    );
}

#[test]
fn an_open_quote_is_an_error_with_its_column() {
    let house = House::new();
    let outcome = house.materia(&["split", "echo it's"]).run();
    assert_snapshot!(outcome.transcript());
    let error = house
        .materia(&["split", "echo it's", "--json"])
        .run()
        .json();
    assert_eq!(error["error"]["at"]["column"], 8);
}
