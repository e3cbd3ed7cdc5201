//! The process layer: the only module that starts, waits for and signals processes.
//!
//! Owns the child process (one command, its output, its whole tree of descendants), the process set
//! that runs any number of them on one thread, and the identity of a process across pid reuse and
//! reboots. Waits on events with deadlines, never by sleeping. Never interprets what a command
//! prints, never retries, never decides what runs next: `engine::execute`, `agent` and `utility`
//! do.
//!
//! Every child process has its own process group and carries `MATERIA_LEAF` in its environment.
//! Ending a child ends its tree: SIGTERM, a grace period, SIGKILL, until a scan of `/proc` finds no
//! member (T13, A6).
#![allow(clippy::disallowed_methods, reason = "this room owns processes")]

pub mod browser;
mod inherited;
mod stat;
mod identity;
mod held;
mod tree;
mod end;
mod program;
mod command;
mod output;
mod feed;
mod spawn;
mod ending;
mod signals;
mod event;
mod leaf;
mod nursery;
mod turn;
mod sweep;
mod detached;
mod detached_child;
mod exits;
mod inside;
mod caller;
mod below;

pub use below::{RunProcess, below};
pub use caller::{ancestors, caller, is_leaving};
pub use command::{Capture, Command, DEFAULT_GRACE, EnvChanges, Spill, Stdin, StreamSink};
pub use detached::{end_carried, end_detached, is_part_of, spawn_detached};
pub use detached_child::{DetachedChild, inherited_files, spawn_detached_child};
pub use end::{Cause, ProcessEnd, Status};
pub use event::{AlreadyAdopting, ChildId, Event, StopReason, Stream, SweepReport, Waker, WatchId};
pub use exits::Exits;
pub use feed::SendError;
pub use held::ProcessHandle;
pub use identity::{ProcessIdentity, SignalError};
pub use inherited::variables as inherited_variables;
pub use inside::inside;
pub use nursery::ProcessSet;
pub use output::Captured;
pub use program::SpawnError;
pub use rustix::process::Signal;
pub use signals::{Cancellation, Interrupts};

/// The environment variable that lists the markers of the child processes that a process belongs
/// to, outermost first, separated by `:`.
pub const LEAF_VARIABLE: &str = "MATERIA_LEAF";

/// The environment variable that marks a process as detached on purpose. Only its own run may end
/// it.
pub const DETACHED_VARIABLE: &str = "MATERIA_DETACHED";

/// Looks up a bare command name in our own `PATH`.
pub fn find_program(name: &str) -> Option<std::path::PathBuf> {
    program::find(std::ffi::OsStr::new(name), std::env::var_os("PATH"), None).ok()
}
