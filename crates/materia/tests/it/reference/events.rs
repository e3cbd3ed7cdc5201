//! The page of cast events, from the types that define them.

use std::fmt::Write as _;

use materia_model::cast::event::TYPES;

use super::check;

const SOURCES: [&str; 3] = [
    include_str!("../../../../materia-model/src/cast/event.rs"),
    include_str!("../../../../materia-model/src/cast/event/visit.rs"),
    include_str!("../../../../materia-model/src/cast/event/trouble.rs"),
];

#[test]
fn events() {
    let mut page = String::from(
        "# Events\n\nThe state of a cast is its log, `events.jsonl`: one record per line, `{\"seq\", \"at\", \"type\", \"data\", \"sum\"}`, see \
         [journal](../concept/journal.md). `materia schema events` has the schema. Skip types that you do not know.\n\n\
         `journal` is the first record of every file and has the format number; `recovered` marks where a torn end was truncated.\n",
    );
    let body = block(SOURCES[0], "pub enum CastEventBody {").unwrap();
    let mut kinds = Vec::new();
    for (doc, variant) in items_with_docs(&body) {
        let (name, type_name) = variant.trim_end_matches("),").split_once('(').unwrap();
        let kind = snake(name);
        let _ = write!(page, "\n## `{kind}`\n\n{doc}\n");
        fields(&mut page, type_name);
        kinds.push(kind);
    }
    assert_eq!(
        kinds, TYPES,
        "`materia schema events` and the events differ"
    );
    check("events.md", &page);
}

fn fields(page: &mut String, name: &str) {
    let found = SOURCES
        .iter()
        .find_map(|source| block(source, &format!("pub struct {name} {{")));
    let Some(found) = found else { return };
    page.push_str("\n| field | |\n|---|---|\n");
    let mut flat = Vec::new();
    for (doc, field) in items_with_docs(&found) {
        let Some((name, type_name)) = field.trim_start_matches("pub ").split_once(": ") else {
            continue;
        };
        let type_name = type_name.trim_end_matches(',');
        if name == "more" {
            continue;
        }
        if doc.contains("Which visit") || type_name == "VisitId" && name == "place" {
            flat.push(type_name.to_owned());
            continue;
        }
        let _ = writeln!(page, "| `{}` | {doc} |", camel(name));
    }
    for type_name in flat {
        let place = SOURCES
            .iter()
            .find_map(|source| block(source, &format!("pub struct {type_name} {{")))
            .unwrap_or_default();
        for (doc, field) in items_with_docs(&place) {
            let name = field
                .trim_start_matches("pub ")
                .split(':')
                .next()
                .unwrap_or_default();
            let _ = writeln!(page, "| `{}` | {doc} |", camel(name));
        }
    }
}

/// The lines between `beginning` and its closing brace.
fn block(source: &str, beginning: &str) -> Option<String> {
    let from = source.find(beginning)? + beginning.len();
    let to = source[from..].find("\n}")? + from;
    Some(source[from..to].to_owned())
}

/// Each item with its doc comment.
fn items_with_docs(block: &str) -> Vec<(String, String)> {
    let mut out = Vec::new();
    let mut doc: Vec<&str> = Vec::new();
    for line in block.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("/// ") {
            doc.push(text);
        } else if !line.is_empty() && !line.starts_with("#[") {
            out.push((std::mem::take(&mut doc).join(" "), line.to_owned()));
        }
    }
    out
}

fn snake(name: &str) -> String {
    let mut out = String::new();
    for (at, c) in name.chars().enumerate() {
        if c.is_ascii_uppercase() && at > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

fn camel(name: &str) -> String {
    let mut up = false;
    let mut out = String::new();
    for c in name.chars() {
        match (c, up) {
            ('_', _) => up = true,
            (c, true) => {
                out.push(c.to_ascii_uppercase());
                up = false;
            }
            (c, false) => out.push(c),
        }
    }
    out
}
