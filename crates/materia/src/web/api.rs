//! The routes: each is one verb of the facade.
//!
//! Owns the table of routes and the limits of bodies. Bodies are one JSON document of a known
//! shape.

mod actors;
mod casts;
mod config;
mod needs;
mod quests;
mod tools;
mod trial;
mod trust;

pub(super) use actors::run_view;
pub(super) use casts::folder;
pub(super) use needs::needs;
pub(super) use quests::board;
pub(super) use tools::shelf;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State as Given};
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::de::DeserializeOwned;

use super::dto::About;
use super::live;
use super::reply::{Reply, ok};
use super::state::State;
use crate::failure::{Failure, Kind};

/// How large a body may be: a config file is at most so large.
const LARGEST_BODY: usize = 4 << 20;

/// Everything below `/api`.
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

async fn about(Given(state): Given<State>) -> Reply {
    let project = state.project();
    let name = project.file_name().unwrap_or(project.as_os_str());
    ok(&About {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        project: project.to_string_lossy().into_owned(),
        project_name: name.to_string_lossy().into_owned(),
    })
}

async fn nothing_here(uri: Uri) -> Failure {
    let message = format!("there is no {}", materia_model::text::quoted(uri.path()));
    Failure::new(Kind::NotFound, "no_route", message)
}

async fn wrong_method() -> Response {
    let mut response = Failure::new(
        Kind::Invalid,
        "wrong_method",
        "this cannot be asked for in that way",
    )
    .into_response();
    *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    response
}

/// A body of a known shape.
fn body<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(bytes).map_err(|error| {
        Failure::new(
            Kind::Invalid,
            "bad_body",
            format!("the body is not what this route reads: {error}"),
        )
        .hint("reload the page")
    })
}
