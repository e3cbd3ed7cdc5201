//! What happens in a visit: it starts, is dispatched, talks, finishes, advances.
//!
//! Owns these shapes and nothing else.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{CursorName, VisitId};
use crate::agent::{self, TurnKind, Usage};
use crate::materia::StateAssign;
use crate::utility::UtilityExit;

/// The start of a visit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SocketStart {
    /// The visit.
    #[serde(flatten)]
    pub place: VisitId,
    /// What people call the materia.
    pub materia_label: String,
    /// The item of the visit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<BoundItem>,
}

/// An item that a visit works on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BoundItem {
    /// The cursor it is the current item of.
    pub cursor: CursorName,
    /// Its index.
    pub index: usize,
    /// How many items there are.
    pub count: usize,
    /// The names in the state under which it is seen.
    pub names: Vec<String>,
    /// The item.
    pub value: Value,
}

/// Something that is about to be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Dispatch {
    /// The visit.
    #[serde(flatten)]
    pub place: VisitId,
    /// Which attempt of the visit it is, from 1.
    pub attempt: u64,
    /// What an agent is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnKind>,
    /// The artifact with the prompt or the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
}

/// The end of an agent's turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentTurnEnd {
    /// The visit.
    #[serde(flatten)]
    pub place: VisitId,
    /// Which attempt it was.
    pub attempt: u64,
    /// What its model calls cost.
    pub usage: Usage,
    /// The same by model.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, Usage>,
    /// The agent that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What takes the conversation up again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Why there is no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<agent::AgentFailure>,
}

/// The end of a utility.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UtilityEnd {
    /// The visit.
    #[serde(flatten)]
    pub place: VisitId,
    /// How it ended.
    #[serde(flatten)]
    pub ended: UtilityExit,
}

/// A reply in a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Refinement {
    /// The visit.
    #[serde(flatten)]
    pub place: VisitId,
    /// Which reply it is, from 1.
    pub refinement_turn: u64,
    /// What was said, bounded.
    pub reply: String,
    /// The artifact with all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
}

/// What a person said in a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserReply {
    /// The visit.
    #[serde(flatten)]
    pub place: VisitId,
    /// The words.
    pub text: String,
}

/// A socket that finished.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SocketComplete {
    /// The visit.
    #[serde(flatten)]
    pub place: VisitId,
    /// What people call the materia.
    pub materia_label: String,
    /// Whether its output was read as JSON.
    pub parsed: bool,
    /// Whether a program wrote it.
    pub utility: bool,
    /// Whether it gives the list of a loop.
    #[serde(default)]
    pub generator: bool,
    /// The output, where it was read as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<Map<String, Value>>,
    /// The output, where it was read as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// What is copied into the state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assign: Vec<StateAssign>,
    /// The cursors that start anew with the new list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restarted: Vec<CursorName>,
    /// What was dropped from the output and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Whether it ends a conversation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub finalized: bool,
    /// The artifact with the output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifact: Option<String>,
}

/// A step of a cursor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CursorAdvance {
    /// The visit that made it.
    #[serde(flatten)]
    pub place: VisitId,
    /// The cursor.
    pub cursor: CursorName,
    /// Where it stands now.
    pub index: usize,
    /// Whether the list is done.
    pub exhausted: bool,
}
