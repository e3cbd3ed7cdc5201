//! What waits for the person besides casts: what a project brings, and what runs ask.

use axum::extract::State as Given;
use materia_engine::inspect::triage::{self, Attention};
use materia_engine::run::Root;
use materia_engine::trust::project::{self, TrustReport, TrustStanding};
use serde::Serialize;

use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use materia_engine::api::ApiError;

/// What needs the person besides casts.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(in crate::web) struct NeedsReport {
    /// What the project brings, where the person has not agreed to it.
    trust: Option<TrustReport>,
    /// Messages whose senders wait for an answer.
    attention: Vec<Attention>,
}

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<NeedsReport>();
}

/// What needs the person.
pub(super) async fn show(Given(state): Given<State>) -> Reply {
    ok(&beside(move || needs(&state)).await?)
}

/// The same, for live updates.
pub(in crate::web) fn needs(state: &State) -> Result<NeedsReport, ApiError> {
    let shown = project::show(&state.files()?, Some(&state.home)).ok();
    let asks = |standing| matches!(standing, TrustStanding::Untrusted | TrustStanding::Changed);
    let shown = shown.filter(|shown| !state.trusting && asks(shown.standing));
    let waiting = triage::waiting(&Root::new(state.home.runs()), None, &state.clock)?;
    Ok(NeedsReport {
        trust: shown,
        attention: waiting.attention_messages,
    })
}
