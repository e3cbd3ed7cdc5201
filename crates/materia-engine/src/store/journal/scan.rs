//! Reading one segment line by line, with bounded memory.
//!
//! Owns the judgement of what a line is: a record, the torn end of a write that never finished, or
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

/// The greatest number a record is believed to have: nobody writes so many, and those that follow
/// must have one too.
const GREATEST: u64 = 1 << 62;

/// How often a line is read again that is no good: a reader takes no turn, so it may have the
/// beginning of a torn line and the end of what was written over it. Only what looks the same twice
/// is damage.
const LOOKS: usize = 100;

#[cfg(test)]
thread_local! {
    /// How many records this thread has read and checked.
    static CHECKED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// How many records are read and checked while something is done.
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
    /// Where the next line begins.
    offset: u64,
    /// The number the next record has to have; any will do where a history begins.
    expected: Option<u64>,
    header: Option<(u64, Header)>,
    last: Option<Spot>,
}

/// Where a record begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spot {
    pub(super) seq: u64,
    pub(super) offset: u64,
}

/// What comes next in a segment.
#[derive(Debug)]
pub(super) enum Item {
    /// A record; [`SegmentScan::line`] is its line.
    Record(Spot),
    /// A line that was never finished, at the very end.
    Torn(Torn),
    /// Nothing, for now.
    End,
}

/// The end of a write that never finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Torn {
    pub(super) offset: u64,
    pub(super) length: u64,
    /// Whether the line has its newline, and is torn because blocks in it were never written.
    pub(super) newline: bool,
    /// The beginning of it, printable.
    pub(super) excerpt: String,
}

enum Line {
    Whole,
    Part,
    TooLong,
    None,
}

impl SegmentScan {
    /// Reads a segment from its beginning.
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

    /// The line of the record that was found last, without its newline.
    pub(super) fn line(&self) -> &[u8] {
        &self.line
    }

    /// The number of the first record and what it says, once it was read.
    pub(super) fn header(&self) -> Option<&(u64, Header)> {
        self.header.as_ref()
    }

    pub(super) fn last(&self) -> Option<Spot> {
        self.last
    }

    /// Where the records read so far end.
    pub(super) fn end(&self) -> u64 {
        self.offset
    }

    /// The number of the first record, without moving on; none where it is not whole or no good.
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

    /// Goes on as if everything up to `spot` and the records before `end` had been read.
    pub(super) fn jump(&mut self, spot: Spot, end: u64) -> Result<(), JournalError> {
        self.seek(end)?;
        self.expected = Some(spot.seq + 1);
        self.last = Some(spot);
        Ok(())
    }

    /// Goes to a record that somebody remembers; the next item tells whether it is there.
    pub(super) fn jump_to(&mut self, spot: Spot) -> Result<(), JournalError> {
        self.seek(spot.offset)?;
        self.expected = Some(spot.seq);
        Ok(())
    }

    /// What comes next. Asking again after `Torn` or `End` looks again at the same place.
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
        // What one long line needed is given back when the next one is read.
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

    /// Lines and records count alike, so the number of a line needs no counting.
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

    /// The error for what stands at the end of what was read.
    pub(super) fn damaged_here(&self, damage: Damage) -> JournalError {
        self.damaged(self.offset, damage)
    }
}
