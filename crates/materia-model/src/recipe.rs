//! Recipes: saved command templates with imports, typed arguments and metadata for hosts (R1 to
//! R3).
//!
//! Owns both formats (JSON, and Markdown with frontmatter and a fenced template), the fields of a
//! recipe, and linking: a recipe and everything it imports become one
//! [`Template`](crate::template::Template), which `template` expands to a plan. Never opens a file:
//! the caller passes a function that loads a name.

pub(crate) mod yaml;
mod markdown;
mod document;
mod metadata;
mod import;
mod link;
mod schema;

pub use document::{MAX_BYTES, parse};
pub use link::{
    LoadedRecipe, MAX_IMPORT_DEPTH, RecipeDocument, RecipeLoadError, RecipeWithImports, link,
};
pub use metadata::{
    RecipeArtifact, RecipeMailbox, RecipeMessageType, RecipeMetadata, RecipeRetirement,
};
pub use schema::schema;

#[cfg(test)]
mod tests;
