//! The JSON Schema of public arguments, for tools and editors.
//!
//! Owns the mapping from our types to JSON Schema. Never reads templates: the caller passes the
//! arguments.

use serde_json::{Map, Value, json};

use super::super::value::ValueType;
use super::TemplateArg;

/// The JSON Schema of an object that holds these arguments.
pub fn schema(args: &[TemplateArg]) -> Value {
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

fn property(arg: &TemplateArg) -> Value {
    let mut property = match &arg.ty {
        ValueType::String => json!({"type": "string"}),
        ValueType::Path => json!({"type": "string", "description": "a path"}),
        ValueType::Int => json!({"type": "integer"}),
        ValueType::Number => json!({"type": "number"}),
        ValueType::Bool => json!({"type": "boolean"}),
        ValueType::Array => json!({"type": "array", "items": {}}),
        ValueType::Enum(choices) => json!({"type": "string", "enum": choices}),
    };
    if let (Some(default), Some(fields)) = (&arg.default, property.as_object_mut()) {
        fields.insert("default".to_owned(), default.clone());
    }
    property
}
