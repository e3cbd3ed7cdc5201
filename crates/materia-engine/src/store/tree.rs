//! Whole directories of ours that go: moved away in one step, or removed.
//!
//! Owns both. What is removed loses its name first, so that nobody ever meets half of it; what a
//! crash leaves of that is removed by the next sweep. Never follows a symbolic link out of what it
//! removes.

use std::io;
use std::path::{Path, PathBuf};

use super::copy;
use super::dir::{self, DirError, failed};
use crate::failpoint;

/// What the name of a directory begins with that is being removed; no id begins so.
const DOOMED: &str = ".removed-";

/// Gives a directory another name on the same file system, and makes that durable. What has the
/// name already stays, and the answer is false.
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

/// The same, as durable as what its parent is synced for next.
pub fn rename_unsynced(from: &Path, to: &Path) -> Result<bool, DirError> {
    failpoint::hit("tree.rename").map_err(failed("move", from))?;
    let flags = rustix::fs::RenameFlags::NOREPLACE;
    match rustix::fs::renameat_with(rustix::fs::CWD, from, rustix::fs::CWD, to, flags) {
        Ok(()) => Ok(true),
        Err(rustix::io::Errno::EXIST) => Ok(false),
        Err(error) => Err(failed("move", from)(error.into())),
    }
}

/// Lets two directories on the same file system change places in one step: at no moment is either
/// name without one. As durable as what their parents are synced for next.
pub fn exchange_unsynced(one: &Path, other: &Path) -> Result<(), DirError> {
    failpoint::hit("tree.exchange").map_err(failed("move", one))?;
    let flags = rustix::fs::RenameFlags::EXCHANGE;
    rustix::fs::renameat_with(rustix::fs::CWD, one, rustix::fs::CWD, other, flags)
        .map_err(|error| failed("move", one)(error.into()))
}

/// Removes a directory and everything in it. `unique` is a word that no other removal uses.
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

/// The same for what may be back after a power cut.
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

/// A name for what is being removed, or is not whole yet: the next sweep removes what has it.
pub fn doomed(parent: &Path, unique: &str) -> PathBuf {
    parent.join(format!("{DOOMED}{unique}"))
}

/// Gives a file of ours a second name on the same file system, or a copy where it can have only
/// one.
pub fn share(from: &Path, to: &Path) -> io::Result<()> {
    failpoint::hit("tree.share")?;
    match std::fs::hard_link(from, to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(error),
        Err(_) => copy::file(from, to),
        Ok(()) => Ok(()),
    }
}

/// Removes what interrupted removals left in a directory, and says how much.
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
