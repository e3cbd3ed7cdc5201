//! Casts: listing, showing, starting and steering them.

use axum::body::Bytes;
use axum::extract::{Path, Query, State as Given};
use materia_engine::api::{
    self, AgentChoice, ApiError, ArtifactRequest, BudgetChange, CastBudgetRequest, CastListRequest,
    CastOptions, CastParts, CastRequest, CastShowReport, CastShowRequest, ErrorKind,
    ObservedStatus, ResumeAction, ResumeRequest, TokenLimit,
};
#[cfg(feature = "typescript")]
use materia_engine::api::{ArtifactReport, BudgetReport, CastListReport, CastReport};
use serde::{Deserialize, Serialize};
use serde_json::Value;

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
    let request = CastRequest {
        request: request.request,
        loadout: request.loadout,
        options: detached(request.agent_script, request.agent),
    };
    ok(&beside(move || state.engine.cast(&request, &mut ())).await?)
}

/// How casts are driven from here: by runs, with the agents that the page names.
fn detached(script: Option<String>, agent: Option<String>) -> CastOptions {
    CastOptions {
        agents: agents(script, agent),
        detach: true,
        ..CastOptions::default()
    }
}

/// The agents that the page names; an empty field names none.
pub(super) fn agents(script: Option<String>, agent: Option<String>) -> AgentChoice {
    let named = |field: Option<String>| {
        let field = field?.trim().to_owned();
        (!field.is_empty()).then_some(field)
    };
    AgentChoice {
        agent: named(agent),
        script: named(script).map(Into::into),
    }
}

/// Refuses what is a path rather than an id.
pub(in crate::web) fn plain_id(id: &str) -> Result<&str, ApiError> {
    if id.contains(['/', '\\']) || id.is_empty() {
        let message = format!("{} is no id of a cast", materia_model::text::quoted(id));
        return Err(ApiError::new(
            ErrorKind::NotFound,
            "cast_not_found",
            message,
        ));
    }
    Ok(id)
}

/// Everything about one cast but its events, which come live.
pub(super) async fn show(Given(state): Given<State>, Path(id): Path<String>) -> Reply {
    let request = CastShowRequest {
        cast: Some(plain_id(&id)?.to_owned()),
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
        cast: Some(plain_id(&id)?.to_owned()),
        path: query.path,
    };
    ok(&beside(move || state.engine.artifact(&request)).await?)
}

/// Continues, resumes, recasts, revives or aborts a cast.
pub(super) async fn go_on(
    Given(state): Given<State>,
    Path((id, action)): Path<(String, String)>,
    bytes: Bytes,
) -> Reply {
    let request: CastActionRequest = body(&bytes)?;
    let text = request.text.map(|text| text.trim().to_owned());
    let action = match action.as_str() {
        "continue" => ResumeAction::Continue(text.filter(|text| !text.is_empty())),
        "resume" => ResumeAction::Resume,
        "recast" => ResumeAction::Recast,
        "revive" => ResumeAction::Revive,
        "abort" => ResumeAction::Abort,
        other => {
            let message = format!(
                "a cast cannot be asked to {}",
                materia_model::text::quoted(other)
            );
            return Err(ApiError::new(ErrorKind::NotFound, "no_route", message).into());
        }
    };
    let request = ResumeRequest {
        cast: Some(plain_id(&id)?.to_owned()),
        action,
        options: detached(request.agent_script, request.agent),
    };
    beside(move || state.engine.resume(&request, &mut ())).await?;
    ok(&OkReport { ok: true })
}

/// Makes another cast of this one up to a step, and lets it go on from there.
pub(super) async fn fork(
    Given(state): Given<State>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Reply {
    let request: ForkRequest = body(&bytes)?;
    let request = api::ForkRequest {
        cast: plain_id(&id)?.to_owned(),
        at: request.at,
        hold: false,
        options: detached(request.agent_script, request.agent),
    };
    let forked = match beside(move || state.engine.fork(&request, &mut ())).await? {
        api::ForkReport::Held(status) => status.cast_id,
        api::ForkReport::Driven(cast) => cast.cast_id,
    };
    ok(&ForkReport { cast_id: forked })
}

/// Changes what a cast may spend; the user of the page is the operator (S2).
pub(super) async fn budget(
    Given(state): Given<State>,
    Path(id): Path<String>,
    bytes: Bytes,
) -> Reply {
    let limits: BudgetRequest = body(&bytes)?;
    let request = CastBudgetRequest {
        cast: Some(plain_id(&id)?.to_owned()),
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
