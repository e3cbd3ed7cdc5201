//! Envelopes: typed documents with an address.
//!
//! Owns the checks and limits of an envelope (A10). A [`MessageDraft`] is the sender's input, an
//! [`Envelope`] has been checked. Posting adds ids and times.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::address::{Address, AddressError};
use crate::record::MAX_DEPTH;
use crate::text;

/// The maximum size of a body, in bytes of JSON.
pub const LONGEST_BODY: usize = 256 << 10;

/// The maximum size of the metadata, in bytes of JSON.
const LONGEST_METADATA: usize = 64 << 10;

/// The maximum size of a summary or an id, in bytes.
const LONGEST_TEXT: usize = 4 << 10;

/// The maximum size of a type, in bytes.
const LONGEST_TYPE: usize = 128;

/// The maximum depth of a body. It leaves levels for the record around it.
const DEEPEST_BODY: usize = MAX_DEPTH - 8;

/// What kind of message it is, by convention `channel.action`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(type = "string"))]
pub struct MessageType(String);

/// A message as somebody wrote it.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "MessageRequest", optional_fields = nullable)
)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessageDraft {
    /// Where it should go.
    pub to: String,
    /// What kind of message it is.
    #[serde(rename = "type")]
    pub kind: String,
    /// Any JSON.
    #[cfg_attr(feature = "typescript", ts(optional, type = "unknown"))]
    pub body: Option<Value>,
    /// Who says it.
    pub from: Option<String>,
    /// One line for people.
    pub summary: Option<String>,
    /// The id of the message it answers.
    pub reply_to: Option<String>,
    /// What belongs together.
    pub correlation_id: Option<String>,
    /// Particulars for programs.
    pub metadata: Option<Value>,
}

/// A message that can be sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct Envelope {
    /// Where it goes.
    pub to: Address,
    /// What kind of message it is.
    #[serde(rename = "type")]
    pub kind: MessageType,
    /// Any JSON.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "given"
    )]
    pub body: Option<Value>,
    /// Who says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<Address>,
    /// One line for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The id of the message it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply_to: Option<String>,
    /// What belongs together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// Particulars for programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
}

/// An explicit `null` is a body.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// Why a message cannot be sent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// A required part is missing.
    #[error("the message has no `{0}`")]
    Missing(&'static str),
    /// An address in it is invalid.
    #[error("the message's `{field}` cannot be used: {source}")]
    Address {
        field: &'static str,
        source: AddressError,
    },
    /// Its type contains invalid characters.
    #[error("the message type {} contains unsupported characters", text::quoted(.0))]
    Type(String),
    /// Its metadata is not an object.
    #[error("the message's metadata must be a JSON object")]
    Metadata,
    /// A part is too large.
    #[error("the message's `{field}` has {bytes} bytes, at most {most} are allowed")]
    TooLong {
        field: &'static str,
        bytes: usize,
        most: usize,
    },
    /// A number in it would be rounded.
    #[error("the message's `{field}` has the number {given}, which would be rounded")]
    Number { field: &'static str, given: String },
    /// A part nests too deep.
    #[error("the message's `{0}` nests deeper than {DEEPEST_BODY} levels")]
    TooDeep(&'static str),
}

impl EnvelopeError {
    /// What to write instead.
    pub fn hint(&self) -> String {
        match self {
            Self::Missing("type") => "give it a type such as `task.run`".to_owned(),
            Self::Missing(_) => "give it an address such as `run:ID` or `coordinator`".to_owned(),
            Self::Address { source, .. } => source.hint(),
            Self::Type(_) => {
                "write a letter, then letters, digits, `_`, `.`, `:` or `-`, such as `task.run`"
                    .to_owned()
            }
            Self::Metadata => "write it like {\"requires_response\": true}".to_owned(),
            Self::Number { given, .. } => format!("write it as a text: \"{given}\""),
            Self::TooLong { field: "type", .. } => {
                "give it a shorter type such as `task.run`".to_owned()
            }
            Self::TooLong { .. } | Self::TooDeep(_) => {
                "put large things into a file and send its path".to_owned()
            }
        }
    }
}

impl MessageDraft {
    /// Checks everything and returns a message that can be sent.
    pub fn check(self) -> Result<Envelope, EnvelopeError> {
        let to = address("to", Some(&self.to))?.ok_or(EnvelopeError::Missing("to"))?;
        let kind = match self.kind.trim() {
            "" => return Err(EnvelopeError::Missing("type")),
            kind => kind.parse()?,
        };
        let metadata = match self.metadata {
            None => None,
            Some(Value::Object(metadata)) => Some(metadata),
            Some(_) => return Err(EnvelopeError::Metadata),
        };
        if let Some(body) = &self.body {
            bounded("body", body, LONGEST_BODY)?;
        }
        if let Some(metadata) = &metadata {
            bounded(
                "metadata",
                &Value::Object(metadata.clone()),
                LONGEST_METADATA,
            )?;
        }
        Ok(Envelope {
            to,
            kind,
            body: self.body,
            from: address("from", self.from.as_deref())?,
            summary: short("summary", self.summary)?,
            reply_to: short("reply_to", self.reply_to)?,
            correlation_id: short("correlation_id", self.correlation_id)?,
            metadata,
        })
    }
}

fn address(field: &'static str, given: Option<&str>) -> Result<Option<Address>, EnvelopeError> {
    match given.map(str::trim) {
        None | Some("") => Ok(None),
        Some(given) => given
            .parse()
            .map(Some)
            .map_err(|source| EnvelopeError::Address { field, source }),
    }
}

fn short(field: &'static str, given: Option<String>) -> Result<Option<String>, EnvelopeError> {
    match given {
        Some(text) if text.len() > LONGEST_TEXT => Err(EnvelopeError::TooLong {
            field,
            bytes: text.len(),
            most: LONGEST_TEXT,
        }),
        other => Ok(other),
    }
}

fn bounded(field: &'static str, value: &Value, most: usize) -> Result<(), EnvelopeError> {
    if deeper_than(value, DEEPEST_BODY) {
        return Err(EnvelopeError::TooDeep(field));
    }
    let bytes = serde_json::to_string(value).map_or(usize::MAX, |text| text.len());
    if bytes > most {
        Err(EnvelopeError::TooLong { field, bytes, most })
    } else {
        Ok(())
    }
}

/// Whether a value nests deeper than so many levels.
fn deeper_than(value: &Value, levels: usize) -> bool {
    let Some(below) = levels.checked_sub(1) else {
        return matches!(value, Value::Array(_) | Value::Object(_));
    };
    match value {
        Value::Array(items) => items.iter().any(|item| deeper_than(item, below)),
        Value::Object(fields) => fields.values().any(|field| deeper_than(field, below)),
        _ => false,
    }
}

impl Envelope {
    /// The size of its parts in bytes, for the limits of a queue.
    pub fn weight(&self) -> usize {
        let body = self.body.as_ref().map_or(0, |body| {
            serde_json::to_string(body).map_or(0, |text| text.len())
        });
        body + self.summary.as_ref().map_or(0, String::len) + 128
    }

    /// Whether the sender waits for an answer.
    pub fn requires_response(&self) -> bool {
        self.flag("requires_response")
    }

    /// Whether a field of the metadata is `true`.
    pub fn flag(&self, name: &str) -> bool {
        self.meta(name).and_then(Value::as_bool).unwrap_or(false)
    }

    /// A field of the metadata.
    pub fn meta(&self, name: &str) -> Option<&Value> {
        self.metadata.as_ref()?.get(name)
    }

    /// The body as text: a string as it is, anything else as JSON.
    pub fn text(&self) -> String {
        match &self.body {
            None => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        }
    }

    /// A one-line summary.
    pub fn headline(&self) -> String {
        let told = self.summary.clone().unwrap_or_else(|| match &self.body {
            Some(Value::String(body)) => body.clone(),
            _ => self.kind.to_string(),
        });
        let line = told.lines().next().unwrap_or_default();
        text::printable(&text::bounded(line, 160)).into_owned()
    }
}

impl MessageType {
    /// The type as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for MessageType {
    type Err = EnvelopeError;

    fn from_str(given: &str) -> Result<Self, EnvelopeError> {
        if given.len() > LONGEST_TYPE {
            return Err(EnvelopeError::TooLong {
                field: "type",
                bytes: given.len(),
                most: LONGEST_TYPE,
            });
        }
        let mut chars = given.chars();
        let fits = chars
            .next()
            .is_some_and(|first| first.is_ascii_alphabetic())
            && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '-'));
        if fits {
            Ok(Self(given.to_owned()))
        } else {
            Err(EnvelopeError::Type(given.to_owned()))
        }
    }
}

impl fmt::Display for MessageType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for MessageType {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(serde::de::Error::custom)
    }
}
