//! What the project brings, and agreeing to it: the person at the page is the operator (S2).

use axum::body::Bytes;
use axum::extract::State as Given;
use materia_engine::trust::project;
#[cfg(feature = "typescript")]
use materia_engine::trust::project::TrustReport;
use serde::Deserialize;

use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::body;
use materia_engine::api::{ApiError, ErrorKind};

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

/// What the project would run, and how the person stands to it.
pub(super) async fn show(Given(state): Given<State>) -> Reply {
    let shown = beside(move || {
        project::show(&state.files()?, Some(&state.home)).map_err(|error| (&error).into())
    });
    ok(&shown.await?)
}

/// Agrees to exactly what was shown.
pub(super) async fn grant(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: TrustRequest = body(&bytes)?;
    let granted = beside(move || {
        let files = state.files()?;
        let failed = |error: materia_engine::trust::Error| ApiError::from(&error);
        let shown = project::show(&files, Some(&state.home)).map_err(failed)?;
        if shown.digest.as_ref() != Some(&request.digest) {
            let message = "what the project brings is not what you were shown";
            return Err(
                ApiError::new(ErrorKind::Conflict, "changed_meanwhile", message)
                    .hint("look at it again"),
            );
        }
        project::grant(&files, &state.home, &shown, &state.clock).map_err(failed)?;
        project::show(&files, Some(&state.home)).map_err(failed)
    });
    ok(&granted.await?)
}
