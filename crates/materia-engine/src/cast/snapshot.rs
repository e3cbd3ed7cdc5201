//! The snapshot of a cast's state, so that taking up a long cast does not read all of its log
//! again.
//!
//! Owns the file `state.json`: one line, spelled and checked like a record of the log, with the
//! state after a certain record of it. A cache that may be deleted at any time and is never trusted
//! over the log: it counts only when it is whole, by this version of the fold, and the log still
//! has that very record at that very place. A failure to write it is no failure of the cast.

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

/// The number of the format, and of what events mean: to be raised whenever the fold changes.
const FORMAT: u32 = 1;
const KIND: &str = "state";

/// How many events may follow a snapshot before the next one, at least.
const EVERY: u64 = 512;
/// How many bytes of a snapshot are paid for by one event.
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

/// How many events came after the last snapshot, and when the next one is due.
#[derive(Debug)]
pub(super) struct Pace {
    since: u64,
    due: u64,
}

impl Pace {
    /// So many events came after the last snapshot.
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

    /// Writes a snapshot, without its secrets, like the log. A large one is due less often, so that
    /// what it costs is in proportion to what happened.
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
        // One that is too long for a line is not kept, and one that cannot be written is not
        // missed.
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

/// The snapshot, where there is a whole one of ours.
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
