//! The end of a run, from outside: asking for it, and waiting for it.

mod stop;
mod wait;

pub use stop::{Stopped, stop, stop_opened};
pub use wait::{Until, WaitEvent, WaitOptions, WaitOutcome, wait};
