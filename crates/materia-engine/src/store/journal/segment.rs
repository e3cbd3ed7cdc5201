//! The files of a journal, and the first record of each.
//!
//! Owns names: the current segment has the journal's own name (`events.jsonl`), a closed one also
//! has the number of its first record (`events.00000000000000000001.jsonl`). Never opens a segment
//! for writing.

use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use materia_model::record::{self, Record, RecordError};
use serde::{Deserialize, Serialize};

use super::error::{Damage, JournalError};
use super::{FORMAT, HEADER};
use crate::store::dir;

/// The paths of the segments of one journal.
#[derive(Debug, Clone)]
pub(super) struct SegmentFiles {
    current: Arc<Path>,
}

impl SegmentFiles {
    pub(super) fn new(path: &Path) -> Self {
        Self {
            current: path.into(),
        }
    }

    /// The segment that is being written.
    pub(super) fn current(&self) -> &Path {
        &self.current
    }

    pub(super) fn dir(&self) -> &Path {
        dir::parent_of(&self.current)
    }

    /// The path of a closed segment, by the number of its first record.
    pub(super) fn closed(&self, first: u64) -> PathBuf {
        let (stem, extension) = self.name_parts();
        self.current
            .with_file_name(format!("{stem}.{first:020}{extension}"))
    }

    /// The path of a file next to the journal, such as its lock.
    pub(super) fn beside(&self, suffix: &str) -> PathBuf {
        let mut name = self.current.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    }

    /// The numbers of the first records of all closed segments, in order.
    pub(super) fn closed_segments(&self) -> io::Result<Vec<u64>> {
        let (stem, extension) = self.name_parts();
        let mut numbers = Vec::new();
        let Some(entries) = found(std::fs::read_dir(self.dir()))? else {
            return Ok(Vec::new());
        };
        for entry in entries {
            let name = entry?.file_name();
            let number = name
                .to_str()
                .and_then(|name| {
                    name.strip_prefix(&stem)?
                        .strip_prefix('.')?
                        .strip_suffix(&extension)
                })
                .filter(|digits| {
                    digits.len() == 20 && digits.bytes().all(|byte| byte.is_ascii_digit())
                });
            numbers.extend(number.and_then(|digits| digits.parse::<u64>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    fn name_parts(&self) -> (String, String) {
        let text = |part: Option<&std::ffi::OsStr>| {
            part.unwrap_or_default().to_string_lossy().into_owned()
        };
        let extension = text(self.current.extension());
        let dotted = if extension.is_empty() {
            extension
        } else {
            format!(".{extension}")
        };
        (text(self.current.file_stem()), dotted)
    }
}

/// The identity of a file, independent of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileId {
    device: u64,
    inode: u64,
}

impl FileId {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
        }
    }

    /// The device and the inode.
    pub(super) fn parts(self) -> (u64, u64) {
        (self.device, self.inode)
    }

    /// The file with this device and inode.
    pub(super) fn from_parts(device: u64, inode: u64) -> Self {
        Self { device, inode }
    }

    /// The file at a path, if it exists.
    pub(super) fn at(path: &Path) -> io::Result<Option<Self>> {
        Ok(found(std::fs::metadata(path))?.map(|metadata| Self::of(&metadata)))
    }
}

/// Opens a file for reading, if it exists.
pub(super) fn open_if_there(path: &Path) -> io::Result<Option<File>> {
    found(File::open(path))
}

fn found<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// The content of the first record of a segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    /// The format number of the records in the segment.
    pub(super) format: u32,
    /// The name of the journal.
    pub(super) name: String,
    /// The number of the segment, from 1.
    pub(super) segment: u64,
}

impl Header {
    pub(super) fn new(name: &str, segment: u64) -> Self {
        Self {
            format: FORMAT,
            name: name.to_owned(),
            segment,
        }
    }

    /// Parses the first line of a segment. Its checksum has been verified.
    pub(super) fn read(line: &[u8], file: &Path) -> Result<Self, JournalError> {
        let damaged = |damage| JournalError::Damaged {
            file: file.to_owned(),
            line: 1,
            offset: 0,
            damage,
        };
        let record: Record = record::decode(line)
            .map_err(|bad: RecordError| damaged(Damage::NoHeader(bad.to_string())))?;
        if record.kind != HEADER {
            let kind = materia_model::text::quoted(&record.kind);
            return Err(damaged(Damage::NoHeader(format!("it is a {kind} record"))));
        }
        if let Some(found) = record.data["format"]
            .as_u64()
            .filter(|format| *format > u64::from(FORMAT))
        {
            return Err(JournalError::Newer {
                file: file.to_owned(),
                found,
                known: FORMAT,
            });
        }
        serde_json::from_value(record.data)
            .map_err(|error| damaged(Damage::NoHeader(error.to_string())))
    }
}
