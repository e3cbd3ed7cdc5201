//! Wake-ups between processes: how a sleeping process learns that it should look again.
//!
//! Owns one mechanism per need. `pipe`: one process sleeps on a named pipe, any other wakes it.
//! `waiters`: any number of processes wait for the same thing, each on a named pipe of its own.
//! `directories` and `inotify`: a process sleeps until the kernel reports a change of files. A
//! wake-up carries nothing but "look again", so a lost or merged one loses nothing. Never reads or
//! writes what it reports.
#![allow(
    clippy::disallowed_methods,
    reason = "named pipes are created and opened here"
)]

pub(crate) mod inotify;
pub mod directories;
pub mod pipe;
pub mod waiters;

pub use directories::DirectoryWatch;
pub use pipe::{WakePipe, WakeResult, wake};
pub use waiters::{WaiterPipe, wake_all};
