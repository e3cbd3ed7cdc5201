//! What a recipe says about itself besides what it runs.
//!
//! Owns the fields that hosts read: description, `async`, artifacts, mailbox, retirement. Never
//! reads the template, and never acts on any of it.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::document::{Content, Field, Node, Part, Path, Reader};
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
pub struct Recipe {
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
    pub artifacts: BTreeMap<String, Artifact>,
    /// Which messages it understands and sends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mailbox: Option<Mailbox>,
    /// When its run ends by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retire_when: Option<RetireWhen>,
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
pub struct Artifact {
    /// Where.
    pub path: String,
    /// What else was said about it.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// The messages of a recipe; advice for whoever talks to it.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "RecipeMailbox", optional_fields)
)]
pub struct Mailbox {
    /// What it understands.
    pub accepts: Vec<MessageType>,
    /// What it sends.
    pub emits: Vec<MessageType>,
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
pub struct MessageType {
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
pub enum RetireWhen {
    /// Once all runs that it started are over.
    ChildrenTerminal,
}

/// Reads what a recipe says about itself.
pub(super) fn read(source: &Source, root: &Node) -> (Recipe, Vec<Finding>) {
    let mut reader = Reader::default();
    let mut recipe = Recipe {
        actor_context: true,
        ..Recipe::default()
    };
    for field in (Part { source, node: root }).fields() {
        let path = Path::Root.member(field.name());
        let (value, reader) = (field.value(), &mut reader);
        match field.name() {
            "description" => recipe.description = text(reader, value, &path),
            "kind" => recipe.kind = text(reader, value, &path),
            "state_dir" => recipe.state_dir = text(reader, value, &path),
            "disabled" => recipe.disabled = reader.boolean(value, &path, CODE).unwrap_or(false),
            "async" => recipe.detached = reader.boolean(value, &path, CODE).unwrap_or(false),
            "artifacts" => recipe.artifacts = artifacts(reader, value, &path),
            "mailbox" => recipe.mailbox = Some(mailbox(reader, value, &path)),
            "retire_when" => {
                let words = [("children_terminal", RetireWhen::ChildrenTerminal)];
                recipe.retire_when = reader.word(value, &path, CODE, &words);
            }
            "actor_context" => recipe.actor_context = context(reader, value, &path),
            "secrets" => recipe.secrets = texts(reader, value, &path),
            _ => {}
        }
    }
    (recipe, reader.into_findings())
}

fn text(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Option<String> {
    reader.string(value, path, CODE).map(str::to_owned)
}

fn texts(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Vec<String> {
    if !reader.list(value, path, CODE) {
        return Vec::new();
    }
    let items = value.items().enumerate();
    items
        .filter_map(|(index, item)| {
            reader
                .words(item, &path.index(index), CODE)
                .map(str::to_owned)
        })
        .collect()
}

/// `true`, `false` or `"off"`.
fn context(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> bool {
    match value.node.as_str() {
        Some("off") => false,
        Some("on") => true,
        _ => reader.boolean(value, path, CODE).unwrap_or(true),
    }
}

fn artifacts(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> BTreeMap<String, Artifact> {
    if !reader.object(value, path, CODE) {
        return BTreeMap::new();
    }
    value
        .fields()
        .filter_map(|field| Some((field.name().to_owned(), artifact(reader, field, path)?)))
        .collect()
}

/// A path, or an object with one (R3).
fn artifact(reader: &mut Reader, field: Field<'_>, path: &Path<'_>) -> Option<Artifact> {
    let (value, path) = (field.value(), path.member(field.name()));
    if matches!(value.node.content, Content::Object(_)) {
        let Some(inner) = value.get("path") else {
            reader.error(
                value.spot(),
                &path,
                CODE,
                "the artifact has no `path`",
                "add \"path\": where it is",
            );
            return None;
        };
        let place = reader.words(inner, &path.member("path"), CODE)?.to_owned();
        return Some(Artifact {
            path: place,
            more: rest(value, "path"),
        });
    }
    let place = reader.words(value, &path, CODE)?.to_owned();
    Some(Artifact {
        path: place,
        more: Map::new(),
    })
}

fn mailbox(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Mailbox {
    let mut mailbox = Mailbox::default();
    if !reader.object(value, path, CODE) {
        return mailbox;
    }
    for field in value.fields() {
        let path = path.member(field.name());
        match field.name() {
            "accepts" => mailbox.accepts = types(reader, field.value(), &path),
            "emits" => mailbox.emits = types(reader, field.value(), &path),
            "deliver" => mailbox.deliver = text(reader, field.value(), &path),
            _ => reader.unknown(field, &path, "a mailbox", &["accepts", "emits", "deliver"]),
        }
    }
    mailbox
}

fn types(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Vec<MessageType> {
    if !reader.list(value, path, CODE) {
        return Vec::new();
    }
    let items = value.items().enumerate();
    items
        .filter_map(|(index, item)| message_type(reader, item, &path.index(index)))
        .collect()
}

/// A type of message: its name, or an object with `type`.
fn message_type(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Option<MessageType> {
    match (&value.node.content, value.get("type")) {
        (Content::Object(_), Some(inner)) => {
            let name = reader.words(inner, &path.member("type"), CODE)?.to_owned();
            Some(MessageType {
                name,
                more: rest(value, "type"),
            })
        }
        (Content::String(_), _) => {
            let name = reader.words(value, path, CODE)?.to_owned();
            Some(MessageType {
                name,
                more: Map::new(),
            })
        }
        _ => {
            let hint = "write \"channel.action\" or {\"type\": \"channel.action\"}";
            reader.warn(value.spot(), path, CODE, "this is no type of message", hint);
            None
        }
    }
}

fn rest(value: Part<'_>, without: &str) -> Map<String, Value> {
    let fields = value.fields().filter(|field| field.name() != without);
    fields
        .map(|field| (field.name().to_owned(), field.value().node.to_value()))
        .collect()
}
