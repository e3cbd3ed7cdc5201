//! Documents that are replaced atomically.
//!
//! Owns the one way to write a document: write a temporary file next to it (0600), sync it, rename
//! it over the document, and sync the directory. A reader sees the old document or the new one. A
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

/// The prefix of the names of temporary files.
pub const TEMP_PREFIX: &str = ".materia-tmp-";

/// Why a document was not written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// An I/O error; the document is unchanged.
    #[error("cannot {action} {}", shown(file))]
    Io {
        /// The operation that failed.
        action: &'static str,
        /// The document.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The document cannot be serialized as JSON; it is unchanged.
    #[error("{} cannot be written as JSON", shown(file))]
    Json {
        /// The document.
        file: PathBuf,
        /// The serializer's error.
        source: serde_json::Error,
    },
    /// It is nested too deeply to be read again.
    #[error("{} would nest deeper than {MAX_DEPTH} levels", shown(file))]
    TooDeep {
        /// The document.
        file: PathBuf,
    },
    /// The document was replaced, but a power cut may restore the old one.
    #[error("{} was written, and may not survive a power cut", shown(file))]
    Unsynced {
        /// The document.
        file: PathBuf,
        /// The error of the sync.
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

/// Replaces a document that can be rebuilt. Readers see the old one or the new one. Nothing is
/// synced, so a power cut may remove or empty it.
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
        // Renaming over a file makes ext4 flush the new one at once; exchanging two files does not.
        // The old file then has the temporary name and is removed with it.
        if !synced && changes_places(temp.path(), path) {
            return Ok(());
        }
        match temp.persist(path) {
            Ok(_) => return Ok(()),
            // A sweep removed the temporary file between its creation and its lock. Retry once.
            Err(error) if error.error.kind() == io::ErrorKind::NotFound && !swept => swept = true,
            Err(error) => return Err(failed("replace")(error.error)),
        }
    }
}

/// Exchanges two files; false if `path` is not a regular file.
fn changes_places(temp: &Path, path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|there| there.is_file())
        && rustix::fs::renameat_with(CWD, temp, CWD, path, RenameFlags::EXCHANGE).is_ok()
}

/// Writes a copy of something that can be rebuilt: replaced atomically, not synced, and executable
/// if it is a program.
///
/// A power cut may remove or empty it; readers treat an empty file as missing.
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

/// The kind of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copied {
    /// A file to read.
    Text,
    /// A file to execute.
    Program,
}

/// Replaces a JSON document. Its `format` number comes first, so the value must serialize to an
/// object without that field.
pub fn write_json<T: Serialize>(path: &Path, format: u32, document: &T) -> Result<(), WriteError> {
    write(path, &spelled(path, format, document)?)
}

/// Like [`write_json`] for a document that can be rebuilt: nothing is synced.
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

/// The nesting depth of a JSON text.
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

/// Removes a document. After a crash it is there completely or gone.
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

/// Why a document was not read.
#[derive(Debug, thiserror::Error)]
pub enum DocumentReadError {
    /// It does not exist.
    #[error("there is no {}", shown(.0))]
    Missing(PathBuf),
    /// It cannot be read.
    #[error("cannot read {}", shown(file))]
    Io {
        /// The document.
        file: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// Its content is invalid; the finding has the position and a hint.
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

/// Creates a temporary file in a directory. Its writer holds a lock on it, so that [`sweep`] does
/// not remove it.
pub(super) fn temp_in(dir: &Path) -> io::Result<NamedTempFile> {
    let temp = tempfile::Builder::new()
        .prefix(TEMP_PREFIX)
        .append(true)
        .tempfile_in(dir)?;
    // If a sweep holds the lock, the file is about to be removed, and the rename will fail.
    let _ = temp.as_file().try_lock();
    Ok(temp)
}

/// Removes the temporary files of dead writers in a directory and returns how many.
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
                // Another sweep removed it, or its writer renamed it just before we locked it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests;
