//! The JSON Schema of a config document, for editors.
//!
//! Owns the shared definitions. The rest comes from the field tables beside the readers. The checks
//! cover what a schema cannot express (existing targets, valid loops). Never validates anything
//! itself.

use serde_json::{Value, json};

use super::document::CONFIG;
use super::edge::EDGE;
use super::graph::RouteGuard;
use super::loops::LOOP;
use super::read::LOADOUT;
use super::socket::{ADVANCE, ITERATION, SOCKET};
use crate::document::choices;
use crate::materia::{self, PARSE_WORDS};

/// The schema of a config: loadouts, materia and settings.
pub fn schema() -> Value {
    let mut parse = choices(PARSE_WORDS);
    parse["description"] = "How the output is read.".into();
    let definitions = json!({
        "parse": parse,
        "guard": {
            "description": "When it is taken: always, or by the output's boolean `satisfied`.",
            "enum": RouteGuard::ALL.map(RouteGuard::as_str),
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
        "materia": materia::schema(),
        "loadout": LOADOUT.schema(),
        "socket": SOCKET.schema(),
        "edge": EDGE.schema(),
        "foreach": ITERATION.schema(),
        "advance": ADVANCE.schema(),
        "loop": LOOP.schema(),
    });
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "materia config",
    });
    if let (Some(schema), Value::Object(config)) = (schema.as_object_mut(), CONFIG.schema()) {
        schema.extend(config);
    }
    schema["$defs"] = definitions;
    schema
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
}
