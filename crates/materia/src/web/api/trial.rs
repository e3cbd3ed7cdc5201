//! Trying a utility with an input of one's own.

use axum::body::Bytes;
use axum::extract::State as Given;
#[cfg(feature = "typescript")]
use materia_engine::api::TrialReport;
use materia_engine::api::TrialRequest;

use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::body;

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<TrialRequest>();
    types.add::<TrialReport>();
}

/// Runs a utility as it is, or as it is being edited.
pub(super) async fn trial(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: TrialRequest = body(&bytes)?;
    ok(&beside(move || state.engine.trial(&request)).await?)
}
