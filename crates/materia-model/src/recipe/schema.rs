//! The JSON Schema of recipe files, for editors.
//!
//! Owns the words an editor shows beside each field. Never checks anything: the reader does.

use serde_json::{Value, json};

/// The JSON Schema of a recipe.
pub fn schema() -> Value {
    let text = |about: &str| json!({"type": "string", "description": about});
    let amount = |about: &str| json!({"type": ["number", "string"], "description": about});
    let names = |about: &str| json!({"type": "object", "description": about});
    let node = json!({
        "anyOf": [
            {"type": "string", "description": "a command, split into words without a shell"},
            {"type": "object", "$ref": "#/$defs/object"},
        ]
    });
    let template = json!({
        "anyOf": [{"$ref": "#/$defs/node"}, {"type": "array", "items": {"$ref": "#/$defs/node"}, "minItems": 1}]
    });
    let controls = json!({
        "template": {"$ref": "#/$defs/template"},
        "name": text("an import's alias: this node is that recipe"),
        "label": text("what people call this node; may contain placeholders"),
        "stage": text("what later steps call its output: {stages.NAME} is the file with it"),
        "parallel": {"type": "boolean", "description": "run the list side by side"},
        "when": {"type": ["boolean", "string"], "description": "true, false, `name`, `!name`, `{…}` or `!{…}`"},
        "args": {"type": ["array", "string"], "items": {"type": "string"}, "description": "name, name:type, name:type=default; types: string path int number bool array enum(a,b)"},
        "defaults": names("values by name, where the caller gives none"),
        "values": names("values by name that win inside this node"),
        "timeout": amount("milliseconds one attempt may take"),
        "delay": amount("milliseconds to wait before it starts"),
        "output": text("`stdout`, or the name of a value"),
        "input": text("what it reads instead of the output before it; placeholders are filled in, nothing is split"),
        "retry": amount("attempts, the first included"),
        "failure": {"enum": ["continue", "branch", "root"], "description": "how far a failure reaches"},
        "recover": {"$ref": "#/$defs/template"},
        "repeat": amount("how many copies: a number or {items.length}"),
        "concurrency": amount("how many branches run at the same time"),
        "min_successful": amount("how many branches must succeed"),
    });
    let message = json!({
        "anyOf": [{"type": "string"}, {"type": "object", "properties": {"type": {"type": "string"}}, "required": ["type"]}]
    });
    let import = json!({
        "anyOf": [
            {"type": "string", "description": "a name, or a path seen from this file"},
            {"type": "object", "properties": {
                "from": text("a name, or a path seen from this file"),
                "defaults": names("defaults inside the import"),
                "values": names("values that win inside the import")
            }, "required": ["from"], "additionalProperties": false}
        ]
    });
    let mut properties = controls.clone();
    let own = json!({
        "$schema": text("the schema, for editors"),
        "name": text("for people; a recipe's name is its file's"),
        "kind": text("the shelf of the library it belongs to"),
        "description": text("what it is for, in one line"),
        "disabled": {"type": "boolean", "description": "it is not to be used"},
        "async": {"type": "boolean", "description": "as a tool it runs detached"},
        "state_dir": text("where a detached run keeps its state"),
        "imports": {"type": "object", "additionalProperties": import, "description": "other recipes by alias"},
        "artifacts": {"type": "object", "description": "what it promises to write: a path, or {path, …}", "additionalProperties": {"type": ["string", "object"]}},
        "mailbox": {"type": "object", "properties": {
            "accepts": {"type": "array", "items": message}, "emits": {"type": "array", "items": message},
            "deliver": text("how messages reach the program: `stdin`")
        }},
        "retire_when": {"enum": ["children_terminal"], "description": "when its run ends by itself"},
        "actor_context": {"anyOf": [{"type": "boolean"}, {"enum": ["on", "off"]}], "description": "whether child agents are told which recipe they belong to"},
        "secrets": {"type": "array", "items": {"type": "string"}, "description": "environment variables whose values are secret"},
        "usage": {"type": "object", "description": "counters of older versions; nobody reads them"},
    });
    if let (Some(properties), Some(own)) = (properties.as_object_mut(), own.as_object()) {
        properties.extend(own.clone());
    }
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "materia recipe",
        "type": "object",
        "properties": properties,
        "required": ["template"],
        "$defs": {"node": node, "template": template, "object": {"type": "object", "properties": controls}}
    })
}
