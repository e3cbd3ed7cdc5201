//! Text that callers name, read within the bound of every document (S5).
//!
//! Owns the bound and why a text was not read. Knows nothing of what it says.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use materia_model::document::MAX_BYTES;
use materia_model::text;

/// A text that was not read.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// The system refused.
    #[error("{} cannot be read: {error}", text::quoted(.name))]
    Unreadable {
        /// The name that the caller knows it by.
        name: String,
        /// Why.
        error: io::Error,
    },
    /// It is larger than any document may be.
    #[error("{} has more than {MAX_BYTES} bytes", text::quoted(.0))]
    TooLarge(String),
    /// It is no text.
    #[error("{} is not UTF-8 text from byte {valid} on", text::quoted(.name))]
    NotText {
        /// The name that the caller knows it by.
        name: String,
        /// How many bytes of it are text.
        valid: usize,
    },
}

impl TextError {
    /// What could not be opened or read.
    pub fn unreadable(name: &str, error: io::Error) -> Self {
        let name = name.to_owned();
        Self::Unreadable { name, error }
    }
}

/// The text in a file; `name` is what errors call it.
pub fn read_file(path: &Path, name: &str) -> Result<String, TextError> {
    let file = File::open(path).map_err(|error| TextError::unreadable(name, error))?;
    read(file, name)
}

/// The text that a stream holds up to its end; `name` is what errors call it.
pub fn read(stream: impl Read, name: &str) -> Result<String, TextError> {
    let mut bytes = Vec::new();
    stream
        .take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| TextError::unreadable(name, error))?;
    if bytes.len() > MAX_BYTES {
        return Err(TextError::TooLarge(name.to_owned()));
    }
    String::from_utf8(bytes).map_err(|error| TextError::NotText {
        name: name.to_owned(),
        valid: error.utf8_error().valid_up_to(),
    })
}
