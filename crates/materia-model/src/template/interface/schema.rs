//! JSON Schema of public arguments, for tools and editors.
//!
//! Owns the mapping from our types to JSON Schema. Never reads templates: it is given the
//! arguments.

use serde_json::{Map, Value, json};

use super::super::value::Type;
use super::Arg;

/// The JSON Schema of an object that holds these arguments.
pub fn schema(args: &[Arg]) -> Value {
    let properties: Map<String, Value> = args
        .iter()
        .map(|arg| (arg.name.clone(), property(arg)))
        .collect();
    let required: Vec<&str> = args
        .iter()
        .filter(|arg| arg.required)
        .map(|arg| arg.name.as_str())
        .collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn property(arg: &Arg) -> Value {
    let mut property = match &arg.ty {
        Type::String => json!({"type": "string"}),
        Type::Path => json!({"type": "string", "description": "a path"}),
        Type::Int => json!({"type": "integer"}),
        Type::Number => json!({"type": "number"}),
        Type::Bool => json!({"type": "boolean"}),
        Type::Array => json!({"type": "array", "items": {}}),
        Type::Enum(choices) => json!({"type": "string", "enum": choices}),
    };
    if let (Some(default), Some(fields)) = (&arg.default, property.as_object_mut()) {
        fields.insert("default".to_owned(), default.clone());
    }
    property
}
