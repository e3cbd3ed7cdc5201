//! Casts: drive a request through a graph and lose nothing of it.
//!
//! Owns the loop (decide, perform, record), the directory of a cast and the reopening of an
//! interrupted one. The kernel in `materia_model::cast` decides. This module performs the decision
//! and records the result, in that order: it appends an event to the log, and flushes it if it is a
//! promise to a caller, before it acts on the event. Never routes, never judges an output, never
//! prints.
//!
//! ```text
//!  <artifactDir>/<cast-id>/events.jsonl          the truth
//!                          config.resolved.json  the definition it runs by
//!                          state.json            the state at some event; a cache
//!                          manifest.json         what is here        ) rebuilt from the events
//!                          usage.json            what it cost        ) whenever the cast stops
//!                          sockets/<socket>/…    inputs and outputs, never overwritten
//! ```

mod error;
pub mod definition;
mod clean;
mod folder;
pub mod glance;
mod manifest;
mod snapshot;
mod usage;
mod log;
mod input;
mod sealed;
mod order;
mod fork;
mod context;
mod watch;
mod driver;
mod perform;
mod control;
pub mod start;
pub mod artifact;
pub mod list;
pub mod show;
pub mod follow;
pub mod status;
pub mod budget;
pub mod fork_point;
pub mod link;
pub mod export;

pub use context::{CastContext, CastObserver};
pub use control::stop;
pub use definition::Definition;
pub use driver::{Driver, DriverStop};
pub use error::Error;
pub use folder::{Folder, ids, newest};
pub use fork::fork;
pub use glance::{CastSummary, ObservedCast, ObservedStatus};
pub use log::Log;
pub use order::{RaiseOutcome, raise};
pub use sealed::require_seal;
pub use usage::{CastUsage, CostSum, MateriaUsage, TokenSum, UsageSum, usage};
pub use watch::{ActivityEnd, ActivityLine, activity_of};
