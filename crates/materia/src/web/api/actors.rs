//! Runs and messages: the person at the page is the operator and sees all of them (A9).

use axum::body::Bytes;
use axum::extract::{Path, State as Given};
use materia_engine::run::Root;
use materia_engine::verb::inspect::{self, Filter, mail, room};
use materia_engine::verb::message::{self, Sender};
use materia_model::message::Draft;
use materia_model::name::RunId;
use serde::Serialize;
use serde_json::Value;

use super::super::dto;
use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
use super::body;
use crate::failure::Failure;

/// How many messages are shown.
const LINES: usize = 200;

fn spelled<T: Serialize>(report: &T) -> Value {
    serde_json::to_value(report).unwrap_or_default()
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

/// The same, for whoever looks on.
pub(in crate::web) fn run_view(state: &State, id: &RunId) -> Result<dto::RunView, Failure> {
    let (place, run) = inspect::open(&Root::new(state.home.runs()), id, None, &state.clock)?;
    let mail = mail::read(&place)?;
    Ok(dto::RunView {
        status: spelled(&inspect::status(&place, &run)),
        messages: spelled(&mail::messages(id, &mail, LINES)),
        room: spelled(&room::timeline(id, mail.room(), LINES)),
        roster: spelled(&room::roster(id, mail.room(), LINES)),
        mailbox: spelled(&mail::mailbox(id, None, &mail, LINES)),
        processes: spelled(&inspect::processes(&run)),
    })
}

/// Sends a message; ending a run is one, too.
pub(super) async fn send(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: dto::MessageRequest = body(&bytes)?;
    let sent = beside(move || {
        let root = Root::new(state.home.runs());
        let sender = Sender {
            root: &root,
            session: None,
            within: None,
            clock: &state.clock,
        };
        let draft = Draft {
            to: request.to,
            kind: request.kind,
            body: request.body,
            from: request.from,
            summary: None,
            reply_to: request.reply_to,
            correlation_id: None,
            metadata: None,
        };
        message::message(&sender, draft).map_err(Failure::from)
    });
    ok(&sent.await?)
}
