//! Documents that are replaced as a whole, or not at all.
//!
//! Owns the one way to write a document: a temporary file beside it (0600), written, synced,
//! renamed over it, and the directory synced. A reader sees the old document or the new one; a
//! crash leaves at most a temporary file, which [`sweep`] removes. Never edits in place, never
//! merges, and follows no symbolic link: the link is replaced.

use std::fs::{File, Permissions};
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use materia_model::finding::{Finding, Source};
use materia_model::record::MAX_DEPTH;
use rustix::fs::{CWD, RenameFlags};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tempfile::NamedTempFile;

use super::dir::{self, DirError};
use super::shown;
use crate::failpoint;

/// How the names of temporary files begin.
pub const TEMP_PREFIX: &str = ".materia-tmp-";

/// A document that was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The document is as it was before.
    #[error("cannot {action} {}", shown(file))]
    Io {
        /// What was tried.
        action: &'static str,
        /// The document.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The document cannot be spelled as JSON; it is as it was before.
    #[error("{} cannot be written as JSON", shown(file))]
    Json {
        /// The document.
        file: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// It nests deeper than it could be read again.
    #[error("{} would nest deeper than {MAX_DEPTH} levels", shown(file))]
    TooDeep {
        /// The document.
        file: PathBuf,
    },
    /// The new document is there, but may be the old one again after a power cut.
    #[error("{} was written, and may not survive a power cut", shown(file))]
    Unsynced {
        /// The document.
        file: PathBuf,
        /// Why.
        source: DirError,
    },
}

/// Replaces a document.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    replace(path, bytes, true)?;
    dir::sync_through("atomic.dirsync", dir::parent_of(path)).map_err(|source| {
        WriteError::Unsynced {
            file: path.to_owned(),
            source,
        }
    })
}

/// Replaces a document that can be made anew: readers see the old one or the new one, and nothing
/// is synced, so that it may be gone or empty after a power cut.
pub fn write_cache(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    replace(path, bytes, false)
}

fn replace(path: &Path, bytes: &[u8], synced: bool) -> Result<(), WriteError> {
    let failed = |action| {
        move |source| WriteError::Io {
            action,
            file: path.to_owned(),
            source,
        }
    };
    let parent = dir::parent_of(path);
    let mut swept = false;
    loop {
        failpoint::hit("atomic.create").map_err(failed("create a temporary file for"))?;
        let mut temp = temp_in(parent).map_err(failed("create a temporary file for"))?;
        failpoint::write_all("atomic.write", temp.as_file_mut(), bytes).map_err(failed("write"))?;
        if synced {
            failpoint::hit("atomic.sync").map_err(failed("sync"))?;
            temp.as_file().sync_all().map_err(failed("sync"))?;
        }
        failpoint::hit("atomic.rename").map_err(failed("replace"))?;
        // Where a file is renamed over another, ext4 writes the new one to the disk at once; where
        // two change places, it does not. The old one then goes with the temporary name.
        if !synced && changes_places(temp.path(), path) {
            return Ok(());
        }
        match temp.persist(path) {
            Ok(_) => return Ok(()),
            // A sweep came between creating and locking the temporary file, and cannot for the next
            // one as well.
            Err(error) if error.error.kind() == io::ErrorKind::NotFound && !swept => swept = true,
            Err(error) => return Err(failed("replace")(error.error)),
        }
    }
}

/// Lets two files change places; not where the second is no file.
fn changes_places(temp: &Path, path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|there| there.is_file())
        && rustix::fs::renameat_with(CWD, temp, CWD, path, RenameFlags::EXCHANGE).is_ok()
}

/// Puts a copy of something that can be made again: replaced as a whole, not synced, and executable
/// if it is a program.
///
/// After a power cut it may be missing or empty; who reads it takes that for missing.
pub fn put(path: &Path, bytes: &[u8], kind: Copied) -> Result<(), WriteError> {
    let failed = |action| {
        move |source| WriteError::Io {
            action,
            file: path.to_owned(),
            source,
        }
    };
    let mut temp = temp_in(dir::parent_of(path)).map_err(failed("create a temporary file for"))?;
    failpoint::write_all("atomic.write", temp.as_file_mut(), bytes).map_err(failed("write"))?;
    if kind == Copied::Program {
        temp.as_file()
            .set_permissions(Permissions::from_mode(0o700))
            .map_err(failed("write"))?;
    }
    failpoint::hit("atomic.rename").map_err(failed("replace"))?;
    temp.persist(path)
        .map(drop)
        .map_err(|error| failed("replace")(error.error))
}

/// What a copy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    /// Something to read.
    Text,
    /// Something to start.
    Program,
}

/// Replaces a JSON document; its `format` number comes first. The value has to become an object
/// without one.
pub fn write_json<T: Serialize>(path: &Path, format: u32, document: &T) -> Result<(), WriteError> {
    write(path, &spelled(path, format, document)?)
}

/// The same for a document that can be made anew: nothing is synced.
pub fn write_json_cache<T: Serialize>(
    path: &Path,
    format: u32,
    document: &T,
) -> Result<(), WriteError> {
    write_cache(path, &spelled(path, format, document)?)
}

fn spelled<T: Serialize>(path: &Path, format: u32, document: &T) -> Result<Vec<u8>, WriteError> {
    #[derive(Serialize)]
    struct Numbered<'a, T> {
        format: u32,
        #[serde(flatten)]
        document: &'a T,
    }
    let mut bytes =
        serde_json::to_vec_pretty(&Numbered { format, document }).map_err(|source| {
            WriteError::Json {
                file: path.to_owned(),
                source,
            }
        })?;
    if depth(&bytes) > MAX_DEPTH {
        return Err(WriteError::TooDeep {
            file: path.to_owned(),
        });
    }
    bytes.push(b'\n');
    Ok(bytes)
}

/// How deep the lists and objects of a JSON text nest.
fn depth(json: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0usize, 0, false, false);
    for byte in json {
        match (in_string, byte) {
            _ if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'[' | b'{') => depth += 1,
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Removes a document; a crash leaves it or not, never a part of it.
pub fn remove(path: &Path) -> Result<(), WriteError> {
    let failed = |source| WriteError::Io {
        action: "remove",
        file: path.to_owned(),
        source,
    };
    failpoint::hit("atomic.remove").map_err(failed)?;
    std::fs::remove_file(path).map_err(failed)?;
    dir::sync_through("atomic.dirsync", dir::parent_of(path)).map_err(|source| {
        WriteError::Unsynced {
            file: path.to_owned(),
            source,
        }
    })
}

/// A document that was not read.
#[derive(Debug, thiserror::Error)]
pub enum DocumentReadError {
    /// There is none.
    #[error("there is no {}", shown(.0))]
    Missing(PathBuf),
    /// It cannot be read.
    #[error("cannot read {}", shown(file))]
    Io {
        /// The document.
        file: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Its content is no good; the finding says where and what to do.
    #[error("{}", told(.0))]
    Bad(Box<Finding>),
}

fn told(finding: &Finding) -> String {
    finding.place.as_ref().map_or_else(
        || finding.message.clone(),
        |place| format!("{place}: {}", finding.message),
    )
}

/// Reads a JSON document of at most `limit` bytes, whose `format` is at most `newest`.
pub fn read_json<T: DeserializeOwned>(
    path: &Path,
    newest: u32,
    limit: u64,
) -> Result<T, DocumentReadError> {
    let bytes = read_bounded(path, limit)?;
    let name = path.to_string_lossy();
    let text = std::str::from_utf8(&bytes).map_err(|error| {
        let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
        let source = Source::new(&name, &good);
        bad(Finding::error("not-utf8", "the document is not UTF-8 text")
            .at(&source, &(good.len()..good.len())))
    })?;
    let source = Source::new(&name, text);
    check_format(&source, newest)?;
    serde_json::from_str(text).map_err(|error| unreadable(&source, &error))
}

fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, DocumentReadError> {
    let failed = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => DocumentReadError::Missing(path.to_owned()),
        _ => DocumentReadError::Io {
            file: path.to_owned(),
            source: error,
        },
    };
    let mut bytes = Vec::new();
    File::open(path)
        .map_err(failed)?
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > limit {
        let message = format!("{} has more than {limit} bytes", shown(path));
        return Err(bad(
            Finding::error("too-large", message).hint("it was not written by this program")
        ));
    }
    Ok(bytes)
}

fn check_format(source: &Source, newest: u32) -> Result<(), DocumentReadError> {
    #[derive(serde::Deserialize)]
    struct Numbered {
        format: Option<u64>,
    }
    let start = 0..0;
    let numbered: Numbered =
        serde_json::from_str(source.text()).map_err(|error| unreadable(source, &error))?;
    match numbered.format {
        Some(format) if format <= u64::from(newest) => Ok(()),
        Some(format) => {
            let message = format!(
                "the document has format {format}, this program knows formats up to {newest}"
            );
            let hint = "it was written by a newer version: use that version, or move the file away";
            Err(bad(Finding::error("newer-format", message)
                .at(source, &start)
                .path("format")
                .hint(hint)))
        }
        None => Err(bad(Finding::error(
            "format-missing",
            "the document has no `format` number",
        )
        .at(source, &start)
        .path("format")
        .hint(format!(
            "it is probably another kind of file; ours begin with `\"format\": {newest}`"
        )))),
    }
}

fn unreadable(source: &Source, error: &serde_json::Error) -> DocumentReadError {
    let text = source.text();
    let line_start: usize = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1))
        .map(str::len)
        .sum();
    let offset = (line_start + error.column().saturating_sub(1)).min(text.len());
    let message = error.to_string();
    let message = message
        .rsplit_once(" at line ")
        .map_or(message.as_str(), |(message, _)| message);
    let finding = Finding::error("bad-document", materia_model::text::printable(message))
        .at(source, &(offset..offset))
        .hint("repair it by hand, or move it away so that it is written anew");
    bad(finding)
}

fn bad(finding: Finding) -> DocumentReadError {
    DocumentReadError::Bad(Box::new(finding))
}

/// A temporary file in a directory, locked for as long as its writer lives, so that [`sweep`]
/// spares it.
pub(super) fn temp_in(dir: &Path) -> io::Result<NamedTempFile> {
    let temp = tempfile::Builder::new()
        .prefix(TEMP_PREFIX)
        .append(true)
        .tempfile_in(dir)?;
    // Losing the lock to a sweep means that the name is gone: the rename will say so.
    let _ = temp.as_file().try_lock();
    Ok(temp)
}

/// Removes temporary files in a directory whose writers are gone, and says how many.
pub fn sweep(dir: &Path) -> io::Result<usize> {
    let mut removed = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let ours = entry.file_name().to_string_lossy().starts_with(TEMP_PREFIX);
        if !ours || !entry.file_type()?.is_file() {
            continue;
        }
        let Ok(file) = File::open(entry.path()) else {
            continue;
        };
        if file.try_lock().is_ok() {
            failpoint::hit("atomic.sweep")?;
            match std::fs::remove_file(entry.path()) {
                Ok(()) => removed += 1,
                // Another sweep was here, or its writer gave it its name just before it was locked.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests;
