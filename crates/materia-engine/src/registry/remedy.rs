//! Remedies for recipes that are shadowed, broken, disabled or risky, most urgent first.
//!
//! Owns the order and the texts. Changes nothing.

use serde::Serialize;

use super::entry::{RecipeState, RegistryEntry};
use super::survey::Survey;

/// What kind of trouble it is, the most pressing first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum RemedyKind {
    /// It is broken, and hides one that works.
    BlockingInvalid,
    /// It is broken.
    Invalid,
    /// It is disabled, and hides one that works.
    BlockingDisabled,
    /// A tool runs a shell or evaluates text.
    RiskyShellBoundary,
    /// It is disabled.
    Disabled,
    /// It is hidden.
    Shadowed,
}

/// One thing to do.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct Remedy {
    /// The recipe.
    pub id: String,
    /// What kind of trouble it is.
    pub kind: RemedyKind,
    /// Where it lies.
    pub path: String,
    /// What the trouble is.
    pub reason: String,
    /// What to do.
    pub action: String,
    /// What it keeps from being used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked_fallback: Option<String>,
    /// What is used instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_path: Option<String>,
}

/// All remedies, most urgent first.
pub fn remedies(survey: &Survey) -> Vec<Remedy> {
    let mut remedies: Vec<Remedy> = survey.entries.iter().filter_map(remedy).collect();
    remedies.sort_by(|one, other| (one.kind, &one.id).cmp(&(other.kind, &other.id)));
    remedies
}

fn remedy(entry: &RegistryEntry) -> Option<Remedy> {
    let blocked = entry.shadows.first().cloned();
    let (kind, reason, action) = match entry.state {
        RecipeState::Invalid => {
            let problem = entry.problem();
            let place = problem
                .and_then(|issue| issue.place.as_ref())
                .map(|place| format!(" ({place})"))
                .unwrap_or_default();
            let reason = problem.map_or_else(
                || "it is invalid".to_owned(),
                |issue| format!("{}{place}", issue.message),
            );
            let fix = problem
                .and_then(|issue| issue.hint.clone())
                .unwrap_or_else(|| "mend it".to_owned());
            let kind = if blocked.is_some() {
                RemedyKind::BlockingInvalid
            } else {
                RemedyKind::Invalid
            };
            (kind, reason, format!("edit {}: {fix}", entry.path))
        }
        RecipeState::Disabled if blocked.is_some() => (
            RemedyKind::BlockingDisabled,
            "it is disabled, and the one that it hides is not used either".to_owned(),
            format!("take \"disabled\" out of {0}, or move {0} away", entry.path),
        ),
        RecipeState::Disabled => (
            RemedyKind::Disabled,
            "it is disabled".to_owned(),
            format!("materia tool remove {}, or enable it", entry.id),
        ),
        RecipeState::Shadowed => {
            let by = entry.shadowed_by.clone().unwrap_or_default();
            (
                RemedyKind::Shadowed,
                format!("{by} is used instead"),
                format!("nothing, or rename one of them: {}", entry.path),
            )
        }
        RecipeState::Active
            if entry.tool
                && entry
                    .risks
                    .iter()
                    .any(|risk| matches!(*risk, "risk.shell" | "risk.eval")) =>
        {
            (
                RemedyKind::RiskyShellBoundary,
                "this tool hands text to a shell or an interpreter".to_owned(),
                format!(
                    "materia recipe show {}, and pass values as arguments",
                    entry.id
                ),
            )
        }
        RecipeState::Active => return None,
    };
    let active_path = entry.shadowed_by.clone();
    let blocking = matches!(
        kind,
        RemedyKind::BlockingInvalid | RemedyKind::BlockingDisabled
    );
    let blocked_fallback = blocked.filter(|_| blocking);
    Some(Remedy {
        id: entry.id.clone(),
        kind,
        path: entry.path.clone(),
        reason,
        action,
        blocked_fallback,
        active_path,
    })
}
