//! Recipes of other tools, read and turned into ours.
//!
//! Owns the two formats that are read, goose recipes and justfiles, and saying of every line what
//! could not be carried over. Never opens a file and never guesses: what has no counterpart is left
//! out and named, with its place.

mod goose;
mod justfile;

use serde_json::Value;

use crate::finding::Finding;

pub use goose::goose;
pub use justfile::{ShellLines, justfile};

/// The largest file that is read.
pub const MAX_BYTES: usize = 1 << 20;

/// What came of a file.
#[derive(Debug, Clone, Default)]
pub struct ImportResult {
    pub recipes: Vec<RecipeDraft>,
    /// What is different now, and what was left out, in the order of the file.
    pub notes: Vec<Finding>,
    /// Other files that these recipes need, as the file names them.
    pub needs: Vec<String>,
}

/// One recipe that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct RecipeDraft {
    /// Its name, which becomes the name of its file.
    pub name: String,
    pub recipe: Value,
}

/// A text as a name of a recipe: lower case, `-` for everything else.
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

/// Plain text inside a template: braces are no placeholders.
fn plain(text: &str) -> String {
    text.replace('{', "\\{").replace('}', "\\}")
}

/// A text as one word of a command, placeholders left alone.
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
