//! The post: messages between actors, durable before anybody is told (A2–A5, A10).
//!
//! Owns posting to a run's journal, claiming what waits there, and saying what became of it. Every
//! decision is made while the journal's turn is held, on the fold of everything that is in it, so
//! exactly one process has a message at a time. A claim is not made durable: after a power cut its
//! holder is gone anyway. What was acknowledged is. Never decides where a message goes:
//! `verb::message` does.
//!
//! The list below is the order of the rooms: a room may use rooms above it, never below.

mod error;
mod message_log;
mod deliver;
mod claim;
mod receive;
mod marks;
mod news;
mod followed;
mod watch;

pub use claim::{ClaimedMessage, MessageSettlement, SettledMessage};
pub use deliver::{MessagePosting, MessageReceipt, message_id};
pub use error::Error;
pub use message_log::MessageLog;
pub use news::{Missed, News, NewsEvent, Terminal};
pub use receive::MessageWait;
pub use watch::{Observer, Watching};

#[cfg(test)]
mod tests;
