//! What the project brings, and agreeing to it: the person at the page is the operator (S2).

use axum::body::Bytes;
use axum::extract::State as Given;
#[cfg(feature = "typescript")]
use materia_engine::api::TrustReport;
use serde::Deserialize;

use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::body;

/// Agreement to what was shown.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
struct TrustRequest {
    /// What the person was shown, by its digest.
    digest: String,
}

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<TrustReport>();
    types.add::<TrustRequest>();
}

/// What the project would run, and whether the user trusts it.
pub(super) async fn show(Given(state): Given<State>) -> Reply {
    ok(&beside(move || state.engine.trust_show()).await?)
}

/// Agrees to exactly what was shown.
pub(super) async fn grant(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: TrustRequest = body(&bytes)?;
    ok(&beside(move || state.engine.trust_accept(&request.digest)).await?)
}
