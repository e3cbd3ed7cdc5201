//! Who a run can talk to, as one small document for the programs in it.
//!
//! Owns the shape of `communication.json`. It is made from the fold and never read back.

use serde::Serialize;
use serde_json::Value;

use super::address::Address;
use super::mail::MailState;
use super::room::RoomMember;
use crate::time::Timestamp;

/// How many contacts the document lists.
const MOST_CONTACTS: usize = 200;

/// The document.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Communication {
    /// Whose it is.
    #[serde(rename = "self")]
    pub own: Address,
    /// The run it belongs to.
    pub root: Address,
    /// The run that started it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    pub rooms: Vec<RoomOverview>,
    /// Everybody else.
    pub contacts: Vec<Contact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// A room, from outside.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RoomOverview {
    /// Where to write.
    pub address: Address,
    pub name: &'static str,
    /// How many are on its roster.
    pub members: usize,
}

/// Somebody to talk to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contact {
    pub address: Address,
    pub role: String,
    /// Whether it is there.
    pub status: String,
    /// What it can do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caps: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<Value>,
    /// Whose it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Value>,
}

impl Communication {
    /// The document of somebody in a run; nothing before the run has begun.
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
    /// A member as others see it.
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
