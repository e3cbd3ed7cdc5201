//! Agents that a person defines: how they are spoken to and the command they are started with.
//!
//! Owns the shape and its reading. Which ways of speaking exist is the business of `engine::agent`.
//! Starts nothing.

use std::collections::BTreeMap;

use serde::Serialize;

use super::read::INVALID;
use crate::document::{Field, Part, Path, Reader};
use crate::text;

const FIELDS: &[&str] = &["kind", "command", "env", "model", "text", "usage"];

/// An agent's program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentProgram {
    /// How it is spoken to; a plain command where left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The program and its first arguments.
    pub command: Vec<String>,
    /// What is added to its environment.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The model of roles that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Where the answer is in the JSON that a plain command prints, such as `$.result`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Where the usage is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<String>,
}

/// Reads the definitions; one that is wrong is told and left out.
pub(super) fn read(reader: &mut Reader, fields: &[Field<'_>]) -> BTreeMap<String, AgentProgram> {
    let group = Path::Root.member("agents");
    let one = |field: &Field<'_>| {
        let path = group.member(field.name());
        Some((field.name().to_owned(), program(reader, *field, &path)?))
    };
    fields.iter().filter_map(one).collect()
}

fn program(reader: &mut Reader, field: Field<'_>, path: &Path<'_>) -> Option<AgentProgram> {
    let value = field.value();
    if !reader.object(value, path, INVALID) {
        return None;
    }
    let mut program = AgentProgram {
        kind: None,
        command: Vec::new(),
        env: BTreeMap::new(),
        model: None,
        text: None,
        usage: None,
    };
    for field in value.fields() {
        let (value, path) = (field.value(), path.member(field.name()));
        let word = |reader: &mut Reader| reader.words(value, &path, INVALID).map(str::to_owned);
        match field.name() {
            "kind" => program.kind = word(reader),
            "command" => program.command = words(reader, value, &path),
            "env" => program.env = variables(reader, value, &path),
            "model" => program.model = word(reader),
            "text" => program.text = word(reader),
            "usage" => program.usage = word(reader),
            _ => reader.unknown(field, &path, "an agent", FIELDS),
        }
    }
    if program.command.is_empty() {
        let message = format!("the agent {} has no `command`", text::quoted(field.name()));
        let hint = "add \"command\": [\"program\", \"argument\"]";
        reader.error(
            field.spot(),
            &path.member("command"),
            INVALID,
            message,
            hint,
        );
        return None;
    }
    Some(program)
}

fn words(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Vec<String> {
    if !reader.list(value, path, INVALID) {
        return Vec::new();
    }
    let word = |(index, item)| {
        reader
            .string(item, &path.index(index), INVALID)
            .map(str::to_owned)
    };
    value.items().enumerate().filter_map(word).collect()
}

fn variables(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> BTreeMap<String, String> {
    if !reader.object(value, path, INVALID) {
        return BTreeMap::new();
    }
    let pair = |field: Field<'_>| {
        let text = reader.string(field.value(), &path.member(field.name()), INVALID)?;
        Some((field.name().to_owned(), text.to_owned()))
    };
    value.fields().filter_map(pair).collect()
}

#[cfg(test)]
mod tests {
    use crate::finding::Source;
    use crate::loadout::{Config, Document, Layer, Scope};

    fn layer(scope: Scope, text: &str) -> Layer {
        Layer {
            scope,
            document: Document::parse(Source::new("c.json", text)),
        }
    }

    #[test]
    fn definitions_of_higher_layers_replace_lower_ones_and_wrong_ones_are_told() {
        let layers = [
            layer(
                Scope::User,
                r#"{"agent": "a", "agents": {"a": {"command": ["x"]}, "b": {"command": ["y", "-z"]}}}"#,
            ),
            layer(
                Scope::Flag,
                r#"{"agent": "c", "agents": {"a": {"kind": "acp", "command": ["w"], "env": {"K": "v"}}, "c": {"kind": "pi"}, "d": 1}}"#,
            ),
        ];
        let config = Config::load(&layers);
        let settings = config.settings();
        assert_eq!(settings.agent.as_deref(), Some("c"));
        assert_eq!(settings.agents.keys().collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(
            (
                settings.agents["a"].kind.as_deref(),
                settings.agents["a"].env["K"].as_str()
            ),
            (Some("acp"), "v")
        );
        let paths: Vec<&str> = config
            .findings()
            .iter()
            .filter_map(|found| found.path.as_deref())
            .collect();
        assert_eq!(paths, ["agents.c.command", "agents.d"]);
    }

    #[test]
    fn what_was_read_is_written_as_it_can_be_read_again() {
        let layers = [layer(
            Scope::Flag,
            r#"{"agents": {"a": {"command": ["x"], "text": "$.t", "model": "m"}}}"#,
        )];
        let read = Config::load(&layers).settings().clone();
        let again = [layer(Scope::Flag, &serde_json::to_string(&read).unwrap())];
        assert_eq!(Config::load(&again).settings(), &read);
    }
}
