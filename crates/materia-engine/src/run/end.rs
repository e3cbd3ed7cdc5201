//! The end of a run, from outside: requesting it, and waiting for it.

mod stop;
mod wait;

pub use stop::{Stopped, stop, stop_opened};
pub use wait::{Until, WaitEvent, WaitOptions, WaitOutcome, wait};
