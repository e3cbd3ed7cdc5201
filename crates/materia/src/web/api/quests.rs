//! The quest board: listing, adding, reordering and running quests.

use axum::body::Bytes;
use axum::extract::{Path, State as Given};
use materia_engine::api::{self, QuestAction, QuestListRequest, QuestPosition, QuestRunOptions};
#[cfg(feature = "typescript")]
use materia_engine::api::{QuestListReport, QuestReport};
use serde::Deserialize;

use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::casts::agents;
use super::{OkReport, body};

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

/// The whole board.
pub(super) async fn list(Given(state): Given<State>) -> Reply {
    ok(&beside(move || state.engine.quest_list(&QuestListRequest::default())).await?)
}

/// Adds a quest.
pub(super) async fn add(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: QuestRequest = body(&bytes)?;
    let action = QuestAction::Add {
        request: request.request,
        title: request.title,
        loadout: request.loadout,
    };
    act(state, action).await
}

/// Moves, requeues or removes a quest.
pub(super) async fn change(
    Given(state): Given<State>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Reply {
    let action = match body(&bytes)? {
        QuestChangeRequest::First {} => QuestAction::Move(id, QuestPosition::First),
        QuestChangeRequest::Before { target } => {
            QuestAction::Move(id, QuestPosition::Before(target))
        }
        QuestChangeRequest::After { target } => QuestAction::Move(id, QuestPosition::After(target)),
        QuestChangeRequest::Requeue {} => QuestAction::Requeue(id),
        QuestChangeRequest::Remove {} => QuestAction::Remove(id),
    };
    act(state, action).await
}

async fn act(state: State, action: QuestAction) -> Reply {
    let request = api::QuestRequest {
        action,
        config: None,
    };
    ok(&beside(move || state.engine.quest(&request)).await?)
}

/// Lets a run of its own run the quests.
pub(super) async fn run(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: QuestRunRequest = body(&bytes)?;
    let options = QuestRunOptions {
        quest: request.quest,
        once: request.once,
        ..QuestRunOptions::default()
    };
    let request = api::QuestRunRequest {
        options,
        config: None,
        agents: agents(request.agent_script, None),
    };
    beside(move || state.engine.quest_spawn(&request, &mut ())).await?;
    ok(&OkReport { ok: true })
}

/// Lets the runner stop when the quest that is running is done.
pub(super) async fn stop(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let _nothing: serde_json::Map<String, serde_json::Value> = body(&bytes)?;
    ok(&beside(move || state.engine.quest_stop(None)).await?)
}
