//! The stdin of a node with its own `input`.

use serde_json::json;

use super::*;

#[test]
fn an_input_is_one_text_and_belongs_to_each_copy() {
    let text = r#"[{"input": "for {who}: 'a  b' \\{x\\}\n", "template": "cat -"},
            {"parallel": true, "repeat": 2, "input": "{index}", "template": ["a", "b"]},
            {"when": false, "input": "{missing}", "template": "c"}, "d"]"#;
    let found = tree(text, &json!({"who": "\"{who}\""}));
    let steps = &found["children"];
    assert_eq!(steps[0]["input"], "for \"{who}\": 'a  b' {x}\n");
    assert_eq!(steps[0]["stdin"], "input");
    let lanes = &steps[1]["children"];
    assert_eq!(
        (&lanes[0]["input"], &lanes[1]["input"]),
        (&json!("0"), &json!("1"))
    );
    assert_eq!(lanes[1]["children"][0]["stdin"], "input");
    assert_eq!(lanes[1]["children"][1]["stdin"], "previous");
    assert_eq!(
        (&steps[2]["skipped"], &steps[2]["input"]),
        (&json!(true), &Value::Null)
    );
    assert_eq!(steps[3]["stdin"], "previous");
}

#[test]
fn a_node_that_is_skipped_hands_on_what_came_and_not_its_input() {
    let text = r#"{"input": "x", "template": {"when": false, "template": "c"}}"#;
    assert_eq!(tree(text, &json!({}))["input"], Value::Null);
}

#[test]
fn everything_that_an_input_lacks_is_said_at_once() {
    let text = r#"{"input": "{a} and {b}", "template": "cat"}"#;
    let template = parse(&Source::new("t", text)).unwrap();
    assert_eq!(template.args().iter().filter(|arg| arg.required).count(), 2);
    assert_eq!(refused(text, &json!({})), ["missing-value"; 2]);
    assert_eq!(
        refused(r#"{"input": 5, "template": "cat"}"#, &json!({})),
        ["invalid-field"]
    );
}
