//! The tools that an agent is offered: the built-in ones, and the recipes in the user's root.
//!
//! Owns their names, descriptions and schemas. A model reads them on every turn, so they must be
//! short: a test measures their total size.

use std::sync::Arc;

use materia_engine::api::{Engine, ToolDefinition};
use rmcp::model::{JsonObject, Tool};
use serde_json::{Value, json};

/// The instructions that a model gets once, before its first call.
pub(super) const INSTRUCTIONS: &str = "\
materia runs work outside this conversation. `spawn` (a command) and `cast` (a request through a loadout of agents) answer \
at once with run:ID and go on by themselves. Do something else meanwhile: you are told when a run ends where your host can \
be woken; else call `wait` once. Steer with `message`: control.kill ends a run, control.continue (body: your answer) goes on \
with a paused cast. Look with `inspect`: status, tail, artifacts. Keep a command that proved useful with `register_tool`.";

/// The built-in tools, in the order in which they are listed.
pub(super) fn own() -> Vec<Tool> {
    let text = || json!({"type": "string"});
    let object = || json!({"type": "object"});
    let run = json!({"run": text(), "address": text(), "status": text()});
    vec![
        tool(
            "spawn",
            "Start a detached run: a command template (no shell), a saved recipe, or an agent that answers messages",
            json!({
                "template": {"description": "\"cargo test {name}\", or an array/object tree", "anyOf": [{"type": "string"}, {"type": "array"}, {"type": "object"}]},
                "recipe": {"type": "string", "description": "Name or path"},
                "file": text(), "values": object(), "agent": text(), "model": text(), "prompt": text(),
                "as": {"type": "string", "description": "run:ID"},
                "artifacts": {"type": "object", "description": "name: path"},
                "on_session_end": {"enum": ["keep", "kill"]}, "verbose": {"type": "boolean", "description": "Whole report"}
            }),
            &[],
            run.clone(),
        ),
        tool(
            "message",
            "Send to run:ID, branch:RUN/NAME, room:RUN, coordinator. Types: control.kill, control.continue, control.abort, or the run's own such as task.run",
            json!({
                "to": text(), "type": text(), "body": {}, "from": text(), "summary": text(), "reply_to": text(),
                "correlation_id": text(), "metadata": object(), "verbose": {"type": "boolean"},
                "target": {"type": "string", "description": "= to"}, "action": {"type": "string", "description": "= type"},
                "input": {"description": "= body"}
            }),
            &[],
            json!({"id": text(), "delivered": {"type": "boolean"}, "queued": {"type": "boolean"}, "reason": text()}),
        ),
        tool(
            "inspect",
            "Look at run:ID (status, tail, messages, mailbox, artifacts, files), room:ID, coordinator (your runs), recipes, tool:NAME, tool:materia (triage, doctor)",
            json!({"target": text(), "view": text(), "lines": {"anyOf": [{"type": "string"}, {"type": "integer"}]}, "status": text(), "verbose": {"type": "boolean"}}),
            &["target"],
            json!({}),
        ),
        tool(
            "register_tool",
            "Save a template as a tool. No name: list. template null: remove. update: change. draft: promote",
            json!({
                "name": text(), "description": text(),
                "template": {"anyOf": [{"type": "string"}, {"type": "array"}, {"type": "object"}, {"type": "null"}]},
                "args": {"type": "string", "description": "who, n:int=3"},
                "async": {"type": "boolean", "description": "Runs detached"}, "defaults": object(), "values": object(),
                "from": {"type": "string", "description": "Recipe to wrap"}, "draft": text(), "update": {"type": "boolean"}
            }),
            &[],
            json!({"name": text(), "callable": {"type": "boolean"}}),
        ),
        tool(
            "cast",
            "Send a request through a loadout of agent roles, detached",
            json!({"request": text(), "loadout": text(), "agent": text(), "as": text()}),
            &["request"],
            json!({"castId": text(), "run": text(), "status": text()}),
        ),
        tool(
            "plan",
            "How many turns a loadout takes at most; asks no model",
            json!({"loadout": text(), "items": {"type": "integer"}}),
            &[],
            json!({}),
        ),
        tool(
            "wait",
            "Block until runs end (timeout in seconds, default 240)",
            json!({"runs": {"type": "array", "items": text()}, "any": {"type": "boolean"}, "timeout": {"type": "number"}}),
            &["runs"],
            json!({"timedOut": {"type": "boolean"}, "runs": {"type": "array"}}),
        ),
    ]
}

/// The user's tools that an agent can call; a built-in tool wins over a user's tool of the same
/// name.
pub(super) fn registered(engine: &Engine) -> Vec<ToolDefinition> {
    let ours: Vec<Tool> = own();
    let mut tools = engine.tool_definitions().unwrap_or_default();
    tools.retain(|tool| ours.iter().all(|own| own.name != tool.name));
    tools
}

/// A registered tool, as listed for clients.
pub(super) fn offered(tool: &ToolDefinition) -> Tool {
    let schema = tool.input_schema.as_object().cloned().unwrap_or_default();
    Tool::new(
        tool.name.clone(),
        tool.description.clone(),
        Arc::new(schema),
    )
}

fn tool(
    name: &'static str,
    description: &'static str,
    properties: Value,
    required: &[&str],
    report: Value,
) -> Tool {
    let mut schema = object(properties);
    schema.insert("additionalProperties".to_owned(), false.into());
    if !required.is_empty() {
        schema.insert("required".to_owned(), required.to_vec().into());
    }
    let mut report = object(report);
    if let Some(properties) = report.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert("ok".to_owned(), json!({"type": "boolean"}));
    }
    report.insert("required".to_owned(), json!(["ok"]));
    Tool::new(name, description, Arc::new(schema)).with_raw_output_schema(Arc::new(report))
}

fn object(properties: Value) -> JsonObject {
    let mut schema = JsonObject::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), properties);
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_has_to_read_stays_small() {
        let tools = serde_json::to_string(&own()).unwrap();
        let all = tools.len() + INSTRUCTIONS.len();
        assert!(
            all < 6 * 1024,
            "{all} bytes: {} for tools, {} of prompt",
            tools.len(),
            INSTRUCTIONS.len()
        );
        assert!(INSTRUCTIONS.len() < 800, "{} bytes", INSTRUCTIONS.len());
    }
}
