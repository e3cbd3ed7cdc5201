//! Moving and removing whole directories of ours.
//!
//! Owns both. A directory is renamed before it is removed, so that no process sees a partly removed
//! one. The next sweep removes what a crash left. Never follows a symbolic link out of what it
//! removes.

use std::io;
use std::path::{Path, PathBuf};

use super::copy;
use super::dir::{self, DirError, failed};
use crate::failpoint;

/// The prefix of the names of directories that are being removed; no id starts with it.
const DOOMED: &str = ".removed-";

/// Renames a directory on the same file system, durably. Returns false and changes nothing if `to`
/// exists.
pub fn rename(from: &Path, to: &Path) -> Result<bool, DirError> {
    if !rename_unsynced(from, to)? {
        return Ok(false);
    }
    let (left, entered) = (dir::parent_of(from), dir::parent_of(to));
    dir::sync(left)?;
    if entered != left {
        dir::sync(entered)?;
    }
    Ok(true)
}

/// Like [`rename`] without a sync: durable after the next sync of the parent directories.
pub fn rename_unsynced(from: &Path, to: &Path) -> Result<bool, DirError> {
    failpoint::hit("tree.rename").map_err(failed("move", from))?;
    let flags = rustix::fs::RenameFlags::NOREPLACE;
    match rustix::fs::renameat_with(rustix::fs::CWD, from, rustix::fs::CWD, to, flags) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::EXIST) => Ok(false),
        Err(error) => Err(failed("move", from)(error.into())),
    }
}

/// Exchanges two directories on the same file system atomically: both names always exist. Durable
/// after the next sync of their parent directories.
pub fn exchange_unsynced(one: &Path, other: &Path) -> Result<(), DirError> {
    failpoint::hit("tree.exchange").map_err(failed("move", one))?;
    let flags = rustix::fs::RenameFlags::EXCHANGE;
    rustix::fs::renameat_with(rustix::fs::CWD, one, rustix::fs::CWD, other, flags)
        .map_err(|error| failed("move", one)(error.into()))
}

/// Removes a directory and everything in it. No other removal may use the same `unique`.
pub fn remove(path: &Path, unique: &str) -> Result<(), DirError> {
    let doomed = doomed(dir::parent_of(path), unique);
    let gone = if rename(path, &doomed)? {
        &doomed
    } else {
        path
    };
    failpoint::hit("tree.remove").map_err(failed("remove", path))?;
    std::fs::remove_dir_all(gone).map_err(failed("remove", path))
}

/// Like [`remove`] without a sync: the directory may be back after a power cut.
pub fn discard(path: &Path, unique: &str) -> Result<(), DirError> {
    let doomed = doomed(dir::parent_of(path), unique);
    let gone = if rename_unsynced(path, &doomed)? {
        &doomed
    } else {
        path
    };
    failpoint::hit("tree.remove").map_err(failed("remove", path))?;
    std::fs::remove_dir_all(gone).map_err(failed("remove", path))
}

/// A name for a directory that is being removed or is incomplete. The next sweep removes it.
pub fn doomed(parent: &Path, unique: &str) -> PathBuf {
    parent.join(format!("{DOOMED}{unique}"))
}

/// Creates a hard link to a file of ours, or copies it if that fails.
pub fn share(from: &Path, to: &Path) -> io::Result<()> {
    failpoint::hit("tree.share")?;
    match std::fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
        Err(_) => copy::file(from, to),
        Ok(()) => Ok(()),
    }
}

/// Removes what interrupted removals left in a directory and returns how many.
pub fn sweep(parent: &Path) -> io::Result<usize> {
    let doomed = |entry: io::Result<std::fs::DirEntry>| -> Option<PathBuf> {
        let entry = entry.ok()?;
        entry
            .file_name()
            .to_str()?
            .starts_with(DOOMED)
            .then(|| entry.path())
    };
    let mut removed = 0;
    for path in std::fs::read_dir(parent)?.filter_map(doomed) {
        failpoint::hit("tree.remove")?;
        std::fs::remove_dir_all(path)?;
        removed += 1;
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_removed_with_what_is_in_it_and_nothing_else() {
        let temp = tempfile::tempdir().unwrap();
        let outside = temp.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("file"), "stays").unwrap();
        let dir = temp.path().join("runs/a");
        std::fs::create_dir_all(dir.join("deep/er")).unwrap();
        std::os::unix::fs::symlink(&outside, dir.join("link")).unwrap();
        remove(&dir, "1").unwrap();
        assert!(!dir.exists() && outside.join("file").exists());
        assert_eq!(
            std::fs::read_dir(temp.path().join("runs")).unwrap().count(),
            0
        );
    }

    #[test]
    fn what_an_interrupted_removal_left_is_swept() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(temp.path().join(".removed-x/deep")).unwrap();
        std::fs::create_dir(temp.path().join("run")).unwrap();
        assert_eq!(sweep(temp.path()).unwrap(), 1);
        assert!(temp.path().join("run").exists());
    }

    #[test]
    fn nothing_is_replaced() {
        let temp = tempfile::tempdir().unwrap();
        let (from, to) = (temp.path().join("a"), temp.path().join("b"));
        std::fs::create_dir(&from).unwrap();
        std::fs::create_dir(&to).unwrap();
        assert!(!rename(&from, &to).unwrap());
        assert!(from.exists());
    }

    #[test]
    fn two_directories_change_places_with_what_is_in_them() {
        let temp = tempfile::tempdir().unwrap();
        let (one, other) = (temp.path().join("a"), temp.path().join("deep/b"));
        std::fs::create_dir(&one).unwrap();
        std::fs::create_dir_all(&other).unwrap();
        std::fs::write(one.join("of-one"), "").unwrap();
        exchange_unsynced(&one, &other).unwrap();
        assert!(other.join("of-one").exists() && one.exists() && !one.join("of-one").exists());
        assert!(exchange_unsynced(&one, &temp.path().join("none")).is_err());
    }
}
