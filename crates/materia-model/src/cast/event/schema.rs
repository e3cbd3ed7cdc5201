//! The JSON Schema of one line of a cast's log, for programs that follow one.

use serde_json::{Value, json};

use super::TYPES;

/// The schema.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "One line of events.jsonl",
        "description": "Lines are appended and never edited; a type that you do not know is to be skipped.",
        "type": "object",
        "required": ["seq", "at", "type", "data"],
        "properties": {
            "seq": {"type": "integer", "minimum": 1, "description": "Counts from 1 without gaps."},
            "at": {"type": "string", "format": "date-time"},
            "type": {"type": "string", "examples": TYPES},
            "data": {"type": "object"},
            "sum": {"type": "string", "description": "CRC-32 of everything before it in the line."},
        },
    })
}
