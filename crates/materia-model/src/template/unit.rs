//! Units: the documents of one template, and references between them.
//!
//! Owns the type in which a recipe reader passes its imports, and import references:
//! `{alias.defaults.key}`, `{alias.values.key=fallback}`, `{alias.name?yes:no}`. Never loads a file
//! and never resolves a recipe name.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use crate::document;
use crate::finding::Source;
use crate::text;

/// One document of a template.
#[derive(Debug)]
pub struct TemplateUnit {
    /// Its unique id: its path, or its position in the library.
    pub id: String,
    pub source: Source,
    /// The object that holds its `template`.
    pub root: document::JsonNode,
    /// Its imports, by alias.
    pub imports: BTreeMap<String, TemplateImport>,
    /// Names that get a value from its location, such as `recipe_dir`.
    pub place: BTreeMap<String, String>,
}

/// An import of a document into another one.
#[derive(Debug)]
pub struct TemplateImport {
    /// The imported document.
    pub unit: Arc<TemplateUnit>,
    /// Defaults that the importer sets, in the importer's document.
    pub defaults: Option<document::JsonNode>,
    /// Values that the importer binds, in the importer's document.
    pub values: Option<document::JsonNode>,
    /// The values for references: an object with `name`, `file`, `defaults` and `values`.
    pub facts: Value,
}

impl TemplateUnit {
    /// Resolves a reference. `None` if the text names no import.
    pub fn refer(&self, content: &str) -> Option<Result<Value, String>> {
        let end = content.find(['=', '?']).unwrap_or(content.len());
        let (reference, rest) = content.split_at(end);
        let found = self.lookup(reference.trim())?;
        let present = found.as_ref().filter(|value| !value.is_null());
        if let Some(fallback) = rest.strip_prefix('=') {
            return Some(present.map_or_else(|| self.arm(fallback), |value| Ok(value.clone())));
        }
        if let Some((yes, no)) = rest.strip_prefix('?').and_then(|arms| arms.split_once(':')) {
            return Some(self.arm(if present.is_some_and(is_set) { yes } else { no }));
        }
        Some(match (present, rest.is_empty()) {
            (Some(value), true) => Ok(value.clone()),
            (_, true) => Err(format!("{} has no value", text::quoted(reference))),
            (_, false) => Err(format!("{} is no reference", text::quoted(content))),
        })
    }

    /// A fallback or an arm: quoted text, another reference, or the text itself.
    fn arm(&self, arm: &str) -> Result<Value, String> {
        let arm = arm.trim();
        let quoted = ['"', '\'']
            .into_iter()
            .find_map(|q| arm.strip_prefix(q)?.strip_suffix(q));
        if let Some(text) = quoted {
            return Ok(text.into());
        }
        match self.lookup(arm) {
            Some(Some(value)) if !value.is_null() => Ok(value),
            Some(_) => Err(format!("{} has no value", text::quoted(arm))),
            None => Ok(arm.into()),
        }
    }

    /// The value of `alias.field.key`. The outer `None` means that it names no import.
    fn lookup(&self, reference: &str) -> Option<Option<Value>> {
        let aliases = self.imports.iter().filter_map(|(alias, import)| {
            let rest = reference.strip_prefix(alias.as_str())?.strip_prefix('.')?;
            let first = rest.split('.').next().unwrap_or(rest);
            matches!(first, "name" | "file" | "defaults" | "values")
                .then_some((alias, import, rest))
        });
        let (_, import, rest) = aliases.max_by_key(|(alias, ..)| alias.len())?;
        Some(
            rest.split('.')
                .try_fold(&import.facts, |value, key| value.get(key))
                .cloned(),
        )
    }

    /// The value of a text that is exactly one reference; `None` for other texts.
    pub fn exact(&self, text: &str) -> Option<Result<Value, String>> {
        let content = text.trim().strip_prefix('{')?.strip_suffix('}')?;
        if content.contains(['{', '}']) {
            None
        } else {
            self.refer(content)
        }
    }
}

/// Truthiness for references, which differs from that of guards: only a missing value, `false`, 0
/// and the empty text are false.
fn is_set(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(yes) => *yes,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}
