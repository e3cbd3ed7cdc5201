//! Authored JSON, read strictly and with the position of every value.
//!
//! Owns the tree that recipes, loadouts and configs are read from, and the field tables that read
//! its objects. Comments and trailing commas are allowed; everything else is plain JSON. Bounded in
//! size, depth and count (S5). Never opens files, and knows no field: each kind of document has its
//! own tables.

mod parse;
mod path;
mod location;
mod value;
mod table;

use std::ops::Range;

use serde_json::{Map, Value};

pub(crate) use location::{Findings, Location};
pub use parse::{MAX_BYTES, MAX_DEPTH, parse, parse_parts};
pub(crate) use path::ValuePath;
pub(crate) use table::{Field, FieldTable, Read, Schema, choices, field, ignore};
pub(crate) use value::{DocValue, SourceMember};

/// A value with its position in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonNode {
    pub content: JsonContent,
    /// Its position, in bytes of the source.
    pub span: Range<usize>,
}

/// The content of a value.
#[derive(Debug, Clone, PartialEq)]
pub enum JsonContent {
    Null,
    Bool(bool),
    /// A number, as it was read.
    Number(serde_json::Number),
    /// A string, unescaped.
    String(String),
    Array(Vec<JsonNode>),
    /// An object, in the order written; names are unique.
    Object(Vec<JsonMember>),
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct JsonMember {
    /// Its name, unescaped.
    pub name: String,
    pub name_span: Range<usize>,
    pub value: JsonNode,
}

impl JsonNode {
    /// The value of a member, if this is an object that has it.
    pub fn get(&self, name: &str) -> Option<&JsonNode> {
        self.members()
            .iter()
            .find(|member| member.name == name)
            .map(|member| &member.value)
    }

    /// The members; none if this is not an object.
    pub fn members(&self) -> &[JsonMember] {
        if let JsonContent::Object(members) = &self.content {
            members
        } else {
            &[]
        }
    }

    /// The items; none if this is not a list.
    pub fn items(&self) -> &[JsonNode] {
        if let JsonContent::Array(items) = &self.content {
            items
        } else {
            &[]
        }
    }

    /// The text, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        if let JsonContent::String(text) = &self.content {
            Some(text)
        } else {
            None
        }
    }

    /// The name of this kind of value in messages.
    pub fn kind(&self) -> &'static str {
        match self.content {
            JsonContent::Null => "null",
            JsonContent::Bool(_) => "a boolean",
            JsonContent::Number(_) => "a number",
            JsonContent::String(_) => "a string",
            JsonContent::Array(_) => "a list",
            JsonContent::Object(_) => "an object",
        }
    }

    /// The same value without positions.
    pub fn to_value(&self) -> Value {
        match &self.content {
            JsonContent::Null => Value::Null,
            JsonContent::Bool(yes) => Value::Bool(*yes),
            JsonContent::Number(number) => Value::Number(number.clone()),
            JsonContent::String(text) => Value::String(text.clone()),
            JsonContent::Array(items) => items.iter().map(Self::to_value).collect(),
            JsonContent::Object(members) => {
                let pairs = members
                    .iter()
                    .map(|member| (member.name.clone(), member.value.to_value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }
}

/// Appends a member to a document path: `a.b`, or `a["b c"]` if the name is not an identifier.
pub fn path_member(path: &str, name: &str) -> String {
    let mut chars = name.chars();
    let plain = chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
    match (plain, path.is_empty()) {
        (true, true) => name.to_owned(),
        (true, false) => format!("{path}.{name}"),
        (false, _) => format!("{path}[{}]", Value::String(name.to_owned())),
    }
}

/// Appends an index to a document path: `a[0]`.
pub fn path_index(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}
