//! The metadata of a recipe.
//!
//! Owns the fields that hosts read: description, `async`, artifacts, mailbox, retirement. Never
//! reads the template, and never acts on any of it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::import::IMPORT;
use crate::document::{
    DocValue, FieldTable, Findings, JsonContent, JsonNode, Read, Schema, choices, field,
};
use crate::finding::{Finding, Source};

/// The code of findings about these fields.
const CODE: &str = "invalid-recipe";

/// What a recipe says about itself.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "RecipeMetadata", optional_fields)
)]
pub struct RecipeMetadata {
    /// What it is for, in one line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Which shelf of a library it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// It is not to be used.
    pub disabled: bool,
    /// It runs detached where it is called as a tool: `async`.
    #[serde(rename = "async")]
    pub detached: bool,
    /// Where a detached run keeps its state, when not in the usual place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state_dir: Option<String>,
    /// What it promises to write, by name; placeholders are not resolved yet.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub artifacts: BTreeMap<String, RecipeArtifact>,
    /// Which messages it understands and sends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mailbox: Option<RecipeMailbox>,
    /// When its run ends by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retire_when: Option<RecipeRetirement>,
    /// Whether child agents are told which recipe they belong to.
    pub actor_context: bool,
    /// Environment variables whose values are secret (S3).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub secrets: Vec<String>,
}

/// Something a recipe promises to write.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "RecipeArtifact")
)]
pub struct RecipeArtifact {
    /// Where.
    pub path: String,
    /// What else was said about it.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// The messages of a recipe; advice for those who send it messages.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "RecipeMailbox", optional_fields)
)]
pub struct RecipeMailbox {
    /// What it understands.
    pub accepts: Vec<RecipeMessageType>,
    /// What it sends.
    pub emits: Vec<RecipeMessageType>,
    /// How messages reach its program (A5).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deliver: Option<String>,
}

/// One type of message.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "RecipeMessageType")
)]
pub struct RecipeMessageType {
    /// `channel.action`
    #[serde(rename = "type")]
    pub name: String,
    /// What else was said about it: `body_schema`, `ack`, `requires_response` …
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// When a run ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum RecipeRetirement {
    /// Once all runs that it started are over.
    ChildrenTerminal,
}

/// The fields of a recipe that a template node does not have.
pub(super) const RECIPE: FieldTable<Read<RecipeMetadata>> = FieldTable {
    owner: "a recipe",
    about: "",
    fields: &[
        field("$schema", "the schema, for editors").unread(Schema::String),
        field("name", "for people; a recipe's name is its file's").unread(Schema::String),
        field("kind", "the shelf of the library it belongs to")
            .string(|recipe, text| recipe.kind = Some(text.to_owned())),
        field("description", "what it is for, in one line")
            .string(|recipe, text| recipe.description = Some(text.to_owned())),
        field("disabled", "it is not to be used").boolean(|recipe, yes| recipe.disabled = yes),
        field("async", "as a tool it runs detached").boolean(|recipe, yes| recipe.detached = yes),
        field("state_dir", "where a detached run keeps its state")
            .string(|recipe, text| recipe.state_dir = Some(text.to_owned())),
        // Read by `import`.
        field("imports", "other recipes by alias").unread(Schema::Json(|| {
            let name = json!({"type": "string", "description": "a name, or a path seen from this file"});
            json!({"type": "object", "additionalProperties": {"anyOf": [name, IMPORT.schema()]}})
        })),
        field("artifacts", "what it promises to write: a path, or {path, …}").with(
            Schema::Json(|| {
                json!({"type": "object", "additionalProperties": {"type": ["string", "object"]}})
            }),
            |recipe, (), value| recipe.artifacts = artifacts(value),
        ),
        field("mailbox", "").with(
            Schema::Json(|| json!({"type": "object", "properties": MAILBOX.properties()})),
            |recipe, (), value| {
                let mailbox = recipe.mailbox.insert(RecipeMailbox::default());
                MAILBOX.read(mailbox, &(), value);
            },
        ),
        field("retire_when", "when its run ends by itself").with(
            Schema::Json(|| choices(RETIRE_WHEN)),
            |recipe, (), value| recipe.retire_when = value.choice(RETIRE_WHEN),
        ),
        field("actor_context", "whether child agents are told which recipe they belong to").with(
            Schema::Json(|| json!({"anyOf": [{"type": "boolean"}, {"enum": ["on", "off"]}]})),
            |recipe, (), value| recipe.actor_context = actor_context(value),
        ),
        field("secrets", "environment variables whose values are secret")
            .with(Schema::List(&Schema::String), |recipe, (), value| {
                recipe.secrets = value.texts();
            }),
        field("usage", "counters of older versions; nobody reads them").unread(Schema::Object),
    ],
};

const MAILBOX: FieldTable<Read<RecipeMailbox>> = FieldTable {
    owner: "a mailbox",
    about: "",
    fields: &[
        field("accepts", "").with(MESSAGE_TYPES, |mailbox, (), value| {
            mailbox.accepts = message_types(value);
        }),
        field("emits", "").with(MESSAGE_TYPES, |mailbox, (), value| {
            mailbox.emits = message_types(value);
        }),
        field("deliver", "how messages reach the program: `stdin`")
            .string(|mailbox, text| mailbox.deliver = Some(text.to_owned())),
    ],
};

const RETIRE_WHEN: &[(&str, RecipeRetirement)] =
    &[("children_terminal", RecipeRetirement::ChildrenTerminal)];

/// A list of message types: their names, or objects with a `type`.
const MESSAGE_TYPES: Schema = Schema::List(&Schema::Json(|| {
    let object = json!({
        "type": "object", "properties": {"type": {"type": "string"}}, "required": ["type"],
    });
    json!({"anyOf": [{"type": "string"}, object]})
}));

/// Reads the metadata of a recipe.
pub(super) fn read(source: &Source, root: &JsonNode) -> (RecipeMetadata, Vec<Finding>) {
    let findings = Findings::default();
    let mut recipe = RecipeMetadata {
        actor_context: true,
        ..RecipeMetadata::default()
    };
    for value in DocValue::root(source, root, CODE, &findings).fields() {
        // Ignores other fields: they belong to the template.
        RECIPE.read_field(&mut recipe, &(), &value);
    }
    (recipe, findings.take())
}

/// `true`, `false`, `"on"` or `"off"`.
fn actor_context(value: &DocValue<'_>) -> bool {
    match value.node.as_str() {
        Some("off") => false,
        Some("on") => true,
        _ => value.boolean().unwrap_or(true),
    }
}

fn artifacts(value: &DocValue<'_>) -> BTreeMap<String, RecipeArtifact> {
    if !value.object() {
        return BTreeMap::new();
    }
    let artifacts = value.fields();
    artifacts
        .filter_map(|value| Some((value.name().to_owned(), artifact(&value)?)))
        .collect()
}

/// A path, or an object with one (R3).
fn artifact(value: &DocValue<'_>) -> Option<RecipeArtifact> {
    let (path, more) = if matches!(value.node.content, JsonContent::Object(_)) {
        let Some(path) = value.get("path") else {
            value.error("the artifact has no `path`", "add \"path\": where it is");
            return None;
        };
        (path.text()?, members_without(value, "path"))
    } else {
        (value.text()?, Map::new())
    };
    let path = path.to_owned();
    Some(RecipeArtifact { path, more })
}

fn message_types(value: &DocValue<'_>) -> Vec<RecipeMessageType> {
    if !value.list() {
        return Vec::new();
    }
    value
        .items()
        .filter_map(|item| message_type(&item))
        .collect()
}

/// A type of message: its name, or an object with `type`.
fn message_type(value: &DocValue<'_>) -> Option<RecipeMessageType> {
    let (name, more) = match (&value.node.content, value.get("type")) {
        (JsonContent::Object(_), Some(name)) => (name.text()?, members_without(value, "type")),
        (JsonContent::String(_), _) => (value.text()?, Map::new()),
        _ => {
            let hint = "write \"channel.action\" or {\"type\": \"channel.action\"}";
            value.at.warn("this is no type of message", hint);
            return None;
        }
    };
    let name = name.to_owned();
    Some(RecipeMessageType { name, more })
}

fn members_without(value: &DocValue<'_>, name: &str) -> Map<String, Value> {
    let fields = value.fields().filter(|field| field.name() != name);
    fields
        .map(|field| (field.name().to_owned(), field.node.to_value()))
        .collect()
}
