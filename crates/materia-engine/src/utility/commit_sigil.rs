//! `commit-sigil` (Commit-Sigil): checks that every work item's title is a Conventional Commit. If
//! not, the context says what to write.
//!
//! Owns the verdict over the list and its text. The list itself is passed on unchanged: nothing is
//! rewritten, filtered or added. `title` has the grammar of titles.

mod title;

use materia_model::text;
use serde_json::{Value, json};

use super::answer::{UtilityError, UtilityOutput, UtilityReport};
use super::input::{Input, kind};
use crate::process::ProcessSet;

/// Maximum number of items that the context names.
const MOST_NAMED: usize = 50;

/// Maximum length of a title in the context.
const MOST_TITLE: usize = 300;

pub(super) fn run(input: &Input, _: &mut ProcessSet) -> Result<UtilityReport, UtilityError> {
    let items = [["state", "workItems"].as_slice(), &["workItems"]];
    let items = items
        .iter()
        .find_map(|path| input.get(path)?.as_array())
        .map_or(&[][..], Vec::as_slice);
    let (mut wrong, mut unusual, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for (index, item) in items.iter().enumerate() {
        let Value::Object(item) = item else {
            notes.push(format!(
                "work item {index} is {} and has no title to check",
                kind(item)
            ));
            continue;
        };
        let told = item
            .get("title")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .trim();
        match title::kind(told) {
            _ if told.is_empty() => {
                wrong.push(format!(
                    "Work item {index}: it has no title; write \"{}\".",
                    title::suggestion("")
                ));
            }
            None => wrong.push(correction(index, told)),
            Some(kind) if !title::is_usual(kind) => {
                unusual.push(format!("Work item {index}: {kind}."));
            }
            Some(_) => {}
        }
    }
    notes.truncate(MOST_NAMED);
    let satisfied = wrong.is_empty();
    let context = context(items.len(), wrong, unusual);
    let output = UtilityOutput::Json(
        json!({"workItems": items, "satisfied": satisfied, "context": context}),
    );
    Ok(UtilityReport { output, notes })
}

fn correction(index: usize, told: &str) -> String {
    let shown = |title: &str| text::printable(&text::bounded(title, MOST_TITLE)).into_owned();
    format!(
        "Work item {index}: title must start with type: (feat:, fix:, chore:, docs:, …). \"{}\" could be \"{}\".",
        shown(told),
        shown(&title::suggestion(told))
    )
}

fn context(count: usize, wrong: Vec<String>, unusual: Vec<String>) -> String {
    if count == 0 {
        return "There are no work items to validate.".to_owned();
    }
    let usual = title::USUAL.join(", ");
    if !wrong.is_empty() {
        let format = format!(
            "Write titles as \"type: description\" or \"type(scope): description\", with \"!\" before the colon \
             for a breaking change. Usual types: {usual}."
        );
        return named(wrong, &format);
    }
    if unusual.is_empty() {
        return "All work items validated.".to_owned();
    }
    let advice = format!("These types are valid and unusual; the usual ones are {usual}.");
    format!("All work items validated.\n{}", named(unusual, &advice))
}

/// Lines for the first items up to the maximum, and a closing line.
fn named(mut lines: Vec<String>, closing: &str) -> String {
    let more = lines.len().saturating_sub(MOST_NAMED);
    lines.truncate(MOST_NAMED);
    if more > 0 {
        lines.push(format!("And {more} more."));
    }
    lines.push(closing.to_owned());
    lines.join("\n")
}
