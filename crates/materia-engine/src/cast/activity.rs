//! `activity`: what an agent says and does in a turn, while it does it.
//!
//! Owns reading a turn's `activity.jsonl` as it grows, whole lines only, from any position. Which
//! file that is, the log says with the turn; a turn without one has just nothing to show.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::FileExt;

use materia_model::record::Record;
use serde::Serialize;
use serde_json::Value;

use crate::cast::{Folder, activity_of};
use crate::store::artifact::{ArtifactError, Root};
use crate::wake::DirectoryWatch;

/// How much is read at once; no line is longer.
const PIECE: usize = 64 << 10;

/// One turn that is looked at.
#[derive(Debug)]
pub struct Activity {
    root: Root,
    wake: DirectoryWatch,
    path: String,
    file: Option<File>,
    at: u64,
}

/// A few lines of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ActivityReport {
    /// Which file it is.
    pub path: String,
    /// The position behind the lines.
    pub to: u64,
    /// What was done, in order, as the file has it.
    #[cfg_attr(
        feature = "typescript",
        ts(as = "Vec<crate::cast::ActivityLine<'static>>")
    )]
    pub lines: Vec<Value>,
}

/// The artifact of the turn that begins with this event.
pub fn begun(record: &Record) -> Option<String> {
    if record.kind != "agent_turn_start" {
        return None;
    }
    activity_of(record.data.get("artifact")?.as_str()?)
}

impl Activity {
    /// Looks at one from a position on.
    pub fn open(folder: &Folder, path: &str, from: u64) -> io::Result<Self> {
        let wake = DirectoryWatch::new()?;
        let dir = path.rsplit_once('/').map_or("", |(dir, _)| dir);
        wake.on(&folder.path().join(dir))?;
        let root = Root::open(folder.path()).map_err(io::Error::other)?;
        Ok(Self {
            root,
            wake,
            path: path.to_owned(),
            file: None,
            at: from,
        })
    }

    /// Nothing yet, from the beginning of the file.
    pub fn nothing(&self) -> ActivityReport {
        self.report(0, Vec::new())
    }

    fn report(&self, to: u64, lines: Vec<Value>) -> ActivityReport {
        let path = self.path.clone();
        ActivityReport { path, to, lines }
    }

    /// What was added, without waiting; nothing where nothing was. Afterwards the descriptor tells
    /// when to ask again.
    pub fn more(&mut self) -> io::Result<Option<ActivityReport>> {
        self.wake.drain()?;
        if self.file.is_none() {
            self.file = match self.root.read(&self.path) {
                Ok(file) => Some(file),
                Err(ArtifactError::Missing(_)) => return Ok(None),
                Err(error) => return Err(io::Error::other(error)),
            };
        }
        let Some(file) = &self.file else {
            return Ok(None);
        };
        let mut bytes = vec![0; PIECE];
        let count = file.read_at(&mut bytes, self.at)?;
        bytes.truncate(count);
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
            // A line that fills all of it is none of ours.
            self.at += if count == PIECE { count as u64 } else { 0 };
            return Ok(None);
        };
        self.at += end as u64 + 1;
        let lines = bytes[..end].split(|byte| *byte == b'\n');
        let lines = lines
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect();
        Ok(Some(self.report(self.at, lines)))
    }
}

impl AsFd for Activity {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.wake.as_fd()
    }
}
