//! The contacts of a run, as a small document for the programs in it.
//!
//! Owns the shape of `communication.json`. It is built from the fold and never read back.

use serde::Serialize;
use serde_json::Value;

use super::address::Address;
use super::mail::MailState;
use super::room::RoomMember;
use crate::time::Timestamp;

/// The maximum number of contacts in the document.
const MOST_CONTACTS: usize = 200;

/// The document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Communication {
    /// The actor it was built for.
    #[serde(rename = "self")]
    pub own: Address,
    /// The run it belongs to.
    pub root: Address,
    /// The parent run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    pub rooms: Vec<RoomOverview>,
    /// The other actors.
    pub contacts: Vec<Contact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// The address of a room and its size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoomOverview {
    /// The address to send to.
    pub address: Address,
    pub name: &'static str,
    /// The number of members on its roster.
    pub members: usize,
}

/// An actor that can receive messages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contact {
    pub address: Address,
    pub role: String,
    /// Whether it is present.
    pub status: String,
    /// Its capabilities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caps: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<Value>,
    /// The actor that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Value>,
}

impl Communication {
    /// The document for an actor in a run; `None` before the run starts.
    pub fn of(mail: &MailState, own: Option<&Address>) -> Option<Self> {
        let run = mail.run.as_ref()?;
        let root = Address::Run(run.clone());
        let own = own.cloned().unwrap_or_else(|| root.clone());
        let others = mail.room().roster().filter(|member| member.address != own);
        let room = Address::Room(run.clone());
        Some(Self {
            rooms: vec![RoomOverview {
                address: room,
                name: "main",
                members: mail.room().roster().len(),
            }],
            contacts: others.take(MOST_CONTACTS).map(Contact::of).collect(),
            parent: mail.parent.clone(),
            updated_at: mail.updated_at,
            own,
            root,
        })
    }
}

impl Contact {
    /// Converts a member of the roster.
    pub fn of(member: &RoomMember) -> Self {
        let about = |field: &str| member.about.get(field).cloned();
        Self {
            address: member.address.clone(),
            role: member.role.clone(),
            status: member.status.clone(),
            caps: about("caps"),
            claim: about("claim"),
            parent: about("parent"),
        }
    }
}
