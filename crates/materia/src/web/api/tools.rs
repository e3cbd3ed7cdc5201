//! Recipes and tools: the shelf with its doctor, and registering, changing and removing a tool.

use axum::body::Bytes;
use axum::extract::{Path, State as Given};
use materia_engine::registry::{self, Registration};
use materia_engine::verb::{recipe, tool};
use serde_json::{Map, Value, json};

use super::super::dto;
use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
use super::body;
use crate::failure::Failure;

/// Recipes and tools, and what is wrong with them.
pub(super) async fn library(Given(state): Given<State>) -> Reply {
    ok(&beside(move || Ok(shelf(&state))).await?)
}

/// The same, for whoever looks on.
pub(in crate::web) fn shelf(state: &State) -> Value {
    let library = state.library();
    json!({
        "recipes": recipe::list(&library),
        "tools": tool::list(&library),
        "doctor": recipe::doctor(&library, &state.home),
    })
}

/// One recipe or tool: what there is to know about it, and as it was written.
pub(super) async fn show(Given(state): Given<State>, Path(name): Path<String>) -> Reply {
    let shown = beside(move || {
        let library = state.library();
        let shown = recipe::show(&library, &state.home, &name, state.project())?;
        let written = library.find(&name, state.project()).ok();
        let written = written.and_then(|found| materia_model::recipe::parse(found.source()).ok());
        Ok(json!({ "shown": shown, "written": written.map(|written| written.to_value()) }))
    });
    ok(&shown.await?)
}

/// Makes a tool, or changes one.
pub(super) async fn register(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: dto::ToolRequest = body(&bytes)?;
    let registered = beside(move || {
        let registration = Registration {
            fields: fields(&request),
            name: request.name,
            update: request.update,
        };
        registry::register(&state.library(), &registration).map_err(Failure::from)
    });
    ok(&registered.await?)
}

/// Takes a tool away.
pub(super) async fn remove(
    Given(state): Given<State>,
    Path(name): Path<String>,
    bytes: Bytes,
) -> Reply {
    let _nothing: Map<String, Value> = body(&bytes)?;
    let removed = beside(move || registry::remove(&state.library(), &name).map_err(Failure::from));
    ok(&removed.await?)
}

/// A recipe as one reads it: what it is for first, the template last. What is empty is left out,
/// but a change can take away what was there.
fn fields(request: &dto::ToolRequest) -> Map<String, Value> {
    let mut fields = Map::new();
    let description = request.description.as_deref().unwrap_or_default().trim();
    if request.update || !description.is_empty() {
        fields.insert("description".to_owned(), description.into());
    }
    if request.update || !request.args.is_empty() {
        fields.insert("args".to_owned(), request.args.clone().into());
    }
    if request.update || request.detached {
        fields.insert("async".to_owned(), request.detached.into());
    }
    fields.insert("template".to_owned(), template(&request.template));
    fields
}

/// A template as it was typed: JSON where it looks so, else one command.
fn template(text: &str) -> Value {
    let json = text.trim_start().starts_with(['{', '[', '"']);
    json.then(|| serde_json::from_str(text).ok())
        .flatten()
        .unwrap_or_else(|| text.into())
}
