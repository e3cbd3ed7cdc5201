//! What is kept of runs that are over, and how it goes: archived, pruned, swept.
//!
//! Owns what happens to a run's directory behind its end. Each step is taken under the run's lock,
//! after its own journal said that it is over.

mod terminal;
mod undelivered;
mod preserve;
mod archive;
mod retention;

pub use archive::{Archived, Pruned, archive, archived, find, prune_archived};
pub use retention::{end_session, prune, sweep, sweep_daily};
pub use undelivered::{DroppedRuns, dropped, forget_dropped, pending, pending_dir};
