//! Values and their types: valid arguments and their text form in a word.
//!
//! Owns the seven types, the only conversion of a value to its type (T6), truthiness (T7) and
//! rendering (T23). Does not know where a value came from.

use std::borrow::Cow;
use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::{Number, Value};

use crate::text;

/// What kind of value a name takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "TemplateType", type = "string")
)]
pub enum ValueType {
    /// Any text.
    #[default]
    String,
    /// The path of a file or directory.
    Path,
    /// A whole number.
    Int,
    /// Any finite number.
    Number,
    /// `true` or `false`.
    Bool,
    /// A list.
    Array,
    /// One of these words.
    Enum(Vec<String>),
}

impl ValueType {
    /// Parses `int`, `enum(a,b)` and so on, or returns what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some(choices) = text
            .strip_prefix("enum(")
            .and_then(|rest| rest.strip_suffix(')'))
        {
            let choices: Vec<String> = choices
                .split(',')
                .map(|choice| choice.trim().to_owned())
                .collect();
            let empty = choices.iter().any(String::is_empty);
            return if empty {
                Err(format!("{} has an empty choice", text::quoted(text)))
            } else {
                Ok(Self::Enum(choices))
            };
        }
        Self::PLAIN
            .iter()
            .find(|(name, _)| *name == text)
            .map(|(_, ty)| ty.clone())
            .ok_or_else(|| format!("{} is no type", text::quoted(text)))
    }

    /// The hint for an invalid type.
    pub fn suggestion(text: &str) -> String {
        let names = || {
            Self::PLAIN
                .iter()
                .map(|(name, _)| *name)
                .chain(["enum(a,b)"])
        };
        match text::closest(text, names()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!(
                "types are {}",
                text::list(&names().collect::<Vec<_>>(), "and")
            ),
        }
    }

    const PLAIN: &[(&str, Self)] = &[
        ("string", Self::String),
        ("path", Self::Path),
        ("int", Self::Int),
        ("number", Self::Number),
        ("bool", Self::Bool),
        ("array", Self::Array),
    ];

    /// A description of the type for a sentence: `an integer`.
    pub fn described(&self) -> String {
        match self {
            Self::String => "text".to_owned(),
            Self::Path => "a path".to_owned(),
            Self::Int => "an integer".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Bool => "a boolean".to_owned(),
            Self::Array => "an array".to_owned(),
            Self::Enum(choices) => format!("one of {}", choices.join(", ")),
        }
    }

    /// Converts the value to this type; `None` if it does not fit. `null` fits every type.
    pub fn fit<'v>(&self, value: Cow<'v, Value>) -> Option<Cow<'v, Value>> {
        if value.is_null() {
            return Some(value);
        }
        match self {
            Self::String => Some(value),
            Self::Path => (value.is_string() || value.is_number()).then_some(value),
            Self::Int => integer(&value).map(|int| Cow::Owned(int.into())),
            Self::Number => fit_number(value),
            Self::Bool => fit_bool(value),
            Self::Array => fit_array(value),
            Self::Enum(choices) => {
                let fits = value
                    .as_str()
                    .is_some_and(|text| choices.iter().any(|choice| choice == text));
                fits.then_some(value)
            }
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Enum(choices) => write!(f, "enum({})", choices.join(",")),
            plain => {
                let name = Self::PLAIN
                    .iter()
                    .find(|(_, ty)| ty == plain)
                    .map_or("string", |(name, _)| name);
                f.write_str(name)
            }
        }
    }
}

impl Serialize for ValueType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The integer in a number or a text, if it is one.
pub(crate) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().and_then(whole)),
        Value::String(text) => {
            let text = text.trim();
            let digits = text.strip_prefix('-').unwrap_or(text);
            let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            if plain { text.parse().ok() } else { None }
        }
        _ => None,
    }
}

fn whole(number: f64) -> Option<i64> {
    // Beyond 2^53 a double cannot represent every integer.
    let exact = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the range was just checked"
    )]
    exact.then_some(number as i64)
}

fn fit_number(value: Cow<'_, Value>) -> Option<Cow<'_, Value>> {
    let Value::String(text) = value.as_ref() else {
        return value.is_number().then_some(value);
    };
    decimal(text.trim()).map(|number| Cow::Owned(Value::Number(number)))
}

fn decimal(text: &str) -> Option<Number> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if fraction.is_empty()
        || (whole.is_empty() && !digits.contains('.'))
        || !plain(whole)
        || !plain(fraction)
    {
        return None;
    }
    text.parse()
        .map(|int: i64| Number::from(int))
        .ok()
        .or_else(|| Number::from_f64(text.parse().ok()?))
}

fn fit_bool(value: Cow<'_, Value>) -> Option<Cow<'_, Value>> {
    let Value::String(text) = value.as_ref() else {
        return value.is_boolean().then_some(value);
    };
    match text.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(Cow::Owned(Value::Bool(true))),
        "false" | "no" | "0" => Some(Cow::Owned(Value::Bool(false))),
        _ => None,
    }
}

fn fit_array(value: Cow<'_, Value>) -> Option<Cow<'_, Value>> {
    let Value::String(text) = value.as_ref() else {
        return value.is_array().then_some(value);
    };
    serde_json::from_str::<Vec<Value>>(text)
        .ok()
        .map(|items| Cow::Owned(Value::Array(items)))
}

/// Whether a value counts as true for `??`, ternaries and `when` (T7).
pub fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(yes) => *yes,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => {
            let text = text.trim();
            !(text.is_empty()
                || ["false", "0", "no"]
                    .iter()
                    .any(|word| text.eq_ignore_ascii_case(word)))
        }
        Value::Array(items) => !items.is_empty(),
        Value::Object(_) => true,
    }
}

/// The text form of a value in a word (T23).
pub fn render(value: &Value) -> Cow<'_, str> {
    match value {
        Value::Null => Cow::Borrowed(""),
        Value::String(text) => Cow::Borrowed(text),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Cow::Owned(value.to_string())
        }
    }
}

#[cfg(test)]
mod tests;
