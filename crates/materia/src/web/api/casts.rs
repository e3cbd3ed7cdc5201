//! Casts: listing, showing, starting and steering them.

use axum::body::Bytes;
use axum::extract::{Path, Query, State as Given};
use materia_engine::cast::Folder;
#[cfg(feature = "typescript")]
use materia_engine::cast::budget::BudgetReport;
use materia_engine::cast::budget::{self, Amount, Wanted as Raise};
use materia_engine::cast::fork_point;
#[cfg(feature = "typescript")]
use materia_engine::cast::list::CastListReport;
use materia_engine::cast::list::{self, Filter};
use materia_engine::cast::show::{self, CastShowReport, Wanted};
#[cfg(feature = "typescript")]
use materia_engine::cast::start::CastReport;
use materia_engine::cast::start::{self, Asked, Wish};
use materia_engine::cast::steer;
#[cfg(feature = "typescript")]
use materia_engine::cast::steer::ArtifactReport;
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
use materia_engine::api::{ApiError, ErrorKind};

/// How much of an artifact is shown.
const SHOWN: u64 = 1 << 20;

/// Which casts to list.
#[derive(Debug, Default, Deserialize)]
pub(super) struct CastsQuery {
    limit: Option<usize>,
    status: Option<String>,
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
pub(super) async fn list(Given(state): Given<State>, Query(asked): Query<CastsQuery>) -> Reply {
    let listed = beside(move || {
        let casts = start::casts(state.project(), &state.files()?);
        let filter = Filter {
            limit: asked.limit.or(Some(200)),
            status: asked.status.as_deref(),
        };
        Ok(list::list(&casts, &filter, &state.clock))
    });
    ok(&listed.await?)
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

/// The cast of this id; whatever else may be written there names none.
pub(in crate::web) fn folder(state: &State, id: &str) -> Result<Folder, ApiError> {
    let casts = start::casts(state.project(), &state.files()?);
    if id.contains(['/', '\\']) || id.is_empty() {
        let message = format!("{} is no id of a cast", materia_model::text::quoted(id));
        return Err(ApiError::new(
            ErrorKind::NotFound,
            "cast_not_found",
            message,
        ));
    }
    Folder::find(&casts, id).map_err(|error| (&error).into())
}

/// Everything about one cast but its events, which come live.
pub(super) async fn show(Given(state): Given<State>, Path(id): Path<String>) -> Reply {
    let shown = beside(move || {
        let folder = folder(&state, &id)?;
        let wanted = Wanted {
            events: false,
            artifacts: true,
        };
        let shown =
            show::show(&folder, wanted, &state.clock).map_err(|error| ApiError::from(&error))?;
        let definition = folder
            .read_definition()
            .map_err(|error| ApiError::from(&error))?;
        let definition: Value = serde_json::from_str(&definition).unwrap_or_default();
        Ok(CastDetailReport {
            cast: shown,
            definition,
        })
    });
    ok(&shown.await?)
}

/// The beginning of one file of a cast.
pub(super) async fn artifact(
    Given(state): Given<State>,
    Path(id): Path<String>,
    Query(asked): Query<ArtifactQuery>,
) -> Reply {
    let read = beside(move || {
        let folder = folder(&state, &id)?;
        steer::artifact(&folder, &asked.path, SHOWN).map_err(|_| {
            let message = format!(
                "the cast has no file {}",
                materia_model::text::quoted(&asked.path)
            );
            ApiError::new(ErrorKind::NotFound, "artifact_not_found", message)
        })
    });
    ok(&read.await?)
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

/// Raises what a cast may spend; the person at the page is the operator (S2).
pub(super) async fn budget(
    Given(state): Given<State>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Reply {
    let request: BudgetRequest = body(&bytes)?;
    let report = beside(move || {
        let wanted = Raise {
            tokens: request.max_tokens.map(Amount::To),
            cost: request.max_cost_usd,
            turns: request.max_turns,
            minutes: request.max_minutes,
        };
        let folder = folder(&state, &id)?;
        budget::budget(&folder, wanted, &state.clock).map_err(|error| ApiError::from(&error))
    });
    ok(&report.await?)
}
