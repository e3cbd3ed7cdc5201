//! Utilities: deterministic steps that need no model. External programs, and the shipped utilities,
//! which are native (C18).
//!
//! Owns the call of a program, the table of the shipped utilities and what they share: the input
//! document of a utility socket, its answer, and its errors. Each utility is a function from an
//! [`Input`] to a [`UtilityReport`]. It writes only through `store`, starts programs only through
//! `process`, and keeps no state. Never prints, and never decides what a cast does with the answer.

pub mod listing;
pub mod call;
pub mod template;
pub mod recipe;
mod input;
mod answer;
mod place;
pub mod program;
mod ensure_ignored;
mod detect_vcs;
mod commit_sigil;
mod jj;
mod bookmark;
mod blackbelt_bootstrap;
mod blackbelt_maintain;
mod literal;
pub mod step;
pub mod native;
pub mod launcher;

pub use answer::{UtilityError, UtilityErrorKind, UtilityOutput, UtilityReport};
pub use input::Input;

use crate::process::ProcessSet;

/// A shipped utility.
#[derive(Debug, Clone, Copy)]
pub struct Shipped {
    /// Its name on the command line.
    pub name: &'static str,
    /// The materia that runs it in the shipped loadouts; `None` for the old aliases.
    pub materia: Option<&'static str>,
    /// What it does, in one line.
    pub about: &'static str,
    act: fn(&Input, &mut ProcessSet) -> Result<UtilityReport, UtilityError>,
}

/// All shipped utilities.
pub const SHIPPED: [Shipped; 9] = [
    Shipped {
        name: "ensure-ignored",
        materia: Some("Ignore-Artifacts"),
        about: "add `params.patterns` to the repository's .gitignore",
        act: ensure_ignored::run,
    },
    Shipped {
        name: "detect-vcs",
        materia: Some("Detect-VCS"),
        about: "say which version control there is, and its root",
        act: detect_vcs::run,
    },
    Shipped {
        name: "commit-sigil",
        materia: Some("Commit-Sigil"),
        about: "check that work items have Conventional Commit titles",
        act: commit_sigil::run,
    },
    Shipped {
        name: "blackbelt-bootstrap",
        materia: Some("Blackbelt-Bootstrap"),
        about: "make a jj repository ready, with a bookmark of its own",
        act: blackbelt_bootstrap::run,
    },
    Shipped {
        name: "blackbelt-maintain",
        materia: Some("Blackbelt-Maintain"),
        about: "make a jj checkpoint of the current work item",
        act: blackbelt_maintain::run,
    },
    Shipped {
        name: "noop",
        materia: None,
        about: "do nothing",
        act: literal::noop,
    },
    Shipped {
        name: "echo",
        materia: None,
        about: "give back `params.output`, `params.text` or `params.message`",
        act: literal::echo,
    },
    Shipped {
        name: "project.ensureIgnored",
        materia: None,
        about: "`ensure-ignored` without the `state` around its answer",
        act: ensure_ignored::run_bare,
    },
    Shipped {
        name: "vcs.detect",
        materia: None,
        about: "`detect-vcs` without the `state` around its answer",
        act: detect_vcs::run_bare,
    },
];

impl Shipped {
    /// The name of its script in older configs.
    pub fn script(&self) -> Option<String> {
        self.materia.map(|_| format!("{}.mjs", self.name))
    }

    /// Runs the utility. Its programs run in `processes`; an interrupt that the process set catches
    /// stops it.
    pub fn run(
        &self,
        input: &Input,
        processes: &mut ProcessSet,
    ) -> Result<UtilityReport, UtilityError> {
        (self.act)(input, processes)
    }
}

/// The utility of this name; `name.mjs` of the original version means `name`.
pub fn find(name: &str) -> Option<&'static Shipped> {
    SHIPPED
        .iter()
        .find(|shipped| shipped.name == name || shipped.script().as_deref() == Some(name))
}

/// The utility or step with the most similar name.
pub fn closest(name: &str, steps: &[step::RecipeStep]) -> Option<&'static str> {
    let known = SHIPPED
        .iter()
        .flat_map(|shipped| std::iter::once(shipped.name).chain(shipped.materia));
    let known = known.chain(steps.iter().map(|step| step.name));
    let meant = materia_model::text::closest(name.trim_end_matches(".mjs"), known)?;
    if let Some(step) = steps.iter().find(|step| step.name == meant) {
        return Some(step.name);
    }
    SHIPPED
        .iter()
        .find(|shipped| shipped.name == meant || shipped.materia == Some(meant))
        .map(|it| it.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_either_spelling_and_once() {
        assert_eq!(find("detect-vcs").unwrap().name, "detect-vcs");
        assert_eq!(find("detect-vcs.mjs").unwrap().name, "detect-vcs");
        for unknown in [
            "../detect-vcs.mjs",
            "a/b.mjs",
            "detect-vcs.js",
            "echo.mjs",
            "",
        ] {
            assert!(find(unknown).is_none(), "{unknown}");
        }
        for (index, shipped) in SHIPPED.iter().enumerate() {
            assert_eq!(
                SHIPPED.iter().position(|other| other.name == shipped.name),
                Some(index)
            );
        }
    }

    #[test]
    fn materia_and_mistyped_names_lead_to_the_utility() {
        assert_eq!(closest("Ignore-Artifacts", &[]), Some("ensure-ignored"));
        assert_eq!(closest("detct-vcs.mjs", &[]), Some("detect-vcs"));
        assert_eq!(closest("zebra", &[]), None);
    }
}
