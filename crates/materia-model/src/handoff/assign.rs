//! Assignments: values copied into the state of a cast (C8).
//!
//! Owns reading all sources before the first write, and writing along dotted targets. A write is
//! data: the log stores it, so that the state can be folded without the graph. Never decides
//! whether a source must exist.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::handoff::path::PathSources;
use crate::materia::StateAssign;

/// One change of the state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum StateWrite {
    /// Sets a value at a dotted path.
    Set(String, Value),
    /// Sets values at top-level names, which are not paths.
    Merge(Map<String, Value>),
    /// Removes the value at a dotted path.
    Remove(String),
    /// Appends a paragraph to the text at a top-level name. Drops the beginning of a text that
    /// grows too long.
    Append(String, String),
}

/// The maximum size of a text that [`StateWrite::Append`] extends, in bytes.
pub const MAX_APPENDED: usize = 64 << 10;

/// An invalid `assign` target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`assign` has an empty target for {source_path}: write the path in the state it is copied to"
)]
pub struct EmptyAssignTarget {
    source_path: String,
}

/// The writes of a list of assignments. Reads every source before the first write.
pub fn writes(
    assign: &[StateAssign],
    sources: &PathSources<'_>,
) -> Result<Vec<StateWrite>, EmptyAssignTarget> {
    let copy = |assign: &StateAssign| {
        let target = assign.target.trim();
        if target.split('.').any(str::is_empty) {
            return Err(EmptyAssignTarget {
                source_path: crate::text::quoted(&assign.source),
            });
        }
        Ok(match sources.get(&assign.source) {
            Some(value) => StateWrite::Set(target.to_owned(), value.into_owned()),
            None => StateWrite::Remove(target.to_owned()),
        })
    };
    assign.iter().map(copy).collect()
}

/// Applies a write.
pub fn write(state: &mut Map<String, Value>, change: &StateWrite) {
    match change {
        StateWrite::Set(target, value) => set(state, target, value.clone()),
        StateWrite::Merge(patch) => state.extend(patch.clone()),
        StateWrite::Remove(target) => remove(state, target),
        StateWrite::Append(name, paragraph) => append(state, name, paragraph),
    }
}

/// Sets a value at a dotted path. Replaces anything on the path that is not an object.
pub fn set(state: &mut Map<String, Value>, target: &str, value: Value) {
    let mut members = state;
    let mut segments = target.split('.').peekable();
    while let Some(segment) = segments.next() {
        if segments.peek().is_none() {
            members.insert(segment.to_owned(), value);
            return;
        }
        let next = members.entry(segment).or_insert(Value::Null);
        if !next.is_object() {
            *next = Value::Object(Map::new());
        }
        let Value::Object(inner) = next else { return };
        members = inner;
    }
}

/// Removes the value at a dotted path, if there is one.
pub fn remove(state: &mut Map<String, Value>, target: &str) {
    match target.split_once('.') {
        None => {
            state.shift_remove(target);
        }
        Some((head, rest)) => {
            if let Some(Value::Object(inner)) = state.get_mut(head) {
                remove(inner, rest);
            }
        }
    }
}

fn append(state: &mut Map<String, Value>, name: &str, paragraph: &str) {
    let slot = state.entry(name).or_insert(Value::Null);
    match slot {
        Value::String(text) if !text.trim().is_empty() => {
            text.push_str("\n\n");
            text.push_str(paragraph);
            if text.len() > MAX_APPENDED {
                // Drop half at once, so that a long cast does not copy the whole text at every
                // step.
                let cut = text.ceil_char_boundary(text.len() - MAX_APPENDED / 2);
                let rest = text.split_off(cut);
                *text = format!("…{rest}");
            }
        }
        _ => *slot = Value::String(crate::text::bounded(paragraph, MAX_APPENDED).into_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn assigns(pairs: &[(&str, &str)]) -> Vec<StateAssign> {
        let pair = |(target, source): &(&str, &str)| StateAssign {
            target: (*target).to_owned(),
            source: (*source).to_owned(),
        };
        pairs.iter().map(pair).collect()
    }

    fn after(state: Value, output: &Value, pairs: &[(&str, &str)]) -> Value {
        let Value::Object(mut state) = state else {
            panic!("an object")
        };
        let sources = PathSources {
            output: Some(output),
            state: &state,
            item: None,
            last_json: Some(output),
            last_output: None,
        };
        let writes = writes(&assigns(pairs), &sources).unwrap();
        for change in &writes {
            write(&mut state, change);
        }
        Value::Object(state)
    }

    #[test]
    fn c8_all_sources_are_read_before_the_first_write() {
        let swapped = after(
            json!({"a": 1, "b": 2}),
            &json!({}),
            &[("a", "state.b"), ("b", "state.a")],
        );
        assert_eq!(swapped, json!({"a": 2, "b": 1}));
    }

    #[test]
    fn targets_are_paths_and_what_is_in_the_way_is_replaced() {
        let output = json!({"x": true, "list": [{"label": "L0"}]});
        let pairs = [
            ("c.d", "$.x"),
            ("box.inner", "$.list.0.label"),
            ("c.e.f", "$.x"),
            ("gone", "$.nope"),
        ];
        let state = after(json!({"box": [1, 2], "gone": 1}), &output, &pairs);
        assert_eq!(
            state,
            json!({"box": {"inner": "L0"}, "c": {"d": true, "e": {"f": true}}})
        );
    }

    #[test]
    fn an_empty_target_is_an_error() {
        let state = Map::new();
        let sources = PathSources {
            output: None,
            state: &state,
            item: None,
            last_json: None,
            last_output: None,
        };
        for target in ["", " ", "a..b", "a."] {
            assert!(
                writes(&assigns(&[(target, "$.a")]), &sources).is_err(),
                "{target:?}"
            );
        }
    }

    #[test]
    fn appended_texts_stay_bounded_and_keep_their_end() {
        let mut state = Map::new();
        for index in 0..5000 {
            append(
                &mut state,
                "context",
                &format!("paragraph number {index} é"),
            );
            assert!(state["context"].as_str().unwrap().len() <= MAX_APPENDED);
        }
        assert!(
            state["context"]
                .as_str()
                .unwrap()
                .ends_with("paragraph number 4999 é")
        );
    }
}
