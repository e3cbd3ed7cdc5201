//! What waits for the user besides casts: what a project brings, and what runs ask.

use axum::extract::State as Given;
#[cfg(feature = "typescript")]
use materia_engine::api::NeedsReport;

use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<NeedsReport>();
}

/// What needs the user.
pub(super) async fn show(Given(state): Given<State>) -> Reply {
    ok(&beside(move || state.engine.needs()).await?)
}
