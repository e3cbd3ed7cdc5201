//! Drafts: recipes captured from inline runs, so that what worked once can be kept.
//!
//! Owns their directory and what is taken over: the template and its description, never a caller's values (they may be
//! secret) and never a path that was resolved for one run. Capturing again changes nothing and fails nothing.

use std::path::{Path, PathBuf};

use materia_model::finding::Finding;
use materia_model::recipe::LoadError;
use serde::Serialize;
use serde_json::{Value, json};

use super::entry::sha256;
use crate::library::Library;
use crate::store::{atomic, dir};

/// A captured recipe.
#[derive(Debug, Clone, Serialize)]
pub struct Draft {
    /// Its name.
    pub id: String,
    /// Where it lies.
    pub path: String,
    /// Whether it could be promoted.
    pub valid: bool,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Finding>,
    /// The digest of its text.
    pub sha256: String,
    /// The size of its text.
    pub size: usize,
}

/// Keeps an inline template as a draft; the file, or nothing when there was one already.
pub fn capture(
    library: &Library,
    run: &str,
    template: &Value,
    artifacts: &Value,
) -> Result<Option<PathBuf>, String> {
    let drafts = library.drafts();
    dir::create_private(&drafts).map_err(|error| error.to_string())?;
    let safe: String =
        run.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect();
    let file = drafts.join(format!("{}.json", safe.trim_start_matches('.')));
    if file.symlink_metadata().is_ok() {
        return Ok(None);
    }
    let mut draft = json!({"description": format!("Draft captured from the run {run}"), "async": true});
    if artifacts.as_object().is_some_and(|artifacts| !artifacts.is_empty()) {
        draft["artifacts"] = artifacts.clone();
    }
    draft["template"] = template.clone();
    let text = serde_json::to_string_pretty(&draft).map_err(|error| error.to_string())?;
    atomic::write(&file, format!("{text}\n").as_bytes()).map_err(|error| error.to_string())?;
    Ok(Some(file))
}

/// All drafts, by name.
pub fn drafts(library: &Library) -> Vec<Draft> {
    let entries = std::fs::read_dir(library.drafts()).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|file| file.extension().is_some_and(|ending| ending == "json" || ending == "md"))
        .collect();
    files.sort();
    files.iter().map(|file| draft(library, file)).collect()
}

fn draft(library: &Library, file: &Path) -> Draft {
    let id = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let path = file.to_string_lossy().into_owned();
    let unread = |error: LoadError| vec![Finding::error(error.code, error.message).hint(error.hint)];
    match library.own(file) {
        Err(error) => Draft {
            id,
            path,
            valid: false,
            description: None,
            issues: unread(error),
            sha256: String::new(),
            size: 0,
        },
        Ok(located) => {
            let text = located.source().text();
            let linked = library.link(&located);
            let (sha256, size, valid) = (sha256(text.as_bytes()), text.len(), linked.is_ok());
            let (description, issues) = match linked {
                Ok(linked) => (linked.recipe.description, linked.template.warnings().to_vec()),
                Err(issues) => (None, issues),
            };
            Draft { id, path, valid, description, issues, sha256, size }
        }
    }
}

impl Library {
    /// Where drafts lie.
    pub fn drafts(&self) -> PathBuf {
        self.root().join("drafts")
    }
}
