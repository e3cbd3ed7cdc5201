//! An agent as an actor (A12): a run whose messages become turns.
//!
//! Owns the reports on an actor, and the process that drives it. The run's journal is the source of
//! truth: a turn whose end is recorded is never repeated, and a turn without a recorded end is
//! repeated from the session before it. So a process that continues the run after a crash sends
//! nothing twice. Between turns no program of the agent runs, so a waiting actor costs almost
//! nothing.

mod answer;
mod drive;
mod turn;

use std::collections::BTreeMap;

use materia_model::actor::{ActorSettings, ActorState, TranscriptLine};
use materia_model::agent::Usage;
use materia_model::run;
use materia_model::run_fold::RunFold;
use serde::Serialize;

pub use drive::{ActorContext, Error, act};

use crate::run::RunDir;

/// An event of an actor.
#[derive(Debug)]
pub enum ActorEvent<'a> {
    /// A message becomes a turn.
    Prompt {
        /// The sender.
        from: Option<&'a str>,
        /// The text of the message.
        text: &'a str,
    },
    /// The agent did something.
    Activity(&'a crate::agent::Activity),
    /// The turn failed for this reason, and is retried.
    Retry(&'a str),
    /// The turn ended.
    TurnEnd {
        /// The answer.
        text: &'a str,
        /// The error, if it failed.
        failure: Option<&'a str>,
    },
}

/// A front end that follows an actor.
pub trait ActorObserver {
    /// Something happened.
    fn event(&mut self, event: &ActorEvent<'_>);
}

/// The status of an actor.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct ActorStatus {
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
    /// What continues the conversation in the agent itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// `run:X --view transcript`.
#[derive(Debug, Serialize)]
pub struct TranscriptReport {
    /// Always true.
    pub ok: bool,
    /// The run.
    pub run: String,
    /// The actor; `None` if the run is not an agent.
    pub agent: Option<ActorStatus>,
    /// The conversation, the newest line last.
    pub lines: Vec<TranscriptLine>,
    /// Whether older lines are omitted.
    pub incomplete: bool,
}

/// The agent settings of a run; `None` if the run is not an agent.
pub fn order(start: &run::RunStart) -> Option<ActorSettings> {
    serde_json::from_value(start.agent.clone()?).ok()
}

/// The status of the actor of a run; `None` if the run is not an agent.
pub fn status(fold: &RunFold) -> Option<ActorStatus> {
    let order = order(fold.run.start.as_ref()?)?;
    Some(status_of(order, &fold.actor))
}

/// The last lines of a run's conversation.
pub fn transcript(place: &RunDir, fold: &RunFold, lines: usize) -> TranscriptReport {
    let said = &fold.actor.lines;
    let older = said.len().saturating_sub(lines);
    TranscriptReport {
        ok: true,
        run: place.id().to_string(),
        agent: status(fold),
        incomplete: older > 0 || fold.actor.forgotten > 0,
        lines: said.iter().skip(older).cloned().collect(),
    }
}

fn status_of(order: ActorSettings, state: &ActorState) -> ActorStatus {
    let mut usage = state.usage;
    if let Some((_, used)) = &state.open {
        usage.add(used);
    }
    ActorStatus {
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
