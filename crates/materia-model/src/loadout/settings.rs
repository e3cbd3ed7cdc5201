//! Settings for every cast: budget, limits, artifact directory.
//!
//! Owns the types. Unset values stay unset here; the code that enforces a setting has the default.
//! Never spends or counts.

mod agents;
mod read;

use std::collections::BTreeMap;

use serde::Serialize;

pub(super) use agents::AGENT_PROGRAM;
pub use agents::AgentProgram;
pub(super) use read::{BUDGET, COMPACTION, LIMITS, SettingGroups, read};

/// The settings of a config, merged over its layers.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ConfigSettings {
    /// The artifact directory of casts, as written; relative to the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact_dir: Option<String>,
    pub budget: BudgetSettings,
    /// The limits of a cast's length.
    pub limits: LimitSettings,
    /// When an agent's context is compacted.
    pub compaction: CompactionSettings,
    /// The agent for roles that name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Agents that the user defines, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub agents: BTreeMap<String, AgentProgram>,
}

/// What a cast may spend (C23).
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetSettings {
    /// Tokens, in and out together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Money, in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_minutes: Option<f64>,
    /// The threshold of the warning, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warn_at_percent: Option<f64>,
    /// Whether reaching a limit ends the cast; defaults to true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_at_limit: Option<bool>,
}

/// The limits against casts that never end (C2).
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LimitSettings {
    /// The limit of visits per socket in a cast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_socket_visits: Option<u64>,
    /// The limit of traversals per edge in a cast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_edge_traversals: Option<u64>,
    /// The limit of times an item may return to a socket without an advance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_no_advance_cycles: Option<u64>,
}

/// When an agent's context is compacted.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactionSettings {
    /// The used share of the context window that triggers it, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proactive_threshold_percent: Option<f64>,
    /// Other shares for other window sizes, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proactive_threshold_tiers: Option<serde_json::Value>,
}
