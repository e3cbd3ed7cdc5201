//! Reading a journal from start to end.
//!
//! Owns the iterator over records. Holds one line at a time, needs no lock, and changes nothing. An
//! incomplete line ends the iteration without an error, because its writer may still be writing it.

use std::path::Path;

use materia_model::record::{self, Record};

use super::Checkpoint;
use super::cursor::{Cursor, From, Step};
use super::error::JournalError;
use super::segment::SegmentFiles;

/// An iterator over the records of a journal, including headers and `recovered` records.
#[derive(Debug)]
pub struct Reader {
    cursor: Cursor,
    last: Option<Checkpoint>,
    failed: bool,
}

impl Reader {
    /// Opens a journal for reading.
    pub fn open(path: &Path, from: From) -> Result<Self, JournalError> {
        let files = SegmentFiles::new(path);
        let there = path.exists()
            || !files
                .closed_segments()
                .map_err(JournalError::io("list the segments of", path))?
                .is_empty();
        if !there {
            return Err(JournalError::Missing(path.to_owned()));
        }
        Ok(Self {
            cursor: Cursor::new(files, from),
            last: None,
            failed: false,
        })
    }

    /// The position of the last record read. Another reader or a writer can continue there without
    /// reading what is before it.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        self.last
    }
}

/// Ends after the last complete record, and after the first error. Calling `next` again later
/// continues with records that were appended.
impl Iterator for Reader {
    type Item = Result<Record, JournalError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = next_record(&mut self.cursor).transpose();
        match &next {
            Some(Ok(_)) => self.last = self.cursor.checkpoint(),
            Some(Err(_)) => self.failed = true,
            None => {}
        }
        next
    }
}

/// The next complete record, if there is one.
pub(super) fn next_record(cursor: &mut Cursor) -> Result<Option<Record>, JournalError> {
    let Step::Record(spot) = cursor.step()? else {
        return Ok(None);
    };
    let Some(scan) = cursor.scan() else {
        return Ok(None);
    };
    let record = record::decode(scan.line()).map_err(|bad| JournalError::Damaged {
        file: scan.path().to_owned(),
        line: spot.seq - scan.header().map_or(spot.seq, |(first, _)| *first) + 1,
        offset: spot.offset,
        damage: bad.into(),
    })?;
    Ok(Some(record))
}
