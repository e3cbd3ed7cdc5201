//! Authored JSON, read strictly and with the place of every value.
//!
//! Owns the tree that recipes, loadouts and configs are read from, and the field tables by which
//! its objects are read. Comments and trailing commas are allowed; everything else is plain JSON.
//! Bounded in size, depth and count (S5). Never opens files, and knows no field: each kind of
//! document has its own tables.

mod parse;
mod path;
mod location;
mod value;
mod table;

use std::ops::Range;

use serde_json::{Map, Value};

pub(crate) use location::{Findings, Location};
pub use parse::{MAX_BYTES, MAX_DEPTH, parse, parse_parts};
pub(crate) use path::Path;
pub(crate) use table::{Field, FieldTable, Read, Schema, choices, field, ignore};
pub(crate) use value::{DocValue, SourceMember};

/// A value with its place in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    pub content: Content,
    /// Where it stands, in bytes of the source.
    pub span: Range<usize>,
}

/// What a value is.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    Null,
    Bool(bool),
    /// A number, as it was read.
    Number(serde_json::Number),
    /// A string, unescaped.
    String(String),
    Array(Vec<Node>),
    /// An object, in the order written; names are unique.
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Its name, unescaped.
    pub name: String,
    pub name_span: Range<usize>,
    pub value: Node,
}

impl Node {
    /// The value of a member, where this is an object that has it.
    pub fn get(&self, name: &str) -> Option<&Node> {
        self.members()
            .iter()
            .find(|member| member.name == name)
            .map(|member| &member.value)
    }

    /// The members, none where this is no object.
    pub fn members(&self) -> &[Member] {
        if let Content::Object(members) = &self.content {
            members
        } else {
            &[]
        }
    }

    /// The items, none where this is no list.
    pub fn items(&self) -> &[Node] {
        if let Content::Array(items) = &self.content {
            items
        } else {
            &[]
        }
    }

    /// The text, where this is a string.
    pub fn as_str(&self) -> Option<&str> {
        if let Content::String(text) = &self.content {
            Some(text)
        } else {
            None
        }
    }

    /// What a person calls this kind of value.
    pub fn kind(&self) -> &'static str {
        match self.content {
            Content::Null => "null",
            Content::Bool(_) => "a boolean",
            Content::Number(_) => "a number",
            Content::String(_) => "a string",
            Content::Array(_) => "a list",
            Content::Object(_) => "an object",
        }
    }

    /// The same value without its places.
    pub fn to_value(&self) -> Value {
        match &self.content {
            Content::Null => Value::Null,
            Content::Bool(yes) => Value::Bool(*yes),
            Content::Number(number) => Value::Number(number.clone()),
            Content::String(text) => Value::String(text.clone()),
            Content::Array(items) => items.iter().map(Self::to_value).collect(),
            Content::Object(members) => {
                let pairs = members
                    .iter()
                    .map(|member| (member.name.clone(), member.value.to_value()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }
}

/// A document path with one more member: `a.b`, or `a["b c"]` where the name is no identifier.
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

/// A document path with one more index: `a[0]`.
pub fn path_index(path: &str, index: usize) -> String {
    format!("{path}[{index}]")
}
