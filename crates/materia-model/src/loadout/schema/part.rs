//! The parts of the schema: materia, loadouts, sockets, edges, loops.
//!
//! Owns one function per kind of object, and the three shapes they are made of.

use serde_json::{Value, json};

use crate::materia::THINKING;

pub(super) fn materia() -> Value {
    let mut materia = object(
        "An agent's role (`prompt`, `tools`) or a utility (`command`, `script`, `template` or `recipe`).",
        &json!({
            "type": {"description": "Follows from the other fields where left out.", "enum": ["agent", "utility"]},
            "label": text("What people call it."),
            "description": text("What it is for."),
            "group": text("Where a palette shows it."),
            "color": text("The colour a palette shows it in."),
            "lockState": {"description": "Whether editors may change it.", "enum": ["locked", "unlocked"]},
            "parse": {"$ref": "#/$defs/parse"},
            "assign": {"$ref": "#/$defs/assign"},
            "generator": flag("Produces the top-level `workItems` that a loop works through."),
            "interrupted": {
                "description": "What happens to a visit of which nobody knows whether it ended.",
                "enum": ["rerun", "ask", "fail"],
            },
            "secret": {
                "description": "Environment variables whose values are redacted wherever text is written.",
                "type": ["array", "string"],
                "items": {"type": "string"},
            },
            "prompt": text("What the agent is told; {{request}}, {{item.title}}, {{state.x}} are filled in."),
            "tools": {
                "description": "The tools the agent may use.",
                "oneOf": [
                    {"enum": ["none", "readOnly", "coding"]},
                    object("Tools by name.", &json!({
                        "type": {"const": "custom"},
                        "tools": {"type": "array", "items": {"type": "string", "minLength": 1}},
                    }), &["type", "tools"]),
                ],
            },
            "model": text("provider/id, provider:id or id; the agent's own choice where left out."),
            "thinking": {"description": "How hard it thinks.", "enum": THINKING},
            "multiTurn": flag("Pauses after each reply until the person continues."),
            "agent": text("The agent program that plays this role."),
            "command": {
                "description": "argv; there is no shell. Relative scripts are seen from this file.",
                "type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1},
            },
            "script": object("A utility that ships with the program.", &json!({
                "kind": {"const": "shippedUtility"},
                "name": {"type": "string", "pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]*$"},
                "runtime": {"type": "string"},
            }), &["kind", "name"]),
            "template": {"description": "A command template.", "type": ["string", "array", "object"]},
            "recipe": text("A recipe by name or path."),
            "params": {"description": "What the utility is given.", "type": "object"},
            "timeoutMs": {"description": "How long a utility or one turn of an agent may take; 30 seconds and an hour where left out.", "type": "number", "exclusiveMinimum": 0},
        }),
        &[],
    );
    // A higher layer removes a field by null.
    for field in materia["properties"]
        .as_object_mut()
        .into_iter()
        .flat_map(|fields| fields.values_mut())
    {
        let description = field.get("description").cloned();
        *field = json!({"anyOf": [field.take(), {"type": "null"}]});
        if let Some(description) = description {
            field["description"] = description;
        }
    }
    materia
}

pub(super) fn loadout() -> Value {
    object(
        "A graph of sockets with one entry.",
        &json!({
            "id": text("A stable id."),
            "source": {"enum": ["default", "user", "project", "explicit"]},
            "lockState": {"description": "Whether editors may change it.", "enum": ["locked", "unlocked"]},
            "originDefaultId": text("The shipped loadout it was copied from."),
            "description": text("What it is for."),
            "entry": {"$ref": "#/$defs/socketId"},
            "sockets": {
                "description": "Placements of materia by id.",
                "type": "object", "minProperties": 1,
                "propertyNames": {"$ref": "#/$defs/socketId"},
                "additionalProperties": {"$ref": "#/$defs/socket"},
            },
            "loops": {
                "description": "Regions that work through a list, by id.",
                "type": "object",
                "additionalProperties": {"$ref": "#/$defs/loop"},
            },
            "layout": {"description": "Kept for editors, not interpreted.", "type": "object"},
        }),
        &[],
    )
}

pub(super) fn socket() -> Value {
    object(
        "One placement of a materia.",
        &json!({
            "materia": text("The name of a definition."),
            "parse": {"$ref": "#/$defs/parse"},
            "assign": {"$ref": "#/$defs/assign"},
            "edges": {
                "description": "Where it leads, in order: the first that matches is taken; none ends the cast.",
                "type": "array", "items": {"$ref": "#/$defs/edge"},
            },
            "foreach": {"$ref": "#/$defs/foreach"},
            "advance": {"$ref": "#/$defs/advance"},
            "limits": {"type": "object", "properties": {"maxVisits": {"type": "integer", "minimum": 1}}},
            "socketKind": {"description": "Derived; not read.", "enum": ["entry", "normal"]},
            "empty": {"type": "boolean"},
            "layout": {"type": "object"},
        }),
        &["materia"],
    )
}

pub(super) fn edge() -> Value {
    object(
        "A guarded way to another socket.",
        &json!({
            "when": {"$ref": "#/$defs/guard", "default": "always"},
            "to": {"$ref": "#/$defs/target"},
            "maxTraversals": {
                "description": "How often it may be taken for one work item.",
                "type": "integer", "minimum": 0,
            },
        }),
        &["to"],
    )
}

pub(super) fn each(description: &str) -> Value {
    object(
        description,
        &json!({
            "items": text("The path of the list, such as `state.workItems`."),
            "as": text("The name under which the current item is seen."),
            "cursor": text("The name of the position."),
            "done": {"$ref": "#/$defs/target"},
        }),
        &["items"],
    )
}

pub(super) fn advance() -> Value {
    object(
        "Moves to the next item when the socket is done.",
        &json!({
            "cursor": text("The position that moves."),
            "items": text("The path of the list whose end is looked for."),
            "when": {"$ref": "#/$defs/guard"},
            "done": {"$ref": "#/$defs/target"},
        }),
        &[],
    )
}

pub(super) fn region() -> Value {
    object(
        "Sockets that run once for each item of a list.",
        &json!({
            "sockets": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/socketId"}},
            "consumes": object("The generator whose list it works through.", &json!({
                "from": {"$ref": "#/$defs/socketId"},
                "output": {"const": "workItems"},
                "as": text("The name under which the current item is seen."),
                "cursor": text("The name of the position."),
                "done": {"$ref": "#/$defs/target"},
            }), &["from"]),
            "iterator": {"$ref": "#/$defs/foreach"},
            "exit": object("Where the loop turns, and where it leads when it is done.", &json!({
                "from": {"$ref": "#/$defs/socketId"},
                "when": {"$ref": "#/$defs/guard"},
                "to": {"$ref": "#/$defs/target"},
            }), &["from", "when"]),
            "exits": {"type": "array", "items": object("A route that is taken when the list is done.", &json!({
                "id": text("A name that is unique in the loop."),
                "from": {"$ref": "#/$defs/socketId"},
                "condition": {"$ref": "#/$defs/guard"},
                "targetSocketId": {"$ref": "#/$defs/target"},
            }), &["id", "from", "condition", "targetSocketId"])},
        }),
        &["sockets"],
    )
}

pub(super) fn text(description: &str) -> Value {
    json!({"description": description, "type": "string"})
}

pub(super) fn flag(description: &str) -> Value {
    json!({"description": description, "type": "boolean"})
}

pub(super) fn object(description: &str, fields: &Value, required: &[&str]) -> Value {
    let mut schema = json!({
        "description": description,
        "type": "object",
        "properties": fields,
        "additionalProperties": false,
    });
    if !required.is_empty() {
        schema["required"] = required.into();
    }
    schema
}
