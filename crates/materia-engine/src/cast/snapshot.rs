//! The snapshot of a cast's state, so that resuming a long cast does not read its whole log again.
//!
//! Owns the file `state.json`: one line, serialized and checksummed like a record of the log, with
//! the state after one of its records. It is a cache: it may be deleted at any time and never
//! overrides the log. It is used only if it is complete, was written by this version of the fold,
//! and the log still has the same record at the same position. Failing to write it does not fail
//! the cast.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use materia_model::cast::CastState;
use materia_model::record::{self, MAX_LINE_BYTES};
use materia_model::secret::Secrets;
use materia_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::store::atomic;
use crate::store::journal::Checkpoint;

/// The version of the format and of the fold. Increment it whenever the fold changes.
const FORMAT: u32 = 1;
const KIND: &str = "state";

/// Minimum number of events between two snapshots.
const EVERY: u64 = 512;
/// How many snapshot bytes one event pays for.
const BYTES_AN_EVENT: u64 = 128;

#[derive(Deserialize)]
struct Kept {
    format: u32,
    by: String,
    checkpoint: Checkpoint,
    state: CastState,
}

#[derive(Serialize)]
struct Keeping<'a> {
    format: u32,
    by: &'a str,
    checkpoint: Checkpoint,
    state: &'a CastState,
}

/// Counts the events after the last snapshot, and knows when the next one is due.
#[derive(Debug)]
pub(super) struct Pace {
    since: u64,
    due: u64,
}

impl Pace {
    /// Starts with `since` events after the last snapshot.
    pub(super) fn new(since: u64) -> Self {
        Self { since, due: EVERY }
    }

    /// Counts an event.
    pub(super) fn count(&mut self) {
        self.since += 1;
    }

    /// Whether a snapshot is due.
    pub(super) fn is_due(&self) -> bool {
        self.since >= self.due
    }

    /// Writes a snapshot, redacted like the log. The larger the snapshot, the more events until the
    /// next one, so that its cost stays in proportion.
    pub(super) fn write(
        &mut self,
        path: &Path,
        checkpoint: Checkpoint,
        state: &CastState,
        secrets: &Secrets,
    ) {
        let mut line = Vec::new();
        let kept = Keeping {
            format: FORMAT,
            by: env!("CARGO_PKG_VERSION"),
            checkpoint,
            state,
        };
        let at = state.updated_at.unwrap_or(Timestamp::from_millis(0));
        // Skip a snapshot that is too long for a line or cannot be written: it is only a cache.
        let mut encoded = record::encode(&mut line, checkpoint.seq, at, KIND, &kept).is_ok();
        if encoded && secrets.is_in(&line) {
            line.clear();
            encoded = serde_json::to_value(&kept).is_ok_and(|mut clean| {
                secrets.redact_value(&mut clean);
                record::encode(&mut line, checkpoint.seq, at, KIND, &clean).is_ok()
            });
        }
        if encoded {
            let _lost = atomic::write_cache(path, &line);
        }
        *self = Self {
            since: 0,
            due: EVERY.max(line.len() as u64 / BYTES_AN_EVENT),
        };
    }
}

/// Reads the snapshot, if it is complete and of this version.
pub(super) fn read(path: &Path) -> Option<(Checkpoint, CastState)> {
    let mut line = Vec::new();
    File::open(path)
        .ok()?
        .take(MAX_LINE_BYTES as u64 + 1)
        .read_to_end(&mut line)
        .ok()?;
    let record = record::decode(line.strip_suffix(b"\n")?).ok()?;
    let kept: Kept = serde_json::from_value(record.data).ok()?;
    let ours = record.kind == KIND && kept.format == FORMAT && kept.by == env!("CARGO_PKG_VERSION");
    ours.then_some((kept.checkpoint, kept.state))
}
