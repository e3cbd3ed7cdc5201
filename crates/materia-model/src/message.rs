//! Messages between actors: addresses, envelopes, mailboxes, and their records in a run's journal.
//!
//! Owns the grammar of addresses, the limits of a message, the contract of a mailbox, and the folds
//! over the records of a run's journal: queues, outbox, room and roster (A2, A4, A11). Never
//! delivers anything: `engine::post` does.
//!
//! The list below is the order of the modules: a module may use those above it, never below.

mod address;
mod envelope;
mod body;
mod mailbox;
pub mod event;
mod queue;
mod outbox;
mod room;
mod mail;
mod communication;
mod schema;

pub use address::{Address, AddressError, AddressKind};
pub use body::{check_numbers, read_body};
pub use communication::{Communication, Contact, RoomOverview};
pub use envelope::{Envelope, EnvelopeError, LONGEST_BODY, MessageDraft, MessageType};
pub use event::MailRecord;
pub use mail::{MailState, QueueId};
pub use mailbox::{DeclaredType, DeliveryMethod, Mailbox, MailboxError};
pub use outbox::{DeliveryUrgency, NoticeLevel, Outbox, OutboxMessage};
pub use queue::{MessageQueue, MessageState, QueueCounts, QueueEntry, QueueLimits, SettleOutcome};
pub use room::{Room, RoomMember, RoomMessage};
pub use schema::schema;

#[cfg(test)]
mod tests;
