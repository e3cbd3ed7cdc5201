//! How events are spelled in a log: a type and its data.
//!
//! Owns the names, the writing without copies and the reading. Never opens a log.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::Body;

impl Body {
    /// Reads an event of the log; `None` for types that are other people's notes.
    pub fn read(kind: &str, data: Value) -> Result<Option<Self>, serde_json::Error> {
        if !TYPES.contains(&kind) {
            return Ok(None);
        }
        let mut tagged = Map::new();
        tagged.insert("type".to_owned(), Value::String(kind.to_owned()));
        tagged.insert("data".to_owned(), data);
        serde_json::from_value(Value::Object(tagged)).map(Some)
    }

    /// The type, as a record of the log has it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::CastStart(_) => "cast_start",
            Self::SocketRoute(_) => "socket_route",
            Self::SocketStart(_) => "socket_start",
            Self::AgentTurnStart(_) => "agent_turn_start",
            Self::AgentTurnEnd(_) => "agent_turn_end",
            Self::UtilityInput(_) => "utility_input",
            Self::UtilityCommand(_) => "utility_command",
            Self::SocketRefinement(_) => "socket_refinement",
            Self::ContextRefinement(_) => "context_refinement",
            Self::SocketFinalization(_) => "socket_finalization",
            Self::SameSocketRecoveryStart(_) => "same_socket_recovery_start",
            Self::SameSocketRecoveryExhausted(_) => "same_socket_recovery_exhausted",
            Self::SocketFailed(_) => "socket_failed",
            Self::SocketInterrupted(_) => "socket_interrupted",
            Self::SocketComplete(_) => "socket_complete",
            Self::SocketAdvance(_) => "socket_advance",
            Self::BudgetWarning(_) => "budget_warning",
            Self::BudgetLimit(_) => "budget_limit",
            Self::BudgetRaised(_) => "budget_raised",
            Self::CastRecast(_) => "cast_recast",
            Self::CastRevive(_) => "cast_revive",
            Self::CastEnd(_) => "cast_end",
        }
    }

    /// The data, as a record of the log has it: written without a copy.
    pub fn data(&self) -> Data<'_> {
        Data(self)
    }

    /// Whether somebody relies on it from now on: the log is flushed with it, and so is everything
    /// before it.
    ///
    /// A finished socket is flushed by the dispatch, the pause or the end that follows at once: one
    /// flush a step. So is the beginning; whoever tells somebody of it before that flushes it.
    pub fn is_promise(&self) -> bool {
        matches!(
            self,
            Self::AgentTurnStart(_)
                | Self::UtilityInput(_)
                | Self::SocketRefinement(_)
                | Self::ContextRefinement(_)
                | Self::SocketFinalization(_)
                | Self::BudgetRaised(_)
                | Self::CastEnd(_)
        )
    }
}

/// The particulars of an event, without its type.
#[derive(Debug, Clone, Copy)]
pub struct Data<'a>(&'a Body);

impl Serialize for Data<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Body::CastStart(data) => data.serialize(serializer),
            Body::SocketRoute(data) => data.serialize(serializer),
            Body::SocketStart(data) => data.serialize(serializer),
            Body::AgentTurnStart(data) => data.serialize(serializer),
            Body::AgentTurnEnd(data) => data.serialize(serializer),
            Body::UtilityInput(data) => data.serialize(serializer),
            Body::UtilityCommand(data) => data.serialize(serializer),
            Body::SocketRefinement(data) => data.serialize(serializer),
            Body::ContextRefinement(data) => data.serialize(serializer),
            Body::SocketFinalization(data) => data.serialize(serializer),
            Body::SameSocketRecoveryStart(data) => data.serialize(serializer),
            Body::SameSocketRecoveryExhausted(data) => data.serialize(serializer),
            Body::SocketFailed(data) => data.serialize(serializer),
            Body::SocketInterrupted(data) => data.serialize(serializer),
            Body::SocketComplete(data) => data.serialize(serializer),
            Body::SocketAdvance(data) => data.serialize(serializer),
            Body::BudgetWarning(data) => data.serialize(serializer),
            Body::BudgetLimit(data) => data.serialize(serializer),
            Body::BudgetRaised(data) => data.serialize(serializer),
            Body::CastRecast(data) => data.serialize(serializer),
            Body::CastRevive(data) => data.serialize(serializer),
            Body::CastEnd(data) => data.serialize(serializer),
        }
    }
}

/// Every type that the fold knows.
pub const TYPES: [&str; 22] = [
    "cast_start",
    "socket_route",
    "socket_start",
    "agent_turn_start",
    "agent_turn_end",
    "utility_input",
    "utility_command",
    "socket_refinement",
    "context_refinement",
    "socket_finalization",
    "same_socket_recovery_start",
    "same_socket_recovery_exhausted",
    "socket_failed",
    "socket_interrupted",
    "socket_complete",
    "socket_advance",
    "budget_warning",
    "budget_limit",
    "budget_raised",
    "cast_recast",
    "cast_revive",
    "cast_end",
];
