//! Quests: queued requests, and the runner that casts them one after another.
//!
//! Owns the file of the board and its locks (`store`), and the loop over the board (`runner`).
//! Never drives a cast itself: the runner calls a function of its caller for each quest.

pub mod runner;
mod store;

pub use store::{Error, FILE, Store, interrupted, waiting};
