//! Runs and messages: the person at the page is the operator and sees all of them (A9).

use axum::body::Bytes;
use axum::extract::{Path, State as Given};
use materia_engine::api::{InspectRequest, MessageDraft, MessageRequest};
#[cfg(feature = "typescript")]
use materia_engine::api::{Inventory, MessageReport, RunOverviewReport};

use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::body;

/// How many messages are shown.
pub(in crate::web) const LINES: usize = 200;

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<Inventory>();
    types.add::<RunOverviewReport>();
    types.add::<MessageDraft>();
    types.add::<MessageReport>();
}

/// All runs.
pub(super) async fn list(Given(state): Given<State>) -> Reply {
    let request = InspectRequest {
        target: "session:all".to_owned(),
        ..InspectRequest::default()
    };
    ok(&beside(move || state.engine.inspect(&request)).await?)
}

/// One run: how it stands, what was said, what it consists of. What it writes comes live.
pub(super) async fn show(Given(state): Given<State>, Path(id): Path<String>) -> Reply {
    ok(&beside(move || state.engine.run_overview(&id, LINES)).await?)
}

/// Sends a message; ending a run is one, too.
pub(super) async fn send(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let draft: MessageDraft = body(&bytes)?;
    let request = MessageRequest {
        draft,
        ..MessageRequest::default()
    };
    ok(&beside(move || state.engine.message(request, None)).await?)
}
