//! Templates and recipes: what a name, a path or a text means, with its values, and what it runs.
//!
//! Owns the order of it: read, find, link, refuse what is disabled, type the arguments, expand; the
//! one way in for `run`, `spawn`, tools, MCP and the browser. Starts nothing but tools.

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

/// Why there is no recipe to run.
#[derive(Debug, thiserror::Error)]
pub enum NotResolved {
    /// Nothing of that name is there, or it cannot be read.
    #[error("{}", .0.message)]
    NotFound(RecipeLoadError),
    /// Something is wrong with it, with an import or with the arguments.
    #[error("{}", .0.first().map_or("the recipe is invalid", |finding| &finding.message))]
    Invalid(Vec<Finding>),
    /// It is not to be used.
    #[error("the recipe {} is disabled", text::quoted(name))]
    Disabled {
        /// Its name.
        name: String,
        /// Its file.
        file: Option<PathBuf>,
    },
}
