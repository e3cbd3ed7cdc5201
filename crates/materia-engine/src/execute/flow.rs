//! What flows from one step to the next: complete bytes (T22), few in memory, many in a file that
//! has no name.
//!
//! Owns both forms. Little output, which is most of it, never touches a disk: making a file costs
//! more than starting a process may. A file is never reused: something that a step left running may
//! still write to it. Every reader has a position of its own, so that several branches can read the
//! same.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::process::{Capture, Captured, Spill, Stdin};
use crate::store::spool;

/// Up to how many bytes flow through memory.
pub(super) const SMALL: usize = 64 * 1024;

/// Bytes on their way from one step to the next; clones share them.
#[derive(Debug, Clone, Default)]
pub enum Flow {
    /// There is nothing.
    #[default]
    None,
    /// These.
    Bytes(Arc<[u8]>),
    /// Everything in this file.
    File(Arc<File>),
}

/// Makes spool files.
#[derive(Debug)]
pub(super) struct Spool {
    dir: PathBuf,
}

impl Spool {
    pub(super) fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    /// A new empty file.
    pub(super) fn file(&self) -> io::Result<File> {
        spool::unnamed(&self.dir)
    }

    /// How a step's output is taken.
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
    /// What the whole plan was given to read.
    pub(super) fn given(file: &File) -> io::Result<Self> {
        Ok(Self::File(Arc::new(file.try_clone()?)))
    }

    /// What a step wrote; an error when not all of it could be kept.
    pub(super) fn captured(captured: &mut Captured) -> Result<Self, String> {
        if let Some(error) = &captured.spill_error {
            return Err(format!("what it wrote cannot be kept: {error}"));
        }
        match captured.spool.take() {
            Some(file) => Ok(Self::File(Arc::new(file))),
            None => Ok(Self::bytes(&captured.bytes)),
        }
    }

    /// These few bytes.
    pub(super) fn bytes(bytes: &[u8]) -> Self {
        if bytes.is_empty() {
            Self::None
        } else {
            Self::Bytes(bytes.into())
        }
    }

    /// A text that somebody wrote; an empty one ends at once, and is not nothing.
    pub(super) fn text(text: &str) -> Self {
        Self::Bytes(text.as_bytes().into())
    }

    /// What a step reads.
    pub(super) fn stdin(&self) -> io::Result<Stdin> {
        match self {
            Self::None => Ok(Stdin::Null),
            Self::Bytes(bytes) => Ok(Stdin::Bytes(bytes.to_vec())),
            Self::File(file) => reopened(file).map(Stdin::File),
        }
    }

    /// At most so many of the last bytes, and how many there are.
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

    /// Keeps all of it in a new file in a directory, for its owner alone, and says where.
    pub fn keep(&self, dir: &Path, name: &str) -> io::Result<PathBuf> {
        match self {
            Self::None => spool::kept(dir, name, &mut io::empty()),
            Self::Bytes(bytes) => spool::kept(dir, name, &mut &bytes[..]),
            Self::File(file) => spool::kept(dir, name, &mut reopened(file)?),
        }
    }
}

impl Flow {
    /// Keeps all of it in this file, for its owner alone; what was there before is gone.
    pub(super) fn keep_at(&self, path: &Path) -> io::Result<()> {
        match self {
            Self::None => spool::kept_at(path, &mut io::empty()),
            Self::Bytes(bytes) => spool::kept_at(path, &mut &bytes[..]),
            Self::File(file) => spool::kept_at(path, &mut reopened(file)?),
        }
    }
}

/// At most so many of the last bytes of a file, and how many there are.
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

/// The same file with a position of its own.
fn reopened(file: &File) -> io::Result<File> {
    File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))
}
