//! What agents inside a run are told about the recipe they belong to: the documents that it
//! consists of.
//!
//! Owns the records and how much they may be: they end up in prompts. A document is told once,
//! however often it is imported, and only while there is room; who it is, and how it is reached, is
//! always told.

use std::collections::{BTreeMap, BTreeSet};

use materia_model::finding::Source;
use materia_model::recipe::{self, Composed};
use serde_json::{Value, json};

/// How many bytes the records have together, about.
const ROOM: usize = 16 * 1024;
/// How many records there are.
const MOST: usize = 64;

/// The records, the recipe itself first.
pub(super) fn records(composition: &[Composed], texts: &BTreeMap<String, Source>) -> Vec<Value> {
    let (mut room, mut told) = (ROOM, BTreeSet::new());
    composition
        .iter()
        .take(MOST)
        .map(|part| record(part, texts, &mut room, &mut told))
        .collect()
}

fn record<'c>(
    part: &'c Composed,
    texts: &BTreeMap<String, Source>,
    room: &mut usize,
    told: &mut BTreeSet<&'c str>,
) -> Value {
    let role = if part.depth == 0 { "entry" } else { "import" };
    let mut record = json!({
        "role": role, "name": part.name, "file": part.file, "depth": part.depth, "import_path": part.path,
    });
    if let Some(alias) = &part.alias {
        record["alias"] = alias.as_str().into();
    }
    if !told.insert(&part.file) {
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
    fn a_document_is_told_once_and_while_there_is_room() {
        let part = |name: &str, depth, path: &[&str]| Composed {
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
        let told = records(&composition, &BTreeMap::from(texts));
        assert_eq!(
            (&told[0]["role"], &told[0]["recipe"]["template"]),
            (&json!("entry"), &json!("true"))
        );
        assert_eq!(
            (&told[1]["import_path"], &told[1]["alias"]),
            (&json!(["s"]), &json!("s"))
        );
        assert!(
            told[1]["recipe"].is_object()
                && told[2]["recipe"].is_null()
                && told[3]["recipe"].is_null()
        );
        assert_eq!(told[3]["left_out"]["description"], "big");
    }
}
