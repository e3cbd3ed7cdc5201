//! The data that flows from one step to the next: complete bytes (T22), in memory if small, in an
//! unnamed file if large.
//!
//! Owns both forms. Small output, the usual case, never touches a disk: creating a file can cost
//! more than starting a process. A file is never reused, because a process that a step left running
//! may still write to it. Every reader has its own position, so several branches can read the same
//! file.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::process::{Capture, Captured, Spill, Stdin};
use crate::store::spool;

/// Maximum number of bytes that flow through memory.
pub(super) const SMALL: usize = 64 * 1024;

/// Bytes that flow from one step to the next; clones share them.
#[derive(Debug, Clone, Default)]
pub enum Flow {
    /// No input or output.
    #[default]
    None,
    /// These bytes.
    Bytes(Arc<[u8]>),
    /// The whole content of this file.
    File(Arc<File>),
}

/// Creates spool files.
#[derive(Debug)]
pub(super) struct Spool {
    dir: PathBuf,
}

impl Spool {
    pub(super) fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// Creates an empty file.
    pub(super) fn file(&self) -> io::Result<File> {
        spool::unnamed(&self.dir)
    }

    /// How the output of a step is captured.
    pub(super) fn capture(&self, live: bool) -> Capture {
        Capture {
            memory: SMALL,
            limit: u64::MAX,
            spill: Spill::Unnamed(self.dir.clone()),
            live,
        }
    }
}

impl Flow {
    /// The stdin of the whole plan.
    pub(super) fn given(file: &File) -> io::Result<Self> {
        Ok(Self::File(Arc::new(file.try_clone()?)))
    }

    /// The output of a step; an error if it could not be kept completely.
    pub(super) fn captured(captured: &mut Captured) -> Result<Self, String> {
        if let Some(error) = &captured.spill_error {
            return Err(format!("what it wrote cannot be kept: {error}"));
        }
        match captured.spool.take() {
            Some(file) => Ok(Self::File(Arc::new(file))),
            None => Ok(Self::bytes(&captured.bytes)),
        }
    }

    /// A flow of these few bytes.
    pub(super) fn bytes(bytes: &[u8]) -> Self {
        if bytes.is_empty() {
            Self::None
        } else {
            Self::Bytes(bytes.into())
        }
    }

    /// A text of the user. An empty text gives immediate EOF, which differs from no input.
    pub(super) fn text(text: &str) -> Self {
        Self::Bytes(text.as_bytes().into())
    }

    /// The stdin of a step.
    pub(super) fn stdin(&self) -> io::Result<Stdin> {
        match self {
            Self::None => Ok(Stdin::Null),
            Self::Bytes(bytes) => Ok(Stdin::Bytes(bytes.to_vec())),
            Self::File(file) => reopened(file).map(Stdin::File),
        }
    }

    /// At most `most` of the last bytes, and the total length.
    pub fn tail(&self, most: usize) -> io::Result<(Vec<u8>, u64)> {
        match self {
            Self::None => Ok((Vec::new(), 0)),
            Self::Bytes(bytes) => Ok((
                bytes[bytes.len().saturating_sub(most)..].to_vec(),
                bytes.len() as u64,
            )),
            Self::File(file) => tail(file, most),
        }
    }

    /// Writes all of it, byte for byte.
    pub fn copy_to(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Self::None => Ok(()),
            Self::Bytes(bytes) => out.write_all(bytes),
            Self::File(file) => io::copy(&mut reopened(file)?, out).map(drop),
        }
    }

    /// Writes all of it to a new file in a directory, readable by its owner only, and returns the
    /// path.
    pub fn keep(&self, dir: &Path, name: &str) -> io::Result<PathBuf> {
        match self {
            Self::None => spool::kept(dir, name, &mut io::empty()),
            Self::Bytes(bytes) => spool::kept(dir, name, &mut &bytes[..]),
            Self::File(file) => spool::kept(dir, name, &mut reopened(file)?),
        }
    }
}

impl Flow {
    /// Writes all of it to this file, readable by its owner only. Replaces earlier content.
    pub(super) fn keep_at(&self, path: &Path) -> io::Result<()> {
        match self {
            Self::None => spool::kept_at(path, &mut io::empty()),
            Self::Bytes(bytes) => spool::kept_at(path, &mut &bytes[..]),
            Self::File(file) => spool::kept_at(path, &mut reopened(file)?),
        }
    }
}

/// At most `most` of the last bytes of a file, and its length.
fn tail(file: &File, most: usize) -> io::Result<(Vec<u8>, u64)> {
    let total = file.metadata()?.len();
    let keep = total.min(most as u64);
    let mut bytes = vec![0; usize::try_from(keep).unwrap_or(most)];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], total - keep + filled as u64)? {
            0 => break,
            more => filled += more,
        }
    }
    bytes.truncate(filled);
    Ok((bytes, total))
}

/// Reopens a file, so that it has its own position.
fn reopened(file: &File) -> io::Result<File> {
    File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))
}
