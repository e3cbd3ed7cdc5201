//! `recipes --view status`: the status of the recipes, in numbers.
//!
//! Owns the counts and the suggested next commands. Programs also get the report of `recipe list`.

use serde::Serialize;

use crate::library::Library;
use crate::recipe::{RecipeListReport, listing};
use crate::registry::{RecipeState, Remedy, RemedyKind, Survey, drafts, remedies, survey};

/// The status of the recipes.
#[derive(Debug, Serialize)]
pub struct RecipeStatusReport {
    /// All recipes in effect.
    #[serde(flatten)]
    pub listing: RecipeListReport,
    /// The number of recipes in each state.
    pub counts: RecipeCounts,
    /// Suggested next commands.
    pub next: Vec<String>,
}

/// The number of recipes in each state.
#[derive(Debug, Serialize)]
pub struct RecipeCounts {
    /// Recipes that can be used.
    pub active: usize,
    /// Recipes that can be called as tools.
    pub tools: usize,
    /// Captured recipes that are not tools yet.
    pub drafts: usize,
    /// Recipes that are hidden by others.
    pub shadowed: usize,
    /// Recipes that are invalid.
    pub invalid: usize,
    /// Recipes that are disabled.
    pub disabled: usize,
    /// Recipes that prevent a working one from being used.
    pub blocking: usize,
    /// The number of changes that `doctor` recommends.
    pub recommendations: usize,
    /// The number of problems of the recipe root.
    pub diagnostics: usize,
}

/// Counts the recipes.
pub fn recipes(library: &Library) -> RecipeStatusReport {
    let survey = survey(library);
    let remedies = remedies(&survey);
    let counts = counts(&survey, &remedies, drafts(library).len());
    let wrong = counts.recommendations + counts.diagnostics > 0;
    let doctor = wrong.then(|| "materia inspect recipes --view doctor".to_owned());
    let next = doctor
        .into_iter()
        .chain(["materia inspect recipes --view list".to_owned()])
        .collect();
    RecipeStatusReport {
        listing: listing(survey),
        counts,
        next,
    }
}

fn counts(survey: &Survey, remedies: &[Remedy], drafts: usize) -> RecipeCounts {
    let of = |state: RecipeState| {
        survey
            .entries
            .iter()
            .filter(|entry| entry.state == state)
            .count()
    };
    let blocks = |remedy: &&Remedy| {
        matches!(
            remedy.kind,
            RemedyKind::BlockingInvalid | RemedyKind::BlockingDisabled
        )
    };
    RecipeCounts {
        active: of(RecipeState::Active),
        tools: survey.entries.iter().filter(|entry| entry.tool).count(),
        drafts,
        shadowed: of(RecipeState::Shadowed),
        invalid: of(RecipeState::Invalid),
        disabled: of(RecipeState::Disabled),
        blocking: remedies.iter().filter(blocks).count(),
        recommendations: remedies.len(),
        diagnostics: survey.issues.len(),
    }
}
