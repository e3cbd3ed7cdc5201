//! Reading a journal from one end to the other.
//!
//! Owns the iterator over records. Holds one line at a time, needs no lock, and changes nothing; a
//! line that is not finished ends the reading without an error, because its writer may be about to
//! finish it.

use std::path::Path;

use materia_model::record::{self, Record};

use super::Checkpoint;
use super::cursor::{Cursor, From, Step};
use super::error::JournalError;
use super::segment::SegmentFiles;

/// The records of a journal, headers and `recovered` records included.
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

    /// Where the last record is that was read: another reader or a writer can continue from there
    /// without reading again what is before it.
    pub fn checkpoint(&self) -> Option<Checkpoint> {
        self.last
    }
}

/// Ends where nothing whole is left, and after the first error. Asking again later goes on with
/// what was added.
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

/// The next whole record, if there is one.
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
