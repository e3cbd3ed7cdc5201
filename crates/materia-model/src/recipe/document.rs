//! Parses a recipe's text to an object, from JSON or Markdown, within the size limit.
//!
//! Owns the choice of the format and the size limit. Never reads the fields: `metadata`, `import`
//! and the template reader do.

use super::markdown;
use crate::document::{self, JsonContent, JsonNode};
use crate::finding::{Finding, Source};

/// The maximum size of a recipe, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// Parses a recipe as an object with a `template`, or reports what is wrong with it.
pub fn parse(source: &Source) -> Result<JsonNode, Vec<Finding>> {
    let size = source.text().len();
    if size > MAX_BYTES {
        let message = format!("the recipe has {size} bytes, at most {MAX_BYTES} are read");
        let finding = Finding::error("too-large", message).at(source, &(0..0));
        return Err(vec![
            finding.hint("split it into recipes that import each other"),
        ]);
    }
    let root = if is_markdown(source) {
        markdown::parse(source)?
    } else {
        document::parse(source)?
    };
    if !matches!(root.content, JsonContent::Object(_)) {
        let message = format!("a recipe is an object, and this is {}", root.kind());
        let finding = Finding::error("not-a-recipe", message).at(source, &root.span);
        return Err(vec![
            finding.hint("write {\"description\": \"…\", \"template\": …}"),
        ]);
    }
    if root.get("template").is_none() {
        let finding = Finding::error("missing-template", "the recipe has no `template`")
            .at(source, &root.span);
        return Err(vec![
            finding.hint("add \"template\": a command, a list or an object"),
        ]);
    }
    Ok(root)
}

/// Detects Markdown by the file name, or by the first line.
fn is_markdown(source: &Source) -> bool {
    let first = source
        .text()
        .trim_start_matches('\u{feff}')
        .lines()
        .next()
        .unwrap_or("");
    source.name().ends_with(".md") || first.trim_end() == "---"
}
