//! Converts recipes of other tools to ours.
//!
//! Owns the two supported formats, goose recipes and justfiles, and a note for every line that
//! could not be converted. Never opens a file and never guesses: it omits what has no counterpart
//! and reports it with its position.

mod goose;
mod justfile;

use serde_json::Value;

use crate::finding::Finding;

pub use goose::goose;
pub use justfile::{ShellLines, justfile};

/// The maximum size of a file, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

/// The result of importing a file.
#[derive(Debug, Clone, Default)]
pub struct ImportResult {
    pub recipes: Vec<RecipeDraft>,
    /// Differences and omissions, in the order of the file.
    pub notes: Vec<Finding>,
    /// Other files that these recipes need, as named in the file.
    pub needs: Vec<String>,
}

/// One converted recipe.
#[derive(Debug, Clone, PartialEq)]
pub struct RecipeDraft {
    /// Its name, which becomes the name of its file.
    pub name: String,
    pub recipe: Value,
}

/// Turns a text into a recipe name: lower case, `-` for everything else.
pub fn name_of(text: &str) -> String {
    let mut name = String::new();
    for c in text.chars().take(64) {
        match c.to_ascii_lowercase() {
            c @ ('a'..='z' | '0'..='9' | '_') => name.push(c),
            _ if name.is_empty() || name.ends_with('-') => {}
            _ => name.push('-'),
        }
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() {
        "recipe".to_owned()
    } else {
        name.to_owned()
    }
}

/// Escapes a text for a template, so that its braces are not placeholders.
fn plain(text: &str) -> String {
    text.replace('{', "\\{").replace('}', "\\}")
}

/// Quotes a text as one word of a command; placeholders stay.
fn word(text: &str) -> String {
    format!(
        "\"{}\"",
        text.replace('\\', "\\\\")
            .replace("\\\\{", "\\{")
            .replace("\\\\}", "\\}")
            .replace('"', "\\\"")
    )
}

#[cfg(test)]
mod tests;
