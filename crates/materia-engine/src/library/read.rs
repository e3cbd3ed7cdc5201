//! Reading a recipe's file: bounded, and only what is a file.
//!
//! Owns the limits and the words for what is in the way. Never follows what it reads.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use materia_model::recipe::MAX_BYTES;

use crate::store::shown;

/// A recipe that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecipeReadError {
    /// There is no such file.
    #[error("there is no {}", shown(.0))]
    Missing(PathBuf),
    /// It is a directory or something else.
    #[error("{} is no file", shown(.0))]
    NoFile(PathBuf),
    /// It is too large.
    #[error("{} has more than {MAX_BYTES} bytes", shown(.0))]
    TooLarge(PathBuf),
    /// It is no text.
    #[error("{} is not UTF-8 text", shown(.0))]
    NotText(PathBuf),
    /// The system refuses.
    #[error("{} cannot be read: {source}", shown(file))]
    Io {
        /// Which file.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl RecipeReadError {
    /// A stable kebab-case name.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing(_) => "recipe-not-found",
            Self::TooLarge(_) => "too-large",
            Self::NotText(_) => "not-text",
            Self::NoFile(_) | Self::Io { .. } => "unreadable",
        }
    }

    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Missing(_) => "name a recipe that exists; `materia recipe list` shows them",
            Self::NoFile(_) => "name a .json or .md file",
            Self::TooLarge(_) => "split it into recipes that import each other",
            Self::NotText(_) => "write it as UTF-8",
            Self::Io { .. } => "make it readable",
        }
    }
}

/// The text of a recipe.
pub(super) fn text(file: &Path) -> Result<String, RecipeReadError> {
    let failed = |source: io::Error| match source.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            RecipeReadError::Missing(file.to_owned())
        }
        _ => RecipeReadError::Io {
            file: file.to_owned(),
            source,
        },
    };
    // Opening a pipe would wait for somebody to write to it.
    let about = file.metadata().map_err(failed)?;
    if !about.is_file() {
        return Err(RecipeReadError::NoFile(file.to_owned()));
    }
    let mut bytes = Vec::with_capacity(about.len().min(MAX_BYTES as u64) as usize + 1);
    File::open(file)
        .and_then(|file| file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes))
        .map_err(failed)?;
    check_size(file, bytes.len())?;
    String::from_utf8(bytes).map_err(|_| RecipeReadError::NotText(file.to_owned()))
}

/// Refuses a text that is too large for a recipe.
pub(super) fn check_size(file: &Path, size: usize) -> Result<(), RecipeReadError> {
    if size > MAX_BYTES {
        return Err(RecipeReadError::TooLarge(file.to_owned()));
    }
    Ok(())
}
