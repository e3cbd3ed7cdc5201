//! Text files named by callers, read up to the size limit of documents (S5).
//!
//! Owns the limit and the errors. Does not interpret the text.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use materia_model::document::MAX_BYTES;
use materia_model::text;

/// Why a text was not read.
#[derive(Debug, thiserror::Error)]
pub enum TextError {
    /// The system returned an error.
    #[error("{} cannot be read: {error}", text::quoted(.name))]
    Unreadable {
        /// The name that the caller uses for it.
        name: String,
        /// The system's error.
        error: io::Error,
    },
    /// It exceeds the size limit.
    #[error("{} has more than {MAX_BYTES} bytes", text::quoted(.0))]
    TooLarge(String),
    /// It is not UTF-8.
    #[error("{} is not UTF-8 text from byte {valid} on", text::quoted(.name))]
    NotText {
        /// The name that the caller uses for it.
        name: String,
        /// The number of valid bytes before the error.
        valid: usize,
    },
}

impl TextError {
    /// An error from opening or reading.
    pub fn unreadable(name: &str, error: io::Error) -> Self {
        let name = name.to_owned();
        Self::Unreadable { name, error }
    }
}

/// Reads a text file; `name` appears in errors.
pub fn read_file(path: &Path, name: &str) -> Result<String, TextError> {
    let file = File::open(path).map_err(|error| TextError::unreadable(name, error))?;
    read(file, name)
}

/// Reads a text from a stream up to its end; `name` appears in errors.
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
