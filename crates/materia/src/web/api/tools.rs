//! Recipes and tools: the shelf with its doctor, and registering, changing and removing a tool.

use axum::body::Bytes;
use axum::extract::{Path, State as Given};
use materia_engine::recipe::tool::{self, ToolListReport};
use materia_engine::recipe::{self, RecipeDoctorReport, RecipeListReport, RecipeReport};
#[cfg(feature = "typescript")]
use materia_engine::registry::Registered;
use materia_engine::registry::{self, Registration};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::body;
use materia_engine::api::ApiError;

/// Recipes and tools, and what is wrong with them.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(in crate::web) struct LibraryReport {
    recipes: RecipeListReport,
    tools: ToolListReport,
    doctor: RecipeDoctorReport,
}

/// One recipe or tool.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct ToolReport {
    /// What there is to know about it.
    shown: RecipeReport,
    /// As it was written; nothing where it cannot be read.
    written: Option<Value>,
}

/// A tool as it should be.
#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
struct ToolRequest {
    name: String,
    /// A command line, or JSON when it begins with `{`, `[` or `"`.
    template: String,
    description: Option<String>,
    /// `name`, `name:type` or `name:type=default`.
    args: Vec<String>,
    /// Whether it runs detached.
    detached: bool,
    /// Whether a tool of this name is changed.
    update: bool,
}

/// The types of these routes, for the client.
#[cfg(feature = "typescript")]
pub(super) fn declare(types: &mut Types) {
    types.add::<LibraryReport>();
    types.add::<ToolReport>();
    types.add::<ToolRequest>();
    types.add::<Registered>();
}

/// Recipes and tools, and what is wrong with them.
pub(super) async fn library(Given(state): Given<State>) -> Reply {
    ok(&beside(move || Ok(shelf(&state))).await?)
}

/// The same, for live updates.
pub(in crate::web) fn shelf(state: &State) -> LibraryReport {
    let library = state.library();
    LibraryReport {
        recipes: recipe::list(&library),
        tools: tool::list(&library),
        doctor: recipe::doctor(&library, &state.home),
    }
}

/// One recipe or tool: what there is to know about it, and as it was written.
pub(super) async fn show(Given(state): Given<State>, Path(name): Path<String>) -> Reply {
    let shown = beside(move || {
        let library = state.library();
        let shown = recipe::show(&library, &state.home, &name, state.project())?;
        let written = library.find(&name, state.project()).ok();
        let written = written.and_then(|found| materia_model::recipe::parse(found.source()).ok());
        let written = written.map(|written| written.to_value());
        Ok(ToolReport { shown, written })
    });
    ok(&shown.await?)
}

/// Makes a tool, or changes one.
pub(super) async fn register(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: ToolRequest = body(&bytes)?;
    let registered = beside(move || {
        let registration = Registration {
            fields: fields(&request),
            name: request.name,
            update: request.update,
        };
        registry::register(&state.library(), &registration).map_err(ApiError::from)
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
    let removed = beside(move || registry::remove(&state.library(), &name).map_err(ApiError::from));
    ok(&removed.await?)
}

/// A recipe as one reads it: what it is for first, the template last. What is empty is left out,
/// but a change can take away what was there.
fn fields(request: &ToolRequest) -> Map<String, Value> {
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
