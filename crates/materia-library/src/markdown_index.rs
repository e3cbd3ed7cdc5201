//! `markdown-index`: the documents of a directory, each with its title and size.

use std::fmt::Write as _;

use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityOutput, UtilityReport};
use serde_json::json;

use crate::files;

/// Maximum depth of the search.
const DEPTH: u64 = 4;
/// Maximum number of documents listed.
const MOST: usize = 2000;

struct Document {
    path: String,
    title: Option<String>,
    lines: usize,
}

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let as_json = options.word("format", &[("markdown", false), ("json", true)], false)?;
    let directory = options.path("directory", context).unwrap_or_default();
    let pattern = options.text_or("pattern", "*.md");
    let found = files::below(&directory, DEPTH, |name| files::fits(pattern, name))?;
    let documents: Vec<Document> = found
        .files
        .iter()
        .take(MOST)
        .map(|path| {
            let text = files::text(path).unwrap_or_default();
            let title = text
                .lines()
                .find_map(|line| line.strip_prefix("# "))
                .map(|title| title.trim().to_owned());
            let shown = path
                .strip_prefix(&directory)
                .unwrap_or(path)
                .to_string_lossy()
                .into_owned();
            Document {
                path: shown,
                title,
                lines: text.lines().count(),
            }
        })
        .collect();
    let left_out = found.files.len() - documents.len();
    let notes =
        (left_out > 0 || found.more).then(|| format!("only the first {MOST} documents are listed"));
    let output = if as_json {
        let listed = documents
            .iter()
            .map(|one| json!({"path": one.path, "title": one.title, "lines": one.lines}));
        UtilityOutput::Json(
            json!({"directory": directory.to_string_lossy(), "documents": listed.collect::<Vec<_>>()}),
        )
    } else {
        let mut text = format!("# {}\n\n", options.text_or("title", "Documents"));
        for one in &documents {
            let title = one.title.as_deref().unwrap_or("(no title)");
            let _ = writeln!(text, "- {}: {title} ({} lines)", one.path, one.lines);
        }
        if documents.is_empty() {
            text.push_str("There are none.\n");
        }
        UtilityOutput::Text(text)
    };
    Ok(UtilityReport {
        output,
        notes: notes.into_iter().collect(),
    })
}
