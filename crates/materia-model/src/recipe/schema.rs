//! The JSON Schema of recipe files, for editors.
//!
//! Owns the combination of recipe fields and template fields; the fields themselves are in the
//! tables of their readers. Never checks anything: the readers do.

use serde_json::{Value, json};

use super::metadata::RECIPE;
use crate::template::{IMPORT_NODE, NODE};

/// The JSON Schema of a recipe.
pub fn schema() -> Value {
    let node = json!({
        "anyOf": [
            {"type": "string", "description": "a command, split into words without a shell"},
            {"type": "object", "$ref": "#/$defs/object"},
        ]
    });
    let template = json!({
        "anyOf": [{"$ref": "#/$defs/node"}, {"type": "array", "items": {"$ref": "#/$defs/node"}, "minItems": 1}]
    });
    let mut node_fields = NODE.properties();
    node_fields.extend(IMPORT_NODE.properties());
    let mut properties = NODE.properties();
    properties.extend(RECIPE.properties());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "materia recipe",
        "type": "object",
        "properties": properties,
        "required": ["template"],
        "$defs": {"node": node, "template": template, "object": {"type": "object", "properties": node_fields}}
    })
}
