//! The artifacts that a run declared, and their state.
//!
//! Owns the manifest: for every declared artifact whether it exists, its size and its hash, read in
//! small chunks.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use materia_model::run::{DeclaredArtifact, RunStart};
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The largest file that is hashed when a run ends; `inspect` hashes files of any size.
pub(super) const HASHED_AT_END: u64 = 64 << 20;

/// The state of one artifact.
#[derive(Debug, Clone, Serialize)]
pub struct ArtifactEntry {
    /// Whether it exists.
    pub exists: bool,
    /// The declaration.
    #[serde(flatten)]
    pub declared: DeclaredArtifact,
    /// Its size in bytes, for a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// Its hash, for a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
}

/// The manifest of a generation; files larger than `largest` are not hashed.
pub fn manifest(start: &RunStart, largest: u64) -> BTreeMap<String, ArtifactEntry> {
    start
        .artifacts
        .iter()
        .map(|(name, declared)| (name.clone(), entry(start, declared, largest)))
        .collect()
}

fn entry(start: &RunStart, declared: &DeclaredArtifact, largest: u64) -> ArtifactEntry {
    let path = Path::new(&start.cwd).join(&declared.path);
    let declared = DeclaredArtifact {
        path: path.to_string_lossy().into_owned(),
        ..declared.clone()
    };
    let mut entry = ArtifactEntry {
        exists: false,
        declared,
        size: None,
        sha256: None,
    };
    // Open regular files only: reading a device or a pipe may never end.
    let Ok(metadata) = std::fs::metadata(&path) else {
        return entry;
    };
    entry.exists = true;
    if metadata.is_file() {
        entry.size = Some(metadata.len());
        entry.sha256 = if metadata.len() <= largest {
            hash(&path).ok()
        } else {
            None
        };
    }
    entry
}

fn hash(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => hasher.update(&buffer[..count]),
        }
    }
    Ok(hasher
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect())
}
