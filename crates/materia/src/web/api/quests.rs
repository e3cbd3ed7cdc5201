//! The quest board: listing, adding, reordering and running quests.

use axum::body::Bytes;
use axum::extract::{Path, State as Given};
use materia_engine::cast::start;
use materia_engine::cast::steer;
use materia_engine::quest::Store;
use materia_engine::quest::runner::{self, To};
#[cfg(feature = "typescript")]
use materia_engine::quest::runner::{QuestListReport, QuestReport};
use materia_model::loadout::Config;
use serde::Deserialize;

use super::super::play::Player;
use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::{OkReport, body};
use materia_engine::api::{ApiError, ErrorKind};

/// A quest to add.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
struct QuestRequest {
    request: String,
    title: Option<String>,
    loadout: Option<String>,
}

/// What becomes of a quest that is there.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", tag = "do", deny_unknown_fields)]
enum QuestChangeRequest {
    /// Before all others.
    First {},
    /// Before another one.
    Before { target: String },
    /// Behind another one.
    After { target: String },
    /// It waits for another turn.
    Requeue {},
    /// It is taken off the board.
    Remove {},
}

/// Quests to be run.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct QuestRunRequest {
    /// This one first.
    quest: Option<String>,
    /// Only one.
    once: bool,
    agent_script: Option<String>,
}

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<QuestListReport>();
    types.add::<QuestReport>();
    types.add::<QuestRequest>();
    types.add::<QuestChangeRequest>();
    types.add::<QuestRunRequest>();
}

/// The project's board.
pub(in crate::web) fn board(state: &State) -> Result<Store, ApiError> {
    Ok(Store::of(
        state.project(),
        start::casts(state.project(), &state.files()?),
    ))
}

/// The whole board.
pub(super) async fn list(Given(state): Given<State>) -> Reply {
    let listed = beside(move || {
        runner::list(&board(&state)?, None, usize::MAX, &state.clock)
            .map_err(|error| (&error).into())
    });
    ok(&listed.await?)
}

/// Adds a quest.
pub(super) async fn add(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: QuestRequest = body(&bytes)?;
    let added = beside(move || {
        let files = state.files()?;
        let config = Config::load(files.layers());
        if let Some(given) = request
            .loadout
            .as_deref()
            .filter(|given| config.find(given).is_none())
        {
            let told = ApiError::from_findings(vec![config.unknown(given)]);
            return Err(ApiError {
                kind: ErrorKind::NotFound,
                ..told
            });
        }
        let (title, loadout) = (request.title.as_deref(), request.loadout.as_deref());
        runner::add(
            &board(&state)?,
            &request.request,
            title,
            loadout,
            &state.clock,
        )
        .map_err(|error| (&error).into())
    });
    ok(&added.await?)
}

/// Moves, requeues or removes a quest.
pub(super) async fn change(
    Given(state): Given<State>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Reply {
    let request: QuestChangeRequest = body(&bytes)?;
    let changed = beside(move || {
        let (store, clock) = (board(&state)?, &state.clock);
        let done = match &request {
            QuestChangeRequest::First {} => runner::reorder(&store, &id, To::First, clock),
            QuestChangeRequest::Before { target } => {
                runner::reorder(&store, &id, To::Before(target), clock)
            }
            QuestChangeRequest::After { target } => {
                runner::reorder(&store, &id, To::After(target), clock)
            }
            QuestChangeRequest::Requeue {} => runner::requeue(&store, &id, clock),
            QuestChangeRequest::Remove {} => runner::remove(&store, &id, clock),
        };
        done.map_err(|error| (&error).into())
    });
    ok(&changed.await?)
}

/// Lets a process of its own run the quests.
pub(super) async fn run(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: QuestRunRequest = body(&bytes)?;
    let started = beside(move || {
        if board(&state)?.runner().is_some() {
            return Err(ApiError::new(
                ErrorKind::Conflict,
                "runner_in_use",
                "the quests are being run already",
            ));
        }
        let mut words: Vec<String> = request.quest.into_iter().collect();
        if request.once {
            words.push("--once".to_owned());
        }
        words.extend(Player::new(&state, request.agent_script.as_deref(), None).words());
        steer::run_quests(state.project(), words)
            .map_err(|error| ApiError::from_error(ErrorKind::Failed, "no_runner", &error))?;
        Ok(OkReport { ok: true })
    });
    ok(&started.await?)
}

/// Lets the runner stop when the quest that is running is done.
pub(super) async fn stop(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let _nothing: serde_json::Map<String, serde_json::Value> = body(&bytes)?;
    let stopped = beside(move || {
        runner::stop(&board(&state)?, &state.clock).map_err(|error| (&error).into())
    });
    ok(&stopped.await?)
}
