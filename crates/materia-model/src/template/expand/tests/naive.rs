//! A naive interpreter of small trees: `when`, `repeat`, `defaults`, sequences, by text
//! replacement.
//!
//! Written independently of the real one and as simply as possible, so that they disagree if one of
//! them is wrong.

use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Trees of a few levels, as JSON.
pub(super) fn tree() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "x", "{on}", "{index}", "{repeat}", "{_next}", "{d=e}", "v{d=e}w",
    ]);
    let leaf = prop::collection::vec(word, 0..4)
        .prop_map(|words| Value::from(format!("t {}", words.join(" "))));
    let tree = leaf.prop_recursive(4, 24, 3, |inner| {
        let body = prop_oneof![
            inner.clone(),
            prop::collection::vec(inner, 1..4).prop_map(Value::from)
        ];
        let when = prop::sample::select(vec![
            json!(null),
            json!(true),
            json!("false"),
            json!("on"),
            json!("!on"),
            json!("{index}"),
        ]);
        let repeat = prop::sample::select(vec![
            json!(null),
            json!(0),
            json!(1),
            json!("3"),
            json!("{xs.length}"),
        ]);
        (body, when, repeat, any::<bool>(), prop::option::of("[a-c]")).prop_map(
            |(body, when, repeat, parallel, d)| {
                let mut node = Map::new();
                node.insert("parallel".into(), parallel.into());
                for (field, value) in [("when", when), ("repeat", repeat)] {
                    if !value.is_null() {
                        node.insert(field.into(), value);
                    }
                }
                if let Some(d) = d {
                    node.insert("defaults".into(), json!({"d": d}));
                }
                node.insert("template".into(), body);
                Value::Object(node)
            },
        )
    });
    // Everything is inside one repeat, so that its names always have a value.
    tree.prop_map(|tree| json!({"repeat": 1, "template": [tree]}))
}

/// The argv of every command that runs, in order.
pub(super) fn run(tree: &Value, values: &Value) -> Vec<Vec<String>> {
    let mut names: HashMap<String, String> = HashMap::new();
    names.insert("on".into(), values["on"].to_string());
    let mut found = Vec::new();
    node(tree, &names, &mut found);
    found
}

fn node(tree: &Value, names: &HashMap<String, String>, found: &mut Vec<Vec<String>>) {
    match tree {
        Value::String(text) => found.push(
            text.split_whitespace()
                .map(|word| fill(word, names))
                .collect(),
        ),
        Value::Array(items) => items.iter().for_each(|item| node(item, names, found)),
        _ => object(tree, names, found),
    }
}

fn object(tree: &Value, names: &HashMap<String, String>, found: &mut Vec<Vec<String>>) {
    let mut names = names.clone();
    if let Some(d) = tree["defaults"]["d"].as_str() {
        names.insert("d".into(), d.into());
    }
    let count = match &tree["repeat"] {
        Value::Null => return once(tree, &names, found),
        Value::String(text) if text == "{xs.length}" => 2,
        other => other
            .to_string()
            .trim_matches('"')
            .parse::<usize>()
            .unwrap(),
    };
    for index in 0..count {
        names.insert("index".into(), index.to_string());
        names.insert("_next".into(), format!("{:02}", (index + 1) % count));
        names.insert("repeat".into(), count.to_string());
        once(tree, &names, found);
    }
}

fn once(tree: &Value, names: &HashMap<String, String>, found: &mut Vec<Vec<String>>) {
    let runs = match &tree["when"] {
        Value::Null | Value::Bool(true) => true,
        Value::String(text) if text == "on" => names["on"] == "true",
        Value::String(text) if text == "!on" => names["on"] == "false",
        Value::String(text) if text == "{index}" => names["index"] != "0",
        _ => false,
    };
    if runs {
        node(&tree["template"], names, found);
    }
}

fn fill(word: &str, names: &HashMap<String, String>) -> String {
    let mut word = word.to_owned();
    for (name, value) in names {
        word = word.replace(&format!("{{{name}}}"), value);
    }
    word.replace("{d=e}", names.get("d").map_or("e", String::as_str))
}
