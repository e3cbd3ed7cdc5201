//! The lifetime of one generation: start, supervision, conclusion.
//!
//! Owns the launcher's side, the supervisor process and what it passes to its commands. Never
//! decides how long a run is kept.

mod order;
mod contacts;
mod artifact;
mod beginning;
mod stdin_delivery;
mod fifo_delivery;
mod watcher;
mod conclusion;
mod start;
mod supervisor;

pub use artifact::{ArtifactEntry, manifest};
pub use fifo_delivery::{Poured, pour};
pub use order::SupervisorOrder;
pub use start::{StartedRun, start};
pub use supervisor::{NEW, SUPERVISE, supervise};
