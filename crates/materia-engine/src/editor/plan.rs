//! `plan`: the maximum cost of a loadout, without asking a model (C23).
//!
//! Owns the table of visits and turns, what stops the cast first, and an estimate if earlier casts
//! of the project recorded what a turn of each materia used. Starts nothing.

use std::collections::BTreeMap;
use std::path::Path;

use materia_model::cast::{MAX_CYCLES, MAX_VISITS};
use materia_model::finding::Finding;
use materia_model::loadout::Config;
use materia_model::loadout::fanout::{self, DefaultLimits};
use materia_model::loadout::settings::BudgetSettings;
use materia_model::materia::OutputParse;
use serde::Serialize;
use serde_json::Value;

use crate::cast::ids;
use crate::editor::loadout::{LoadoutError, compiled};
use crate::store::atomic;

/// Maximum number of earlier casts that the estimate uses.
const MAX_CASTS: usize = 50;
/// The largest `usage.json` that is read, in bytes.
const MAX_USAGE_BYTES: u64 = 1 << 20;

/// The planned cost of a loadout.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanReport {
    /// Always true.
    pub ok: bool,
    /// The loadout.
    pub loadout: String,
    /// The assumed length of its lists.
    pub items: u64,
    /// The sockets, in the order written.
    pub sockets: Vec<PlanSocket>,
    /// Agent turns: if every guard is satisfied, and at most.
    pub turns: PlanRange,
    /// Utility runs.
    pub runs: PlanRange,
    /// The limits that stop it, from the config.
    pub budget: BudgetSettings,
    /// The expected usage without rework, from earlier casts.
    pub estimate: Option<PlanEstimate>,
    /// Warnings about it.
    pub warnings: Vec<Finding>,
}

/// A number without rework, and at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct PlanRange {
    /// If every guard is satisfied.
    pub smooth: u64,
    /// The upper bound.
    pub most: u64,
}

/// One socket.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanSocket {
    /// Its id.
    pub socket: String,
    /// The materia in it.
    pub materia: String,
    /// `agent` or `utility`.
    pub kind: &'static str,
    /// The loops around it.
    pub loops: Vec<String>,
    /// How often it is visited.
    pub visits: PlanRange,
    /// The number of turns: an answer that must be JSON may need one repair.
    pub turns: PlanRange,
    /// The average usage of one of its turns in earlier casts.
    pub tokens_per_turn: Option<u64>,
}

/// The expected usage of a cast without rework.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanEstimate {
    /// Tokens.
    pub tokens: u64,
    /// Money, in US dollars.
    pub cost: f64,
    /// The number of earlier turns that it is based on.
    pub from_turns: u64,
    /// The materia without data from earlier casts.
    pub unknown: Vec<String>,
}

/// Plans the loadout of this name or id, or the active one, for lists of this length. `casts` is
/// the directory of the project's earlier casts.
pub fn plan(
    config: &Config<'_>,
    named: Option<&str>,
    items: u64,
    casts: &Path,
) -> Result<PlanReport, LoadoutError> {
    let (graph, warnings) = compiled(config, named)?;
    let net = DefaultLimits {
        visits: MAX_VISITS,
        cycles: MAX_CYCLES,
    };
    let visits = fanout::visits(&graph, &config.settings().limits, net, items);
    let known = used(casts);
    let (mut turns, mut runs) = (PlanRange::default(), PlanRange::default());
    let mut sockets = Vec::new();
    for (socket, visited) in graph.sockets().iter().zip(visits) {
        let visits = PlanRange {
            smooth: visited.smooth,
            most: visited.most,
        };
        let is_agent = socket.materia.agent().is_some();
        let repairs = if socket.contract.parse == OutputParse::Json {
            2
        } else {
            1
        };
        let own = if is_agent {
            PlanRange {
                smooth: visits.smooth,
                most: visits.most.saturating_mul(repairs),
            }
        } else {
            PlanRange::default()
        };
        let sum = if is_agent { &mut turns } else { &mut runs };
        let added = if is_agent { own } else { visits };
        sum.smooth = sum.smooth.saturating_add(added.smooth);
        sum.most = sum.most.saturating_add(added.most);
        sockets.push(PlanSocket {
            socket: socket.id.to_string(),
            materia: socket.materia.id.clone(),
            kind: if is_agent { "agent" } else { "utility" },
            loops: socket
                .loops
                .iter()
                .map(|at| graph.loops()[*at].id.clone())
                .collect(),
            visits,
            turns: own,
            tokens_per_turn: known
                .get(&socket.materia.id)
                .map(Used::average)
                .filter(|_| is_agent),
        });
    }
    Ok(PlanReport {
        ok: true,
        loadout: graph.name().to_owned(),
        items,
        estimate: estimate(&sockets, &known),
        sockets,
        turns,
        runs,
        budget: config.settings().budget.clone(),
        warnings,
    })
}

/// The usage of a materia's turns.
#[derive(Debug, Default)]
struct Used {
    turns: u64,
    tokens: u64,
    cost: f64,
}

impl Used {
    fn average(&self) -> u64 {
        self.tokens.checked_div(self.turns).unwrap_or(0)
    }
}

/// The usage of turns in the newest casts, by materia.
fn used(casts: &Path) -> BTreeMap<String, Used> {
    let mut all: BTreeMap<String, Used> = BTreeMap::new();
    for id in ids(casts).iter().rev().take(MAX_CASTS) {
        let path = casts.join(id).join("usage.json");
        let Ok(usage) = atomic::read_json::<Value>(&path, 1, MAX_USAGE_BYTES) else {
            continue;
        };
        for (materia, spent) in usage["byMateria"].as_object().into_iter().flatten() {
            let sum = all.entry(materia.clone()).or_default();
            sum.turns = sum
                .turns
                .saturating_add(spent["turns"].as_u64().unwrap_or(0));
            sum.tokens = sum
                .tokens
                .saturating_add(spent["tokens"]["total"].as_u64().unwrap_or(0));
            sum.cost += spent["cost"]["total"].as_f64().unwrap_or(0.0);
        }
    }
    all.retain(|_, used| used.turns > 0);
    all
}

fn estimate(sockets: &[PlanSocket], known: &BTreeMap<String, Used>) -> Option<PlanEstimate> {
    let mut estimate = PlanEstimate {
        tokens: 0,
        cost: 0.0,
        from_turns: 0,
        unknown: Vec::new(),
    };
    for socket in sockets
        .iter()
        .filter(|socket| socket.kind == "agent" && socket.visits.smooth > 0)
    {
        match known.get(&socket.materia) {
            Some(used) => {
                let share = socket.turns.smooth as f64 / used.turns as f64;
                estimate.tokens = estimate
                    .tokens
                    .saturating_add((used.tokens as f64 * share) as u64);
                estimate.cost += used.cost * share;
                estimate.from_turns += used.turns;
            }
            None if !estimate.unknown.contains(&socket.materia) => {
                estimate.unknown.push(socket.materia.clone());
            }
            None => {}
        }
    }
    (estimate.from_turns > 0).then_some(estimate)
}
