//! Templates and recipes: resolves a name, a path or a text with its values to what it runs.
//!
//! Owns the order of the steps: read, find, link, refuse disabled recipes, type the arguments,
//! expand. It is the single entry point for `run`, `spawn`, tools, MCP and the browser. Starts
//! nothing but tools.

pub mod prepare;
pub mod source;
pub mod registration;
pub mod tool;
mod context;
mod explain;
mod overview;
mod shelf;

use std::path::PathBuf;

use materia_model::finding::Finding;
use materia_model::recipe::RecipeLoadError;
use materia_model::text;

pub use explain::{ExplainReport, explain};
pub use overview::{LibraryReport, ToolReport, overview, tool as show_tool};
pub use prepare::{LinkedRecipe, LinkedTemplate, PreparedTemplate, RunDeclarations};
pub(crate) use shelf::listing;
pub use shelf::{
    Imported, Imports, IntegrityEntry, RecipeBrief, RecipeDoctorReport, RecipeListReport,
    RecipeReport, doctor, imports, list, schema, show,
};
pub use source::{InputSource, SourceContext, TemplateRequest, TemplateSource, TemplateValues};

/// Why a recipe could not be resolved.
#[derive(Debug, thiserror::Error)]
pub enum NotResolved {
    /// There is no recipe of that name, or it cannot be read.
    #[error("{}", .0.message)]
    NotFound(RecipeLoadError),
    /// The recipe, an import or the arguments are invalid.
    #[error("{}", .0.first().map_or("the recipe is invalid", |finding| &finding.message))]
    Invalid(Vec<Finding>),
    /// It is disabled.
    #[error("the recipe {} is disabled", text::quoted(name))]
    Disabled {
        /// Its name.
        name: String,
        /// Its file.
        file: Option<PathBuf>,
    },
}
