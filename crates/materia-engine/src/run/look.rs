//! Looking at runs: one of them, all of them, and their output.
//!
//! Owns the proof of a status: the recorded status is trusted only while a live supervisor or a
//! held lock supports it. Ends no processes except those that a dead supervisor left.

pub(super) mod status;
mod index;
mod output;
mod follow;
mod live_output;
mod reference;

pub use follow::follow;
pub use index::{List, RunListItem, list};
pub use live_output::{OutputChunk, RunOutput};
pub use output::{OutputTail, directory, tail};
pub use reference::{AmbiguousId, complete_address, complete_id};
pub use status::{check_generation, look, open, open_begun, prove_again, recorded, supervisor};
