//! `skill-summary`: the frontmatter of the `SKILL.md` of each skill.
//!
//! Owns where to look for skills. Finding none is not an error: most packages have none.

use std::path::{Path, PathBuf};

use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityReport};
use materia_model::text;
use serde_json::{Map, Value, json};

use crate::files;

/// Maximum number of skills read.
const MOST: usize = 100;

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let scope = options
        .path("scope", context)
        .unwrap_or_else(|| context.cwd.to_owned());
    let paths = match options.text("file") {
        Some(file) => vec![scope.join(file)],
        None => found(&scope),
    };
    let skills = paths
        .iter()
        .map(|path| summary(path))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(json!({"count": skills.len(), "skills": skills}).into())
}

fn found(scope: &Path) -> Vec<PathBuf> {
    let mut all = vec![scope.join("SKILL.md")];
    for folder in ["skills", ".pi/skills", "integrations/pi/skills"] {
        let skills =
            files::below(&scope.join(folder), 2, |name| name == "SKILL.md").unwrap_or_default();
        all.extend(skills.files);
    }
    all.retain(|path| path.is_file());
    all.truncate(MOST);
    all
}

fn summary(path: &Path) -> Result<Value, UtilityError> {
    let document = files::text(path)?;
    let mut summary = Map::from_iter([(
        "file".to_owned(),
        path.to_string_lossy().into_owned().into(),
    )]);
    summary.extend(frontmatter(&document));
    let lines = document.lines().count();
    let title = document
        .lines()
        .find_map(|line| line.strip_prefix("# "))
        .map(str::trim);
    summary.insert("title".to_owned(), json!(title));
    summary.insert("lines".to_owned(), lines.into());
    Ok(Value::Object(summary))
}

/// The plain `key: value` pairs of a frontmatter. A folded value is joined into one line.
fn frontmatter(document: &str) -> Map<String, Value> {
    let mut found: Map<String, Value> = Map::new();
    let Some(rest) = document.strip_prefix("---\n") else {
        return found;
    };
    let mut last: Option<String> = None;
    for line in rest.lines().take_while(|line| *line != "---") {
        let indented = line.starts_with([' ', '\t']);
        if let (true, Some(key)) = (indented, &last) {
            if let Some(Value::String(value)) = found.get_mut(key) {
                *value = format!("{value} {}", line.trim()).trim().to_owned();
            }
        } else if let Some((key, value)) = line.split_once(':').filter(|_| !indented) {
            let value = value.trim().trim_matches(['"', '\'']);
            let value = if value.starts_with(['>', '|']) {
                ""
            } else {
                value
            };
            found.insert(key.trim().to_owned(), text::bounded(value, 2000).into());
            last = Some(key.trim().to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frontmatter_gives_its_plain_fields() {
        let document = "---\nname: web\ndescription: >-\n  Looks things\n  up.\n---\n# Web\n";
        assert_eq!(
            Value::Object(frontmatter(document)),
            json!({"name": "web", "description": "Looks things up."})
        );
        assert!(frontmatter("# none\n").is_empty());
    }
}
