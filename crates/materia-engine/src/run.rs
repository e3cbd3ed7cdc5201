//! Runs: detached executions that outlive the process that started them (A1–A13).
//!
//! Owns a run's directory, its one supervisor process, the proof of its status, its end, and its
//! retention. There is no daemon: the source of truth is one journal per run, to which processes
//! append one at a time, and a lock that the supervisor holds for life. A process that looks at a
//! run whose supervisor died ends the remaining processes and records the end (A6). Never expands a
//! template and never decides what runs: it gets a plan.
//!
//! The list below is the order of the modules: a module may use those above it, never those below.

mod error;
mod place;
mod log;
mod holder;
mod ownership;
mod snapshot;
mod look;
mod supervise;
mod end;
mod keep;

pub use end::{Stopped, Until, WaitEvent, WaitOptions, WaitOutcome, stop, stop_opened, wait};
pub use error::Error;
pub use holder::{holder, identity, is_dead};
pub use keep::{
    Archived, DroppedRuns, Pruned, archive, archived, dropped, end_session, find, forget_dropped,
    pending, pending_dir, prune, prune_archived, sweep, sweep_daily,
};
pub use log::{LogFold, RunLog, journal};
pub use look::{
    AmbiguousId, List, OutputChunk, OutputTail, RunListItem, RunOutput, check_generation,
    complete_address, complete_id, directory, follow, list, look, open, open_begun, prove_again,
    recorded, supervisor, tail,
};
pub use ownership::{check_owner, observer_dir, ring_session};
pub use place::{RunDir, RunRoot};
pub use supervise::{
    ArtifactEntry, NEW, Poured, SUPERVISE, StartedRun, SupervisorOrder, manifest, pour, start,
    supervise,
};

use crate::wake::{self, WakeResult};

/// Wakes the supervisor of a run, so that it reads the journal. Returns whether there is one.
pub fn ring(place: &RunDir) -> bool {
    wake::wake(&place.bell()) == WakeResult::Delivered
}
