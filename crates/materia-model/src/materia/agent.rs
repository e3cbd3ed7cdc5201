//! Reading an agent's role.
//!
//! Owns the fields that only agents have. Whether the model, the thinking level or a tool exists is
//! the agent's business: unknown ones are kept and told when the turn begins. Never renders the
//! prompt.

use super::read::INVALID;
use super::{Agent, THINKING, Tools};
use crate::document::{Content, Field, Part, Path, Reader, Spot};
use crate::text;

/// How a custom choice of tools is written.
const CUSTOM: &str = "{\"type\": \"custom\", \"tools\": [\"read\", \"grep\"]}";

/// Reads the role from its fields; `at` is where the materia's name stands.
pub(super) fn read(
    reader: &mut Reader,
    id: &str,
    fields: &[Field<'_>],
    at: Spot<'_>,
    path: &Path<'_>,
) -> Option<Agent> {
    let (mut prompt, mut tools) = (None, None);
    let (mut model, mut thinking, mut multi_turn, mut agent, mut timeout_ms) =
        (None, None, false, None, None);
    for field in fields {
        let (value, path) = (field.value(), path.member(field.name()));
        match field.name() {
            "prompt" => prompt = Some(reader.words(value, &path, INVALID)),
            "tools" => tools = Some(read_tools(reader, value, &path)),
            "model" => {
                model = reader
                    .string(value, &path, INVALID)
                    .filter(|text| !text.trim().is_empty());
            }
            "thinking" => thinking = read_thinking(reader, value, &path),
            "multiTurn" => multi_turn = reader.boolean(value, &path, INVALID).unwrap_or(false),
            "agent" => agent = reader.words(value, &path, INVALID),
            "timeoutMs" => timeout_ms = super::utility::timeout(reader, value, &path),
            _ => {}
        }
    }
    let prompt = prompt.unwrap_or_else(|| {
        let message = format!(
            "{} is an agent's role and has no `prompt`",
            text::quoted(id)
        );
        let hint = "add \"prompt\": what the agent is told; a utility has a `command` instead";
        reader.error(at, &path.member("prompt"), INVALID, message, hint);
        None
    });
    let tools = tools.unwrap_or_else(|| {
        let message = format!("{} is an agent's role and has no `tools`", text::quoted(id));
        let hint = "add \"tools\": \"none\", \"readOnly\", \"coding\" or a custom choice";
        reader.error(at, &path.member("tools"), INVALID, message, hint);
        None
    });
    Some(Agent {
        prompt: prompt?.to_owned(),
        tools: tools?,
        model: model.map(str::to_owned),
        thinking,
        multi_turn,
        agent: agent.map(str::to_owned),
        timeout_ms,
    })
}

fn read_tools(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Option<Tools> {
    match &value.node.content {
        Content::String(word) => {
            let tools = match word.as_str() {
                "none" => Some(Tools::None),
                "readOnly" => Some(Tools::ReadOnly),
                "coding" => Some(Tools::Coding),
                _ => None,
            };
            if tools.is_none() {
                let message = format!("{} is no choice of tools", text::quoted(word));
                let near = text::closest(word, ["none", "readOnly", "coding"]);
                let hint = near.map_or_else(
                    || format!("write \"none\", \"readOnly\", \"coding\" or {CUSTOM}"),
                    |near| format!("did you mean `{near}`?"),
                );
                reader.error(value.spot(), path, INVALID, message, hint);
            }
            tools
        }
        Content::Object(_) => custom_tools(reader, value, path),
        _ => {
            let what = format!("\"none\", \"readOnly\", \"coding\" or {CUSTOM}");
            reader.expected(value, path, INVALID, &what);
            None
        }
    }
}

fn custom_tools(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Option<Tools> {
    let hint = format!("write {CUSTOM}");
    if value.get("type").and_then(|kind| kind.node.as_str()) != Some("custom") {
        let message = "a choice of tools in an object says \"type\": \"custom\"";
        reader.error(value.spot(), &path.member("type"), INVALID, message, hint);
        return None;
    }
    let path = path.member("tools");
    let Some(list) = value.get("tools") else {
        reader.error(
            value.spot(),
            &path,
            INVALID,
            "the custom choice of tools has no `tools`",
            hint,
        );
        return None;
    };
    if !reader.list(list, &path, INVALID) {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for (index, item) in list.items().enumerate() {
        let name = reader.words(item, &path.index(index), INVALID)?.trim();
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    Some(Tools::Custom(names))
}

/// An unknown level is kept: the agent falls back and says so.
fn read_thinking(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Option<String> {
    let level = reader.string(value, path, INVALID)?.trim();
    if level.is_empty() {
        return None;
    }
    if !THINKING.contains(&level) {
        let message = format!("{} is no known level of thinking", text::quoted(level));
        let hint = match text::closest(level, THINKING.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("levels are {}", text::list(THINKING, "and")),
        };
        reader.warn(value.spot(), path, INVALID, message, hint);
    }
    Some(level.to_owned())
}
