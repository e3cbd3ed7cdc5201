//! `utility`: the shipped utilities by hand, and what there is.
//!
//! Owns the listing's shape and the place where a utility's programs run. What each does is in
//! `engine::utility`.

use std::io;

use serde::Serialize;

pub use crate::utility::step::{RecipeStep, StepContext};
pub use crate::utility::{
    Input, Shipped, UtilityError, UtilityErrorKind, UtilityOutput, UtilityReport, closest, find,
};

use crate::process::Nursery;
use crate::utility::SHIPPED;

/// What there is.
#[derive(Debug, Serialize)]
pub struct Listing {
    /// Always true.
    pub ok: bool,
    /// The utilities of casts.
    pub utilities: Vec<Entry>,
    /// The steps of recipes.
    pub steps: Vec<Taken>,
}

/// One utility, as it is listed.
#[derive(Debug, Serialize)]
pub struct Entry {
    /// What one types.
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
pub struct Taken {
    /// What one types.
    pub name: &'static str,
    /// The words it takes, the required ones first.
    pub takes: Vec<&'static str>,
    /// What it does.
    pub about: &'static str,
}

/// Everything there is.
pub fn list(steps: &[RecipeStep]) -> Listing {
    let entry = |shipped: &Shipped| Entry {
        name: shipped.name,
        materia: shipped.materia,
        script: shipped.script(),
        about: shipped.about,
    };
    let taken = |step: &RecipeStep| Taken {
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
    Listing {
        ok: true,
        utilities,
        steps,
    }
}

/// Runs one in the foreground. Whatever it started is gone when this returns; an interrupt stops
/// it.
pub fn run(shipped: &Shipped, input: &Input) -> io::Result<Result<UtilityReport, UtilityError>> {
    let mut nursery = Nursery::adopting()?;
    nursery.catch_interrupts()?;
    Ok(shipped.run(input, &mut nursery))
}

/// A nursery for a step in the foreground: an interrupt stops whatever it started.
pub fn nursery() -> io::Result<Nursery> {
    let mut nursery = Nursery::adopting()?;
    nursery.catch_interrupts()?;
    Ok(nursery)
}
