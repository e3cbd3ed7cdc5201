//! Files that a step writes for the user: created, replaced or appended to.
//!
//! Owns the three modes. `Create` never replaces a file, not even one created concurrently.
//! `Overwrite` keeps the mode of the file and follows no symbolic link. `Append` holds a lock and
//! removes a partial write when it fails. The files have the user's default mode, unlike all files
//! of our own.

use std::fs::{File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use super::dir;
use crate::failpoint;

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// The file must not exist.
    Create,
    /// Replaces the file.
    Overwrite,
    /// Appends to the file.
    Append,
}

/// Writes a file and creates its parent directories. Durable on return.
pub fn write(path: &Path, bytes: &[u8], mode: WriteMode) -> io::Result<()> {
    dir::create_shared(dir::parent_of(path)).map_err(dir::DirError::into_source)?;
    match mode {
        WriteMode::Append => append(path, bytes)?,
        WriteMode::Create | WriteMode::Overwrite => replace(path, bytes, mode)?,
    }
    dir::sync(dir::parent_of(path)).map_err(dir::DirError::into_source)
}

fn replace(path: &Path, bytes: &[u8], mode: WriteMode) -> io::Result<()> {
    failpoint::hit("file.create")?;
    let readable = Permissions::from_mode(0o666);
    let mut temp = tempfile::Builder::new()
        .prefix(super::atomic::TEMP_PREFIX)
        .permissions(readable)
        .tempfile_in(dir::parent_of(path))?;
    failpoint::write_all("file.write", temp.as_file_mut(), bytes)?;
    if let Ok(about) = path.symlink_metadata()
        && about.is_file()
    {
        temp.as_file()
            .set_permissions(Permissions::from_mode(about.permissions().mode() & 0o777))?;
    }
    failpoint::hit("file.sync")?;
    temp.as_file().sync_all()?;
    failpoint::hit("file.rename")?;
    let kept = match mode {
        WriteMode::Create => temp.persist_noclobber(path),
        WriteMode::Overwrite | WriteMode::Append => temp.persist(path),
    };
    kept.map(drop).map_err(|error| error.error)
}

fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    failpoint::hit("file.open")?;
    let mut file: File = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o666)
        .open(path)?;
    file.lock()?;
    let before = file.metadata()?.len();
    let written = failpoint::write_all("file.append", &mut file, bytes).and_then(|()| {
        failpoint::hit("file.sync")?;
        file.sync_all()
    });
    if written.is_err() {
        // Remove a partial append.
        let _already_failed = file.set_len(before);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mode_does_what_it_says() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("a/b/report.md");
        write(&file, b"one", WriteMode::Create).unwrap();
        let again = write(&file, b"two", WriteMode::Create).unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read(&file).unwrap(), b"one");
        write(&file, b"+two", WriteMode::Append).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"one+two");
        std::fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        write(&file, b"three", WriteMode::Overwrite).unwrap();
        assert_eq!(std::fs::read(&file).unwrap(), b"three");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        let names: Vec<_> = std::fs::read_dir(file.parent().unwrap()).unwrap().collect();
        assert_eq!(names.len(), 1, "no temporary file is left");
    }
}
