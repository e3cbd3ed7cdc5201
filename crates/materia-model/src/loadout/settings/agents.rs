//! User-defined agents: their protocol and start command.
//!
//! Owns the type and its reader. `engine::agent` knows which protocols exist. Starts nothing.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::json;

use super::read::INVALID;
use crate::document::{
    DocValue, FieldTable, Findings, Read, Schema, SourceMember, ValuePath, field,
};
use crate::text;

/// An agent's program.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct AgentProgram {
    /// Its protocol; defaults to a plain command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The program and its first arguments.
    pub command: Vec<String>,
    /// Additional environment variables.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The model for roles that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The path of the answer in the JSON output of a plain command, such as `$.result`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<String>,
}

pub(in crate::loadout) const AGENT_PROGRAM: FieldTable<Read<AgentProgram>> = FieldTable {
    owner: "an agent",
    about: "How an agent is started and spoken to.",
    fields: &[
        field(
            "kind",
            "How it is spoken to: a known agent's name, `acp`, or `command` where left out.",
        )
        .text(|program, kind| program.kind = Some(kind.to_owned())),
        field("command", "").required().with(
            Schema::Json(|| json!({"type": "array", "minItems": 1, "items": {"type": "string"}})),
            |program, (), value| program.command = strings(value),
        ),
        field("env", "").with(
            Schema::Json(|| json!({"type": "object", "additionalProperties": {"type": "string"}})),
            |program, (), value| program.env = variables(value),
        ),
        field("model", "The model of roles that name none.")
            .text(|program, model| program.model = Some(model.to_owned())),
        field(
            "text",
            "Where the answer is in the JSON that a plain command prints, such as `$.result`.",
        )
        .text(|program, path| program.text = Some(path.to_owned())),
        field("usage", "Where the usage is in it.")
            .text(|program, path| program.usage = Some(path.to_owned())),
    ],
};

/// Reads the definitions. Reports and omits broken ones.
pub(super) fn read(
    findings: &Findings,
    members: &[SourceMember<'_>],
) -> BTreeMap<String, AgentProgram> {
    let path = ValuePath::Root.member("agents");
    let program = |member: &SourceMember<'_>| {
        let program = program(&member.value(&path, INVALID, findings))?;
        Some((member.name().to_owned(), program))
    };
    members.iter().filter_map(program).collect()
}

fn program(value: &DocValue<'_>) -> Option<AgentProgram> {
    let mut program = AgentProgram::default();
    if !AGENT_PROGRAM.read(&mut program, &(), value) {
        return None;
    }
    if program.command.is_empty() {
        let message = format!("the agent {} has no `command`", text::quoted(value.name()));
        let hint = "add \"command\": [\"program\", \"argument\"]";
        value.at.at_name().member("command").error(message, hint);
        return None;
    }
    Some(program)
}

fn strings(value: &DocValue<'_>) -> Vec<String> {
    if !value.list() {
        return Vec::new();
    }
    let items = value.items();
    items
        .filter_map(|item| item.string().map(str::to_owned))
        .collect()
}

fn variables(value: &DocValue<'_>) -> BTreeMap<String, String> {
    if !value.object() {
        return BTreeMap::new();
    }
    let variables = value.fields();
    variables
        .filter_map(|variable| Some((variable.name().to_owned(), variable.string()?.to_owned())))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::finding::Source;
    use crate::loadout::{Config, ConfigDocument, ConfigLayer, ConfigScope};

    fn layer(scope: ConfigScope, text: &str) -> ConfigLayer {
        ConfigLayer {
            scope,
            document: ConfigDocument::parse(Source::new("c.json", text)),
        }
    }

    #[test]
    fn definitions_of_higher_layers_replace_lower_ones_and_broken_ones_are_reported() {
        let layers = [
            layer(
                ConfigScope::User,
                r#"{"agent": "a", "agents": {"a": {"command": ["x"]}, "b": {"command": ["y", "-z"]}}}"#,
            ),
            layer(
                ConfigScope::Flag,
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
            ConfigScope::Flag,
            r#"{"agents": {"a": {"command": ["x"], "text": "$.t", "model": "m"}}}"#,
        )];
        let read = Config::load(&layers).settings().clone();
        let again = [layer(
            ConfigScope::Flag,
            &serde_json::to_string(&read).unwrap(),
        )];
        assert_eq!(Config::load(&again).settings(), &read);
    }
}
