//! Reading a recipe file: regular files only, up to a size limit.
//!
//! Owns the limits and the error messages. Never resolves what a recipe refers to.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use materia_model::recipe::MAX_BYTES;

use crate::store::shown;

/// A recipe that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecipeReadError {
    /// The file does not exist.
    #[error("there is no {}", shown(.0))]
    Missing(PathBuf),
    /// It is not a regular file.
    #[error("{} is no file", shown(.0))]
    NoFile(PathBuf),
    /// It exceeds the size limit.
    #[error("{} has more than {MAX_BYTES} bytes", shown(.0))]
    TooLarge(PathBuf),
    /// It is not UTF-8.
    #[error("{} is not UTF-8 text", shown(.0))]
    NotText(PathBuf),
    /// The system returned an error.
    #[error("{} cannot be read: {source}", shown(file))]
    Io {
        /// The file.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl RecipeReadError {
    /// A stable error code in kebab case.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing(_) => "recipe-not-found",
            Self::TooLarge(_) => "too-large",
            Self::NotText(_) => "not-text",
            Self::NoFile(_) | Self::Io { .. } => "unreadable",
        }
    }

    /// What the user can do about it.
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

/// Reads the text of a recipe.
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
    // Check first: opening a named pipe would block until a writer opens it.
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

/// Rejects a text that exceeds the size limit of recipes.
pub(super) fn check_size(file: &Path, size: usize) -> Result<(), RecipeReadError> {
    if size > MAX_BYTES {
        return Err(RecipeReadError::TooLarge(file.to_owned()));
    }
    Ok(())
}
