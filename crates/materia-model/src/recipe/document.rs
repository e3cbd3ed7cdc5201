//! A recipe's text as an object: JSON, or Markdown, and nothing larger than a recipe may be.
//!
//! Owns the choice of the format and the size limit. Never reads the fields: `metadata`, `import`
//! and the template reader do.

use super::markdown;
use crate::document::{self, JsonContent, JsonNode};
use crate::finding::{Finding, Source};

/// The largest recipe.
pub const MAX_BYTES: usize = 1 << 20;

/// Reads a recipe as an object with a `template`, or says what is wrong with it.
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

/// Markdown by its name, or by its first line.
fn is_markdown(source: &Source) -> bool {
    let first = source
        .text()
        .trim_start_matches('\u{feff}')
        .lines()
        .next()
        .unwrap_or("");
    source.name().ends_with(".md") || first.trim_end() == "---"
}
