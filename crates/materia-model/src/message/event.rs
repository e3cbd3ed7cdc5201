//! What a run's journal says about messages, record by record.
//!
//! Owns the kinds and the spelling of these records (A2). Other records of the journal are of no
//! concern here, except the beginning and the end of a generation, of which only what the post
//! needs is read.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::envelope::Envelope;
use super::mailbox::Mailbox;
use crate::name::{BranchName, RunId, SessionId};
use crate::record;

/// Something was posted.
pub const MESSAGE: &str = "message";
/// Somebody took it.
pub const CLAIM: &str = "message.claim";
/// It has been dealt with.
pub const HANDLED: &str = "message.handled";
/// It could not be dealt with.
pub const FAILED: &str = "message.failed";
/// It was handed to the process.
pub const DELIVERED: &str = "message.delivered";
/// A generation of the run begins.
pub const RUN_START: &str = "run.start";
/// A generation of the run has ended.
pub const RUN_END: &str = "run.end";

/// The field of a message that ends a run which names the session that asked for it.
pub const ASKED_BY: &str = "asked_by";

/// The session that asked for the end of the run, where a record says so.
pub fn asked_by(record: &record::Record) -> Option<SessionId> {
    record.data.get(ASKED_BY)?.as_str()?.parse().ok()
}

/// A message that was posted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Its id, unique for ever.
    pub id: String,
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The generation of the run it was meant for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
}

impl Message {
    /// The id that a message to a room has in the queue of a branch.
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

/// A claim: from now on it is this process's task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageClaim {
    pub id: String,
    /// Whose task it is.
    pub by: MessageHolder,
    /// Whether the same claim is only handed on, by the process that made it to the one it made it
    /// for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub handed: bool,
}

/// A message was dealt with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageHandled {
    pub id: String,
}

/// A message could not be dealt with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageFailed {
    pub id: String,
    pub error: String,
}

/// A message was handed to the process by other means than a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageDelivered {
    pub id: String,
    /// By which means: `stdin` or `fifo`.
    pub how: String,
}

/// What the post needs to know of a beginning.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct MailStart {
    /// The generation that begins.
    pub generation: String,
    pub run: RunId,
    /// Whose it is.
    #[serde(default)]
    pub session: Option<SessionId>,
    /// The run that started it.
    #[serde(default)]
    pub parent: Option<String>,
    /// Its contract.
    #[serde(default)]
    pub mailbox: Option<Value>,
    /// The agent that it is, if it is one.
    #[serde(default)]
    pub agent: Option<Value>,
    /// Who watches over it, as it was written.
    #[serde(default)]
    pub supervisor: Option<MailSupervisor>,
}

/// Who watches over a generation.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MailSupervisor {
    pub pid: i32,
    /// When it started, in clock ticks since boot.
    pub start: u64,
    /// Which boot of the machine it belongs to.
    pub boot: String,
}

/// What the post needs to know of an end.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct MailEnd {
    #[serde(default)]
    pub generation: Option<String>,
    pub status: String,
}

/// One record, as far as it concerns messages.
#[derive(Debug, Clone, PartialEq)]
pub enum MailRecord {
    /// Something was posted.
    Message(Box<Message>),
    /// Somebody took it.
    Claim(MessageClaim),
    /// It has been dealt with.
    Handled(MessageHandled),
    /// It could not be dealt with.
    Failed(MessageFailed),
    /// It was handed to the process.
    Delivered(MessageDelivered),
    /// A generation begins.
    Start(Box<MailStart>),
    /// A generation has ended.
    End(MailEnd),
}

impl MailRecord {
    /// What a record says; nothing where it is about something else, or is not spelled as it should
    /// be.
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
    /// Who watches over it.
    pub fn supervisor(&self) -> Option<MessageHolder> {
        let known = self.supervisor.as_ref()?;
        Some(MessageHolder {
            pid: known.pid,
            start_time: known.start,
            boot_id: known.boot.clone(),
        })
    }

    /// The contract, as far as it can be read.
    pub fn contract(&self) -> Mailbox {
        self.mailbox
            .as_ref()
            .and_then(|mailbox| Mailbox::read(mailbox).ok())
            .unwrap_or_default()
    }
}
