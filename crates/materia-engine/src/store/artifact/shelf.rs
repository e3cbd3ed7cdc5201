//! A directory below a root that is kept open, for whoever keeps many artifacts in it.
//!
//! Owns keeping them: created once, never overwritten, and not synced, so that they cost what a
//! file costs. The way to the directory was walked once, without following links; where it leads
//! cannot change any more. Never reads.

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
    /// Opens a directory below the root, and makes it where it is missing. What is made may be gone
    /// after a power cut.
    pub fn shelf(&self, relative: impl AsRef<Path>) -> Result<ArtifactDir, ArtifactError> {
        let path = relative.as_ref();
        // The last component of a path is what stands in the directory; here it is only a name for
        // one.
        let inside = path.join("_");
        let (dir, _) = self.walk(&inside, Missing::CreateLightly)?;
        Ok(ArtifactDir {
            dir,
            path: path.to_owned(),
        })
    }
}

impl ArtifactDir {
    /// Keeps a whole artifact. It is visible at once, and as durable as the system makes it by
    /// itself.
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
