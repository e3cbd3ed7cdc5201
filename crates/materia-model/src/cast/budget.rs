//! The budget of a cast and its spending (C11, C23).
//!
//! Owns the sums, the reservation before a turn, and the verdict. A turn starts only if the average
//! usage of its materia's earlier turns still fits. Never stops anything itself: the kernel does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::agent::Usage;
use crate::cast::event::{BudgetNote, BudgetRaise};
use crate::loadout::settings::BudgetSettings;

/// The default threshold of the warning, in percent.
const WARN_AT: f64 = 75.0;
/// The number of items and models with an entry of their own.
const MAX_NAMES: usize = 64;
/// The entry for all others.
const OTHERS: &str = "*";

/// What a cast spent.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Spending {
    pub total: Usage,
    pub turns: u64,
    /// The active time of the cast, without pauses.
    pub active_ms: u64,
    pub by_socket: BTreeMap<String, Usage>,
    /// Usage and number of turns by materia.
    pub by_materia: BTreeMap<String, (u64, Usage)>,
    /// Usage by model, if the agent reports the model.
    pub by_model: BTreeMap<String, Usage>,
    /// Usage by item, for the first `MAX_NAMES` items.
    pub by_item: BTreeMap<String, Usage>,
    pub warned: bool,
    pub limited: bool,
}

impl Spending {
    /// Adds the usage of a turn.
    pub fn add(&mut self, socket: &str, materia: &str, usage: &Usage) {
        self.total.add(usage);
        self.turns += 1;
        self.by_socket
            .entry(socket.to_owned())
            .or_default()
            .add(usage);
        let (turns, sum) = self.by_materia.entry(materia.to_owned()).or_default();
        *turns += 1;
        sum.add(usage);
    }

    /// Adds the last turn to its item and its models. Names beyond the limit share one entry.
    pub fn add_more(
        &mut self,
        item: Option<&str>,
        usage: &Usage,
        models: &BTreeMap<String, Usage>,
    ) {
        let add = |sums: &mut BTreeMap<String, Usage>, name: &str, usage: &Usage| {
            let known = sums.contains_key(name) || sums.len() < MAX_NAMES;
            sums.entry(if known { name } else { OTHERS }.to_owned())
                .or_default()
                .add(usage);
        };
        if let Some(item) = item {
            add(&mut self.by_item, item, usage);
        }
        models
            .iter()
            .for_each(|(model, usage)| add(&mut self.by_model, model, usage));
    }

    /// The average tokens and money of a materia's turns; zero before its first.
    pub fn reserve(&self, materia: &str) -> (u64, f64) {
        match self.by_materia.get(materia) {
            Some((turns, sum)) if *turns > 0 => (sum.total / turns, sum.cost / *turns as f64),
            _ => (0, 0.0),
        }
    }
}

/// The limits in force: those of the config, plus what the user raised.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BudgetLimit {
    tokens: Option<u64>,
    cost: Option<f64>,
    turns: Option<u64>,
    minutes: Option<f64>,
    warn_at: f64,
    stops: bool,
}

/// The verdict of the budget.
#[derive(Debug, Clone, PartialEq)]
pub enum BudgetVerdict {
    /// There is enough left.
    Fine,
    /// The warning threshold is reached, and no warning was recorded yet.
    Warn(BudgetNote),
    /// A limit is reached, and no event records it yet.
    Reached {
        /// The limit and the spending.
        note: BudgetNote,
        /// Whether reaching it ends the cast.
        stops: bool,
    },
    /// A limit is reached and recorded, and it ends the cast.
    Stop(BudgetNote),
}

impl BudgetLimit {
    /// The limits of a config plus what was raised.
    pub fn of(budget: &BudgetSettings, raised: &BudgetRaise) -> Self {
        Self {
            tokens: raised.max_tokens.or(budget.max_tokens),
            cost: raised.max_cost_usd.or(budget.max_cost_usd),
            turns: raised.max_turns.or(budget.max_turns),
            minutes: raised.max_minutes.or(budget.max_minutes),
            warn_at: budget.warn_at_percent.unwrap_or(WARN_AT),
            stops: budget.stop_at_limit != Some(false),
        }
    }

    /// The verdict after a socket. Reserves nothing.
    pub fn after_socket(&self, spent: &Spending) -> BudgetVerdict {
        let used = [
            share(
                "tokens",
                spent.total.total as f64,
                self.tokens.map(|limit| limit as f64),
            ),
            share("cost", spent.total.cost, self.cost),
        ];
        let over = |(_, used, limit): &(&str, f64, f64)| *used > 0.0 && used >= limit;
        self.verdict(spent, &used, over)
    }

    /// The verdict before a turn of a materia. Its expected usage must fit, too.
    pub fn before_turn(&self, spent: &Spending, materia: &str) -> BudgetVerdict {
        let (tokens, cost) = spent.reserve(materia);
        let used = [
            share(
                "tokens",
                spent.total.total as f64,
                self.tokens.map(|limit| limit as f64),
            ),
            share("cost", spent.total.cost, self.cost),
            share(
                "turns",
                spent.turns as f64,
                self.turns.map(|limit| limit as f64),
            ),
            share("minutes", spent.active_ms as f64 / 60_000.0, self.minutes),
        ];
        let over = |(what, used, limit): &(&str, f64, f64)| {
            let reserved = match *what {
                "tokens" => tokens as f64,
                "cost" => cost,
                _ => 0.0,
            };
            used >= limit || used + reserved > *limit
        };
        self.verdict(spent, &used, over)
    }

    /// The verdict before a utility, which costs only time.
    pub fn before_run(&self, spent: &Spending) -> BudgetVerdict {
        let used = [share(
            "minutes",
            spent.active_ms as f64 / 60_000.0,
            self.minutes,
        )];
        self.verdict(spent, &used, |(_, used, limit)| used >= limit)
    }

    /// Whether to stop a running turn with this usage so far. The driver checks during the turn.
    pub fn stops_during(&self, spent: &Spending, so_far: &Usage) -> bool {
        let tokens = spent.total.total.saturating_add(so_far.total);
        let cost = spent.total.cost + so_far.cost;
        self.stops
            && (self.tokens.is_some_and(|limit| tokens > limit)
                || self.cost.is_some_and(|limit| cost > limit))
    }

    /// The tokens and money left for child runs.
    pub fn remainder(&self, spent: &Spending) -> (Option<u64>, Option<f64>) {
        let tokens = self
            .tokens
            .map(|limit| limit.saturating_sub(spent.total.total));
        (
            tokens,
            self.cost.map(|limit| (limit - spent.total.cost).max(0.0)),
        )
    }

    fn verdict(
        &self,
        spent: &Spending,
        used: &[Option<(&'static str, f64, f64)>],
        over: impl Fn(&(&str, f64, f64)) -> bool,
    ) -> BudgetVerdict {
        let used = || used.iter().flatten();
        let note = |(what, used, limit): &(&'static str, f64, f64)| BudgetNote {
            what: (*what).to_owned(),
            percent: percent(*used, *limit),
            usage: spent.total,
        };
        if let Some(reached) = used().find(|share| over(share)) {
            return match (spent.limited, self.stops) {
                (false, stops) => BudgetVerdict::Reached {
                    note: note(reached),
                    stops,
                },
                (true, true) => BudgetVerdict::Stop(note(reached)),
                (true, false) => BudgetVerdict::Fine,
            };
        }
        let nearest = used().max_by(|a, b| percent(a.1, a.2).total_cmp(&percent(b.1, b.2)));
        match nearest {
            Some(nearest) if !spent.warned && percent(nearest.1, nearest.2) >= self.warn_at => {
                BudgetVerdict::Warn(note(nearest))
            }
            _ => BudgetVerdict::Fine,
        }
    }
}

fn share(what: &'static str, used: f64, limit: Option<f64>) -> Option<(&'static str, f64, f64)> {
    limit.map(|limit| (what, used, limit))
}

fn percent(used: f64, limit: f64) -> f64 {
    if limit > 0.0 {
        (used / limit * 1000.0).round() / 10.0
    } else {
        100.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spent(tokens: u64, cost: f64, turns: u64) -> Spending {
        let mut spending = Spending::default();
        for _ in 0..turns.max(1) {
            let share = turns.max(1);
            spending.add(
                "S1",
                "A",
                &Usage {
                    total: tokens / share,
                    cost: cost / share as f64,
                    ..Usage::default()
                },
            );
        }
        spending.turns = turns;
        spending
    }

    fn limit(budget: &BudgetSettings) -> BudgetLimit {
        BudgetLimit::of(budget, &BudgetRaise::default())
    }

    #[test]
    fn c11_usage_is_counted_by_item_and_model_and_what_grows_is_bounded() {
        let mut spending = Spending::default();
        let used = Usage {
            total: 1,
            ..Usage::default()
        };
        for item in 0..MAX_NAMES + 5 {
            spending.add_more(
                Some(&item.to_string()),
                &used,
                &BTreeMap::from([("m".to_owned(), used)]),
            );
        }
        assert_eq!(
            (spending.by_item["0"].total, spending.by_item[OTHERS].total),
            (1, 5)
        );
        assert_eq!(spending.by_model["m"].total, (MAX_NAMES + 5) as u64);
    }

    fn word(verdict: &BudgetVerdict) -> String {
        match verdict {
            BudgetVerdict::Fine => "fine".to_owned(),
            BudgetVerdict::Warn(note) => format!("warn {} {}", note.what, note.percent),
            BudgetVerdict::Reached { note, stops } => format!("reached {} {stops}", note.what),
            BudgetVerdict::Stop(note) => format!("stop {}", note.what),
        }
    }

    #[test]
    fn c11_after_a_socket_only_what_is_spent_counts() {
        let tokens = |max| {
            limit(&BudgetSettings {
                max_tokens: Some(max),
                ..BudgetSettings::default()
            })
        };
        assert_eq!(
            word(&tokens(1000).after_socket(&spent(1200, 0.0, 1))),
            "reached tokens true"
        );
        assert_eq!(
            word(&tokens(1000).after_socket(&spent(800, 0.0, 1))),
            "warn tokens 80"
        );
        assert_eq!(
            word(&tokens(1000).after_socket(&spent(100, 0.0, 1))),
            "fine"
        );
        assert_eq!(
            word(&tokens(0).after_socket(&spent(0, 0.0, 1))),
            "warn tokens 100"
        );
        let cost = limit(&BudgetSettings {
            max_cost_usd: Some(50.0),
            max_tokens: Some(9),
            ..BudgetSettings::default()
        });
        assert_eq!(
            word(&cost.after_socket(&spent(0, 60.5, 1))),
            "reached cost true"
        );
        let open = limit(&BudgetSettings {
            max_tokens: Some(10),
            stop_at_limit: Some(false),
            ..BudgetSettings::default()
        });
        assert_eq!(
            word(&open.after_socket(&spent(20, 0.0, 1))),
            "reached tokens false"
        );
        let noted = Spending {
            limited: true,
            ..spent(20, 0.0, 1)
        };
        assert_eq!(word(&open.after_socket(&noted)), "fine");
        assert_eq!(word(&tokens(10).after_socket(&noted)), "stop tokens");
    }

    #[test]
    fn c23_a_turn_reserves_the_average_of_its_materia_and_nothing_for_the_first() {
        let tokens = limit(&BudgetSettings {
            max_tokens: Some(100),
            warn_at_percent: Some(101.0),
            ..BudgetSettings::default()
        });
        let spending = spent(60, 0.0, 2);
        assert_eq!(spending.reserve("A").0, 30);
        assert_eq!(word(&tokens.before_turn(&spending, "A")), "fine");
        assert_eq!(
            word(&tokens.before_turn(&spent(80, 0.0, 2), "A")),
            "reached tokens true"
        );
        assert_eq!(word(&tokens.before_turn(&spent(80, 0.0, 2), "new")), "fine");
        let turns = limit(&BudgetSettings {
            max_turns: Some(2),
            warn_at_percent: Some(101.0),
            ..BudgetSettings::default()
        });
        assert_eq!(word(&turns.before_turn(&spent(0, 0.0, 1), "A")), "fine");
        assert_eq!(
            word(&turns.before_turn(&spent(0, 0.0, 2), "A")),
            "reached turns true"
        );
        let minutes = limit(&BudgetSettings {
            max_minutes: Some(1.0),
            ..BudgetSettings::default()
        });
        let late = Spending {
            active_ms: 60_000,
            ..Spending::default()
        };
        assert_eq!(
            word(&minutes.before_turn(&late, "A")),
            "reached minutes true"
        );
        let none = limit(&BudgetSettings {
            max_tokens: Some(0),
            ..BudgetSettings::default()
        });
        assert_eq!(
            word(&none.before_turn(&Spending::default(), "A")),
            "reached tokens true"
        );
    }

    #[test]
    fn c11_raising_helps_and_running_turns_are_stopped() {
        let budget = BudgetSettings {
            max_tokens: Some(100),
            ..BudgetSettings::default()
        };
        let raised = BudgetLimit::of(
            &budget,
            &BudgetRaise {
                max_tokens: Some(300),
                ..BudgetRaise::default()
            },
        );
        let spending = spent(90, 0.0, 1);
        let so_far = Usage {
            total: 20,
            ..Usage::default()
        };
        assert!(BudgetLimit::of(&budget, &BudgetRaise::default()).stops_during(&spending, &so_far));
        assert!(!raised.stops_during(&spending, &so_far));
        assert_eq!(raised.remainder(&spending), (Some(210), None));
    }
}
