//! What a cast used, for programs: in `usage.json`, in reports and in the browser.
//!
//! Owns the shape. All values come from the state of the cast; nothing is counted here.

use std::collections::BTreeMap;

use materia_model::agent::Usage;
use materia_model::cast::CastState;
use serde::Serialize;

/// What a cast cost, as a whole and by its parts.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct CastUsage {
    /// All of it.
    #[serde(flatten)]
    pub total: UsageSum,
    /// How many turns of agents there were.
    pub turns: u64,
    /// By socket.
    pub by_socket: BTreeMap<String, UsageSum>,
    /// By materia.
    pub by_materia: BTreeMap<String, MateriaUsage>,
    /// By item; casts without lists have none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub by_item: BTreeMap<String, UsageSum>,
    /// By model, where the agent says which one it asked.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub by_model: BTreeMap<String, UsageSum>,
}

/// Tokens and money.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct UsageSum {
    /// Tokens.
    pub tokens: TokenSum,
    /// Money.
    pub cost: CostSum,
}

/// Tokens by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct TokenSum {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
    /// Tokens read from a cache.
    pub cache_read: u64,
    /// Tokens written to a cache.
    pub cache_write: u64,
    /// All of them.
    pub total: u64,
}

/// Money, in US dollars.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CostSum {
    /// All of it.
    pub total: f64,
}

/// What the turns of one materia cost.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MateriaUsage {
    /// All of them.
    #[serde(flatten)]
    pub total: UsageSum,
    /// How many there were.
    pub turns: u64,
}

impl From<&Usage> for UsageSum {
    fn from(used: &Usage) -> Self {
        Self {
            tokens: TokenSum {
                input: used.input,
                output: used.output,
                cache_read: used.cache_read,
                cache_write: used.cache_write,
                total: used.total,
            },
            cost: CostSum { total: used.cost },
        }
    }
}

/// What a cast in this state used.
pub fn usage(state: &CastState) -> CastUsage {
    let spent = &state.spending;
    let by_materia = spent.by_materia.iter().map(|(name, (turns, used))| {
        let (total, turns) = (used.into(), *turns);
        (name.clone(), MateriaUsage { total, turns })
    });
    CastUsage {
        total: (&spent.total).into(),
        turns: spent.turns,
        by_socket: sums(&spent.by_socket),
        by_materia: by_materia.collect(),
        by_item: sums(&spent.by_item),
        by_model: sums(&spent.by_model),
    }
}

fn sums(parts: &BTreeMap<String, Usage>) -> BTreeMap<String, UsageSum> {
    let sums = parts.iter().map(|(name, used)| (name.clone(), used.into()));
    sums.collect()
}
