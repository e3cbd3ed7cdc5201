//! The mailbox contract of a run: message types in and out, and the delivery channel.
//!
//! Owns reading `mailbox` of a recipe and the warnings about it. The contract warns and never
//! rejects: an undeclared message is still delivered.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::address::Address;
use super::envelope::MessageType;
use crate::text;

/// The maximum number of types on each side of a contract.
const MOST_TYPES: usize = 1000;

/// The contract of a mailbox.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Mailbox {
    /// What it takes; anything, where nothing is listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepts: Vec<DeclaredType>,
    /// What it sends; anything, where nothing is listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub emits: Vec<DeclaredType>,
    /// How the run's process is handed its messages.
    #[serde(default, skip_serializing_if = "DeliveryMethod::is_default")]
    pub deliver: DeliveryMethod,
}

/// One type of a contract, with whatever its author says about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "DeclaredMessage")
)]
pub struct DeclaredType {
    /// The type; a `*` at its end stands for any rest.
    #[serde(rename = "type")]
    pub kind: String,
    /// What else the author wrote, such as a description.
    #[serde(flatten)]
    pub notes: Map<String, Value>,
}

/// How messages reach the process of a run (A5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum DeliveryMethod {
    /// It asks for them with `materia receive`.
    #[default]
    Receive,
    /// As JSON lines on its standard input.
    Stdin,
    /// As lines in `control.fifo` of its state directory.
    Fifo,
}

impl DeliveryMethod {
    /// Every channel, in the order of messages.
    pub const ALL: [Self; 3] = [Self::Receive, Self::Stdin, Self::Fifo];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Receive => "receive",
            Self::Stdin => "stdin",
            Self::Fifo => "fifo",
        }
    }

    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// An invalid `mailbox`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MailboxError {
    #[error("a mailbox must be an object, such as {{\"accepts\": [\"task.run\"]}}")]
    NoObject,
    /// A list is not a list of types.
    #[error("`mailbox.{0}` must be a list of message types, or of objects with a `type`")]
    NoList(&'static str),
    /// A listed type contains invalid characters.
    #[error(
        "`mailbox.{field}` lists {}, which is no message type",
        text::quoted(given)
    )]
    Type { field: &'static str, given: String },
    /// The delivery channel is unknown.
    #[error("`mailbox.deliver` is {}; write `receive`, `stdin` or `fifo`", text::quoted(.0))]
    Deliver(String),
    #[error("`mailbox` has no field {}; it has `accepts`, `emits` and `deliver`", text::quoted(.0))]
    Unknown(String),
}

impl Mailbox {
    /// Reads the `mailbox` of a recipe.
    pub fn read(value: &Value) -> Result<Self, MailboxError> {
        let fields = value.as_object().ok_or(MailboxError::NoObject)?;
        if let Some(unknown) = fields
            .keys()
            .find(|key| !["accepts", "emits", "deliver"].contains(&key.as_str()))
        {
            return Err(MailboxError::Unknown(unknown.clone()));
        }
        let deliver = match fields.get("deliver") {
            None | Some(Value::Null) => DeliveryMethod::default(),
            Some(given) => {
                let word = given.as_str().unwrap_or_default();
                let known = DeliveryMethod::ALL
                    .into_iter()
                    .find(|way| way.as_str() == word);
                known.ok_or_else(|| MailboxError::Deliver(given.to_string()))?
            }
        };
        Ok(Self {
            accepts: types("accepts", fields)?,
            emits: types("emits", fields)?,
            deliver,
        })
    }

    /// The warning about a message to a run whose contract does not list its type.
    pub fn warning_about(&self, kind: &MessageType, to: &Address) -> Option<String> {
        let listed =
            self.accepts.is_empty() || self.accepts.iter().any(|declared| declared.covers(kind));
        (!listed).then(|| format!("message type {kind} is not declared in mailbox.accepts of {to}"))
    }

    /// The warning about a message from a run whose contract does not list its type.
    pub fn warning_from(&self, kind: &MessageType, from: &Address) -> Option<String> {
        let listed =
            self.emits.is_empty() || self.emits.iter().any(|declared| declared.covers(kind));
        (!listed).then(|| format!("message type {kind} is not declared in mailbox.emits of {from}"))
    }
}

impl DeclaredType {
    /// Whether the pattern matches a type.
    pub fn covers(&self, kind: &MessageType) -> bool {
        match self.kind.strip_suffix('*') {
            Some(beginning) => kind.as_str().starts_with(beginning),
            None => kind.as_str() == self.kind,
        }
    }
}

fn types(
    field: &'static str,
    fields: &Map<String, Value>,
) -> Result<Vec<DeclaredType>, MailboxError> {
    let listed = match fields.get(field) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(listed)) if listed.len() <= MOST_TYPES => listed,
        Some(_) => return Err(MailboxError::NoList(field)),
    };
    listed.iter().map(|entry| declared(field, entry)).collect()
}

fn declared(field: &'static str, entry: &Value) -> Result<DeclaredType, MailboxError> {
    let (kind, notes) = match entry {
        Value::String(kind) => (kind.clone(), Map::new()),
        Value::Object(fields) => {
            let mut notes = fields.clone();
            let kind = notes
                .remove("type")
                .and_then(|kind| kind.as_str().map(str::to_owned));
            (kind.ok_or(MailboxError::NoList(field))?, notes)
        }
        _ => return Err(MailboxError::NoList(field)),
    };
    let exact = kind
        .strip_suffix('*')
        .unwrap_or(&kind)
        .trim_end_matches('.');
    if kind != "*" && exact.parse::<MessageType>().is_err() {
        return Err(MailboxError::Type { field, given: kind });
    }
    Ok(DeclaredType { kind, notes })
}
