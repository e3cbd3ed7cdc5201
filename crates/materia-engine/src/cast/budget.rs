//! `budget`: the limits of a cast, what it has used, and changing the limits.
//!
//! Owns both. Only the operator may change a limit (S2): the API checks the caller.

use materia_model::cast::event::BudgetRaise;
use serde::Serialize;

use crate::cast::status::{BudgetShare, shares};
use crate::cast::{Definition, Error, Folder, ObservedStatus, RaiseOutcome, glance, raise};
use crate::clock::Clock;

/// The budget of a cast.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct BudgetReport {
    /// Always true.
    pub ok: bool,
    /// The cast.
    pub cast_id: String,
    /// Its status.
    pub status: ObservedStatus,
    /// Every limit, and how much of it is used.
    pub budget: Vec<BudgetShare>,
    /// Whether a limit was changed, and from when on it holds.
    pub raised: Option<RaiseOutcome>,
    /// What can be typed next.
    pub next: Vec<String>,
}

/// A new token limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenLimit {
    /// Exactly this many.
    Set(u64),
    /// This many more than the current limit.
    Add(u64),
}

/// Changes to the limits of a cast.
#[derive(Debug, Clone, Copy, Default)]
pub struct BudgetChange {
    /// Tokens.
    pub tokens: Option<TokenLimit>,
    /// Money, in US dollars.
    pub cost: Option<f64>,
    /// Agent turns.
    pub turns: Option<u64>,
    /// Minutes.
    pub minutes: Option<f64>,
}

impl BudgetChange {
    /// Whether the request changes nothing.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_none()
            && self.cost.is_none()
            && self.turns.is_none()
            && self.minutes.is_none()
    }
}

/// Applies `change` if it is not empty, then reports the budget of the cast.
pub fn budget(folder: &Folder, change: BudgetChange, clock: &Clock) -> Result<BudgetReport, Error> {
    let limits = Definition::reopen(&folder.read_definition()?)?
        .settings()
        .budget
        .clone();
    let before = glance::replay(folder, |_, _, _| {})?;
    let (raised, state) = if change.is_empty() {
        (None, before)
    } else {
        let now = before.raised.max_tokens.or(limits.max_tokens);
        let tokens = change.tokens.map(|limit| match limit {
            TokenLimit::Set(tokens) => tokens,
            TokenLimit::Add(more) => now
                .unwrap_or(before.spending.total.total)
                .saturating_add(more),
        });
        let limits = BudgetRaise {
            max_tokens: tokens,
            max_cost_usd: change.cost,
            max_turns: change.turns,
            max_minutes: change.minutes,
        };
        let (raised, state) = raise(folder, clock, limits)?;
        (Some(raised), state)
    };
    // An ordered raise is not in the log yet, so use the state at hand first.
    let mut first = Some(state);
    let read = || match first.take() {
        Some(state) => Ok(state),
        None => glance::replay(folder, |_, _, _| {}),
    };
    let (state, standing) = glance::observe(folder.path(), read, |state| state.status)?;
    let next = match standing.status() {
        ObservedStatus::Failed => vec![format!("materia recast {}", state.cast_id)],
        ObservedStatus::Interrupted => vec![format!("materia resume {}", state.cast_id)],
        _ => Vec::new(),
    };
    Ok(BudgetReport {
        ok: true,
        status: standing.status(),
        budget: shares(&limits, &state),
        raised,
        next,
        cast_id: state.cast_id,
    })
}
