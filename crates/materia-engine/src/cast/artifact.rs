//! The files that a cast wrote.
//!
//! Owns reading the beginning of one. A path cannot escape the directory of the cast.

use std::io::Read;

use serde::Serialize;

use super::{Error, Folder};
use crate::store::artifact::ArtifactRoot;

/// Maximum size of the returned text, in bytes.
const MAX_TEXT: u64 = 1 << 20;

/// The beginning of a file of a cast.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ArtifactReport {
    /// The file, by its path in the directory of the cast.
    pub path: String,
    /// The text; what is no text is replaced.
    pub text: String,
    /// How large it is in all.
    pub bytes: u64,
    /// Whether there is more.
    pub cut: bool,
}

/// Reads the beginning of a file of a cast.
pub fn artifact(folder: &Folder, path: &str) -> Result<ArtifactReport, Error> {
    let file = ArtifactRoot::open(folder.path())?.read(path)?;
    let bytes = file.metadata()?.len();
    let mut read = Vec::new();
    file.take(MAX_TEXT).read_to_end(&mut read)?;
    let cut = bytes > read.len() as u64;
    Ok(ArtifactReport {
        path: path.to_owned(),
        text: String::from_utf8_lossy(&read).into_owned(),
        bytes,
        cut,
    })
}
