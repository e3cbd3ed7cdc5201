//! What waits for the person besides casts: what a project brings, and what runs ask.

use axum::extract::State as Given;
use materia_engine::run::Root;
use materia_engine::verb::inspect::triage;
use materia_engine::verb::trust::{self, Standing};
use serde_json::{Value, json};

use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
use crate::failure::Failure;

/// What needs the person.
pub(super) async fn show(Given(state): Given<State>) -> Reply {
    ok(&beside(move || needs(&state)).await?)
}

/// The same, for whoever looks on.
pub(in crate::web) fn needs(state: &State) -> Result<Value, Failure> {
    let shown = trust::show(&state.files()?, Some(&state.home)).ok();
    let asks = |standing| matches!(standing, Standing::Untrusted | Standing::Changed);
    let shown = shown.filter(|shown| !state.trusting && asks(shown.standing));
    let waiting = triage::waiting(&Root::new(state.home.runs()), None, &state.clock)?;
    Ok(json!({ "trust": shown, "attention": waiting.attention_messages }))
}
