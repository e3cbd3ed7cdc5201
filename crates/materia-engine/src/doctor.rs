//! `doctor`: tests what this program needs from the host, and finds the agents.
//!
//! Owns the diagnosis. Each check performs the operation in a scratch directory on the filesystem
//! of the state, and cleans up. Never changes the user's files.

mod agents;
mod found;
mod host;
mod scratch;

use std::path::Path;

use serde::Serialize;

use crate::agent::Roster;
use crate::agent_turn::{self, AgentConfig, AgentSelection};
use crate::home::Home;

pub use found::ExistingState;

/// The report of all checks.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DoctorReport {
    /// Whether no check is broken.
    pub ok: bool,
    /// Our version.
    pub version: &'static str,
    /// The directories of the state.
    pub paths: StatePaths,
    /// The checks and their results.
    pub checks: Vec<DoctorCheck>,
    /// Existing state that is used in place.
    pub found: Vec<ExistingState>,
    /// The known agents.
    pub agents: Vec<DoctorAgent>,
    /// The default agent, and why it was chosen; `None` if none is available.
    pub agent: Option<AgentSelection>,
    /// Why none is available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_missing: Option<String>,
    /// The project's config, if it names agents and is not trusted: then it is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_untrusted: Option<String>,
}

/// The directories of the state.
#[derive(Debug, Clone, Serialize)]
pub struct StatePaths {
    /// Recipes.
    pub recipes: String,
    /// Runs.
    pub runs: String,
    /// The user's configuration.
    pub profile: String,
}

/// One check.
#[derive(Debug, Clone, Serialize)]
pub struct DoctorCheck {
    /// Its subject.
    pub name: &'static str,
    /// The guarantees that need it.
    pub needed: &'static str,
    /// Its result.
    pub health: CheckHealth,
    /// What was observed.
    pub detail: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckHealth {
    /// It works.
    Good,
    /// It works, but the user should have a look.
    Doubtful,
    /// A guarantee cannot be kept on this host.
    Broken,
}

/// A known agent.
#[derive(Debug, Clone, Serialize)]
pub struct DoctorAgent {
    /// Its display name.
    pub name: &'static str,
    /// The command that starts it.
    pub command: &'static str,
    /// The path of its program, if found.
    pub path: Option<String>,
    /// The version it printed.
    pub version: Option<String>,
    /// Why there is no version although the program exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

impl DoctorCheck {
    fn good(name: &'static str, needed: &'static str, detail: impl Into<String>) -> Self {
        Self {
            name,
            needed,
            health: CheckHealth::Good,
            detail: detail.into(),
            hint: None,
        }
    }

    fn broken(
        name: &'static str,
        needed: &'static str,
        detail: impl Into<String>,
        hint: &str,
    ) -> Self {
        Self {
            health: CheckHealth::Broken,
            hint: Some(hint.to_owned()),
            ..Self::good(name, needed, detail)
        }
    }

    fn doubtful(
        name: &'static str,
        needed: &'static str,
        detail: impl Into<String>,
        hint: &str,
    ) -> Self {
        Self {
            health: CheckHealth::Doubtful,
            ..Self::broken(name, needed, detail, hint)
        }
    }
}

/// The user interrupted the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("interrupted; nothing was left running")]
pub struct Interrupted;

/// Runs all checks.
pub fn doctor(
    home: &Home,
    project: &Path,
    roster: &Roster,
    config: &AgentConfig,
) -> Result<DoctorReport, Interrupted> {
    let (process_check, agents) = agents::look()?;
    let chosen = agent_turn::select(roster, config);
    let mut checks = vec![process_check];
    checks.extend(scratch::checks(&home.runs()));
    checks.extend(host::checks(&home.runs()));
    Ok(DoctorReport {
        ok: checks
            .iter()
            .all(|check| check.health != CheckHealth::Broken),
        version: env!("CARGO_PKG_VERSION"),
        paths: StatePaths {
            recipes: home.recipes().display().to_string(),
            runs: home.runs().display().to_string(),
            profile: home.profile().display().to_string(),
        },
        checks,
        found: found::look(home, project),
        agents,
        agent: chosen.clone().ok(),
        agent_missing: chosen.err().map(|missing| missing.to_string()),
        agent_untrusted: config.untrusted.clone(),
    })
}
