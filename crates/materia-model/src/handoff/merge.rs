//! The state changes of a valid payload before `assign` (part of every completion).
//!
//! Owns the state patch of programs, the envelope, the adoption of `workItems` and the growing
//! `context`. Never changes a state: it returns the writes.

use serde_json::{Map, Value};

use crate::handoff::assign::StateWrite;
use crate::handoff::contract::{OutputAuthor, OutputContract};

/// State names that only `workItems` and `satisfied` of a payload may set, never a patch.
const CONTROL: [&str; 2] = ["workItems", "satisfied"];

/// The writes of a payload from the socket that users see as `speaker`.
pub fn writes(
    contract: &OutputContract,
    payload: &Map<String, Value>,
    state: &Map<String, Value>,
    speaker: &str,
) -> Vec<StateWrite> {
    let mut writes = Vec::new();
    if let (OutputAuthor::Utility, Some(Value::Object(patch))) =
        (contract.author, payload.get("state"))
    {
        let mut patch = patch.clone();
        patch.retain(|name, _| !CONTROL.contains(&name.as_str()));
        writes.push(StateWrite::Merge(patch));
    }
    for name in ["satisfied", "context"] {
        if let Some(value) = payload.get(name) {
            writes.push(StateWrite::Set(format!("envelope.{name}"), value.clone()));
        }
    }
    if let Some(list @ Value::Array(_)) = payload.get("workItems") {
        writes.extend(adoption(contract, list, state));
    }
    if let Some(context) = payload
        .get("context")
        .and_then(Value::as_str)
        .map(str::trim)
        && !context.is_empty()
    {
        writes.push(StateWrite::Append(
            "context".to_owned(),
            format!("[{speaker}] {context}"),
        ));
    }
    writes
}

/// A generator replaces the list; other sockets set it only if there is none. A list that was not
/// adopted stays in the envelope, so that the state holds every list once.
fn adoption(
    contract: &OutputContract,
    list: &Value,
    state: &Map<String, Value>,
) -> Vec<StateWrite> {
    if contract.generator || !has_items(state) {
        let cleared = StateWrite::Remove("envelope.workItems".to_owned());
        return vec![
            StateWrite::Set("workItems".to_owned(), list.clone()),
            cleared,
        ];
    }
    vec![StateWrite::Set(
        "envelope.workItems".to_owned(),
        list.clone(),
    )]
}

fn has_items(state: &Map<String, Value>) -> bool {
    matches!(state.get("workItems"), Some(Value::Array(items)) if !items.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::handoff::assign;

    fn after(author: OutputAuthor, generator: bool, state: Value, payload: Value) -> Value {
        let (Value::Object(mut state), Value::Object(payload)) = (state, payload) else {
            panic!("objects")
        };
        let contract = OutputContract {
            author,
            generator,
            needs_satisfied: false,
            assign: Vec::new(),
        };
        for write in writes(&contract, &payload, &state, "Socket-1 Plan") {
            assign::write(&mut state, &write);
        }
        Value::Object(state)
    }

    #[test]
    fn a_patch_is_merged_shallowly_and_leaves_control_alone() {
        let state =
            json!({"existing": 1, "nested": {"old": true}, "workItems": [1], "a": {"b": 1}});
        let patch = json!({"state": {"vcs": 2, "nested": {"fresh": 1}, "a.b": 3, "workItems": [], "satisfied": true}});
        let expected = json!({"existing": 1, "nested": {"fresh": 1}, "workItems": [1], "a": {"b": 1}, "vcs": 2, "a.b": 3});
        assert_eq!(
            after(OutputAuthor::Utility, false, state.clone(), patch.clone()),
            expected
        );
        assert_eq!(
            after(OutputAuthor::Agent, false, state.clone(), patch),
            state
        );
    }

    #[test]
    fn only_a_generator_replaces_a_list_that_is_there() {
        let list = json!({"workItems": [2]});
        let adopted = json!({"workItems": [2]});
        assert_eq!(
            after(OutputAuthor::Agent, false, json!({}), list.clone()),
            adopted
        );
        assert_eq!(
            after(
                OutputAuthor::Agent,
                false,
                json!({"workItems": []}),
                list.clone()
            ),
            adopted
        );
        assert_eq!(
            after(
                OutputAuthor::Agent,
                true,
                json!({"workItems": [1]}),
                list.clone()
            ),
            adopted
        );
        let kept = json!({"workItems": [1], "envelope": {"workItems": [2]}});
        assert_eq!(
            after(OutputAuthor::Agent, false, json!({"workItems": [1]}), list),
            kept
        );
    }

    #[test]
    fn context_grows_by_named_paragraphs_and_blank_ones_are_ignored() {
        let state = json!({"context": "keep"});
        let grown = after(
            OutputAuthor::Agent,
            false,
            state.clone(),
            json!({"context": " Plan created. "}),
        );
        assert_eq!(grown["context"], "keep\n\n[Socket-1 Plan] Plan created.");
        let blank = after(OutputAuthor::Agent, false, state, json!({"context": "  "}));
        assert_eq!(blank["context"], "keep");
    }
}
