//! Retention of runs that are over: archiving, pruning, sweeping.
//!
//! Owns what happens to a run's directory after its end. Each step holds the run's lock, after the
//! run's own journal said that it is over.

mod terminal;
mod undelivered;
mod preserve;
mod archive;
mod retention;

pub use archive::{Archived, Pruned, archive, archived, find, prune_archived};
pub use retention::{end_session, prune, sweep, sweep_daily};
pub use undelivered::{DroppedRuns, dropped, forget_dropped, pending, pending_dir};
