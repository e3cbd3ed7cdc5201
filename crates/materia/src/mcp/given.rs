//! The parameters of a tool call, read one by one.
//!
//! Owns what is said about those that do not fit, and that nothing is silently ignored.

use serde_json::{Map, Value};

use super::request::Request;

/// The parameters of a call.
pub(super) type Arguments = Map<String, Value>;

/// What is wrong with a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Misfit {
    pub(super) message: String,
    pub(super) hint: String,
}

/// A call that does not fit.
pub(super) fn misfit<T>(message: impl Into<String>, hint: impl Into<String>) -> Result<T, Misfit> {
    Err(Misfit {
        message: message.into(),
        hint: hint.into(),
    })
}

/// The parameters that were not yet read.
pub(super) struct Given {
    /// The tool that is called.
    pub(super) tool: String,
    /// What is left.
    pub(super) arguments: Arguments,
    /// What the caller should know.
    pub(super) notes: Vec<String>,
}

impl Given {
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.arguments
            .shift_remove(name)
            .filter(|value| !value.is_null())
    }

    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, Misfit> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => misfit(format!("`{name}` is no text"), "write it as a string"),
        }
    }

    pub(super) fn either(&mut self, name: &str, other: &str) -> Result<Option<String>, Misfit> {
        let (first, second) = (self.text(name)?, self.text(other)?);
        Ok(first.or(second))
    }

    /// `--option=value`, so that no value can be taken for an option.
    pub(super) fn option(&mut self, option: &str, name: &str) -> Result<Option<String>, Misfit> {
        Ok(self.text(name)?.map(|value| format!("{option}={value}")))
    }

    /// A number, also in quotes, as the reference has them.
    pub(super) fn number(&mut self, name: &str) -> Result<Option<String>, Misfit> {
        let text = match self.take(name) {
            None => return Ok(None),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(_) => String::new(),
        };
        if text.parse::<f64>().is_err() {
            return misfit(format!("`{name}` is no number"), "write a number");
        }
        Ok(Some(text))
    }

    pub(super) fn flag(&mut self, name: &str) -> Result<bool, Misfit> {
        match self.take(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(_) => misfit(
                format!("`{name}` is neither true nor false"),
                "write true or leave it out",
            ),
        }
    }

    pub(super) fn drop(&mut self, names: &[&str]) {
        names.iter().for_each(|name| _ = self.take(name));
    }

    pub(super) fn ignore(&mut self, name: &str, note: &str) {
        if self.take(name).is_some() {
            self.notes.push(note.to_owned());
        }
    }

    /// Nothing may be left: what is silently ignored would be believed to work.
    pub(super) fn rest(self, request: Request) -> Result<Request, Misfit> {
        let left: Vec<&str> = self
            .arguments
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, _)| name.as_str())
            .collect();
        match left.first() {
            Some(name) => misfit(
                format!("{} has no parameter `{name}`", self.tool),
                "see the tool's schema",
            ),
            None => Ok(Request {
                notes: self.notes,
                ..request
            }),
        }
    }
}
