//! Changes one thing in a config file and no other byte: the active loadout, or one definition.
//!
//! Owns where the new text goes. Comments, order and layout of everything else stay unchanged. The
//! new text is parsed and compared, so that no edit can break a file.

use std::ops::Range;

use materia_model::document::{self, JsonContent, JsonMember, JsonNode};
use materia_model::finding::{Finding, Source};
use serde_json::Value;

use super::spell::{quoted, spelled};

/// The text of a config with another active loadout; comments, order and layout are preserved.
///
/// If the text has an id, it changes with the name, so that the two always agree.
pub fn with_active(source: &Source, name: &str, id: &str) -> Result<String, Vec<Finding>> {
    let root = object(source)?;
    let mut edits: Vec<(Range<usize>, String)> = Vec::new();
    match root.get("activeLoadout") {
        Some(value) => edits.push((value.span.clone(), quoted(name))),
        None => {
            let comma = if root.members().is_empty() { "\n" } else { "," };
            let behind = root.span.start + 1;
            edits.push((
                behind..behind,
                format!("\n  \"activeLoadout\": {}{comma}", quoted(name)),
            ));
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

/// The text of a config with one definition of a section replaced or removed.
pub fn with_definition(
    source: &Source,
    section: &str,
    name: &str,
    value: Option<&Value>,
) -> Result<String, Vec<Finding>> {
    let root = object(source)?;
    let mut text = source.text().to_owned();
    match (
        root.get(section)
            .filter(|node| node.content != JsonContent::Null),
        value,
    ) {
        (None, None) => {}
        (None, Some(value)) => {
            let all = Value::Object([(name.to_owned(), value.clone())].into_iter().collect());
            // A section that is null already has a member.
            match root.members().iter().find(|member| member.name == section) {
                Some(member) => text.replace_range(member.value.span.clone(), &spelled(&all, 2)),
                None => insert(
                    &mut text,
                    &root,
                    &format!("{}: {}", quoted(section), spelled(&all, 2)),
                    2,
                ),
            }
        }
        (Some(node), value) => {
            let at = node.members().iter().position(|member| member.name == name);
            match (at, value) {
                (Some(at), Some(value)) => {
                    let member = &node.members()[at];
                    let indent = indent_of(source.text(), member);
                    text.replace_range(member.value.span.clone(), &spelled(value, indent));
                }
                (None, Some(value)) => {
                    let indent = node
                        .members()
                        .first()
                        .map_or(4, |first| indent_of(source.text(), first));
                    let member = format!("{}: {}", quoted(name), spelled(value, indent));
                    insert(&mut text, node, &member, indent);
                }
                (Some(at), None) => remove(&mut text, node, at),
                (None, None) => {}
            }
        }
    }
    confirm(source, &text, section, name, value)?;
    Ok(text)
}

fn object(source: &Source) -> Result<JsonNode, Vec<Finding>> {
    let root = document::parse(source)?;
    if matches!(root.content, JsonContent::Object(_)) {
        return Ok(root);
    }
    let message = format!("a config is an object, not {}", root.kind());
    Err(vec![
        Finding::error("invalid-config", message).at(source, &root.span),
    ])
}

/// The indentation of a member's line.
fn indent_of(text: &str, member: &JsonMember) -> usize {
    let line = &text[text[..member.name_span.start]
        .rfind('\n')
        .map_or(0, |at| at + 1)..];
    line.chars().take_while(|c| *c == ' ').count()
}

/// Adds a member after the last one of an object.
fn insert(text: &mut String, node: &JsonNode, member: &str, indent: usize) {
    let (inner, outer) = (" ".repeat(indent), " ".repeat(indent.saturating_sub(2)));
    match node.members().last() {
        Some(last) => text.insert_str(last.value.span.end, &format!(",\n{inner}{member}")),
        None => text.replace_range(
            node.span.clone(),
            &format!("{{\n{inner}{member}\n{outer}}}"),
        ),
    }
}

/// Removes a member from an object, with its comma.
fn remove(text: &mut String, node: &JsonNode, at: usize) {
    let members = node.members();
    let span = match (
        at.checked_sub(1).map(|before| &members[before]),
        members.get(at + 1),
    ) {
        (_, Some(next)) => members[at].name_span.start..next.name_span.start,
        (Some(before), None) => before.value.span.end..members[at].value.span.end,
        (None, None) => {
            text.replace_range(node.span.clone(), "{}");
            return;
        }
    };
    text.replace_range(span, "");
}

/// Parses the new text: the definition must be as requested, and everything else unchanged.
fn confirm(
    source: &Source,
    text: &str,
    section: &str,
    name: &str,
    value: Option<&Value>,
) -> Result<(), Vec<Finding>> {
    let after = document::parse(&Source::new(source.name(), text))?.to_value();
    let mut before = document::parse(source)?.to_value();
    match (value, before.get(section).is_some_and(Value::is_object)) {
        (None, false) => {}
        (None, true) => {
            before[section]
                .as_object_mut()
                .and_then(|all| all.shift_remove(name));
        }
        (Some(value), there) => {
            if !there {
                before[section] = Value::Object(serde_json::Map::new());
            }
            before[section][name] = value.clone();
        }
    }
    if before == after {
        return Ok(());
    }
    let message = "the file cannot be edited without changing something else in it";
    Err(vec![
        Finding::error("not-editable", message).hint("edit it by hand"),
    ])
}
