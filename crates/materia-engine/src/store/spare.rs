//! An unnamed file that is created in advance and linked to its name later.
//!
//! Owns such a file. Creating a file is slow on some machines; linking it is not. It has no name
//! until then, so nothing is left if its owner is killed.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags};

use super::atomic;
use crate::failpoint;

/// A file without a name.
#[derive(Debug)]
pub struct UnnamedFile(File);

impl UnnamedFile {
    /// Creates one on the file system of a directory. `None` on failure: callers then write without
    /// it.
    pub fn in_dir(dir: &Path) -> Option<Self> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        rustix::fs::open(dir, flags, Mode::RUSR | Mode::WUSR)
            .ok()
            .map(|file| Self(file.into()))
    }

    fn publish(mut self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        failpoint::write_all("spare.write", &mut self.0, bytes)?;
        failpoint::hit("spare.name")?;
        let unnamed = format!("/proc/self/fd/{}", self.0.as_raw_fd());
        Ok(rustix::fs::linkat(
            CWD,
            unnamed,
            CWD,
            path,
            AtFlags::SYMLINK_FOLLOW,
        )?)
    }
}

/// Writes a document that can be rebuilt, like [`atomic::write_cache`]. Faster if there is an
/// unnamed file and the document does not exist yet.
pub fn write_cache(
    spare: Option<UnnamedFile>,
    path: &Path,
    bytes: &[u8],
) -> Result<(), atomic::WriteError> {
    match spare.map(|spare| spare.publish(path, bytes)) {
        Some(Ok(())) => Ok(()),
        _ => atomic::write_cache(path, bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spare_file_gets_its_name_once_and_is_never_half_there() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("result.json");
        let names = || std::fs::read_dir(dir.path()).unwrap().count();
        let spare = UnnamedFile::in_dir(dir.path());
        assert!(spare.is_some());
        assert_eq!(names(), 0);
        write_cache(spare, &path, b"one").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        // An existing document is replaced atomically, without the unnamed file.
        write_cache(UnnamedFile::in_dir(dir.path()), &path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        write_cache(None, &path, b"three").unwrap();
        assert_eq!(
            (std::fs::read(&path).unwrap(), names()),
            (b"three".to_vec(), 1)
        );
        drop(UnnamedFile::in_dir(dir.path()));
        assert_eq!(names(), 1);
        assert!(UnnamedFile::in_dir(&dir.path().join("gone")).is_none());
    }
}
