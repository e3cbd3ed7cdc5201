//! Changing which loadout is active, and not one byte more of a person's file.

use std::ops::Range;

use materia_model::document::{self, Content};
use materia_model::finding::{Finding, Source};
use serde_json::Value;

/// The text of a config with another active loadout; comments, order and layout stay as they are.
///
/// An id that the text has is changed with the name, so that the two never disagree.
pub fn with_active(source: &Source, name: &str, id: &str) -> Result<String, Vec<Finding>> {
    let root = document::parse(source)?;
    if !matches!(root.content, Content::Object(_)) {
        let message = format!("a config is an object, not {}", root.kind());
        return Err(vec![Finding::error("invalid-config", message).at(source, &root.span)]);
    }
    let quoted = |text: &str| Value::from(text).to_string();
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    match root.get("activeLoadout") {
        Some(value) => edits.push((value.span.clone(), quoted(name))),
        None => {
            let comma = if root.members().is_empty() { "\n" } else { "," };
            let behind = root.span.start + 1;
            edits.push((behind..behind, format!("\n  \"activeLoadout\": {}{comma}", quoted(name))));
        }
    }
    if let Some(value) = root.get("activeLoadoutId") {
        edits.push((value.span.clone(), quoted(id)));
    }
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut text = source.text().to_owned();
    for (span, instead) in edits {
        text.replace_range(span, &instead);
    }
    Ok(text)
}
