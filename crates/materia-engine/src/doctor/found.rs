//! Existing state that is used in place: profiles and projects of pi-materia, recipes and runs of
//! pi-actors.
//!
//! Owns looking for it. Reads names and counts, runs nothing, changes nothing. Reports what cannot
//! be read.

use std::path::Path;

use materia_model::document;
use materia_model::finding::Source;
use materia_model::text;
use serde::Serialize;

use crate::config::{PROJECT_FILE, read};
use crate::home::Home;

/// The directory of a project's casts, unless its config changes it.
const CASTS: &str = ".pi/pi-materia";
/// Maximum number of directory entries counted.
const MAX_ENTRIES: usize = 100_000;

/// One piece of existing state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExistingState {
    /// What it is: `profile`, `project`, `recipes`, `casts`, `quests` or `runs`.
    pub what: &'static str,
    /// Its path.
    pub path: String,
    /// What is in it.
    pub detail: String,
}

/// Finds all existing state of this user and this project.
pub(super) fn look(home: &Home, project: &Path) -> Vec<ExistingState> {
    let casts = project.join(CASTS);
    let all = [
        config("profile", &home.config()),
        config("project", &project.join(PROJECT_FILE)),
        counted("recipes", &home.recipes(), "recipe", |name, is_dir| {
            !is_dir && (name.ends_with(".json") || name.ends_with(".md"))
        }),
        counted("casts", &casts, "cast", |_, is_dir| is_dir),
        board(&casts.join("quest-board.json")),
        counted("runs", &home.runs(), "run", |name, is_dir| {
            is_dir && !matches!(name, "archived" | "preserved-artifacts")
        }),
    ];
    all.into_iter().flatten().collect()
}

fn found(what: &'static str, path: &Path, detail: String) -> ExistingState {
    ExistingState {
        what,
        path: path.display().to_string(),
        detail,
    }
}

fn config(what: &'static str, path: &Path) -> Option<ExistingState> {
    if !path.exists() {
        return None;
    }
    let parsed = read(path)
        .ok()
        .and_then(|text| document::parse(&Source::new(&path.to_string_lossy(), &text)).ok());
    let detail = parsed.map(|root| {
        let number = |name: &str| root.get(name).map_or(0, |part| part.members().len());
        format!(
            "{}, {} materia",
            text::count(number("loadouts"), "loadout"),
            number("materia")
        )
    });
    let detail =
        detail.unwrap_or_else(|| format!("it cannot be read: materia validate {}", path.display()));
    Some(found(what, path, detail))
}

fn counted(
    what: &'static str,
    dir: &Path,
    noun: &str,
    counts: impl Fn(&str, bool) -> bool,
) -> Option<ExistingState> {
    let entries = std::fs::read_dir(dir).ok()?.take(MAX_ENTRIES).flatten();
    let number = entries
        .filter(|entry| {
            let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
            entry
                .file_name()
                .to_str()
                .is_some_and(|name| !name.starts_with('.') && counts(name, is_dir))
        })
        .count();
    (number > 0).then(|| found(what, dir, text::count(number, noun)))
}

fn board(path: &Path) -> Option<ExistingState> {
    let text = read(path).ok()?;
    let root = document::parse(&Source::new("quest-board.json", &text)).ok()?;
    Some(found(
        "quests",
        path,
        text::count(root.get("quests")?.items().len(), "quest"),
    ))
}
