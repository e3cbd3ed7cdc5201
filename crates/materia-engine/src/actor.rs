//! An agent as an actor (A12): a run whose messages become turns.
//!
//! Owns what is shown of one, and the process that plays it. Everything that counts stands in the
//! run's journal: a turn that has an end there is never asked again, one that has none is asked
//! again from the session before it, so whoever takes the run up after a crash says nothing twice.
//! Between turns no program of the agent runs, so that an actor that waits costs next to nothing.

mod answer;
mod drive;
mod turn;

use std::collections::BTreeMap;

use materia_model::actor::{Line, Order, State};
use materia_model::agent::Usage;
use materia_model::run;
use serde::Serialize;

pub use drive::{Error, Hands, act};

use crate::run::Place;
use crate::store::journal::{From, JournalError, Reader};

/// What people and programs are told while an actor plays.
#[derive(Debug)]
pub enum Told<'a> {
    /// A message becomes a turn.
    Prompt {
        /// Who sent it.
        from: Option<&'a str>,
        /// What it says.
        text: &'a str,
    },
    /// Something is seen of the turn.
    Seen(&'a crate::agent::Activity),
    /// The turn failed, and is tried again.
    Again(&'a str),
    /// The turn is over.
    Ended {
        /// The answer.
        text: &'a str,
        /// What went wrong, where it did.
        failure: Option<&'a str>,
    },
}

/// Somebody who is told.
pub trait Listener {
    /// Something happened.
    fn tell(&mut self, told: &Told<'_>);
}

/// How an actor stands, as every door shows it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "ActorStatus", optional_fields)
)]
pub struct Standing {
    /// The agent.
    pub name: String,
    /// The model it was told to ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tools it may use.
    pub tools: String,
    /// Whether a turn runs.
    pub busy: bool,
    /// How many turns began.
    pub turns: u64,
    /// What all of them used.
    pub usage: Usage,
    /// The same by model.
    pub models: BTreeMap<String, Usage>,
    /// What takes the conversation up again in the agent itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// `run:X --view transcript`.
#[derive(Debug, Serialize)]
pub struct Transcript {
    /// Always true.
    pub ok: bool,
    /// The run.
    pub run: String,
    /// The actor; none for a run that is something else.
    pub agent: Option<Standing>,
    /// What was said, the newest last.
    pub lines: Vec<Line>,
    /// Whether older lines are not shown.
    pub incomplete: bool,
}

/// What a run was told to be, where it is an agent.
pub fn order(start: &run::Start) -> Option<Order> {
    serde_json::from_value(start.agent.clone()?).ok()
}

/// The turns of an actor, as its journal tells them.
pub fn read(place: &Place) -> Result<State, JournalError> {
    let mut state = State::default();
    for record in Reader::open(&place.journal(), From::Beginning)? {
        state.apply(&record?);
    }
    Ok(state)
}

/// How the actor of a run stands; none for a run that is something else, or that cannot be read.
pub fn standing(place: &Place, run: &run::State) -> Option<Standing> {
    let order = order(run.start.as_ref()?)?;
    let state = read(place).ok()?;
    Some(stands(order, &state))
}

/// What was said in a run, its last lines.
pub fn transcript(
    place: &Place,
    run: &run::State,
    lines: usize,
) -> Result<Transcript, JournalError> {
    let state = read(place)?;
    let older = state.lines.len().saturating_sub(lines);
    Ok(Transcript {
        ok: true,
        run: place.id().to_string(),
        agent: run
            .start
            .as_ref()
            .and_then(|start| order(start))
            .map(|order| stands(order, &state)),
        incomplete: older > 0 || state.forgotten > 0,
        lines: state.lines.into_iter().skip(older).collect(),
    })
}

fn stands(order: Order, state: &State) -> Standing {
    let mut usage = state.usage;
    if let Some((_, used)) = &state.open {
        usage.add(used);
    }
    Standing {
        name: order.name,
        model: order.model,
        tools: order.tools.unwrap_or_else(|| "coding".to_owned()),
        busy: state.is_busy(),
        turns: state.turns,
        usage,
        models: state.models.clone(),
        session: state.session.as_ref().map(|kept| kept.handle.clone()),
    }
}
