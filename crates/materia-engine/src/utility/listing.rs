//! The list of the shipped utilities and of the steps of recipes.

use serde::Serialize;

use crate::utility::step::RecipeStep;
use crate::utility::{SHIPPED, Shipped};

/// All utilities and steps.
#[derive(Debug, Serialize)]
pub struct UtilityListReport {
    /// Always true.
    pub ok: bool,
    /// The utilities of casts.
    pub utilities: Vec<UtilityEntry>,
    /// The steps of recipes.
    pub steps: Vec<StepEntry>,
}

/// One utility, as it is listed.
#[derive(Debug, Serialize)]
pub struct UtilityEntry {
    /// Its name.
    pub name: &'static str,
    /// The materia that runs it in the shipped loadouts.
    pub materia: Option<&'static str>,
    /// The name of its script in older configs.
    pub script: Option<String>,
    /// What it does.
    pub about: &'static str,
}

/// One step, as it is listed.
#[derive(Debug, Serialize)]
pub struct StepEntry {
    /// Its name.
    pub name: &'static str,
    /// The keys it takes, the required ones first.
    pub takes: Vec<&'static str>,
    /// What it does.
    pub about: &'static str,
}

/// Lists all utilities and steps.
pub fn list(steps: &[RecipeStep]) -> UtilityListReport {
    let entry = |shipped: &Shipped| UtilityEntry {
        name: shipped.name,
        materia: shipped.materia,
        script: shipped.script(),
        about: shipped.about,
    };
    let taken = |step: &RecipeStep| StepEntry {
        name: step.name,
        takes: step
            .takes
            .split_whitespace()
            .filter(|word| *word != "|")
            .collect(),
        about: step.about,
    };
    let (utilities, steps) = (
        SHIPPED.iter().map(entry).collect(),
        steps.iter().map(taken).collect(),
    );
    UtilityListReport {
        ok: true,
        utilities,
        steps,
    }
}
