//! The records of messages in a run's journal.
//!
//! Owns the kinds and the JSON form of these records (A2). Ignores other records, except the start
//! and the end of a generation, of which it reads only the fields that the mailbox needs.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::envelope::Envelope;
use super::mailbox::Mailbox;
use crate::name::{BranchName, RunId, SessionId};
use crate::record;

/// A message was posted.
pub const MESSAGE: &str = "message";
/// A process claimed it.
pub const CLAIM: &str = "message.claim";
/// It was handled.
pub const HANDLED: &str = "message.handled";
/// Handling it failed.
pub const FAILED: &str = "message.failed";
/// It was delivered to the process.
pub const DELIVERED: &str = "message.delivered";
/// A generation of the run started.
pub const RUN_START: &str = "run.start";
/// A generation of the run ended.
pub const RUN_END: &str = "run.end";

/// The field with the requesting session, in a message that ends a run.
pub const ASKED_BY: &str = "asked_by";

/// The session that requested the end of the run, if the record has one.
pub fn asked_by(record: &record::Record) -> Option<SessionId> {
    record.data.get(ASKED_BY)?.as_str()?.parse().ok()
}

/// A posted message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its globally unique id.
    pub id: String,
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The generation of the run it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
}

impl Message {
    /// The id of a room message in the queue of a branch.
    pub fn id_for(&self, branch: &BranchName) -> String {
        format!("{}:{branch}", self.id)
    }
}

/// A process, across pid reuse and reboots (A3).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MessageHolder {
    /// The number the kernel gave it.
    pub pid: i32,
    /// When it started, in clock ticks since boot.
    pub start_time: u64,
    /// Which boot of the machine it belongs to.
    pub boot_id: String,
}

/// A claim: the claiming process is responsible for the message from now on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageClaim {
    pub id: String,
    /// The claiming process.
    pub by: MessageHolder,
    /// Whether the process that made this claim passes it on to the one it made it for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub handed: bool,
}

/// A message was handled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageHandled {
    pub id: String,
}

/// Handling a message failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageFailed {
    pub id: String,
    pub error: String,
}

/// A message was delivered to the process other than by a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageDelivered {
    pub id: String,
    /// The channel: `stdin` or `fifo`.
    pub how: String,
}

/// The fields of a start that the mailbox needs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct MailStart {
    /// The generation that starts.
    pub generation: String,
    pub run: RunId,
    /// The session that owns it.
    #[serde(default)]
    pub session: Option<SessionId>,
    /// The parent run.
    #[serde(default)]
    pub parent: Option<String>,
    /// Its mailbox contract.
    #[serde(default)]
    pub mailbox: Option<Value>,
    /// The agent of the run, if it is one.
    #[serde(default)]
    pub agent: Option<Value>,
    /// Its supervisor, as written.
    #[serde(default)]
    pub supervisor: Option<MailSupervisor>,
}

/// The supervisor of a generation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MailSupervisor {
    pub pid: i32,
    /// Its start time, in clock ticks since boot.
    pub start: u64,
    /// The boot id of the machine.
    pub boot: String,
}

/// The fields of an end that the mailbox needs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct MailEnd {
    #[serde(default)]
    pub generation: Option<String>,
    pub status: String,
}

/// One record that concerns messages.
#[derive(Debug, Clone, PartialEq)]
pub enum MailRecord {
    /// A message was posted.
    Message(Box<Message>),
    /// A process claimed it.
    Claim(MessageClaim),
    /// It was handled.
    Handled(MessageHandled),
    /// Handling it failed.
    Failed(MessageFailed),
    /// It was delivered to the process.
    Delivered(MessageDelivered),
    /// A generation started.
    Start(Box<MailStart>),
    /// A generation ended.
    End(MailEnd),
}

impl MailRecord {
    /// Parses a record. `None` if it is of another kind or malformed.
    pub fn read(record: &record::Record) -> Option<Self> {
        let data = &record.data;
        match record.kind.as_str() {
            MESSAGE => Message::deserialize(data)
                .ok()
                .map(|message| Self::Message(Box::new(message))),
            CLAIM => MessageClaim::deserialize(data).ok().map(Self::Claim),
            HANDLED => MessageHandled::deserialize(data).ok().map(Self::Handled),
            FAILED => MessageFailed::deserialize(data).ok().map(Self::Failed),
            DELIVERED => MessageDelivered::deserialize(data)
                .ok()
                .map(Self::Delivered),
            RUN_START => MailStart::deserialize(data)
                .ok()
                .map(|start| Self::Start(Box::new(start))),
            RUN_END => MailEnd::deserialize(data).ok().map(Self::End),
            _ => None,
        }
    }
}

impl MailStart {
    /// The supervisor of the generation.
    pub fn supervisor(&self) -> Option<MessageHolder> {
        let known = self.supervisor.as_ref()?;
        Some(MessageHolder {
            pid: known.pid,
            start_time: known.start,
            boot_id: known.boot.clone(),
        })
    }

    /// The mailbox contract; the default if it cannot be read.
    pub fn contract(&self) -> Mailbox {
        self.mailbox
            .as_ref()
            .and_then(|mailbox| Mailbox::read(mailbox).ok())
            .unwrap_or_default()
    }
}
