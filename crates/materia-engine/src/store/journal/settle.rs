//! Preparing the end of a journal for writing.
//!
//! Owns the recovery of an incomplete end (A2, C9): it is replaced by a `recovered` record that
//! describes what was truncated. The caller holds the right to write; called on opening and, for
//! shared journals, after another process wrote. Changes only the incomplete bytes at the very end;
//! damage anywhere else is refused earlier.
//!
//! The order of steps survives a crash at any point. The incomplete region has no newline (if it
//! has one, that byte is removed first). While the record is written over it, any mixture of old
//! and new bytes is again an incomplete end, and is recovered again. The newline, which completes
//! the record, is written after everything else is durable.

use std::fs::OpenOptions;
use std::io::{self, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use materia_model::record;
use serde::Serialize;

use super::cursor::{Cursor, Step};
use super::error::JournalError;
use super::scan::{Spot, Torn};
use super::segment::{Header, SegmentFiles};
use super::synced::Synced;
use super::tail::{self, JournalTail};
use super::{HEADER, RECOVERED};
use crate::clock::Clock;
use crate::failpoint;

/// What was truncated from the end of a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recovery {
    /// The number of bytes.
    pub cut: u64,
    /// The offset of the first one.
    pub at: u64,
    /// The start of the truncated bytes, in printable characters.
    pub tail: String,
}

/// Runs the cursor to the end and returns the tail there, with what had to be truncated.
pub(super) fn settle(
    cursor: &mut Cursor,
    files: &SegmentFiles,
    clock: &Clock,
    name: &str,
    synced: Option<&Arc<Synced>>,
) -> Result<(JournalTail, Option<Recovery>), JournalError> {
    let step = cursor.run_to_end()?;
    settle_at(step, cursor, files, clock, name, synced)
}

/// Like [`settle`], for a cursor that has reached the end with this step.
pub(super) fn settle_at(
    step: Step,
    cursor: &Cursor,
    files: &SegmentFiles,
    clock: &Clock,
    name: &str,
    synced: Option<&Arc<Synced>>,
) -> Result<(JournalTail, Option<Recovery>), JournalError> {
    let (mut tail, recovery) = tail_at(step, cursor, files, clock, name, synced)?;
    tail.synced = synced.cloned();
    Ok((tail, recovery))
}

fn tail_at(
    step: Step,
    cursor: &Cursor,
    files: &SegmentFiles,
    clock: &Clock,
    name: &str,
    synced: Option<&Arc<Synced>>,
) -> Result<(JournalTail, Option<Recovery>), JournalError> {
    let current = files.current();
    let failed = |action| JournalError::io(action, current);
    let next = cursor.last_seq().map_or(1, |last| last + 1);
    let header = Header::new(name, cursor.segments_before().saturating_add(1));
    if matches!(step, Step::Missing) {
        let file = tail::create(current).map_err(failed("create"))?;
        return Ok((
            JournalTail::begin(files.clone(), file, (next, header), clock.now())?,
            None,
        ));
    }
    let file = tail::open_for_append(current).map_err(failed("open"))?;
    let written = cursor
        .scan()
        .and_then(|scan| Some((scan.header()?.clone(), scan.last()?, scan.end())));
    match (step, written) {
        (Step::Torn(torn), Some((header, ..))) => {
            let recovery = Recovery::of(&torn);
            let cutting = synced
                .map(|synced| synced.retract(&file))
                .transpose()
                .map_err(failed("take a turn at"))?;
            let length = replace(files, &torn, next, clock, RECOVERED, &recovery)?;
            drop(cutting);
            let last = Spot {
                seq: next,
                offset: torn.offset,
            };
            Ok((
                JournalTail::new(files.clone(), file, header, last, torn.offset + length)?,
                Some(recovery),
            ))
        }
        (_, Some((header, last, end))) => Ok((
            JournalTail::new(files.clone(), file, header, last, end)?,
            None,
        )),
        (Step::Torn(torn), None) => {
            let recovery = Recovery::of(&torn);
            let cutting = synced
                .map(|synced| synced.retract(&file))
                .transpose()
                .map_err(failed("take a turn at"))?;
            let length = replace(files, &torn, next, clock, HEADER, &header)?;
            drop(cutting);
            let last = Spot {
                seq: next,
                offset: 0,
            };
            let mut tail = JournalTail::new(files.clone(), file, (next, header), last, length)?;
            tail.append(clock.now(), RECOVERED, &recovery)?;
            Ok((tail, Some(recovery)))
        }
        (_, None) => Ok((
            JournalTail::begin(files.clone(), file, (next, header), clock.now())?,
            None,
        )),
    }
}

impl Recovery {
    fn of(torn: &Torn) -> Self {
        Self {
            cut: torn.length,
            at: torn.offset,
            tail: torn.excerpt.clone(),
        }
    }
}

/// Writes a record over an incomplete end and returns its length.
fn replace<T: Serialize>(
    files: &SegmentFiles,
    torn: &Torn,
    seq: u64,
    clock: &Clock,
    kind: &str,
    data: &T,
) -> Result<u64, JournalError> {
    let current = files.current();
    let mut line = Vec::new();
    record::encode(&mut line, seq, clock.now(), kind, data).map_err(|source| {
        JournalError::Unwritable {
            file: current.to_owned(),
            source,
        }
    })?;
    let without_newline = torn.newline.then(|| torn.offset + torn.length - 1);
    overwrite(current, torn.offset, without_newline, &line)
        .map_err(JournalError::io("recover the torn end of", current))?;
    Ok(line.len() as u64)
}

fn overwrite(
    path: &Path,
    offset: u64,
    without_newline: Option<u64>,
    line: &[u8],
) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    if let Some(length) = without_newline {
        failpoint::hit("journal.recover.unline")?;
        file.set_len(length)?;
        failpoint::hit("journal.recover.sync")?;
        file.sync_data()?;
    }
    let (body, newline) = line.split_at(line.len() - 1);
    file.seek(SeekFrom::Start(offset))?;
    failpoint::write_all("journal.recover.write", &mut file, body)?;
    failpoint::hit("journal.recover.truncate")?;
    file.set_len(offset + body.len() as u64)?;
    failpoint::hit("journal.recover.sync")?;
    file.sync_data()?;
    failpoint::write_all("journal.recover.finish", &mut file, newline)?;
    failpoint::hit("journal.recover.sync")?;
    file.sync_data()
}
