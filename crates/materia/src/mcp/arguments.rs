//! Reads the arguments of a tool call one by one.
//!
//! Owns the errors for arguments that do not fit, and ensures that no argument is silently ignored.

use serde_json::{Map, Value};

/// The arguments of a call.
pub(super) type ArgumentMap = Map<String, Value>;

/// An invalid argument of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ArgumentError {
    pub(super) message: String,
    pub(super) hint: String,
}

/// Returns an error about the arguments of a call.
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
    pub(super) tool: String,
    pub(super) arguments: ArgumentMap,
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

    /// A text under either of two names; the first wins.
    pub(super) fn either(
        &mut self,
        name: &str,
        other: &str,
    ) -> Result<Option<String>, ArgumentError> {
        let (first, second) = (self.text(name)?, self.text(other)?);
        Ok(first.or(second))
    }

    /// A number. The reference also allows it in quotes.
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

    /// A non-negative integer.
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

    /// Checks that no argument is left: a client would believe that an ignored argument works.
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

/// The upper bound of a count of items or lines.
const MAX_COUNT: f64 = 1e9;
