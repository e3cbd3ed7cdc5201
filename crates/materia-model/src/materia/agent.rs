//! Reads an agent's role.
//!
//! Owns the fields that only agents have. Only the agent knows whether a model, a thinking level or
//! a tool exists: unknown ones are kept, and reported when the turn starts. Never renders the
//! prompt.

use serde_json::json;

use super::read::TIMEOUT;
use super::{AgentRole, AgentTools, THINKING};
use crate::document::{DocValue, FieldTable, JsonContent, Location, Read, Schema, field};
use crate::text;

/// The syntax of a custom tool set.
const CUSTOM: &str = "{\"type\": \"custom\", \"tools\": [\"read\", \"grep\"]}";

/// The named tool sets.
const TOOL_SETS: [&str; 3] = ["none", "readOnly", "coding"];

pub(super) const AGENT: FieldTable<Read<AgentRole>> = FieldTable {
    owner: "an agent's role",
    about: "",
    fields: &[
        field(
            "prompt",
            "What the agent is told; {{request}}, {{item.title}}, {{state.x}} are filled in.",
        )
        .text(|agent, prompt| agent.prompt = prompt.to_owned()),
        field("tools", "The tools the agent may use.").with(
            Schema::Json(|| {
                json!({"oneOf": [{"enum": TOOL_SETS}, {
                    "description": "Tools by name.",
                    "type": "object",
                    "properties": {
                        "type": {"const": "custom"},
                        "tools": {"type": "array", "items": {"type": "string", "minLength": 1}},
                    },
                    "additionalProperties": false,
                    "required": ["type", "tools"],
                }]})
            }),
            |agent, (), value| agent.tools = tools(value).unwrap_or_default(),
        ),
        field(
            "model",
            "provider/id, provider:id or id; the agent's own choice where left out.",
        )
        .string(|agent, model| {
            agent.model = Some(model.to_owned()).filter(|model| !model.trim().is_empty());
        }),
        field("thinking", "How hard it thinks.").with(
            Schema::Enum(THINKING),
            |agent, (), value| {
                agent.thinking = thinking(value);
            },
        ),
        field(
            "multiTurn",
            "Pauses after each reply until the person continues.",
        )
        .boolean(|agent, yes| agent.multi_turn = yes),
        field("agent", "The agent program that plays this role.")
            .text(|role, agent| role.agent = Some(agent.to_owned())),
    ],
};

/// Reads the role from its fields; `at` is the materia.
pub(super) fn read(fields: &[DocValue<'_>], at: &Location) -> AgentRole {
    let mut agent = AgentRole::default();
    for value in fields {
        TIMEOUT.read_field(&mut agent.timeout_ms, &(), value);
        AGENT.read_field(&mut agent, &(), value);
    }
    let require = |name: &str, hint: &str| {
        if !fields.iter().any(|field| field.name() == name) {
            let id = text::quoted(at.path.last());
            let message = format!("{id} is an agent's role and has no `{name}`");
            at.at_name().member(name).error(message, hint);
        }
    };
    require(
        "prompt",
        "add \"prompt\": what the agent is told; a utility has a `command` instead",
    );
    require(
        "tools",
        "add \"tools\": \"none\", \"readOnly\", \"coding\" or a custom choice",
    );
    agent
}

fn tools(value: &DocValue<'_>) -> Option<AgentTools> {
    match &value.node.content {
        JsonContent::String(word) => tool_set(word, value),
        JsonContent::Object(_) => custom_tools(value),
        _ => {
            value.expected(&format!("\"none\", \"readOnly\", \"coding\" or {CUSTOM}"));
            None
        }
    }
}

fn tool_set(word: &str, value: &DocValue<'_>) -> Option<AgentTools> {
    match word {
        "none" => Some(AgentTools::None),
        "readOnly" => Some(AgentTools::ReadOnly),
        "coding" => Some(AgentTools::Coding),
        _ => {
            let message = format!("{} is no choice of tools", text::quoted(word));
            let hint = match text::closest(word, TOOL_SETS) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write \"none\", \"readOnly\", \"coding\" or {CUSTOM}"),
            };
            value.error(message, hint);
            None
        }
    }
}

fn custom_tools(value: &DocValue<'_>) -> Option<AgentTools> {
    let hint = format!("write {CUSTOM}");
    if value.get("type").and_then(|kind| kind.node.as_str()) != Some("custom") {
        let message = "a choice of tools in an object says \"type\": \"custom\"";
        value.at.member("type").error(message, hint);
        return None;
    }
    let Some(list) = value.get("tools") else {
        let message = "the custom choice of tools has no `tools`";
        value.at.member("tools").error(message, hint);
        return None;
    };
    if !list.list() {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for item in list.items() {
        let name = item.text()?.trim();
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    Some(AgentTools::Custom(names))
}

/// An unknown level is kept: the agent falls back and reports it.
fn thinking(value: &DocValue<'_>) -> Option<String> {
    let level = value.string()?.trim();
    if level.is_empty() {
        return None;
    }
    if !THINKING.contains(&level) {
        let message = format!("{} is no known level of thinking", text::quoted(level));
        let hint = match text::closest(level, THINKING.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("levels are {}", text::list(THINKING, "and")),
        };
        value.at.warn(message, hint);
    }
    Some(level.to_owned())
}
