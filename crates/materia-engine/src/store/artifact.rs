//! Files below a root that no path can escape.
//!
//! Owns artifacts (C14): created once, never overwritten, mode 0600 in directories of mode 0700.
//! Every path is opened one component at a time from the root's descriptor with `O_NOFOLLOW`. A
//! symbolic link is therefore refused anywhere in the path, even if it is created concurrently:
//! what a name refers to cannot change between check and write. Never deletes, and checks every
//! name from outside before using it.

mod shelf;

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;

use super::atomic::TEMP_PREFIX;
use super::{dir, shown};
use crate::failpoint;

pub use shelf::ArtifactDir;

const MAX_COMPONENT: usize = 255;
const MAX_DEPTH: usize = 32;
const DIR: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// A directory that contains artifacts.
#[derive(Debug)]
pub struct ArtifactRoot {
    dir: OwnedFd,
    path: PathBuf,
}

/// An artifact that is being written. Dropping it keeps what was written so far.
#[derive(Debug)]
pub struct NewArtifact {
    file: File,
    dir: OwnedFd,
    path: PathBuf,
}

/// Why an artifact was not created or opened.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// The path is not a valid relative path inside a root.
    #[error("{} is not a path for an artifact: {why}", shown(path))]
    BadPath {
        /// The path as given.
        path: PathBuf,
        /// Which component is invalid, and why.
        why: String,
    },
    /// A component is a link, or of the wrong file type.
    #[error("{} leads through {}, which is {what}", shown(path), shown(component))]
    Blocked {
        /// The whole path.
        path: PathBuf,
        /// The path up to and including the bad component.
        component: PathBuf,
        /// The file type that was found.
        what: &'static str,
    },
    /// It exists, and artifacts are never overwritten.
    #[error("{} exists already, and artifacts are never overwritten", shown(.0))]
    Exists(PathBuf),
    /// It does not exist.
    #[error("there is no {}", shown(.0))]
    Missing(PathBuf),
    /// The system returned an error.
    #[error("cannot {action} {}", shown(path))]
    Io {
        /// The operation that failed.
        action: &'static str,
        /// The artifact.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

impl ArtifactRoot {
    /// Opens a root. The root itself is trusted, so links in its path are followed.
    pub fn open(path: &Path) -> Result<Self, ArtifactError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = rustix::fs::open(path, flags, Mode::empty()).map_err(failed("open", path))?;
        Ok(Self {
            dir,
            path: path.to_owned(),
        })
    }

    /// The device and inode of the root, which identify it under any path.
    pub fn identity(&self) -> Result<(u64, u64), ArtifactError> {
        let stat = rustix::fs::fstat(&self.dir).map_err(failed("look at", &self.path))?;
        Ok((stat.st_dev, stat.st_ino))
    }

    /// The path of the root.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates an artifact for incremental writes, and its parent directories.
    pub fn create(&self, relative: impl AsRef<Path>) -> Result<NewArtifact, ArtifactError> {
        let path = relative.as_ref();
        let (dir, name) = self.walk(path, Missing::Create)?;
        let file = create_at(dir.as_fd(), name, path)?;
        Ok(NewArtifact {
            file,
            dir,
            path: path.to_owned(),
        })
    }

    /// Writes a complete artifact. It appears complete and durable, or not at all.
    pub fn write(&self, relative: impl AsRef<Path>, bytes: &[u8]) -> Result<(), ArtifactError> {
        let path = relative.as_ref();
        let (dir, name) = self.walk(path, Missing::Create)?;
        if kind_at(dir.as_fd(), name).is_some() {
            return Err(ArtifactError::Exists(path.to_owned()));
        }
        let (mut file, temp) = create_temp(dir.as_fd(), path)?;
        let _ = file.try_lock();
        let written = failpoint::write_all("artifact.write", &mut file, bytes)
            .map_err(failed("write", path))
            .and_then(|()| sync_file(&file, path))
            .and_then(|()| publish(dir.as_fd(), &temp, name, path));
        if written.is_err() {
            let _ = rustix::fs::unlinkat(&dir, &temp, AtFlags::empty());
        }
        written?;
        sync_dir(&dir, path)
    }

    /// Opens an artifact for reading.
    pub fn read(&self, relative: impl AsRef<Path>) -> Result<File, ArtifactError> {
        let path = relative.as_ref();
        let (dir, name) = self.walk(path, Missing::Refuse)?;
        // Without `NONBLOCK`, opening a named pipe would block until a writer opens it.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let file = rustix::fs::openat(&dir, name, flags, Mode::empty())
            .map_err(|error| explain(dir.as_fd(), name, path, path, error, "open"))?;
        let stat = rustix::fs::fstat(&file).map_err(failed("open", path))?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(File::from(file)),
            other => Err(blocked(path, path, other)),
        }
    }

    /// Whether the path exists. A link counts, even a dangling one.
    pub fn exists(&self, relative: impl AsRef<Path>) -> Result<bool, ArtifactError> {
        match self.walk(relative.as_ref(), Missing::Refuse) {
            Ok((dir, name)) => Ok(kind_at(dir.as_fd(), name).is_some()),
            Err(ArtifactError::Missing(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Opens the directory of a path's last component and returns it with that component.
    fn walk<'a>(
        &self,
        path: &'a Path,
        missing: Missing,
    ) -> Result<(OwnedFd, &'a str), ArtifactError> {
        let components = components(path)?;
        let Some((name, parents)) = components.split_last() else {
            return Err(bad(path, "it is empty"));
        };
        let mut dir = self
            .dir
            .try_clone()
            .map_err(|source| io_error("open", path, source))?;
        let mut walked = PathBuf::new();
        for component in parents {
            walked.push(component);
            dir = match rustix::fs::openat(&dir, *component, DIR, Mode::empty()) {
                Err(Errno::NOENT) if missing != Missing::Refuse => {
                    make_dir(&dir, component, path, missing == Missing::Create)?
                }
                opened => opened,
            }
            .map_err(|error| explain(dir.as_fd(), component, &walked, path, error, "open"))?;
        }
        Ok((dir, name))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Missing {
    /// Create it durably.
    Create,
    /// Create it without syncing.
    CreateLightly,
    Refuse,
}

impl NewArtifact {
    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Returns the file, for a child process to write to. [`ArtifactRoot::read`] reads the result.
    pub fn into_file(self) -> File {
        self.file
    }

    /// Makes the content and the name durable.
    pub fn commit(self) -> Result<(), ArtifactError> {
        sync_file(&self.file, &self.path)?;
        sync_new(&self.dir, &self.path)
    }
}

impl Write for NewArtifact {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        failpoint::write_all("artifact.write", &mut self.file, bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Splits a relative path into components, and rejects `..` and other special ones.
fn components(path: &Path) -> Result<Vec<&str>, ArtifactError> {
    let text = path.to_str().ok_or_else(|| bad(path, "it is not UTF-8"))?;
    if text.starts_with('/') {
        return Err(bad(path, "it is absolute"));
    }
    let components: Vec<&str> = text.split('/').collect();
    if components.len() > MAX_DEPTH {
        return Err(bad(
            path,
            &format!("it has more than {MAX_DEPTH} components"),
        ));
    }
    for (index, component) in components.iter().enumerate() {
        let problem = match *component {
            "" => "is empty",
            "." | ".." => "is a direction, not a name",
            long if long.len() > MAX_COMPONENT => "is longer than 255 bytes",
            odd if odd.contains('\0') => "contains a NUL character",
            temp if temp.starts_with(TEMP_PREFIX) => "is the name of a temporary file",
            _ => continue,
        };
        let shown = materia_model::text::quoted(component);
        return Err(bad(
            path,
            &format!("component {} ({shown}) {problem}", index + 1),
        ));
    }
    Ok(components)
}

fn make_dir(
    dir: &OwnedFd,
    name: &str,
    path: &Path,
    durably: bool,
) -> Result<rustix::io::Result<OwnedFd>, ArtifactError> {
    failpoint::hit("artifact.mkdir").map_err(failed("create a directory for", path))?;
    match rustix::fs::mkdirat(dir, name, Mode::RWXU) {
        // The process that created it may not have synced it yet.
        Ok(()) | Err(Errno::EXIST) if durably => sync_new(dir, path)?,
        Ok(()) | Err(Errno::EXIST) => {}
        Err(error) => return Err(failed("create a directory for", path)(error)),
    }
    Ok(rustix::fs::openat(dir, name, DIR, Mode::empty()))
}

fn create_at(dir: BorrowedFd<'_>, name: &str, path: &Path) -> Result<File, ArtifactError> {
    failpoint::hit("artifact.create").map_err(failed("create", path))?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat(dir, name, flags, Mode::RUSR | Mode::WUSR) {
        Ok(file) => Ok(File::from(file)),
        Err(Errno::EXIST) => Err(ArtifactError::Exists(path.to_owned())),
        Err(error) => Err(failed("create", path)(error)),
    }
}

/// Creates a temporary file under a name that is not in use.
fn create_temp(dir: BorrowedFd<'_>, path: &Path) -> Result<(File, String), ArtifactError> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{TEMP_PREFIX}{}-{count}", std::process::id());
        match create_at(dir, &name, path) {
            Err(ArtifactError::Exists(_)) => {}
            created => return Ok((created?, name)),
        }
    }
}

/// Renames a finished temporary file without replacing an existing file.
fn publish(dir: BorrowedFd<'_>, temp: &str, name: &str, path: &Path) -> Result<(), ArtifactError> {
    failpoint::hit("artifact.rename").map_err(failed("create", path))?;
    let moved = match rustix::fs::renameat_with(dir, temp, dir, name, RenameFlags::NOREPLACE) {
        // Fallback for file systems without `RENAME_NOREPLACE`.
        Err(Errno::INVAL | Errno::NOSYS) => {
            rustix::fs::linkat(dir, temp, dir, name, AtFlags::empty())
                .and_then(|()| rustix::fs::unlinkat(dir, temp, AtFlags::empty()))
        }
        moved => moved,
    };
    match moved {
        Err(Errno::EXIST) => Err(ArtifactError::Exists(path.to_owned())),
        moved => moved.map_err(failed("create", path)),
    }
}

fn sync_file(file: &File, path: &Path) -> Result<(), ArtifactError> {
    failpoint::hit("artifact.sync").map_err(failed("sync", path))?;
    file.sync_all().map_err(failed("sync", path))
}

/// Makes the names of synced files durable; see `dir::sync_new`.
fn sync_new(dir: &OwnedFd, path: &Path) -> Result<(), ArtifactError> {
    if dir::carries_names(dir) {
        return failpoint::hit("artifact.dirsync").map_err(failed("sync the directory of", path));
    }
    sync_dir(dir, path)
}

fn sync_dir(dir: &OwnedFd, path: &Path) -> Result<(), ArtifactError> {
    failpoint::hit("artifact.dirsync").map_err(failed("sync the directory of", path))?;
    rustix::fs::fsync(dir).map_err(failed("sync the directory of", path))
}

/// The file type at a name, without following links.
fn kind_at(dir: BorrowedFd<'_>, name: &str) -> Option<FileType> {
    let stat = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(FileType::from_raw_mode(stat.st_mode))
}

fn explain(
    dir: BorrowedFd<'_>,
    name: &str,
    walked: &Path,
    path: &Path,
    error: Errno,
    action: &'static str,
) -> ArtifactError {
    match (error, kind_at(dir, name)) {
        (Errno::NOENT, _) => ArtifactError::Missing(path.to_owned()),
        (Errno::LOOP | Errno::NOTDIR | Errno::NXIO, Some(kind)) => blocked(path, walked, kind),
        (error, _) => failed(action, path)(error),
    }
}

fn blocked(path: &Path, component: &Path, kind: FileType) -> ArtifactError {
    let what = match kind {
        FileType::Symlink => "a symbolic link",
        FileType::Directory => "a directory",
        FileType::RegularFile => "a file",
        _ => "neither a file nor a directory",
    };
    ArtifactError::Blocked {
        path: path.to_owned(),
        component: component.to_owned(),
        what,
    }
}

fn bad(path: &Path, why: &str) -> ArtifactError {
    ArtifactError::BadPath {
        path: path.to_owned(),
        why: why.to_owned(),
    }
}

fn io_error(action: &'static str, path: &Path, source: io::Error) -> ArtifactError {
    ArtifactError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}

fn failed<E: Into<io::Error>>(action: &'static str, path: &Path) -> impl Fn(E) -> ArtifactError {
    move |source| io_error(action, path, source.into())
}

#[cfg(test)]
mod tests;
