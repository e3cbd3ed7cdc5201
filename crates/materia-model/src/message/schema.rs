//! The JSON Schema of a message, for programs that write them.
//!
//! Owns the descriptions. `engine::post` checks what a schema cannot express, such as whether an
//! address exists.

use serde_json::{Value, json};

use super::envelope::LONGEST_BODY;

/// The pattern of every address.
const ADDRESS: &str = "^(coordinator|run:[A-Za-z0-9][A-Za-z0-9_.-]{0,127}|session:[A-Za-z0-9][A-Za-z0-9_.-]{0,127}\
    |tool:[a-z0-9_][a-z0-9_-]{0,127}|room:[A-Za-z0-9][A-Za-z0-9_.-]{0,127}(/main)?\
    |branch:[A-Za-z0-9][A-Za-z0-9_.-]{0,127}/[A-Za-z0-9][A-Za-z0-9_.-]{0,127})$";

/// The schema of a message.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "materia message",
        "description": "A typed document with an address on it. Where it goes is decided by `to` alone.",
        "type": "object",
        "required": ["to", "type"],
        "additionalProperties": false,
        "properties": {
            "to": {"$ref": "#/$defs/address", "description": "Where it goes."},
            "type": {
                "description": "What kind of message it is, by convention channel.action.",
                "type": "string",
                "pattern": "^[A-Za-z][A-Za-z0-9_.:-]*$",
                "maxLength": 128,
            },
            "body": {"description": format!("Any JSON of at most {LONGEST_BODY} bytes; larger things go by file.")},
            "from": {"$ref": "#/$defs/address", "description": "Who says it."},
            "summary": {"description": "One line for people.", "type": "string", "maxLength": 4096},
            "reply_to": {"description": "The id of the message it answers.", "type": "string", "maxLength": 4096},
            "correlation_id": {"description": "What belongs together.", "type": "string", "maxLength": 4096},
            "metadata": {
                "description": "Particulars for programs.",
                "type": "object",
                "properties": {
                    "requires_response": {"description": "Somebody waits for an answer.", "type": "boolean"},
                    "delivery": {
                        "description": "How urgently a coordinator is told.",
                        "enum": ["log", "notify", "followup"],
                    },
                    "level": {"description": "How bad the news is.", "enum": ["info", "warning", "error"]},
                    "recipients": {
                        "description": "Branches of the same run that get a message to a room in their queues too.",
                        "type": "array",
                        "items": {"$ref": "#/$defs/address"},
                        "maxItems": 100,
                    },
                },
            },
        },
        "$defs": {"address": {"type": "string", "pattern": ADDRESS}},
    })
}
