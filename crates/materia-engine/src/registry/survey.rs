//! The survey: all recipes, which are active and which are shadowed.
//!
//! Owns precedence: the user's root over the binary, JSON over Markdown. The winner shadows the
//! others even if it is broken or disabled. Checks the permissions of the root as well.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use materia_model::finding::Finding;
use materia_model::text;
use serde::Serialize;

use super::entry::{RecipeState, RegistryEntry};
use super::name;
use crate::library::{Library, packaged};

/// All recipes.
#[derive(Debug, Clone, Serialize)]
pub struct Survey {
    /// The user's root.
    pub root: String,
    /// All recipes, sorted by name; of each name the active one first.
    pub entries: Vec<RegistryEntry>,
    /// Problems of the root itself.
    pub issues: Vec<Finding>,
}

/// Examines every recipe.
pub fn survey(library: &Library) -> Survey {
    let mut by_name: BTreeMap<String, Vec<RegistryEntry>> = BTreeMap::new();
    for file in library.files() {
        let entry = own(library, &file);
        by_name.entry(entry.id.clone()).or_default().push(entry);
    }
    for packaged in packaged::PACKAGED {
        let entry = RegistryEntry::of(library, &library.shipped(packaged), None);
        by_name
            .entry(packaged.name.to_owned())
            .or_default()
            .push(entry);
    }
    let entries = by_name.into_values().flat_map(ranked).collect();
    Survey {
        root: library.root().to_string_lossy().into_owned(),
        entries,
        issues: rights(library.root()),
    }
}

/// The active recipe of a name and what it shadows; `None` if there is none.
pub fn entry(library: &Library, name: &str) -> Option<RegistryEntry> {
    let files = library
        .files()
        .into_iter()
        .filter(|file| file.file_stem().is_some_and(|stem| stem == name));
    let mut entries: Vec<RegistryEntry> = files.map(|file| own(library, &file)).collect();
    entries.extend(
        packaged::find(name)
            .map(|packaged| RegistryEntry::of(library, &library.shipped(packaged), None)),
    );
    ranked(entries).into_iter().next()
}

fn own(library: &Library, file: &Path) -> RegistryEntry {
    let name = file
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    match library.own(file) {
        Ok(located) => RegistryEntry::of(
            library,
            &located,
            name::check(&name).err().map(|finding| *finding),
        ),
        Err(error) => RegistryEntry::unreadable(&name, file, error),
    }
}

/// Marks all entries of one name but the first as shadowed.
fn ranked(mut entries: Vec<RegistryEntry>) -> Vec<RegistryEntry> {
    let Some((first, rest)) = entries.split_first_mut() else {
        return entries;
    };
    first.shadows = rest.iter().map(|entry| entry.path.clone()).collect();
    for entry in rest {
        (entry.state, entry.tool) = (RecipeState::Shadowed, false);
        entry.shadowed_by = Some(first.path.clone());
    }
    entries
}

/// Checks the mode of the root: a user who can write to it can run commands as its owner.
fn rights(root: &Path) -> Vec<Finding> {
    let Ok(mode) = root.metadata().map(|found| found.permissions().mode()) else {
        return Vec::new();
    };
    let who = match (mode & 0o002 != 0, mode & 0o020 != 0) {
        (true, _) => "everybody",
        (false, true) => "its group",
        (false, false) => return Vec::new(),
    };
    let root = text::quoted_within(&root.to_string_lossy(), 300);
    let message = format!("{who} may write to {root}, and what lies there is run as you");
    vec![
        Finding::warning("writable-root", message)
            .hint(format!("chmod go-w {}", root.trim_matches('`'))),
    ]
}
