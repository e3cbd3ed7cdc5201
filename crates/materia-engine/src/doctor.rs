//! `doctor`: what the promises need on this host, tried for real, and which agents are found.
//!
//! Owns the diagnosis. Each check does the thing it is about in a scratch directory on the
//! filesystem where state lives, and cleans up. Never changes the user's files.

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

/// Everything that was looked at.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DoctorReport {
    /// Whether nothing is broken.
    pub ok: bool,
    /// Our version.
    pub version: &'static str,
    /// Where state lives.
    pub paths: StatePaths,
    /// What was tried, and what came of it.
    pub checks: Vec<DoctorCheck>,
    /// What was there already and is used in place.
    pub found: Vec<ExistingState>,
    /// The agents that were looked for.
    pub agents: Vec<DoctorAgent>,
    /// The one that plays roles which name none, and why; nothing where none can.
    pub agent: Option<AgentSelection>,
    /// Why none can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_missing: Option<String>,
    /// The project's config, where it names agents and is not trusted: then it has no say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_untrusted: Option<String>,
}

/// Where state lives.
#[derive(Debug, Clone, Serialize)]
pub struct StatePaths {
    /// Recipes.
    pub recipes: String,
    /// Runs.
    pub runs: String,
    /// The user's configuration.
    pub profile: String,
}

/// One thing that was tried.
#[derive(Debug, Clone, Serialize)]
pub struct DoctorCheck {
    /// What it is about.
    pub name: &'static str,
    /// The promises that need it.
    pub needed: &'static str,
    /// What came of it.
    pub health: CheckHealth,
    /// What was seen.
    pub detail: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckHealth {
    /// As it should be.
    Good,
    /// It works, and deserves a look.
    Doubtful,
    /// A promise cannot be kept here.
    Broken,
}

/// An agent that was looked for.
#[derive(Debug, Clone, Serialize)]
pub struct DoctorAgent {
    /// What people call it.
    pub name: &'static str,
    /// The command it is started with.
    pub command: &'static str,
    /// Where its program is, when there is one.
    pub path: Option<String>,
    /// The version it said.
    pub version: Option<String>,
    /// Why there is no version, when the program is there.
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

/// The user did not wait for the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("interrupted; nothing was left running")]
pub struct Interrupted;

/// Tries everything.
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
