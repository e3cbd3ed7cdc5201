//! What flows from one step to the next: complete bytes in a file that has no name (T22).
//!
//! Owns spool files. A step writes straight into one, and the next reads straight from it, from its own position, so
//! that several branches can read the same. Never holds what flows in memory, and never reuses a file: something that a
//! step left running may still write to it.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::rc::Rc;

use crate::store::spool;

/// Bytes on their way from one step to the next; clones share them.
#[derive(Debug, Clone)]
pub(super) enum Flow {
    /// There is nothing to read.
    None,
    /// Everything in this file.
    File(Rc<File>),
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

    /// A flow of a text of ours.
    pub(super) fn text(&self, text: &str) -> io::Result<Flow> {
        let file = self.file()?;
        spool::write_at(&file, text.as_bytes(), 0)?;
        Ok(Flow::File(Rc::new(file)))
    }
}

impl Flow {
    /// What the whole plan was given to read.
    pub(super) fn given(file: &File) -> io::Result<Self> {
        Ok(Self::File(Rc::new(file.try_clone()?)))
    }

    /// A file to read it from, at its beginning and with a position of its own.
    pub(super) fn reader(&self) -> io::Result<Option<File>> {
        match self {
            Self::None => Ok(None),
            Self::File(file) => reopened(file).map(Some),
        }
    }

    /// The file itself, if there is one.
    pub(super) fn into_file(self) -> Option<Rc<File>> {
        match self {
            Self::None => None,
            Self::File(file) => Some(file),
        }
    }
}

/// At most so many of the last bytes of a file, and how many there are.
pub fn tail(file: &File, most: usize) -> io::Result<(Vec<u8>, u64)> {
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
pub fn reopened(file: &File) -> io::Result<File> {
    File::open(format!("/proc/self/fd/{}", file.as_raw_fd()))
}
