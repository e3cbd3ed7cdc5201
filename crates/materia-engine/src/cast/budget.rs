//! `budget`: what a cast may spend and has spent, and a higher limit.
//!
//! Owns both. Raising is the operator's business (S2): doors check who asks.

use materia_model::cast::event::Raise;
use serde::Serialize;

use crate::cast::status::{Share, shares};
use crate::cast::{Definition, Error, Folder, Raised, glance, raise as raise_cast};
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
    /// How it stands, proved.
    pub status: &'static str,
    /// Every limit, and how much of it is used.
    pub budget: Vec<Share>,
    /// Whether a limit was changed: `recorded`, or `ordered` where another process drives the cast
    /// and takes it up before its next step.
    pub raised: Option<&'static str>,
    /// What can be typed next.
    pub next: Vec<String>,
}

/// A limit as a person writes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Amount {
    /// This much.
    To(u64),
    /// So much more than now.
    More(u64),
}

/// What a person wants to change.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted {
    /// Tokens.
    pub tokens: Option<Amount>,
    /// Money, in US dollars.
    pub cost: Option<f64>,
    /// Turns of agents.
    pub turns: Option<u64>,
    /// Minutes.
    pub minutes: Option<f64>,
}

impl Wanted {
    /// Whether nothing is changed.
    pub fn is_nothing(&self) -> bool {
        self.tokens.is_none()
            && self.cost.is_none()
            && self.turns.is_none()
            && self.minutes.is_none()
    }
}

/// Shows the budget of a cast, and changes it where something is wanted.
pub fn budget(folder: &Folder, wanted: Wanted, clock: &Clock) -> Result<BudgetReport, Error> {
    let limits = Definition::reopen(&folder.read_definition()?)?
        .settings()
        .budget
        .clone();
    let before = glance::replay(folder, |_, _, _| {})?;
    let (raised, state) = if wanted.is_nothing() {
        (None, before)
    } else {
        let now = before.raised.max_tokens.or(limits.max_tokens);
        let tokens = wanted.tokens.map(|amount| match amount {
            Amount::To(tokens) => tokens,
            Amount::More(more) => now
                .unwrap_or(before.spending.total.total)
                .saturating_add(more),
        });
        let raise = Raise {
            max_tokens: tokens,
            max_cost_usd: wanted.cost,
            max_turns: wanted.turns,
            max_minutes: wanted.minutes,
        };
        let (raised, state) = raise_cast(folder, clock, raise)?;
        (Some(raised), state)
    };
    // What was raised by order is not in the log yet, so the state at hand is looked at first.
    let mut first = Some(state);
    let read = || match first.take() {
        Some(state) => Ok(state),
        None => glance::replay(folder, |_, _, _| {}),
    };
    let (state, standing) = glance::observe(folder.path(), read, |state| state.status)?;
    let next = match standing.as_str() {
        "failed" => vec![format!("materia recast {}", state.cast_id)],
        "interrupted" => vec![format!("materia resume {}", state.cast_id)],
        _ => Vec::new(),
    };
    Ok(BudgetReport {
        ok: true,
        status: standing.as_str(),
        budget: shares(&limits, &state),
        raised: raised.map(|raised| match raised {
            Raised::Recorded => "recorded",
            Raised::Ordered => "ordered",
        }),
        next,
        cast_id: state.cast_id,
    })
}
