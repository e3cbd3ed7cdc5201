//! Casts: one request that walks through a graph.
//!
//! Owns the events of a cast, the state that they fold into, and the decision what comes next.
//! [`Kernel::decide`] takes the graph and the state and returns one [`CastEffect`]. A driver
//! performs it, records the result, and folds it with [`CastState::apply`]. Nothing else changes a
//! state, so a driver resumes a killed cast with "fold, then decide". Never waits, runs, reads or
//! writes: no clock, no file, no process.
//!
//! ```text
//! cast_start → socket_route → socket_start → (turn or utility) → socket_complete
//!            → socket_advance? → socket_route → … → cast_end
//! ```
//!
//! Inside, the order of the files is: what happened ([`event`]), what that means ([`state`]), the
//! parts of a decision ([`budget`], [`recovery`], [`rework`], [`prompt`]), and the decision itself
//! (`kernel`).

pub mod failure;
pub mod event;
pub mod rework;
pub mod budget;
pub mod recovery;
pub mod state;
mod apply;
pub mod prompt;
mod kernel;
mod conclude;
mod command;

pub use command::CastRefusal;
pub use event::{CastEvent, CastEventBody};
pub use failure::{CastFailure, CastFailureCode};
pub use kernel::{
    AgentEffect, CastEffect, CastFacts, Kernel, MAX_CYCLES, MAX_VISITS, UtilityEffect,
};
pub use state::{CastPhase, CastState, CastStatus};

#[cfg(test)]
mod tests;
