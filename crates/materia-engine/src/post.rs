//! Messages between actors. A message is durable before it is reported (A2–A5, A10).
//!
//! Owns posting to a run's journal, claiming queued messages, and recording their outcome. Every
//! decision is made under the journal's write lock, on the fold of all its records, so exactly one
//! process holds a message at a time. A claim is not synced: after a power cut its holder is gone
//! anyway. An acknowledged message is synced. Never decides where a message goes: `routing` does.
//!
//! The list below is the order of the modules: a module may use modules above it, never below.

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
