//! The arguments of a tool call, read one by one.
//!
//! Owns what is reported about those that do not fit, and that none is silently ignored.

use serde_json::{Map, Value};

/// The arguments of a call.
pub(super) type ArgumentMap = Map<String, Value>;

/// What is wrong with the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArgumentError {
    pub(super) message: String,
    pub(super) hint: String,
}

/// An error about the arguments of a call.
pub(super) fn invalid<T>(
    message: impl Into<String>,
    hint: impl Into<String>,
) -> Result<T, ArgumentError> {
    Err(ArgumentError {
        message: message.into(),
        hint: hint.into(),
    })
}

/// The arguments that were not read yet.
pub(super) struct ArgumentReader {
    /// The tool that is called.
    pub(super) tool: String,
    /// The rest.
    pub(super) arguments: ArgumentMap,
    /// Notes for the client.
    pub(super) notes: Vec<String>,
}

impl ArgumentReader {
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        self.arguments
            .shift_remove(name)
            .filter(|value| !value.is_null())
    }

    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, ArgumentError> {
        match self.take(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => invalid(format!("`{name}` is no text"), "write it as a string"),
        }
    }

    /// A text under either name; the first wins.
    pub(super) fn either(
        &mut self,
        name: &str,
        other: &str,
    ) -> Result<Option<String>, ArgumentError> {
        let (first, second) = (self.text(name)?, self.text(other)?);
        Ok(first.or(second))
    }

    /// A number, also in quotes, as the reference has them.
    pub(super) fn number(&mut self, name: &str) -> Result<Option<f64>, ArgumentError> {
        let text = match self.take(name) {
            None => return Ok(None),
            Some(Value::Number(number)) => number.to_string(),
            Some(Value::String(text)) => text.trim().to_owned(),
            Some(_) => String::new(),
        };
        match text.parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => invalid(format!("`{name}` is no number"), "write a number"),
        }
    }

    /// A whole number that is not negative.
    pub(super) fn count(&mut self, name: &str) -> Result<Option<u64>, ArgumentError> {
        let Some(number) = self.number(name)? else {
            return Ok(None);
        };
        let whole = number.fract() == 0.0 && (0.0..=MAX_COUNT).contains(&number);
        if whole {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the range was checked"
            )]
            return Ok(Some(number as u64));
        }
        let message = format!("`{name}` is no whole number from 0 to {MAX_COUNT}");
        invalid(message, "write a whole number")
    }

    pub(super) fn flag(&mut self, name: &str) -> Result<bool, ArgumentError> {
        match self.take(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(flag),
            Some(_) => invalid(
                format!("`{name}` is neither true nor false"),
                "write true or leave it out",
            ),
        }
    }

    /// Removes arguments that have no meaning here and need no note.
    pub(super) fn drop(&mut self, names: &[&str]) {
        names.iter().for_each(|name| _ = self.take(name));
    }

    /// Removes an argument that has no effect, with a note that says so.
    pub(super) fn ignore(&mut self, name: &str, note: &str) {
        if self.take(name).is_some() {
            self.notes.push(note.to_owned());
        }
    }

    /// Checks that none is left: a client would believe that one that is ignored works.
    pub(super) fn finish(self) -> Result<Vec<String>, ArgumentError> {
        let left = self.arguments.iter().find(|(_, value)| !value.is_null());
        match left {
            Some((name, _)) => invalid(
                format!("{} has no parameter `{name}`", self.tool),
                "see the tool's schema",
            ),
            None => Ok(self.notes),
        }
    }
}

/// The largest number of items or lines.
const MAX_COUNT: f64 = 1e9;
