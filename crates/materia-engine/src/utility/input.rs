//! The document that a utility reads: its directory, its parameters, the state of the cast, the
//! current item.
//!
//! Owns reading it and access to its parts. The document reader bounds its size and depth (S5).
//! Members that a utility does not need may be absent; a member of the wrong type is reported by
//! name.

use std::path::{Path, PathBuf};

use materia_model::document;
use materia_model::finding::{Finding, Source};
use materia_model::text;
use serde_json::Value;

use super::answer::UtilityError;
use super::place;

/// The input of a utility.
#[derive(Debug)]
pub struct Input {
    document: Value,
    fallback: PathBuf,
}

impl Input {
    /// Reads the document. An absent or relative `cwd` is resolved against `fallback`.
    pub fn read(text: &str, fallback: &Path) -> Result<Self, Vec<Finding>> {
        let source = Source::new("stdin", text);
        let node = document::parse(&source)?;
        if !matches!(node.content, document::JsonContent::Object(_)) {
            let message = format!(
                "the input of a utility is an object, this is {}",
                node.kind()
            );
            let finding = Finding::error("invalid-input", message).at(&source, &node.span);
            return Err(vec![finding.hint("write {\"params\": {}, \"state\": {}}")]);
        }
        Ok(Self {
            document: node.to_value(),
            fallback: fallback.to_owned(),
        })
    }

    /// The value at this path of members; `None` if it is absent or null.
    pub(super) fn get(&self, path: &[&str]) -> Option<&Value> {
        let found = path
            .iter()
            .try_fold(&self.document, |value, name| value.get(name));
        found.filter(|value| !value.is_null())
    }

    /// The trimmed text at this path; `None` if it is blank.
    pub(super) fn text(&self, path: &[&str]) -> Result<Option<&str>, UtilityError> {
        match self.get(path) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
            Some(other) => {
                let message = format!("`{}` is {}, not a string", path.join("."), kind(other));
                Err(UtilityError::wrong(
                    message,
                    format!("write \"{}\": \"…\"", path.last().unwrap_or(&"")),
                ))
            }
        }
    }

    /// The working directory, which must exist.
    pub(super) fn directory(&self) -> Result<PathBuf, UtilityError> {
        let told = self.text(&["cwd"])?.unwrap_or_default();
        let directory = place::resolved(&self.fallback, told);
        if directory.is_dir() {
            return Ok(directory);
        }
        let message = format!(
            "`cwd` is {}, which is no directory",
            text::quoted(&directory.to_string_lossy())
        );
        Err(UtilityError::wrong(
            message,
            "give `cwd` a directory that exists",
        ))
    }
}

/// The display name of a value's type.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
