//! Justfiles: every recipe becomes one of ours.
//!
//! Owns what the parts of a justfile become. A line becomes a command. A line that needs a shell is
//! run by one only if the justfile names its shell or the user allows it; otherwise the recipe is
//! omitted and reported.

mod read;
mod token;
mod write;

use std::collections::BTreeSet;

use super::ImportResult;
use crate::finding::{Finding, Source};
use read::Justfile;

/// What to do with lines that need a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellLines {
    /// Run them in a shell if the justfile names one.
    AsWritten,
    /// Run them with `sh -cu`, like `just` does.
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
    // A recipe that depends on an omitted one is omitted, too.
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

/// A dependency that was omitted or never existed.
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
