//! The state of a cast: the fold of its events.
//!
//! Owns the shape and its queries. Only [`CastState::apply`] changes it and needs nothing but the
//! event, so `fold(a ++ b) == fold_from(fold(a), b)`. Holds no history: everything that grows is
//! bounded, so that a step costs the same however long the cast is.

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
    /// The time of the last event.
    pub updated_at: Option<Timestamp>,
    pub status: CastStatus,
    pub step: CastPhase,
    /// The failure of the cast, or the one it is about to end with.
    pub failure: Option<CastFailure>,
    /// The data that the sockets share.
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
    /// Visits and traversals that no longer count against the limits, because the user continued
    /// after a limit was reached.
    pub forgiven: LimitAllowance,
    /// The reasons for rework.
    pub rework: Vec<Rework>,
    /// The notes of sockets for later ones.
    pub notes: Vec<SocketNote>,
    /// The output of the last socket.
    pub last: Option<LastOutput>,
    /// The last JSON output.
    pub last_json: Option<Value>,
    /// The attempts of the current visit.
    pub recovery: VisitRecovery,
    /// The answer to repair.
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
    /// Whether the cast has ended and waits for no user.
    pub fn is_end(self) -> bool {
        matches!(self, Self::Complete | Self::Failed | Self::Aborted)
    }
}

/// The position of a cast.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CastPhase {
    /// Nothing happened yet.
    #[default]
    Begin,
    /// A socket is next.
    Enter { socket: String },
    /// A visit is due for dispatch.
    Due(VisitState),
    /// A visit was dispatched. After a crash, its end is unknown.
    Running(VisitState),
    /// The cast waits for the user.
    Waiting {
        visit: VisitState,
        what: PendingInput,
    },
    /// A visit finished.
    Done {
        visit: VisitState,
        /// The outcome that guards see.
        outcome: Option<bool>,
        /// The step of the cursor, if it made one.
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
    /// The purpose of the agent's turn.
    pub turn: TurnKind,
    /// Whether the turn asks for the final answer of a conversation.
    #[serde(default)]
    pub finalising: bool,
    /// The delay before the attempt.
    #[serde(default)]
    pub delay_ms: u64,
}

/// The step of a cursor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CursorStep {
    /// The cursor's key.
    pub cursor: String,
    /// Whether the list is exhausted.
    pub exhausted: bool,
}

/// The item of a visit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorkItem {
    /// Its key, such as `WI-1`.
    pub key: String,
    pub label: String,
    /// Identifies the item and the pass through the list; unique in a cast.
    pub token: String,
    /// The other fields.
    #[serde(flatten)]
    pub bound: BoundItem,
}

/// The position of a cursor.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CursorState {
    pub name: String,
    /// The index of the current item.
    pub index: usize,
    /// How often it restarted.
    pub epoch: u64,
}

impl CursorState {
    /// The token of its current item, unique in the cast.
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

/// Counts that no longer apply, because the user continued after a limit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LimitAllowance {
    /// Visits by socket.
    pub visits: BTreeMap<String, u64>,
    /// Traversals by `from->to`.
    pub traversals: BTreeMap<String, u64>,
}

/// A note of a socket for later ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SocketNote {
    /// The socket and its materia, for users.
    pub speaker: String,
    /// The item it was about; empty outside of lists.
    pub item: String,
    pub text: String,
}

/// The output of the last socket.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LastOutput {
    /// The socket and its materia, for users.
    pub speaker: String,
    /// The item it worked on; empty outside of lists.
    pub item: String,
    /// Its output as text; JSON output is in `lastJson`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// A conversation between the user and an agent, bounded.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Conversation {
    pub turns: u64,
    /// The speakers and their texts, newest last.
    pub lines: Vec<(Speaker, String)>,
    /// The agent's session handle to resume it with, if the agent kept one.
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

    /// The visit that is active, waiting or just finished.
    pub fn visit(&self) -> Option<&VisitState> {
        match &self.step {
            CastPhase::Due(visit)
            | CastPhase::Running(visit)
            | CastPhase::Waiting { visit, .. }
            | CastPhase::Done { visit, .. } => Some(visit),
            CastPhase::Begin | CastPhase::Enter { .. } | CastPhase::End => None,
        }
    }

    /// The token of the current item of the cursor with this key; empty without a key.
    pub fn token(&self, cursor_key: Option<&str>) -> String {
        let Some(key) = cursor_key else {
            return String::new();
        };
        self.cursors.get(key).map_or_else(
            || CursorState::default().token(key),
            |cursor| cursor.token(key),
        )
    }

    /// The index of a cursor's current item.
    pub fn index(&self, cursor_key: &str) -> usize {
        self.cursors
            .get(cursor_key)
            .map_or(0, |cursor| cursor.index)
    }

    /// The values that paths can reach between two sockets.
    pub fn sources(&self) -> PathSources<'_> {
        PathSources {
            output: self.last_json.as_ref(),
            state: &self.data,
            item: self.item.as_ref().map(|item| &item.bound.value),
            last_json: self.last_json.as_ref(),
            last_output: self.last.as_ref().and_then(|last| last.text.as_deref()),
        }
    }

    /// The last output as text. JSON is serialized compactly.
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
