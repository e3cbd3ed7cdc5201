//! The JSON Schema of a config document, for editors.
//!
//! Owns the descriptions, the choices and the shapes that an editor can offer while somebody types.
//! What a schema cannot say (targets that exist, loops that turn) the checks say. Never validates
//! anything itself.

mod part;

use serde_json::{Map, Value, json};

use super::graph::Guard;
use part::{flag, object, text};

/// The schema of a config: loadouts, materia and settings.
pub fn schema() -> Value {
    let mut fields = settings();
    fields.insert("materia".to_owned(), json!({
        "description": "Reusable behaviour by name: agent roles and utilities. null removes a lower layer's.",
        "type": "object",
        "additionalProperties": {"oneOf": [{"$ref": "#/$defs/materia"}, {"type": "null"}]},
    }));
    fields.insert(
        "loadouts".to_owned(),
        json!({
            "description": "Graphs of sockets by name. Names of shipped loadouts are taken.",
            "type": "object",
            "additionalProperties": {"oneOf": [{"$ref": "#/$defs/loadout"}, {"type": "null"}]},
        }),
    );
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "materia config",
        "description": "Loadouts, materia and settings of casts.",
        "type": "object",
        "properties": fields,
        "additionalProperties": false,
        "$defs": {
            "parse": {"description": "How the output is read.", "enum": ["text", "json"]},
            "guard": {
                "description": "When it is taken: always, or by the output's boolean `satisfied`.",
                "enum": Guard::ALL.map(Guard::as_str),
            },
            "assign": {
                "description": "Copies into the state of the cast: dotted target path to value path, such as `$.context`.",
                "type": "object",
                "additionalProperties": {"type": "string", "minLength": 1},
            },
            "socketId": {
                "description": "A socket of this loadout.",
                "type": "string",
                "pattern": "^(?!end$)[A-Za-z][A-Za-z0-9_.-]*$",
                "maxLength": 128,
            },
            "target": {
                "description": "A socket of this loadout, or `end`.",
                "type": "string",
                "pattern": "^[A-Za-z][A-Za-z0-9_.-]*$",
            },
            "materia": part::materia(),
            "loadout": part::loadout(),
            "socket": part::socket(),
            "edge": part::edge(),
            "foreach": part::each("The list that is worked through, one item at a time."),
            "advance": part::advance(),
            "loop": part::region(),
        },
    })
}

fn settings() -> Map<String, Value> {
    let count =
        |text: &str, least: u64| json!({"description": text, "type": "integer", "minimum": least});
    let amount = |text: &str| json!({"description": text, "type": "number", "minimum": 0});
    let percent =
        |text: &str| json!({"description": text, "type": "number", "minimum": 0, "maximum": 100});
    let fields = [
        ("$schema", json!({"type": "string"})),
        (
            "artifactDir",
            text("Where casts keep their artifacts, relative to the project."),
        ),
        (
            "agent",
            text("The agent that plays roles which name none; the first one found where left out."),
        ),
        (
            "agents",
            json!({
                "description": "Agents by name.",
                "type": "object",
                "additionalProperties": object(
                    "How an agent is started and spoken to.",
                    &json!({
                        "kind": text("How it is spoken to: a known agent's name, `acp`, or `command` where left out."),
                        "command": {"type": "array", "minItems": 1, "items": {"type": "string"}},
                        "env": {"type": "object", "additionalProperties": {"type": "string"}},
                        "model": text("The model of roles that name none."),
                        "text": text("Where the answer is in the JSON that a plain command prints, such as `$.result`."),
                        "usage": text("Where the usage is in it."),
                    }),
                    &["command"],
                ),
            }),
        ),
        (
            "activeLoadout",
            text("The loadout of a cast that names none."),
        ),
        ("activeLoadoutId", text("The same by id; the name wins.")),
        (
            "budget",
            object(
                "What a cast may spend.",
                &json!({
                    "maxTokens": count("Tokens, in and out together.", 0),
                    "maxCostUsd": amount("US dollars."),
                    "maxTurns": count("Turns of agents.", 0),
                    "maxMinutes": amount("Minutes of wall time."),
                    "warnAtPercent": percent("When a warning is given."),
                    "stopAtLimit": flag("Whether a reached limit ends the cast."),
                }),
                &[],
            ),
        ),
        (
            "limits",
            object(
                "The safety net against casts that never end.",
                &json!({
                    "maxSocketVisits": count("Visits of one socket in a cast.", 1),
                    "maxEdgeTraversals": count("Traversals of one edge in a cast.", 1),
                    "maxNoAdvanceCycles": count("How often an item may come back to a socket without advancing.", 1),
                }),
                &[],
            ),
        ),
        (
            "compaction",
            object(
                "When an agent's context is compacted.",
                &json!({
                    "proactiveThresholdPercent": percent("The share of the context window."),
                    "proactiveThresholdTiers": {"type": "array", "minItems": 1, "items": object("A size of window.", &json!({
                        "id": {"type": "string"},
                        "minContextWindow": amount("From this size, 0 where left out."),
                        "maxContextWindow": amount("Below this size; the last tier has none."),
                        "thresholdPercent": percent("The share of the window."),
                    }), &["thresholdPercent"])},
                }),
                &[],
            ),
        ),
    ];
    fields
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn references(schema: &Value, found: &mut Vec<String>) {
        match schema {
            Value::Object(fields) => {
                found.extend(
                    fields
                        .get("$ref")
                        .and_then(Value::as_str)
                        .map(str::to_owned),
                );
                assert!(
                    !fields.get("description").is_some_and(Value::is_null),
                    "{schema}"
                );
                fields.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|item| references(item, found)),
            _ => {}
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let schema = schema();
        let mut found = Vec::new();
        references(&schema, &mut found);
        assert!(found.len() > 20);
        for reference in found {
            assert!(
                schema.pointer(reference.trim_start_matches('#')).is_some(),
                "{reference}"
            );
        }
    }

    #[test]
    fn the_schema_and_the_reader_know_the_same_fields() {
        let schema = schema();
        let names = |at: &str| -> Vec<String> {
            let fields = schema.pointer(at).and_then(Value::as_object).unwrap();
            let mut names: Vec<String> = fields.keys().cloned().collect();
            names.sort_unstable();
            names
        };
        let mut known = super::super::document::FIELDS.to_vec();
        known.sort_unstable();
        assert_eq!(names("/properties"), known);
        let mut known = super::super::socket::FIELDS.to_vec();
        known.sort_unstable();
        assert_eq!(names("/$defs/socket/properties"), known);
        let mut known = super::super::read::FIELDS.to_vec();
        known.sort_unstable();
        assert_eq!(names("/$defs/loadout/properties"), known);
        let mut known = crate::materia::fields();
        known.sort_unstable();
        assert_eq!(names("/$defs/materia/properties"), known);
    }
}
