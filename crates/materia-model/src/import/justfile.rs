//! A justfile: every recipe in it becomes one of ours.
//!
//! Owns what the parts of a justfile become. A line is a command in words; one that needs a shell
//! is a shell's only where the justfile names its shell or the person says so, and is otherwise
//! told and its recipe left out.

mod read;
mod token;
mod write;

use std::collections::BTreeSet;

use super::ImportResult;
use crate::finding::{Finding, Source};
use read::Justfile;

/// What becomes of lines that need a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellLines {
    /// They are a shell's where the justfile names one.
    AsWritten,
    /// They are `sh -cu`'s, as `just` would have it.
    Allowed,
}

/// Reads a justfile.
pub fn justfile(source: &Source, shell: ShellLines) -> Result<ImportResult, Vec<Finding>> {
    let file = read::read(source);
    if file.recipes.is_empty() {
        let message = "there is no recipe in it";
        return Err(vec![
            Finding::error("not-a-justfile", message).hint("name a justfile with recipes in it"),
        ]);
    }
    let mut imported = ImportResult {
        notes: file.notes.clone(),
        ..ImportResult::default()
    };
    let mut left_out: BTreeSet<String> = BTreeSet::new();
    let mut drafts = Vec::new();
    for recipe in &file.recipes {
        match write::draft(&file, recipe, shell, &mut imported.notes) {
            Some(draft) => drafts.push((recipe, draft)),
            None => {
                left_out.insert(recipe.name.clone());
            }
        }
    }
    // What depends on something that is not there cannot be there either.
    while let Some(at) = drafts
        .iter()
        .position(|(recipe, _)| needs(&file, recipe, &left_out).is_some())
    {
        let (recipe, _) = drafts.remove(at);
        let missing = needs(&file, recipe, &left_out).unwrap_or_default();
        let message = format!(
            "`{}` is left out, because it needs `{missing}`",
            recipe.name
        );
        imported
            .notes
            .push(Finding::warning("left-out", message).at(source, &recipe.span));
        left_out.insert(recipe.name.clone());
    }
    imported.recipes = drafts.into_iter().map(|(_, draft)| draft).collect();
    imported.recipes.extend(write::aliases(&file, &left_out));
    imported
        .notes
        .sort_by_key(|note| note.place.as_ref().map(|at| (at.line, at.column)));
    Ok(imported)
}

/// A dependency that is left out or was never there.
fn needs(
    file: &Justfile<'_>,
    recipe: &read::JustRecipe,
    left_out: &BTreeSet<String>,
) -> Option<String> {
    let missing = |name: &&String| {
        left_out.contains(*name) || !file.recipes.iter().any(|one| one.name == **name)
    };
    recipe
        .before
        .iter()
        .chain(&recipe.after)
        .map(|dependency| &dependency.name)
        .find(missing)
        .cloned()
}
