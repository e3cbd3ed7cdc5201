//! Casts: listing, showing, starting and steering them.

use axum::body::Bytes;
use axum::extract::{Path, Query, State as Given};
use materia_engine::api::{
    ApiError, ArtifactRequest, BudgetChange, CastBudgetRequest, CastListRequest, CastParts,
    CastShowReport, CastShowRequest, ErrorKind, ObservedStatus, TokenLimit,
};
#[cfg(feature = "typescript")]
use materia_engine::api::{ArtifactReport, BudgetReport, CastListReport};
use materia_engine::cast::Folder;
use materia_engine::cast::fork_point;
#[cfg(feature = "typescript")]
use materia_engine::cast::start::CastReport;
use materia_engine::cast::start::{self, Asked, Wish};
use materia_engine::cast::steer;
use materia_engine::config::Files;
use materia_model::run::Cast;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::play::Player;
use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::{OkReport, body};

/// How many casts are listed without a limit.
const DEFAULT_LIMIT: usize = 200;

/// Which casts to list.
#[derive(Debug, Default, Deserialize)]
pub(super) struct CastsQuery {
    limit: Option<usize>,
    status: Option<ObservedStatus>,
}

/// Which file of a cast.
#[derive(Debug, Deserialize)]
pub(super) struct ArtifactQuery {
    path: String,
}

/// A cast to be started.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StartRequest {
    request: String,
    loadout: Option<String>,
    /// A file with the replies of a scripted agent.
    agent_script: Option<String>,
    /// The agent that plays roles which name none.
    agent: Option<String>,
}

/// How a cast goes on.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CastActionRequest {
    /// What the person says to a paused socket; nothing lets it finish.
    text: Option<String>,
    agent_script: Option<String>,
    /// The agent that plays roles which name none.
    agent: Option<String>,
}

/// Where a cast is forked.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields = nullable))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ForkRequest {
    /// The number of a step.
    at: String,
    agent_script: Option<String>,
    agent: Option<String>,
}

/// New limits of a cast.
#[derive(Debug, Default, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BudgetRequest {
    max_tokens: Option<u64>,
    max_cost_usd: Option<f64>,
    max_turns: Option<u64>,
    max_minutes: Option<f64>,
}

/// Everything about one cast but its events, which come live.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct CastDetailReport {
    cast: CastShowReport,
    /// The document that the cast runs by.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
    definition: Value,
}

/// The cast that was made.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
struct ForkReport {
    cast_id: String,
}

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<CastListReport>();
    types.add::<StartRequest>();
    types.add::<CastReport>();
    types.add::<CastDetailReport>();
    types.add::<ArtifactReport>();
    types.add::<CastActionRequest>();
    types.add::<ForkRequest>();
    types.add::<ForkReport>();
    types.add::<BudgetRequest>();
    types.add::<BudgetReport>();
}

/// The casts of the project, the newest first.
pub(super) async fn list(Given(state): Given<State>, Query(query): Query<CastsQuery>) -> Reply {
    let request = CastListRequest {
        limit: query.limit.or(Some(DEFAULT_LIMIT)),
        status: query.status,
        config: None,
    };
    ok(&beside(move || state.engine.casts(&request)).await?)
}

/// Starts a cast, which another process drives.
pub(super) async fn start(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: StartRequest = body(&bytes)?;
    let started = beside(move || {
        let files = state.files()?;
        let asked = Asked {
            loadout: request.loadout.as_deref(),
            files: &files,
            home: Some(&state.home),
            trusting: state.trusting,
            agent: request.agent.as_deref(),
        };
        let definition = start::choose(&asked).map_err(|error| ApiError::from(&error))?;
        let player = Player::new(
            &state,
            request.agent_script.as_deref(),
            request.agent.as_deref(),
        );
        let settings = definition.settings().clone();
        let report = player.play(&state, &settings, |hands| {
            start::begin(definition, &request.request, hands)
        })?;
        let driven = Cast {
            id: report.cast_id.clone(),
            dir: report.run_dir.clone(),
            loadout: report.loadout.clone(),
        };
        player.drive_on(&state, driven)?;
        Ok(report)
    });
    ok(&started.await?)
}

/// The id of a cast. A path names no cast here: a page sees only those of its project.
pub(in crate::web) fn cast_id(id: &str) -> Result<Option<String>, ApiError> {
    if id.contains(['/', '\\']) || id.is_empty() {
        let message = format!("{} is no id of a cast", materia_model::text::quoted(id));
        return Err(ApiError::new(
            ErrorKind::NotFound,
            "cast_not_found",
            message,
        ));
    }
    Ok(Some(id.to_owned()))
}

fn folder(state: &State, id: &str) -> Result<Folder, ApiError> {
    cast_id(id)?;
    let casts = start::casts(state.project(), &state.files()?);
    Ok(Folder::find(&casts, id)?)
}

/// Everything about one cast but its events, which come live.
pub(super) async fn show(Given(state): Given<State>, Path(id): Path<String>) -> Reply {
    let request = CastShowRequest {
        cast: cast_id(&id)?,
        parts: CastParts {
            artifacts: true,
            definition: true,
            ..CastParts::default()
        },
        config: None,
    };
    let mut cast = beside(move || state.engine.cast_show(&request)).await?;
    let definition = cast.definition.take().unwrap_or_default();
    ok(&CastDetailReport { cast, definition })
}

/// The beginning of one file of a cast.
pub(super) async fn artifact(
    Given(state): Given<State>,
    Path(id): Path<String>,
    Query(query): Query<ArtifactQuery>,
) -> Reply {
    let request = ArtifactRequest {
        cast: cast_id(&id)?,
        path: query.path,
    };
    ok(&beside(move || state.engine.artifact(&request)).await?)
}

/// Continues, resumes, recasts, revives or aborts a cast.
pub(super) async fn go_on(
    Given(state): Given<State>,
    Path((id, wish)): Path<(String, String)>,
    bytes: Bytes,
) -> Reply {
    let request: CastActionRequest = body(&bytes)?;
    let done = beside(move || {
        let folder = folder(&state, &id)?;
        let said = request
            .text
            .as_deref()
            .map(str::trim)
            .filter(|said| !said.is_empty());
        let wish = match wish.as_str() {
            "continue" => Wish::Continue(said),
            "resume" => Wish::Resume,
            "recast" => Wish::Recast,
            "revive" => Wish::Revive,
            "abort" => Wish::Abort,
            other => {
                let message = format!(
                    "a cast cannot be asked to {}",
                    materia_model::text::quoted(other)
                );
                return Err(ApiError::new(ErrorKind::NotFound, "no_route", message));
            }
        };
        let files = state.files()?;
        let asked = going_on(&state, &files);
        let player = Player::new(
            &state,
            request.agent_script.as_deref(),
            request.agent.as_deref(),
        );
        let settings = start::settings(&folder).unwrap_or_default();
        if let Wish::Abort = wish {
            player.play(&state, &settings, |hands| start::go_on(folder, wish, hands))?;
        } else {
            start::may_go_on(&folder, &asked).map_err(|error| ApiError::from(&error))?;
            let driven =
                player.play(&state, &settings, |hands| steer::wish(folder, wish, hands))?;
            player.drive_on(&state, driven)?;
        }
        Ok(OkReport { ok: true })
    });
    ok(&done.await?)
}

/// What is asked of a cast that has its loadout and its agent already.
fn going_on<'a>(state: &'a State, files: &'a Files) -> Asked<'a> {
    Asked {
        loadout: None,
        files,
        home: Some(&state.home),
        trusting: state.trusting,
        agent: None,
    }
}

/// Makes another cast of this one up to a step, and lets it go on from there.
pub(super) async fn fork(
    Given(state): Given<State>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Reply {
    let request: ForkRequest = body(&bytes)?;
    let made = beside(move || {
        let failed = |error: materia_engine::cast::Error| ApiError::from(&error);
        let files = state.files()?;
        let asked = going_on(&state, &files);
        let old = folder(&state, &id)?;
        start::may_go_on(&old, &asked).map_err(failed)?;
        let casts = start::casts(state.project(), &files);
        let made = fork_point::fork(&old, &casts, &request.at, &state.clock).map_err(failed)?;
        let player = Player::new(
            &state,
            request.agent_script.as_deref(),
            request.agent.as_deref(),
        );
        let settings = start::settings(&made).unwrap_or_default();
        let driven = player.play(&state, &settings, |hands| {
            steer::wish(made, Wish::Resume, hands)
        })?;
        let cast_id = driven.id.clone();
        player.drive_on(&state, driven)?;
        Ok(ForkReport { cast_id })
    });
    ok(&made.await?)
}

/// Changes what a cast may spend; the user of the page is the operator (S2).
pub(super) async fn budget(
    Given(state): Given<State>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Reply {
    let limits: BudgetRequest = body(&bytes)?;
    let request = CastBudgetRequest {
        cast: cast_id(&id)?,
        change: BudgetChange {
            tokens: limits.max_tokens.map(TokenLimit::Set),
            cost: limits.max_cost_usd,
            turns: limits.max_turns,
            minutes: limits.max_minutes,
        },
        config: None,
    };
    ok(&beside(move || state.engine.budget(&request)).await?)
}
