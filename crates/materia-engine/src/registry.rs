//! Which recipes are tools, and what a person should know about them.
//!
//! Owns discovery over the person's root and the binary (who wins, who is hidden, what is broken),
//! the rules for names, registration, drafts, the usage ledger and the watch on the root. A recipe
//! is a tool by where it lies (R2, R4). Never runs one, and never writes into an authored file
//! except when it is registered anew.

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
