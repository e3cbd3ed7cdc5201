//! Our directories: private and durable.
//!
//! Owns creating directories and syncing their entries, and knows which file systems do the latter
//! implicitly. Deletes only scratch directories that it created, and never changes the mode of an
//! existing directory: the user may have chosen it.

use std::fs::{DirBuilder, File, Permissions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, IFlags, RenameFlags, ioctl_getflags, ioctl_setflags, renameat_with};

use super::shown;
use crate::failpoint;

/// A directory that cannot be created or synced.
#[derive(Debug, thiserror::Error)]
#[error("cannot {action} the directory {}", shown(dir))]
pub struct DirError {
    action: &'static str,
    dir: PathBuf,
    source: io::Error,
}

impl DirError {
    /// The system's error.
    pub(crate) fn into_source(self) -> io::Error {
        self.source
    }
}

/// Creates a directory and its missing parents with mode 0700, and syncs the entries.
pub fn create_private(dir: &Path) -> Result<(), DirError> {
    if dir.is_dir() || dir.as_os_str().is_empty() {
        return Ok(());
    }
    let parent = parent_of(dir);
    create_private(parent)?;
    failpoint::hit("dir.create").map_err(failed("create", dir))?;
    match DirBuilder::new().mode(0o700).create(dir) {
        Ok(()) => sync_new(parent),
        // Another process created it meanwhile, and may not have synced it yet.
        Err(_) if dir.is_dir() => sync_new(parent),
        Err(error) => Err(failed("create", dir)(error)),
    }
}

/// Like [`create_private`], for a directory that will contain many files. Asks ext4 to place it in
/// a part of the disk that few other directories use. ext4 chooses by name, so the directory is
/// created under a unique name and renamed.
pub fn create_apart(dir: &Path) -> Result<(), DirError> {
    if dir.is_dir() {
        return Ok(());
    }
    let parent = parent_of(dir);
    create_private(parent)?;
    let above = File::open(parent).map_err(failed("open", parent))?;
    // Best effort: other file systems do not support the flag.
    let _only_a_hint =
        ioctl_getflags(&above).and_then(|flags| ioctl_setflags(&above, flags | IFlags::TOPDIR));
    let made = Scratch::create(parent)?;
    failpoint::hit("dir.rename").map_err(failed("create", dir))?;
    if renameat_with(CWD, made.path(), CWD, dir, RenameFlags::NOREPLACE).is_err() {
        // Another process created it meanwhile, or the file system cannot rename this way.
        return create_private(dir);
    }
    drop(made.into_path());
    sync_new(parent)
}

/// Creates a private directory; false if the name exists. The entry is not synced: callers that
/// need it durable sync it.
pub fn create_new(dir: &Path) -> Result<bool, DirError> {
    failpoint::hit("dir.create").map_err(failed("create", dir))?;
    match DirBuilder::new().mode(0o700).create(dir) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(failed("create", dir)(error)),
    }
}

/// Like [`create_new`], but returns false only for an existing directory and fails for any other
/// kind of file. For callers that sync the parent once after several changes.
pub fn create_unsynced(dir: &Path) -> Result<bool, DirError> {
    failpoint::hit("dir.create").map_err(failed("create", dir))?;
    match DirBuilder::new().mode(0o700).create(dir) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && is_own(dir) => Ok(false),
        Err(error) => Err(failed("create", dir)(error)),
    }
}

/// Whether the path itself is a directory, not a symbolic link to one.
fn is_own(dir: &Path) -> bool {
    dir.symlink_metadata().is_ok_and(|found| found.is_dir())
}

/// Creates a directory of the user's and its missing parents, with the default mode.
pub(super) fn create_shared(dir: &Path) -> Result<(), DirError> {
    if dir.is_dir() {
        return Ok(());
    }
    failpoint::hit("dir.create").map_err(failed("create", dir))?;
    std::fs::create_dir_all(dir).map_err(failed("create", dir))
}

/// A private temporary directory, removed with its contents when dropped.
#[derive(Debug)]
pub struct Scratch(tempfile::TempDir);

impl Scratch {
    /// Creates one inside an existing directory.
    pub fn create(parent: &Path) -> Result<Self, DirError> {
        let made = private().prefix(".materia-scratch-").tempdir_in(parent);
        made.map(Self).map_err(failed("write to", parent))
    }

    /// Creates one with exactly this name, which must not exist.
    pub fn exactly(path: &Path) -> Result<Self, DirError> {
        let name = path.file_name().unwrap_or_default();
        let made = private()
            .prefix(name)
            .rand_bytes(0)
            .tempdir_in(parent_of(path));
        made.map(Self).map_err(failed("create", path))
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Scratch {
    /// Keeps the directory: it is not removed any more.
    pub fn into_path(self) -> PathBuf {
        self.0.keep()
    }
}

fn private<'a, 'b>() -> tempfile::Builder<'a, 'b> {
    let mut builder = tempfile::Builder::new();
    builder.permissions(Permissions::from_mode(0o700));
    builder
}

/// Renames a directory over an empty one, durably.
pub fn replace_empty(from: &Path, to: &Path) -> Result<(), DirError> {
    sync(from)?;
    failpoint::hit("dir.rename").map_err(failed("replace", to))?;
    std::fs::rename(from, to).map_err(failed("replace", to))?;
    sync(parent_of(to))
}

/// Removes a file. A missing file is not an error.
pub fn remove_file(path: &Path) -> Result<(), DirError> {
    failpoint::hit("dir.remove").map_err(failed("remove", path))?;
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path)(error)),
        _ => Ok(()),
    }
}

/// Removes a directory if it is empty. A directory that is not empty or does not exist is not an
/// error.
pub fn remove_empty(dir: &Path) -> Result<(), DirError> {
    use io::ErrorKind::{DirectoryNotEmpty, NotFound};
    failpoint::hit("dir.remove").map_err(failed("remove", dir))?;
    match std::fs::remove_dir(dir) {
        Err(error) if !matches!(error.kind(), DirectoryNotEmpty | NotFound) => {
            Err(failed("remove", dir)(error))
        }
        _ => Ok(()),
    }
}

/// Makes the entries of a directory durable: files created, renamed or removed in it.
pub fn sync(dir: &Path) -> Result<(), DirError> {
    sync_through("dir.sync", dir)
}

/// Makes the names of new files in a directory durable. The caller has synced the files themselves.
///
/// On file systems that order metadata, the sync of a new file covers its name and the new
/// directories above it, so there is nothing left to do.
pub fn sync_new(dir: &Path) -> Result<(), DirError> {
    sync_new_through("dir.sync", dir)
}

/// Like [`sync_new`], passing the failpoint of the calling module.
pub(super) fn sync_new_through(point: &'static str, dir: &Path) -> Result<(), DirError> {
    failpoint::hit(point).map_err(failed("sync", dir))?;
    let open = File::open(dir).map_err(failed("sync", dir))?;
    if carries_names(&open) {
        Ok(())
    } else {
        open.sync_all().map_err(failed("sync", dir))
    }
}

/// Syncs the entries, passing the failpoint of the calling module.
pub(super) fn sync_through(point: &'static str, dir: &Path) -> Result<(), DirError> {
    failpoint::hit(point).map_err(failed("sync", dir))?;
    File::open(dir)
        .and_then(|dir| dir.sync_all())
        .map_err(failed("sync", dir))
}

/// Whether this file system makes the name of a new file durable with the file. ext4 and XFS write
/// metadata in the order of the changes; btrfs, and ext4 without a journal, write the new names
/// above a new file along with it.
pub(super) fn carries_names(open: impl AsFd) -> bool {
    const EXT: u64 = 0xEF53;
    const XFS: u64 = 0x5846_5342;
    const BTRFS: u64 = 0x9123_683E;
    let Ok(found) = rustix::fs::fstatfs(open) else {
        return false;
    };
    u64::try_from(found.f_type).is_ok_and(|kind| [EXT, XFS, BTRFS].contains(&kind))
}

/// The directory of a file; `.` for a bare name.
pub fn parent_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        Some(_) => Path::new("."),
        None => Path::new("/"),
    }
}

pub(super) fn failed(action: &'static str, dir: &Path) -> impl Fn(io::Error) -> DirError {
    move |source| DirError {
        action,
        dir: dir.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_directories_are_private() {
        let temp = tempfile::tempdir().unwrap();
        let deep = temp.path().join("a/b/c");
        create_private(&deep).unwrap();
        create_private(&deep).unwrap();
        for dir in [&deep, deep.parent().unwrap()] {
            assert_eq!(dir.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        }
    }

    #[test]
    fn a_directory_of_its_own_is_private_and_leaves_nothing_beside_it() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("a/runs");
        create_apart(&dir).unwrap();
        std::fs::write(dir.join("file"), "").unwrap();
        create_apart(&dir).unwrap();
        assert_eq!(dir.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(std::fs::read_dir(dir.parent().unwrap()).unwrap().count(), 1);
        assert!(dir.join("file").exists());
    }

    #[test]
    fn a_directory_that_many_make_at_once_is_made_once() {
        let temp = tempfile::tempdir().unwrap();
        let dir = temp.path().join("runs");
        std::thread::scope(|scope| {
            for name in 0..16 {
                let dir = &dir;
                scope.spawn(move || {
                    create_apart(dir).unwrap();
                    std::fs::write(dir.join(name.to_string()), "").unwrap();
                });
            }
        });
        assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 16);
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_system_we_know_nothing_of_carries_no_names() {
        assert!(!carries_names(File::open("/proc").unwrap()));
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("file");
        std::fs::write(&file, "").unwrap();
        let error = create_private(&file.join("below")).unwrap_err();
        assert!(error.to_string().contains("file`"), "{error}");
    }
}
