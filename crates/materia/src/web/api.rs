//! The routes: each is one call of the facade.
//!
//! Owns the table of routes and the size limit of bodies. A body is one JSON document of a known
//! type: a request of the facade, or a small type defined beside its route. Responses are the
//! facade's own reports.

mod actors;
mod casts;
mod config;
mod needs;
mod quests;
mod tools;
mod trial;
mod trust;

pub(super) use actors::LINES;
pub(super) use casts::plain_id;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State as Given};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::live;
use super::reply::{ErrorReply, Reply, ok};
use super::state::State;
#[cfg(feature = "typescript")]
use super::types::Types;
#[cfg(feature = "typescript")]
use materia_engine::api::AboutReport;
use materia_engine::api::{ApiError, ErrorKind};

/// Maximum size of a request body; a config file has the same limit.
const LARGEST_BODY: usize = 4 << 20;

/// All routes below `/api`.
pub(super) fn routes() -> Router<State> {
    Router::new()
        .route("/about", get(about))
        .route("/config", get(config::show))
        .route("/config/check", post(config::check))
        .route("/config/save", post(config::save))
        .route("/config/active", post(config::choose_active))
        .route("/trial", post(trial::trial))
        .route("/trust", get(trust::show).post(trust::grant))
        .route("/needs", get(needs::show))
        .route("/casts", get(casts::list).post(casts::start))
        .route("/casts/{id}", get(casts::show))
        .route("/casts/{id}/artifact", get(casts::artifact))
        .route("/casts/{id}/fork", post(casts::fork))
        .route("/casts/{id}/budget", post(casts::budget))
        .route("/casts/{id}/{wish}", post(casts::go_on))
        .route("/actors", get(actors::list))
        .route("/actors/{id}", get(actors::show))
        .route("/message", post(actors::send))
        .route("/library", get(tools::library))
        .route("/tools", post(tools::register))
        .route("/tools/{name}", get(tools::show))
        .route("/tools/{name}/remove", post(tools::remove))
        .route("/quests", get(quests::list).post(quests::add))
        .route("/quests/run", post(quests::run))
        .route("/quests/stop", post(quests::stop))
        .route("/quests/{id}", post(quests::change))
        .route("/live", get(live::live))
        .fallback(nothing_here)
        .method_not_allowed_fallback(wrong_method)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
}

/// The types of all routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<AboutReport>();
    types.add::<OkReport>();
    actors::declare(types);
    casts::declare(types);
    config::declare(types);
    needs::declare(types);
    quests::declare(types);
    tools::declare(types);
    trial::declare(types);
    trust::declare(types);
}

/// What was asked for is done.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct OkReport {
    /// Always true.
    ok: bool,
}

async fn about(Given(state): Given<State>) -> Reply {
    ok(&state.engine.about()?)
}

async fn nothing_here(uri: Uri) -> ErrorReply {
    let message = format!("there is no {}", materia_model::text::quoted(uri.path()));
    ApiError::new(ErrorKind::NotFound, "no_route", message).into()
}

async fn wrong_method() -> Response {
    let mut response = ErrorReply::from(ApiError::new(
        ErrorKind::Invalid,
        "wrong_method",
        "this cannot be asked for in that way",
    ))
    .into_response();
    *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    response
}

/// Parses a request body.
fn body<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(bytes).map_err(|error| {
        ApiError::new(
            ErrorKind::Invalid,
            "bad_body",
            format!("the body is not what this route reads: {error}"),
        )
        .hint("reload the page")
    })
}
