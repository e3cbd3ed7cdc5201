//! Value paths: `$.a.0`, `state.x`, `item.title`, `lastJson.x`, `lastOutput`, or a path into the
//! state.
//!
//! Owns their evaluation, for `assign`, `items` and prompts alike. Dots separate segments and
//! numbers index lists; there are no brackets, wildcards or escapes. A path to a missing value
//! yields `None`, never an error.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// The values that a path can reach.
#[derive(Debug, Clone, Copy)]
pub struct PathSources<'a> {
    /// The current output: `$`.
    pub output: Option<&'a Value>,
    /// The shared state: `state`, and every path without a known first word.
    pub state: &'a Map<String, Value>,
    /// The current item: `item`.
    pub item: Option<&'a Value>,
    /// The last JSON output: `lastJson`.
    pub last_json: Option<&'a Value>,
    /// The last output as text: `lastOutput`.
    pub last_output: Option<&'a str>,
}

impl<'a> PathSources<'a> {
    /// The value at a path, if there is one.
    pub fn get(&self, path: &str) -> Option<Cow<'a, Value>> {
        let (head, rest) = split(path.trim());
        let root = match head {
            "$" => self.output,
            "item" => self.item.or_else(|| self.state.get("item")),
            "lastJson" => self.last_json,
            "lastOutput" => return self.last_output.map(|text| Cow::Owned(text.into())),
            "state" if rest.is_empty() => {
                return Some(Cow::Owned(Value::Object(self.state.clone())));
            }
            "state" => return in_object(self.state, rest).map(Cow::Borrowed),
            _ => return in_object(self.state, path.trim()).map(Cow::Borrowed),
        };
        root.and_then(|root| below(root, rest)).map(Cow::Borrowed)
    }

    /// The list at a path, borrowed. Anything else is an empty list.
    pub fn list(&self, path: &str) -> &'a [Value] {
        match self.get(path) {
            Some(Cow::Borrowed(Value::Array(items))) => items,
            _ => &[],
        }
    }
}

/// The value below another at a dotted path. An empty path is the value itself.
pub fn below<'a>(root: &'a Value, path: &str) -> Option<&'a Value> {
    if path.is_empty() {
        return Some(root);
    }
    path.split('.')
        .try_fold(root, |value, segment| match value {
            Value::Object(members) => members.get(segment),
            Value::Array(items) => segment
                .parse::<usize>()
                .ok()
                .and_then(|index| items.get(index)),
            _ => None,
        })
}

/// The top-level field of the output that a path reads: `None` if it reads none, `Some("")` if it
/// reads all.
pub fn consumed(path: &str) -> Option<&str> {
    let (head, rest) = split(path.trim());
    matches!(head, "$" | "lastJson").then(|| split(rest).0)
}

fn in_object<'a>(members: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    let (head, rest) = split(path);
    below(members.get(head)?, rest)
}

fn split(path: &str) -> (&str, &str) {
    path.split_once('.').unwrap_or((path, ""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(path: &str) -> Option<Value> {
        let state = json!({"a": {"b": [10, {"c": 7}]}, "item": {"title": "stale"}});
        let output = json!({"x": true, "list": [{"label": "L0"}]});
        let sources = PathSources {
            output: Some(&output),
            state: state.as_object().unwrap(),
            item: None,
            last_json: Some(&output),
            last_output: Some("plain"),
        };
        sources.get(path).map(Cow::into_owned)
    }

    #[test]
    fn each_word_has_its_source() {
        let cases = [
            ("$", Some(json!({"x": true, "list": [{"label": "L0"}]}))),
            ("$.x", Some(json!(true))),
            ("$.list.0.label", Some(json!("L0"))),
            ("$.list.1.label", None),
            ("$.list.label", None),
            ("state.a.b.0", Some(json!(10))),
            ("a.b.1.c", Some(json!(7))),
            ("item.title", Some(json!("stale"))),
            ("lastJson.x", Some(json!(true))),
            ("lastOutput", Some(json!("plain"))),
            ("nope", None),
            ("", None),
        ];
        for (path, expected) in cases {
            assert_eq!(read(path), expected, "{path}");
        }
    }

    #[test]
    fn a_path_says_which_field_of_the_output_it_consumes() {
        let cases = [
            ("$", Some("")),
            ("$.a.b", Some("a")),
            ("lastJson.k", Some("k")),
            ("lastOutput", None),
            ("state.a", None),
        ];
        for (path, expected) in cases {
            assert_eq!(consumed(path), expected, "{path}");
        }
    }
}
