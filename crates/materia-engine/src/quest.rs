//! Quests: requests that wait for their turn, and the runner that casts them one after another.
//!
//! Owns the file of the board and its locks (`store`), and the loop over the board (`runner`).
//! Never drives a cast itself: the runner calls what it was given for each quest.

pub mod runner;
mod store;

pub use store::{Error, FILE, Store, interrupted, waiting};
