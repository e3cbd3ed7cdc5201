//! Recipes and tools: the shelf with its doctor, and registering, changing and removing a tool.

use axum::body::Bytes;
use axum::extract::{Path, State as Given};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::reply::{Reply, beside, ok};
use super::super::state::State;
#[cfg(feature = "typescript")]
use super::super::types::Types;
use super::body;
use materia_engine::api::RegisterToolRequest;
#[cfg(feature = "typescript")]
use materia_engine::api::{LibraryReport, ToolChangeReport, ToolReport};

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
    types.add::<ToolChangeReport>();
}

/// Recipes and tools, and what is wrong with them.
pub(super) async fn library(Given(state): Given<State>) -> Reply {
    ok(&beside(move || state.engine.recipe_overview()).await?)
}

/// One recipe or tool: what there is to know about it, and as it was written.
pub(super) async fn show(Given(state): Given<State>, Path(name): Path<String>) -> Reply {
    ok(&beside(move || state.engine.recipe_edit(&name)).await?)
}

/// Makes a tool, or changes one.
pub(super) async fn register(Given(state): Given<State>, bytes: Bytes) -> Reply {
    let request: ToolRequest = body(&bytes)?;
    ok(&beside(move || state.engine.tool_register(request.into())).await?)
}

/// Takes a tool away.
pub(super) async fn remove(
    Given(state): Given<State>,
    Path(name): Path<String>,
    bytes: Bytes,
) -> Reply {
    let _nothing: Map<String, Value> = body(&bytes)?;
    ok(&beside(move || state.engine.tool_remove(&name)).await?)
}

/// What is empty is left out, but a change can take away what was there.
impl From<ToolRequest> for RegisterToolRequest {
    fn from(request: ToolRequest) -> Self {
        let update = request.update;
        let description = request.description.as_deref().unwrap_or_default().trim();
        Self {
            description: (update || !description.is_empty()).then(|| description.to_owned()),
            args: (update || !request.args.is_empty()).then_some(request.args),
            detached: (update || request.detached).then_some(request.detached),
            name: request.name,
            update,
            template: Some(request.template),
            ..Self::default()
        }
    }
}
