//! A utility that is a recipe, called like one that is a template (C20).
//!
//! Owns finding it through the shared resolver, and refusing one that is missing or disabled.
//! `template` does the rest.

use materia_model::finding::Finding;
use materia_model::template::Plan;
use materia_model::text;
use serde_json::{Map, Value};

use super::template;
use crate::library::Library;

/// Expands a recipe with these parameters into a plan with a time limit.
pub fn plan(
    library: &Library,
    name: &str,
    params: &Map<String, Value>,
    place: template::TemplateContext<'_>,
    timeout_ms: Option<u64>,
) -> Result<Plan, Vec<Finding>> {
    let located = library
        .find(name, place.cwd)
        .map_err(|error| vec![Finding::error(error.code, error.message).hint(error.hint)])?;
    let linked = library.link(&located)?;
    if linked.recipe.disabled {
        let message = format!("the recipe {} is disabled", text::quoted(name));
        return Err(vec![
            Finding::error("recipe-disabled", message).hint("enable it, or name another"),
        ]);
    }
    template::plan(&linked.template, params, place, timeout_ms)
}
