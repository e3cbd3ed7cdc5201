//! What happens in a cast, as its log keeps it.
//!
//! Owns the events and their spelling: `{"type": …, "data": …}`, with the names that existing tools
//! know. An event carries what the fold needs and no more, so that a step costs the same at the
//! start of a cast and at its end. Types that this list does not know are other people's notes in
//! the same log; the fold skips them.

mod visit;
mod trouble;
mod serialize;
mod schema;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::agent::Usage;
use crate::cast::failure::CastFailure;
use crate::loadout::graph::RouteGuard;
use crate::time::Timestamp;

pub use schema::schema;
pub use serialize::{CastEventData, TYPES};
pub use trouble::{AnswerRepair, Interruption, RecoveryExhausted, RecoveryStart, SocketFailed};
pub use visit::{
    AgentTurnEnd, BoundItem, CursorAdvance, Dispatch, Refinement, SocketComplete, SocketStart,
    UserReply, UtilityEnd,
};

/// Something that happened, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct CastEvent {
    /// When it was recorded.
    pub at: Timestamp,
    /// What it was.
    pub body: CastEventBody,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum CastEventBody {
    /// The cast began.
    CastStart(CastStart),
    /// The cast goes from one socket to another, or to its end.
    SocketRoute(CastRoute),
    /// A socket was entered.
    SocketStart(SocketStart),
    /// An agent is about to be asked.
    AgentTurnStart(Dispatch),
    /// An agent's turn ended.
    AgentTurnEnd(AgentTurnEnd),
    /// A utility is about to run.
    UtilityInput(Dispatch),
    /// A utility ended.
    UtilityCommand(UtilityEnd),
    /// A conversation waits for the person.
    SocketRefinement(Refinement),
    /// The person said something in a conversation.
    ContextRefinement(UserReply),
    /// The person wants the final answer of a conversation.
    SocketFinalization(VisitId),
    /// The same socket is asked again.
    SameSocketRecoveryStart(RecoveryStart),
    /// The same socket is not asked again.
    SameSocketRecoveryExhausted(RecoveryExhausted),
    /// A socket failed and is not tried again.
    SocketFailed(SocketFailed),
    /// Nobody knows whether a dispatched socket ended.
    SocketInterrupted(Interruption),
    /// A socket finished: what it gave holds.
    SocketComplete(SocketComplete),
    /// A cursor moved to the next item.
    SocketAdvance(CursorAdvance),
    /// Much of the budget is used.
    BudgetWarning(BudgetNote),
    /// The budget is used up.
    BudgetLimit(BudgetNote),
    /// The person raised the budget.
    BudgetRaised(BudgetRaise),
    /// A cast that ended goes on where it was.
    CastRecast(Recast),
    /// A socket that ran out of retries gets more.
    CastRevive(Recast),
    /// The cast ended.
    CastEnd(CastEnd),
}

/// The beginning of a cast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CastStart {
    /// The cast.
    pub cast_id: String,
    /// What the person asked for, unchanged.
    pub request: String,
    /// The loadout.
    pub loadout: String,
    /// What the state holds from the beginning.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
    /// What else listeners want to know; the fold does not read it.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

/// A visit of a socket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "Visit", optional_fields)
)]
pub struct VisitId {
    /// The socket.
    pub socket: String,
    /// The materia in it.
    pub materia: String,
    /// Which visit of the socket it is, from 1.
    pub visit: u64,
    /// The key of the current item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_key: Option<String>,
    /// What people call the current item.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_label: Option<String>,
}

/// Why the cast goes where it goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteReason {
    /// The cast begins there.
    Entry,
    /// An edge matched.
    Edge,
    /// A list is done.
    Exit,
    /// A list is empty.
    Empty,
    /// Items are left and no edge matched (C3).
    NextItem,
    /// Nothing matched.
    NoMatch,
}

/// A way through the graph.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CastRoute {
    /// The socket that is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The socket that is next; nothing is the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Why.
    pub via: RouteReason,
    /// The edge that was taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge: Option<TakenEdge>,
    /// The cursors that start anew.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub restarted: Vec<CursorName>,
    /// Why the next socket has to work again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rework: Option<String>,
}

/// An edge that was taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TakenEdge {
    /// Its position among the edges of its socket.
    pub index: usize,
    /// Its guard.
    pub when: String,
    /// The item that it counts for; empty outside of lists.
    pub item: String,
    /// Whether it has a limit of its own.
    pub capped: bool,
}

impl TakenEdge {
    /// An edge as it was taken.
    pub fn new(index: usize, guard: RouteGuard, item: String, capped: bool) -> Self {
        Self {
            index,
            when: guard.as_str().to_owned(),
            item,
            capped,
        }
    }
}

/// A cursor: its key in the state and its name for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CursorName {
    /// Its key; names may repeat, keys do not.
    pub key: String,
    /// Its name.
    pub name: String,
}

/// What the budget looks like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetNote {
    /// What is nearest to its limit: `tokens`, `cost`, `turns` or `minutes`.
    pub what: String,
    /// How much of it is used, in percent.
    pub percent: f64,
    /// What the cast used so far.
    pub usage: Usage,
}

/// A higher limit.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "RaisedLimits", optional_fields)
)]
pub struct BudgetRaise {
    /// Tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// Money, in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
    /// Turns of agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_turns: Option<u64>,
    /// Minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_minutes: Option<f64>,
}

impl BudgetRaise {
    /// Puts another one on top.
    pub fn add(&mut self, raise: &Self) {
        self.max_tokens = raise.max_tokens.or(self.max_tokens);
        self.max_cost_usd = raise.max_cost_usd.or(self.max_cost_usd);
        self.max_turns = raise.max_turns.or(self.max_turns);
        self.max_minutes = raise.max_minutes.or(self.max_minutes);
    }
}

/// A cast that goes on.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Recast {
    /// What it had ended with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_failure: Option<CastFailure>,
    /// How many repairs the visit has from now on, after a revival.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_max: Option<u64>,
}

/// The end of a cast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CastEnd {
    /// Whether it did what it should.
    pub ok: bool,
    /// Why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<CastFailure>,
    /// What it used.
    pub usage: Usage,
}
