//! Runs: their lifecycle events and the state these fold into.
//!
//! Owns the lifecycle events of a run's journal, their state, the words for its status, and the
//! rules of retention. Never reads a journal and never inspects a process: `engine::run` does both.

mod event;
mod state;
mod retention;

pub use event::{
    CHILD_END, CHILD_START, COMMAND_DONE, COMMAND_START, ChildEnd, ChildStart, CommandDone,
    CommandStart, DeclaredArtifact, DrivenCast, MESSAGE, OnSessionEnd, RUN_END, RUN_START,
    RetireWhen, RunControl, RunEnd, RunOrigin, RunStart, RunSupervisor,
};
pub use retention::{KEPT_FOR, is_overdue};
pub use state::{RunOutcome, RunState, RunStatus};
