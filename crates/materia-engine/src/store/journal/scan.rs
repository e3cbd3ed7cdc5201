//! Reading one segment line by line, with bounded memory.
//!
//! Owns the classification of lines: a record, the incomplete end of an interrupted write, or
//! damage. Holds one line at a time, of at most [`MAX_LINE_BYTES`]. Never changes a file, and never
//! leaves its segment.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use materia_model::record::{self, MAX_LINE_BYTES, RecordError};
use materia_model::text;

use super::error::{Damage, JournalError};
use super::segment::{FileId, Header};

const BUFFER: usize = 32 << 10;
const EXCERPT: usize = 120;

/// The largest plausible record number. It leaves numbers for the records that follow.
const GREATEST: u64 = 1 << 62;

/// How often to read an invalid line again. A reader holds no lock, so it may see the start of an
/// incomplete line and the end of the record written over it. Only a line that reads the same twice
/// is damage.
const LOOKS: usize = 100;

#[cfg(test)]
thread_local! {
    /// The number of records that this thread has read and checked.
    static CHECKED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts the records that are read and checked while a closure runs.
#[cfg(test)]
pub(crate) fn records_read_by<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = CHECKED.get();
    let result = work();
    (CHECKED.get() - before, result)
}

/// A segment that is being read.
#[derive(Debug)]
pub(super) struct SegmentScan {
    input: BufReader<File>,
    line: Vec<u8>,
    path: PathBuf,
    id: FileId,
    /// The offset of the next line.
    offset: u64,
    /// The expected number of the next record; `None` accepts any at the start of a history.
    expected: Option<u64>,
    header: Option<(u64, Header)>,
    last: Option<Spot>,
}

/// The number and the offset of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) seq: u64,
    pub(super) offset: u64,
}

/// The next item of a segment.
#[derive(Debug)]
pub(super) enum Item {
    /// A record; [`SegmentScan::line`] is its line.
    Record(Spot),
    /// An incomplete line at the very end.
    Torn(Torn),
    /// No more records for now.
    End,
}

/// The incomplete line of an interrupted write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Torn {
    pub(super) offset: u64,
    pub(super) length: u64,
    /// Whether the line has its newline and is incomplete because blocks in it were never written.
    pub(super) newline: bool,
    /// The start of the line, in printable characters.
    pub(super) excerpt: String,
}

enum Line {
    Whole,
    Part,
    TooLong,
    None,
}

impl SegmentScan {
    /// Reads a segment from its start.
    pub(super) fn new(
        file: File,
        path: PathBuf,
        expected: Option<u64>,
    ) -> Result<Self, JournalError> {
        let id = FileId::of(&file.metadata().map_err(JournalError::io("read", &path))?);
        let input = BufReader::with_capacity(BUFFER, file);
        Ok(Self {
            input,
            line: Vec::new(),
            path,
            id,
            offset: 0,
            expected,
            header: None,
            last: None,
        })
    }

    pub(super) fn id(&self) -> FileId {
        self.id
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The line of the last record, without its newline.
    pub(super) fn line(&self) -> &[u8] {
        &self.line
    }

    /// The number and the content of the first record, once it has been read.
    pub(super) fn header(&self) -> Option<&(u64, Header)> {
        self.header.as_ref()
    }

    pub(super) fn last(&self) -> Option<Spot> {
        self.last
    }

    /// The offset after the last record read.
    pub(super) fn end(&self) -> u64 {
        self.offset
    }

    /// The number of the first record, without advancing; `None` if it is incomplete or invalid.
    pub(super) fn first_seq(&mut self) -> Result<Option<u64>, JournalError> {
        let whole = matches!(self.read_line()?, Line::Whole);
        let seq = if whole {
            record::check(&self.line).ok()
        } else {
            None
        };
        self.seek(0)?;
        Ok(seq)
    }

    /// Continues as if everything up to the record at `spot`, which ends at `end`, had been read.
    pub(super) fn jump(&mut self, spot: Spot, end: u64) -> Result<(), JournalError> {
        self.seek(end)?;
        self.expected = Some(spot.seq + 1);
        self.last = Some(spot);
        Ok(())
    }

    /// Moves to the position of a checkpoint. The next item shows whether the record is there.
    pub(super) fn jump_to(&mut self, spot: Spot) -> Result<(), JournalError> {
        self.seek(spot.offset)?;
        self.expected = Some(spot.seq);
        Ok(())
    }

    /// Reads the next item. After `Torn` or `End`, another call reads at the same offset again.
    pub(super) fn next(&mut self) -> Result<Item, JournalError> {
        let offset = self.offset;
        let mut item = self.judge(offset);
        for _ in 0..LOOKS {
            if !matches!(item, Err(JournalError::Damaged { .. })) {
                break;
            }
            let seen = std::mem::take(&mut self.line);
            self.seek(offset)?;
            item = self.judge(offset);
            if self.line == seen {
                break;
            }
        }
        if item.is_err() {
            self.seek(offset)?;
        }
        item
    }

    fn judge(&mut self, offset: u64) -> Result<Item, JournalError> {
        match self.read_line()? {
            Line::None => Ok(Item::End),
            Line::TooLong => Err(self.damaged(offset, RecordError::TooLong.into())),
            Line::Part
                if offset == 0 && !record::could_begin(&self.line) && !self.line.contains(&0) =>
            {
                let why = "the file is something else".to_owned();
                Err(self.damaged(0, Damage::NoHeader(why)))
            }
            Line::Part => self.torn(offset),
            Line::Whole => match record::check(&self.line) {
                Ok(seq) => self.accept(Spot { seq, offset }),
                Err(_) if self.line.contains(&0) && self.at_end()? => self.torn(offset),
                Err(bad) => Err(self.damaged(offset, bad.into())),
            },
        }
    }

    fn accept(&mut self, spot: Spot) -> Result<Item, JournalError> {
        #[cfg(test)]
        CHECKED.with(|checked| checked.set(checked.get() + 1));
        let expected = self.expected.unwrap_or(spot.seq.max(1));
        if spot.seq != expected {
            return Err(self.damaged(
                spot.offset,
                Damage::Sequence {
                    expected,
                    found: spot.seq,
                },
            ));
        }
        if spot.seq > GREATEST {
            return Err(self.damaged(spot.offset, Damage::TooGreat(spot.seq)));
        }
        if spot.offset == 0 {
            self.header = Some((spot.seq, Header::read(&self.line, &self.path)?));
        }
        self.expected = Some(spot.seq + 1);
        self.last = Some(spot);
        Ok(Item::Record(spot))
    }

    fn torn(&mut self, offset: u64) -> Result<Item, JournalError> {
        let newline = self.offset > offset;
        let length = self.line.len() as u64 + u64::from(newline);
        let head = String::from_utf8_lossy(&self.line[..self.line.len().min(EXCERPT)]);
        let excerpt = text::printable(&head).into_owned();
        self.seek(offset)?;
        Ok(Item::Torn(Torn {
            offset,
            length,
            newline,
            excerpt,
        }))
    }

    fn read_line(&mut self) -> Result<Line, JournalError> {
        self.line.clear();
        // Free the memory that one long line needed.
        self.line.shrink_to(BUFFER);
        let limit = MAX_LINE_BYTES as u64;
        let read = self
            .input
            .by_ref()
            .take(limit)
            .read_until(b'\n', &mut self.line);
        let length = read.map_err(JournalError::io("read", &self.path))?;
        if length == 0 {
            return Ok(Line::None);
        }
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
            self.offset += length as u64;
            return Ok(Line::Whole);
        }
        self.seek(self.offset)?;
        Ok(if length == MAX_LINE_BYTES {
            Line::TooLong
        } else {
            Line::Part
        })
    }

    fn at_end(&mut self) -> Result<bool, JournalError> {
        let rest: io::Result<&[u8]> = self.input.fill_buf();
        rest.map(<[u8]>::is_empty)
            .map_err(JournalError::io("read", &self.path))
    }

    fn seek(&mut self, offset: u64) -> Result<(), JournalError> {
        self.input
            .seek(SeekFrom::Start(offset))
            .map_err(JournalError::io("read", &self.path))?;
        self.offset = offset;
        Ok(())
    }

    /// Every line is a record, so the record number gives the line number.
    fn damaged(&self, offset: u64, damage: Damage) -> JournalError {
        let first = self.header.as_ref().map(|(first, _)| *first);
        let line = match (first, self.last) {
            (Some(first), Some(last)) => last.seq.saturating_sub(first) + 2,
            _ => 1,
        };
        JournalError::Damaged {
            file: self.path.clone(),
            line,
            offset,
            damage,
        }
    }

    /// The error for damage after the last record read.
    pub(super) fn damaged_here(&self, damage: Damage) -> JournalError {
        self.damaged(self.offset, damage)
    }
}
