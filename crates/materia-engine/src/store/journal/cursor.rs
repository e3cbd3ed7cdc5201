//! A read position that moves across the segments of a journal.
//!
//! Owns finding the first segment to read and each following one, even while a writer closes
//! segments concurrently. It always opens the current segment before it lists the closed ones, so a
//! segment closed in between is not missed. Never writes, never waits.

use std::path::PathBuf;

use materia_model::record;

use super::Checkpoint;
use super::error::{Damage, JournalError};
use super::scan::{Item, SegmentScan, Spot, Torn};
use super::segment::{FileId, SegmentFiles, open_if_there};

/// A read position in a journal.
#[derive(Debug)]
pub(super) struct Cursor {
    files: SegmentFiles,
    from: From,
    here: Option<SegmentScan>,
    /// The last record and the segment number of the previous segment.
    before: Option<(u64, u64)>,
}

/// Where to start reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// At the oldest record.
    Beginning,
    /// After this record; at the oldest record if this one is gone.
    After(u64),
    /// After a checkpoint, without reading what is before it.
    Checkpoint(Checkpoint),
}

/// The result of one step.
#[derive(Debug)]
pub(super) enum Step {
    /// A record, in [`Cursor::scan`].
    Record(Spot),
    /// An incomplete line at the very end.
    Torn(Torn),
    /// No more records for now.
    End,
    /// The next segment, or the first one, does not exist (yet).
    Missing,
}

impl Cursor {
    pub(super) fn new(files: SegmentFiles, from: From) -> Self {
        Self {
            files,
            from,
            here: None,
            before: None,
        }
    }

    /// The current segment of the cursor.
    pub(super) fn scan(&self) -> Option<&SegmentScan> {
        self.here.as_ref()
    }

    /// The number of the last record read, in any segment.
    pub(super) fn last_seq(&self) -> Option<u64> {
        let here = self
            .here
            .as_ref()
            .and_then(SegmentScan::last)
            .map(|last| last.seq);
        here.or(self.before.map(|(last, _)| last))
    }

    /// The position of the last record read. Valid only directly after the step that read it.
    pub(super) fn checkpoint(&self) -> Option<Checkpoint> {
        let scan = self.here.as_ref()?;
        let Spot { seq, offset } = scan.last()?;
        Some(Checkpoint {
            segment: scan.header()?.0,
            seq,
            offset,
            sum: record::sum_of(scan.line())?,
        })
    }

    /// The number of segments up to the last one that has its header.
    pub(super) fn segments_before(&self) -> u64 {
        let here = self
            .here
            .as_ref()
            .and_then(SegmentScan::header)
            .map(|(_, header)| header.segment);
        here.or(self.before.map(|(_, segment)| segment))
            .unwrap_or(0)
    }

    pub(super) fn scan_mut(&mut self) -> Option<&mut SegmentScan> {
        self.here.as_mut()
    }

    /// The next step. Skips the records before the requested one.
    pub(super) fn step(&mut self) -> Result<Step, JournalError> {
        loop {
            let step = self.step_any()?;
            match (&step, self.from) {
                (Step::Record(spot), From::After(seq)) if spot.seq <= seq => {}
                _ => return Ok(step),
            }
        }
    }

    /// Moves to the end and returns the step found there.
    pub(super) fn run_to_end(&mut self) -> Result<Step, JournalError> {
        loop {
            let step = self.step_any()?;
            if !matches!(step, Step::Record(_)) {
                return Ok(step);
            }
        }
    }

    fn step_any(&mut self) -> Result<Step, JournalError> {
        loop {
            let Some(scan) = &mut self.here else {
                self.here = self.first_segment()?;
                if self.here.is_none() {
                    return Ok(Step::Missing);
                }
                continue;
            };
            let at_end = match scan.next()? {
                Item::Record(spot) => return Ok(Step::Record(spot)),
                Item::Torn(torn) => Step::Torn(torn),
                Item::End => Step::End,
            };
            let current = self.files.current();
            if FileId::at(current).map_err(JournalError::io("read", current))? == Some(scan.id()) {
                return Ok(at_end);
            }
            // The segment is closed. Read what was written between our last read and its closing.
            match scan.next()? {
                Item::Record(spot) => return Ok(Step::Record(spot)),
                Item::Torn(_) => return Err(scan.damaged_here(Damage::Unfinished)),
                Item::End => {}
            }
            let Some(next) = self.following_segment()? else {
                return Ok(Step::Missing);
            };
            self.before = self.last_seq().map(|last| (last, self.segments_before()));
            self.here = Some(next);
        }
    }

    fn first_segment(&self) -> Result<Option<SegmentScan>, JournalError> {
        if let From::Checkpoint(checkpoint) = self.from {
            return self.segment_of(checkpoint).map(Some);
        }
        let wanted = if let From::After(seq) = self.from {
            seq.saturating_add(1)
        } else {
            1
        };
        let mut current = self.open(self.files.current().to_owned(), None)?;
        if let Some(scan) = &mut current
            && scan.first_seq()?.is_some_and(|first| first <= wanted)
        {
            return Ok(current);
        }
        let closed = self.closed_segments()?;
        if current.is_some() && closed.is_empty() {
            return Ok(current);
        }
        let covering = closed
            .iter()
            .rev()
            .find(|first| **first <= wanted)
            .or(closed.first());
        covering.map_or(Ok(None), |first| {
            self.open(self.files.closed(*first), Some(*first))
        })
    }

    /// The segment that starts with the record after the last one read.
    fn following_segment(&self) -> Result<Option<SegmentScan>, JournalError> {
        let Some(scan) = &self.here else {
            return Ok(None);
        };
        let Some(expected) = scan.last().map(|last| last.seq + 1) else {
            // An empty segment was removed. No record was lost, so start over.
            return self.first_segment();
        };
        let current = self.open(self.files.current().to_owned(), Some(expected))?;
        if let Some(closed) = self.open(self.files.closed(expected), Some(expected))? {
            return Ok(Some(closed));
        }
        if self.begins_anew()? {
            return Err(JournalError::Replaced(self.files.current().to_owned()));
        }
        if current.is_none()
            && let Some(found) = self
                .closed_segments()?
                .into_iter()
                .find(|first| *first > expected)
        {
            return Err(scan.damaged_here(Damage::MissingSegment { expected, found }));
        }
        Ok(current)
    }

    /// Whether the current segment is the first one of a new journal.
    fn begins_anew(&self) -> Result<bool, JournalError> {
        let mut current = self.open(self.files.current().to_owned(), None)?;
        Ok(current
            .as_mut()
            .map(SegmentScan::first_seq)
            .transpose()?
            .flatten()
            == Some(1))
    }

    fn segment_of(&self, checkpoint: Checkpoint) -> Result<SegmentScan, JournalError> {
        let stale = || JournalError::StaleCheckpoint {
            file: self.files.current().to_owned(),
            seq: checkpoint.seq,
        };
        let current = self.open(self.files.current().to_owned(), Some(checkpoint.segment))?;
        let closed = self.open(
            self.files.closed(checkpoint.segment),
            Some(checkpoint.segment),
        )?;
        let mut scan = closed.or(current).ok_or_else(stale)?;
        // A current segment that starts elsewhere is not damage: the checkpoint is old, and its
        // segment is gone.
        if scan.first_seq()? != Some(checkpoint.segment) {
            return Err(stale());
        }
        scan.next()?;
        scan.jump_to(Spot {
            seq: checkpoint.seq,
            offset: checkpoint.offset,
        })?;
        match scan.next() {
            Ok(Item::Record(_)) if record::sum_of(scan.line()) == Some(checkpoint.sum) => Ok(scan),
            Err(error @ JournalError::Io { .. }) => Err(error),
            _ => Err(stale()),
        }
    }

    fn open(
        &self,
        path: PathBuf,
        expected: Option<u64>,
    ) -> Result<Option<SegmentScan>, JournalError> {
        let file = open_if_there(&path).map_err(JournalError::io("open", &path))?;
        file.map(|file| SegmentScan::new(file, path, expected))
            .transpose()
    }

    fn closed_segments(&self) -> Result<Vec<u64>, JournalError> {
        self.files.closed_segments().map_err(JournalError::io(
            "list the segments of",
            self.files.current(),
        ))
    }
}
