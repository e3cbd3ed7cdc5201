//! The documents that a recipe consists of, for the agents inside a run of it.
//!
//! Owns the records and their size, which is bounded because they end up in prompts. The text of a
//! document appears once, however often it is imported, and only while it fits. Its name and its
//! import path always appear.

use std::collections::{BTreeMap, BTreeSet};

use materia_model::finding::Source;
use materia_model::recipe::{self, RecipeDocument};
use serde_json::{Value, json};

/// Approximate maximum size of all records, in bytes.
const ROOM: usize = 16 * 1024;
/// Maximum number of records.
const MOST: usize = 64;

/// Builds the records, the recipe itself first.
pub(super) fn records(
    composition: &[RecipeDocument],
    texts: &BTreeMap<String, Source>,
) -> Vec<Value> {
    let (mut room, mut listed) = (ROOM, BTreeSet::new());
    composition
        .iter()
        .take(MOST)
        .map(|part| record(part, texts, &mut room, &mut listed))
        .collect()
}

fn record<'c>(
    part: &'c RecipeDocument,
    texts: &BTreeMap<String, Source>,
    room: &mut usize,
    listed: &mut BTreeSet<&'c str>,
) -> Value {
    let role = if part.depth == 0 { "entry" } else { "import" };
    let mut record = json!({
        "role": role, "name": part.name, "file": part.file, "depth": part.depth, "import_path": part.path,
    });
    if let Some(alias) = &part.alias {
        record["alias"] = alias.as_str().into();
    }
    if !listed.insert(&part.file) {
        return record;
    }
    let document = texts
        .get(&part.file)
        .and_then(|source| recipe::parse(source).ok());
    if let Some(document) = document.map(|document| document.to_value()) {
        let size = document.to_string().len();
        if size <= *room {
            *room -= size;
            record["recipe"] = document;
        } else {
            record["left_out"] = json!({"bytes": size, "description": document.get("description")});
        }
    }
    record
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_listed_once_and_while_there_is_room() {
        let part = |name: &str, depth, path: &[&str]| RecipeDocument {
            alias: path.last().map(|alias| (*alias).to_owned()),
            depth,
            path: path.iter().map(|alias| (*alias).to_owned()).collect(),
            name: name.to_owned(),
            file: format!("/{name}.json"),
        };
        let composition = [
            part("top", 0, &[]),
            part("small", 1, &["s"]),
            part("small", 1, &["t"]),
            part("large", 1, &["l"]),
        ];
        let large = format!(
            "{{\"description\": \"big\", \"template\": \"echo {}\"}}",
            "x".repeat(ROOM)
        );
        let small = "{\"template\": \"true\"}".to_owned();
        let texts = [("top", small.clone()), ("small", small), ("large", large)]
            .map(|(name, text)| (format!("/{name}.json"), Source::new(name, &text)));
        let listed = records(&composition, &BTreeMap::from(texts));
        assert_eq!(
            (&listed[0]["role"], &listed[0]["recipe"]["template"]),
            (&json!("entry"), &json!("true"))
        );
        assert_eq!(
            (&listed[1]["import_path"], &listed[1]["alias"]),
            (&json!(["s"]), &json!("s"))
        );
        assert!(
            listed[1]["recipe"].is_object()
                && listed[2]["recipe"].is_null()
                && listed[3]["recipe"].is_null()
        );
        assert_eq!(listed[3]["left_out"]["description"], "big");
    }
}
