//! Runs: detached executions that outlive whoever started them (A1–A13).
//!
//! Owns a run's directory, its one supervisor process, the proof of its status, its end, and what
//! is kept of it. No daemon: the truth is one journal per run that everybody appends to in turns,
//! and a lock that the supervisor holds for life. Whoever looks at a run whose supervisor died ends
//! what that left behind and records it (A6). Never expands a template and never decides what runs:
//! it is handed a plan.

mod error;
mod place;
mod log;
mod order;
mod snapshot;
mod artifact;
mod family;
mod feeding;
mod parting;
mod status;
mod holder;
mod pipe;
mod observer;
mod conclusion;
mod contacts;
mod beginning;
mod start;
mod supervisor;
mod control;
mod wait;
mod output;
mod follow;
mod live_output;
mod index;
mod over;
mod preserve;
mod archive;
mod retention;
mod reference;

pub use archive::{Archived, Pruned, archive, archived, find, prune_archived};
pub use artifact::{Entry, manifest};
pub use control::{Stopped, stop, stop_opened};
pub use error::Error;
pub use family::{check_owner, observer_dir, ring_session};
pub use follow::follow;
pub use holder::{holder, identity, is_dead};
pub use index::{List, Listed, list};
pub use live_output::{OutputChunk, RunOutput};
pub use log::{LogFold, RunLog, journal};
pub use order::Order;
pub use output::{Tail, directory, tail};
pub use over::check_generation;
pub use parting::{LeftOut, left, left_dir, left_out, told_left_out};
pub use pipe::{Poured, pour};
pub use place::{Place, Root};
pub use reference::{AmbiguousId, complete_address, complete_id};
pub use retention::{end_session, prune, sweep, sweep_daily};
pub use start::{Started, start};
pub use status::{look, open, open_begun, prove_again, recorded, supervisor};
pub use supervisor::{NEW, SUPERVISE, supervise};
pub use wait::{Until, WaitEvent, WaitOptions, WaitOutcome, wait};

use crate::wake::{self, WakeResult};

/// Tells whoever supervises a run to look at its journal; whether somebody does.
pub fn ring(place: &Place) -> bool {
    wake::wake(&place.bell()) == WakeResult::Delivered
}
