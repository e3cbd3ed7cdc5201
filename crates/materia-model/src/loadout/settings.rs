//! What a config says about every cast: budget, limits, where artifacts go.
//!
//! Owns the shapes. What a config leaves out stays open here; the code that enforces it has the
//! default. Never spends or counts.

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
    /// Where casts keep their artifacts, as written; relative to the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact_dir: Option<String>,
    pub budget: BudgetSettings,
    /// How long a cast may go on.
    pub limits: LimitSettings,
    /// When an agent's context is compacted.
    pub compaction: CompactionSettings,
    /// The agent that plays roles which name none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Agents that the person defined, by name.
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
    /// When a warning is given, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warn_at_percent: Option<f64>,
    /// Whether a reached limit ends the cast; it does unless this is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_at_limit: Option<bool>,
}

/// The safety net against casts that never end (C2).
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LimitSettings {
    /// How often one socket may be visited in a cast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_socket_visits: Option<u64>,
    /// How often one edge may be taken in a cast.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_edge_traversals: Option<u64>,
    /// How often an item may come back to a socket without advancing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_no_advance_cycles: Option<u64>,
}

/// When an agent's context is compacted.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CompactionSettings {
    /// The share of the context window, in percent, from which it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proactive_threshold_percent: Option<f64>,
    /// Other shares for windows of other sizes, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proactive_threshold_tiers: Option<serde_json::Value>,
}
