//! Discovery of tools among recipes, and the problems the user should know about.
//!
//! Owns discovery over the user's root and the binary (precedence, shadowing, broken recipes), the
//! rules for names, registration, drafts, the usage ledger and the watch on the root. A recipe is a
//! tool because of its location (R2, R4). Never runs one, and never writes into an authored file
//! except to register it again.

mod name;
mod survey;
mod entry;
mod remedy;
mod tool;
mod register;
mod draft;
mod usage;
mod watch;

pub use draft::{CapturedRecipe, Inline, capture, drafts};
pub use entry::{RecipeState, RegistryEntry, sha256};
pub use name::{RESERVED, check, normalise};
pub use register::{NotRegistered, Registration, ToolChangeReport, promote, register, remove};
pub use remedy::{Remedy, RemedyKind, remedies};
pub use survey::{Survey, entry, survey};
pub use tool::{ToolDefinition, call_shape, tools};
pub use usage::{LaunchKind, Usage, record, usage};
pub use watch::{ToolChanges, ToolWatcher};

#[cfg(test)]
mod tests;
