//! Runs and messages: the person at the page is the operator and sees all of them (A9).

use axum::body::Bytes;
use axum::extract::{Path, State as Given};
use materia_engine::api::RunProcess;
#[cfg(feature = "typescript")]
use materia_engine::inspect::Inventory;
use materia_engine::inspect::mail::{self, MailboxReport, OutboxReport};
use materia_engine::inspect::room::{self, RoomRoster, RoomTimeline};
use materia_engine::inspect::{self, Filter, RunStatusReport};
#[cfg(feature = "typescript")]
use materia_engine::routing::MessageReport;
use materia_engine::routing::{self, Sender};
use materia_engine::run::Root;
use materia_model::message::Draft;
use materia_model::name::RunId;
use serde::Serialize;

use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::body;
use materia_engine::api::ApiError;

/// How many messages are shown.
const LINES: usize = 200;

/// Everything about one run but what it writes, which comes live.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(in crate::web) struct RunReport {
    status: RunStatusReport,
    /// What it said to its coordinator.
    messages: OutboxReport,
    /// What was said in its room.
    room: RoomTimeline,
    /// Who is in its room.
    roster: RoomRoster,
    /// What waits for it, and what it took.
    mailbox: MailboxReport,
    processes: Vec<RunProcess>,
}

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<Inventory>();
    types.add::<RunReport>();
    types.add::<Draft>();
    types.add::<MessageReport>();
}

/// All runs.
pub(super) async fn list(Given(state): Given<State>) -> Reply {
    let listed = beside(move || {
        let root = Root::new(state.home.runs());
        Ok(inspect::inventory(
            &root,
            None,
            None,
            Filter::default(),
            &state.clock,
        )?)
    });
    ok(&listed.await?)
}

/// One run: how it stands, what was said, what it consists of. What it writes comes live.
pub(super) async fn show(Given(state): Given<State>, Path(id): Path<String>) -> Reply {
    let shown = beside(move || run_view(&state, &id.parse()?));
    ok(&shown.await?)
}

/// The same, for live updates.
pub(in crate::web) fn run_view(state: &State, id: &RunId) -> Result<RunReport, ApiError> {
    let (place, run) = inspect::open(&Root::new(state.home.runs()), id, None, &state.clock)?;
    let mail = mail::read(&place)?;
    Ok(RunReport {
        status: inspect::status(&place, &run),
        messages: mail::messages(id, &mail, LINES),
        room: room::timeline(id, mail.room(), LINES),
        roster: room::roster(id, mail.room(), LINES),
        mailbox: mail::mailbox(id, None, &mail, LINES),
        processes: inspect::processes(&run),
    })
}

/// Sends a message; ending a run is one, too.
pub(super) async fn send(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let draft: Draft = body(&bytes)?;
    let sent = beside(move || {
        let root = Root::new(state.home.runs());
        let sender = Sender {
            root: &root,
            session: None,
            within: None,
            clock: &state.clock,
        };
        routing::message(&sender, draft).map_err(ApiError::from)
    });
    ok(&sent.await?)
}
