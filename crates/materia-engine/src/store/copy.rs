//! Copies of files and directories that other programs made.
//!
//! Owns making them, private and durable. A symbolic link in a directory is copied as a link and
//! never followed, so that nothing from outside is included. Named pipes and sockets have no
//! content and are recreated. Never replaces anything. A copy is complete or fails with the path
//! that could not be copied.

use std::fs::{FileType, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags};

use super::{dir, shown};
use crate::failpoint;

/// A path that could not be copied.
#[derive(Debug, thiserror::Error)]
#[error("cannot copy {}", shown(path))]
pub struct CopyError {
    path: PathBuf,
    source: io::Error,
}

/// Copies a file or directory to a new path and makes it durable. Returns false if `from` does not
/// exist. A link at `from` itself is followed.
pub fn whole(from: &Path, to: &Path) -> Result<bool, CopyError> {
    let metadata = match std::fs::metadata(from) {
        Ok(metadata) => metadata,
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            return Ok(false);
        }
        Err(error) => return Err(failed(from)(error)),
    };
    if metadata.is_dir() {
        let real = std::fs::canonicalize(from).map_err(failed(from))?;
        directory(&real, to)?;
    } else if metadata.is_file() {
        file(from, to).map_err(failed(from))?;
    } else {
        return Err(failed(from)(unsupported(
            "it is neither a file nor a directory",
        )));
    }
    Ok(true)
}

/// Copies a file to a new private file, and makes it durable.
pub(super) fn file(from: &Path, to: &Path) -> io::Result<()> {
    content(from, to, OFlags::empty())?.sync_all()
}

/// Copies a directory, level by level, and syncs it once at the end.
fn directory(from: &Path, to: &Path) -> Result<(), CopyError> {
    let around = std::fs::canonicalize(dir::parent_of(to)).map_err(failed(to))?;
    if around.starts_with(from) {
        return Err(failed(from)(unsupported("the copy would be inside it")));
    }
    let mut open = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = open.pop() {
        if !dir::create_new(&to).map_err(|error| failed(&from)(error.into_source()))? {
            return Err(failed(&from)(io::ErrorKind::AlreadyExists.into()));
        }
        for entry in std::fs::read_dir(&from).map_err(failed(&from))? {
            let entry = entry.map_err(failed(&from))?;
            let (from, to) = (entry.path(), to.join(entry.file_name()));
            let kind = entry.file_type().map_err(failed(&from))?;
            if kind.is_dir() {
                open.push((from, to));
            } else {
                plain(kind, &from, &to).map_err(failed(&from))?;
            }
        }
    }
    failpoint::hit("copy.sync").map_err(failed(to))?;
    // One sync for the whole tree: a directory may have a hundred thousand files.
    std::fs::File::open(to)
        .and_then(|copy| Ok(rustix::fs::syncfs(copy)?))
        .map_err(failed(to))
}

/// Copies a directory entry that is not a directory.
fn plain(kind: FileType, from: &Path, to: &Path) -> io::Result<()> {
    if kind.is_file() {
        return content(from, to, OFlags::NOFOLLOW).map(drop);
    }
    failpoint::hit("copy.create")?;
    let private = Mode::RUSR | Mode::WUSR;
    if kind.is_symlink() {
        std::os::unix::fs::symlink(std::fs::read_link(from)?, to)
    } else if kind.is_fifo() {
        Ok(rustix::fs::mknodat(
            CWD,
            to,
            rustix::fs::FileType::Fifo,
            private,
            0,
        )?)
    } else if kind.is_socket() {
        Ok(rustix::fs::mknodat(
            CWD,
            to,
            rustix::fs::FileType::Socket,
            private,
            0,
        )?)
    } else {
        Err(unsupported("it is a device"))
    }
}

/// Copies the content of a file and its executable bit.
fn content(from: &Path, to: &Path, flags: OFlags) -> io::Result<std::fs::File> {
    // Do not block if the file was replaced by a pipe meanwhile.
    let flags = (flags | OFlags::NONBLOCK).bits().cast_signed();
    let mut source = OpenOptions::new()
        .read(true)
        .custom_flags(flags)
        .open(from)?;
    let metadata = source.metadata()?;
    if !metadata.is_file() {
        return Err(unsupported("it is no file"));
    }
    failpoint::hit("copy.create")?;
    let mode = (metadata.permissions().mode() & 0o700) | 0o600;
    let mut copy = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(to)?;
    io::copy(&mut source, &mut copy)?;
    Ok(copy)
}

fn unsupported(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, why)
}

fn failed(path: &Path) -> impl Fn(io::Error) -> CopyError {
    move |source| CopyError {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_directory_is_copied_whole_and_nothing_from_outside_comes_along() {
        let temp = tempfile::tempdir().unwrap();
        let at = |path: &str| temp.path().join(path);
        fs::create_dir_all(at("from/deep/er")).unwrap();
        fs::create_dir(at("outside")).unwrap();
        fs::write(at("outside/secret"), "stays").unwrap();
        fs::write(at("from/deep/er/x"), [0, 255]).unwrap();
        fs::write(at("from/program"), "#!/bin/sh").unwrap();
        fs::set_permissions(at("from/program"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("../outside", at("from/out")).unwrap();
        symlink("nowhere", at("from/dangles")).unwrap();
        rustix::fs::mknodat(
            CWD,
            at("from/pipe"),
            rustix::fs::FileType::Fifo,
            Mode::RUSR,
            0,
        )
        .unwrap();
        assert!(whole(&at("from"), &at("to")).unwrap());
        assert_eq!(fs::read(at("to/deep/er/x")).unwrap(), [0, 255]);
        assert_eq!(
            fs::read_link(at("to/out")).unwrap(),
            Path::new("../outside")
        );
        assert_eq!(
            fs::read_link(at("to/dangles")).unwrap(),
            Path::new("nowhere")
        );
        let mode = |path: &str| fs::metadata(at(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode("to"), mode("to/program"), mode("to/deep/er/x")),
            (0o700, 0o700, 0o600)
        );
        assert!(
            fs::symlink_metadata(at("to/pipe"))
                .unwrap()
                .file_type()
                .is_fifo()
        );
    }

    #[test]
    fn what_cannot_be_copied_is_named() {
        let temp = tempfile::tempdir().unwrap();
        let from = temp.path().join("from");
        fs::create_dir(&from).unwrap();
        fs::write(from.join("x"), "1").unwrap();
        let inside = whole(&from, &from.join("copy")).unwrap_err();
        assert!(inside.source.to_string().contains("inside it"), "{inside}");
        assert!(!whole(&from.join("none"), &temp.path().join("y")).unwrap());
        assert!(whole(&from.join("x"), &temp.path().join("x")).unwrap());
        let there = whole(&from.join("x"), &temp.path().join("x")).unwrap_err();
        assert!(there.to_string().contains("from/x"), "{there}");
        let device = whole(Path::new("/dev/null"), &temp.path().join("null")).unwrap_err();
        assert!(device.source.to_string().contains("neither"), "{device}");
    }
}
