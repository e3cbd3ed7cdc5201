//! A directory below a root that stays open, for callers that write many artifacts to it.
//!
//! Owns writing them: created once, never overwritten, and not synced, so that each costs only a
//! file creation. The path to the directory is resolved once, without following links, and cannot
//! change afterwards. Never reads.

use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

use super::{ArtifactError, ArtifactRoot, Missing, components, create_at, failed};
use crate::failpoint;

/// A directory below a root.
#[derive(Debug)]
pub struct ArtifactDir {
    dir: OwnedFd,
    path: PathBuf,
}

impl ArtifactRoot {
    /// Opens a directory below the root, and creates it if missing. A new directory is not synced
    /// and may be lost in a power cut.
    pub fn shelf(&self, relative: impl AsRef<Path>) -> Result<ArtifactDir, ArtifactError> {
        let path = relative.as_ref();
        // `walk` opens the parent of the last component, so add a placeholder.
        let inside = path.join("_");
        let (dir, _) = self.walk(&inside, Missing::CreateLightly)?;
        Ok(ArtifactDir {
            dir,
            path: path.to_owned(),
        })
    }
}

impl ArtifactDir {
    /// Writes a complete artifact. It is visible at once and is not synced.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> Result<(), ArtifactError> {
        let path = self.path.join(name);
        if components(Path::new(name))?.len() != 1 {
            return Err(super::bad(&path, "its name has a slash in it"));
        }
        let mut file = create_at(self.dir.as_fd(), name, &path)?;
        if bytes.is_empty() {
            return Ok(());
        }
        failpoint::write_all("artifact.write", &mut file, bytes).map_err(failed("write", &path))
    }
}
