//! `recipes --view status`: how the recipes stand, in numbers.
//!
//! Owns the counts and what to look at next. Programs also get what `recipe list` has.

use serde::Serialize;

use crate::library::Library;
use crate::recipe::{RecipeListReport, listing};
use crate::registry::{RecipeState, Remedy, RemedyKind, Survey, drafts, remedies, survey};

/// How the recipes stand.
#[derive(Debug, Serialize)]
pub struct RecipeStatusReport {
    /// All recipes that count.
    #[serde(flatten)]
    pub listing: RecipeListReport,
    /// How many there are of each.
    pub counts: RecipeCounts,
    /// What one can do next.
    pub next: Vec<String>,
}

/// How many recipes there are of each.
#[derive(Debug, Serialize)]
pub struct RecipeCounts {
    /// Those that can be used.
    pub active: usize,
    /// Those that can be called as tools.
    pub tools: usize,
    /// Captured ones that are no tools yet.
    pub drafts: usize,
    /// Those that others hide.
    pub shadowed: usize,
    /// Those that are broken.
    pub invalid: usize,
    /// Those that are not to be used.
    pub disabled: usize,
    /// Those that keep one that works from being used.
    pub blocking: usize,
    /// What the doctor would do.
    pub recommendations: usize,
    /// What is wrong with the root.
    pub diagnostics: usize,
}

/// How the recipes stand.
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
