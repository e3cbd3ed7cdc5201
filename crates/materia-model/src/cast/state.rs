//! The state of a cast: what its events come to.
//!
//! Owns the shape and the questions that are asked of it. A fold: only [`CastState::apply`] changes it,
//! it needs nothing but the event, and `fold(a ++ b) == fold_from(fold(a), b)`. Holds no history:
//! what grows is bounded, so that a step costs the same however long the cast is.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::agent::{TurnKind, Usage};
use crate::cast::budget::Spending;
use crate::cast::event::{AnswerRepair, BoundItem, BudgetRaise, VisitId};
use crate::cast::failure::CastFailure;
use crate::cast::recovery::VisitRecovery;
use crate::cast::rework::Rework;
use crate::handoff::path::PathSources;
use crate::time::Timestamp;

/// The state of a cast.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CastState {
    pub cast_id: String,
    pub request: String,
    pub loadout: String,
    pub started_at: Option<Timestamp>,
    /// When something last happened.
    pub updated_at: Option<Timestamp>,
    pub status: CastStatus,
    pub step: CastPhase,
    /// What it failed with, or is about to fail with.
    pub failure: Option<CastFailure>,
    /// What the sockets share.
    pub data: Map<String, Value>,
    /// The item of the current visit.
    pub item: Option<WorkItem>,
    pub cursors: BTreeMap<String, CursorState>,
    /// How often each socket was visited.
    pub visits: BTreeMap<String, u64>,
    /// How often each edge was taken, by `from->to`.
    pub traversals: BTreeMap<String, u64>,
    /// How often each edge was taken for the item it last counted for.
    pub item_edges: BTreeMap<String, ItemTraversals>,
    /// The sockets that were entered since the last advance, and how often again.
    pub since_advance: BTreeMap<String, u64>,
    /// How many routes were taken since a socket was started.
    pub hops: usize,
    /// What does not count against the limits any more, because the person went on after one was
    /// reached.
    pub forgiven: LimitAllowance,
    /// Why sockets have to work again.
    pub rework: Vec<Rework>,
    /// What sockets said to those after them.
    pub notes: Vec<SocketNote>,
    /// What the last socket gave.
    pub last: Option<LastOutput>,
    /// The last output that was read as JSON.
    pub last_json: Option<Value>,
    /// The tries of the current visit.
    pub recovery: VisitRecovery,
    /// The answer that has to be repaired.
    pub repair: Option<AnswerRepair>,
    /// The conversation of the current visit.
    pub conversation: Conversation,
    pub spending: Spending,
    /// The limits that were raised.
    pub raised: BudgetRaise,
}

/// Whether a cast goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "CastStatus"))]
pub enum CastStatus {
    /// It goes on.
    #[default]
    Running,
    /// It waits for the person.
    Paused,
    /// It did what it should.
    Complete,
    /// It failed.
    Failed,
    /// The person ended it.
    Aborted,
}

impl CastStatus {
    /// Whether nothing more happens by itself and nobody is waited for.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Complete | Self::Failed | Self::Aborted)
    }
}

/// Where a cast is.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CastPhase {
    /// Nothing happened yet.
    #[default]
    Begin,
    /// A socket is next.
    Enter { socket: String },
    /// A visit has to be dispatched.
    Due(VisitState),
    /// A visit was dispatched; after a crash, nobody knows whether it ended.
    Running(VisitState),
    /// The person is asked.
    Waiting {
        visit: VisitState,
        what: PendingInput,
    },
    /// A visit finished.
    Done {
        visit: VisitState,
        /// What guards see.
        outcome: Option<bool>,
        /// The step of the cursor, where it made one.
        advanced: Option<CursorStep>,
    },
    /// The end of the graph was reached.
    End,
}

/// What a person is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "WaitingFor"))]
pub enum PendingInput {
    /// To go on with a conversation, or to end it.
    Refinement,
    /// Whether a visit that was interrupted runs again.
    Interrupted,
}

/// A visit of a socket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct VisitState {
    #[serde(flatten)]
    pub place: VisitId,
    /// The attempt that is due or running, from 1.
    pub attempt: u64,
    /// What an agent is asked for.
    pub turn: TurnKind,
    /// Whether a conversation is being brought to its end.
    #[serde(default)]
    pub finalising: bool,
    /// How long to wait before the attempt.
    #[serde(default)]
    pub delay_ms: u64,
}

/// The step of a cursor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CursorStep {
    /// The cursor's key.
    pub cursor: String,
    /// Whether the list is done.
    pub exhausted: bool,
}

/// The item of a visit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkItem {
    /// Its key, such as `WI-1`.
    pub key: String,
    pub label: String,
    /// Which item of which pass through the list it is; no two are alike in a cast.
    pub token: String,
    /// The rest.
    #[serde(flatten)]
    pub bound: BoundItem,
}

/// Where a cursor stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CursorState {
    pub name: String,
    /// The index of the current item.
    pub index: usize,
    /// How often it started anew.
    pub epoch: u64,
}

impl CursorState {
    /// A name for the item it stands at, unlike every other in the cast.
    pub fn token(&self, key: &str) -> String {
        format!("{key}#{}:{}", self.epoch, self.index)
    }
}

/// How often an edge was taken for one item.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ItemTraversals {
    pub item: String,
    pub count: u64,
}

/// What was forgiven by going on after a limit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LimitAllowance {
    /// Visits by socket.
    pub visits: BTreeMap<String, u64>,
    /// Traversals by `from->to`.
    pub traversals: BTreeMap<String, u64>,
}

/// What a socket said to those after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SocketNote {
    /// The socket and its materia, for people.
    pub speaker: String,
    /// The item it was about; empty outside of lists.
    pub item: String,
    pub text: String,
}

/// What the last socket gave.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LastOutput {
    /// The socket and its materia, for people.
    pub speaker: String,
    /// The item it worked on; empty outside of lists.
    pub item: String,
    /// Its output as text; JSON output is in `lastJson`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A conversation between a person and an agent, bounded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Conversation {
    pub turns: u64,
    /// Who said what, the newest last.
    pub lines: Vec<(Speaker, String)>,
    /// What takes it up again in the agent itself, where that kept it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// Who speaks in a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Speaker {
    /// The person.
    Person,
    /// The agent.
    Agent,
}

impl CastState {
    /// The fold of a list of events.
    pub fn fold<'a>(events: impl IntoIterator<Item = &'a crate::cast::CastEvent>) -> Self {
        let mut state = Self::default();
        for event in events {
            state.apply(event);
        }
        state
    }

    /// The visit that is under way, waited for or just finished.
    pub fn visit(&self) -> Option<&VisitState> {
        match &self.step {
            CastPhase::Due(visit)
            | CastPhase::Running(visit)
            | CastPhase::Waiting { visit, .. }
            | CastPhase::Done { visit, .. } => Some(visit),
            CastPhase::Begin | CastPhase::Enter { .. } | CastPhase::End => None,
        }
    }

    /// The item that the cursor of this key stands at; empty without a key.
    pub fn token(&self, cursor_key: Option<&str>) -> String {
        let Some(key) = cursor_key else {
            return String::new();
        };
        self.cursors.get(key).map_or_else(
            || CursorState::default().token(key),
            |cursor| cursor.token(key),
        )
    }

    /// The index of the item that a cursor stands at.
    pub fn index(&self, cursor_key: &str) -> usize {
        self.cursors
            .get(cursor_key)
            .map_or(0, |cursor| cursor.index)
    }

    /// What value paths reach between two sockets.
    pub fn sources(&self) -> PathSources<'_> {
        PathSources {
            output: self.last_json.as_ref(),
            state: &self.data,
            item: self.item.as_ref().map(|item| &item.bound.value),
            last_json: self.last_json.as_ref(),
            last_output: self.last.as_ref().and_then(|last| last.text.as_deref()),
        }
    }

    /// The last output as text; JSON is spelled compactly.
    pub fn last_output(&self) -> Option<Cow<'_, str>> {
        let last = self.last.as_ref()?;
        match &last.text {
            Some(text) => Some(Cow::Borrowed(text)),
            None => self
                .last_json
                .as_ref()
                .map(|json| Cow::Owned(json.to_string())),
        }
    }

    /// What the cast used.
    pub fn usage(&self) -> &Usage {
        &self.spending.total
    }
}
