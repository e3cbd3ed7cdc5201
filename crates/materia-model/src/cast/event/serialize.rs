//! Events as a log has them: a type and its data.
//!
//! Owns the names, serialization without copies, and reading. Never opens a log.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use super::CastEventBody;

impl CastEventBody {
    /// Reads an event of the log; `None` for types that other programs wrote.
    pub fn read(kind: &str, data: Value) -> Result<Option<Self>, serde_json::Error> {
        if !TYPES.contains(&kind) {
            return Ok(None);
        }
        let mut tagged = Map::new();
        tagged.insert("type".to_owned(), Value::String(kind.to_owned()));
        tagged.insert("data".to_owned(), data);
        serde_json::from_value(Value::Object(tagged)).map(Some)
    }

    /// The data, as a record of the log has it; serialized without a copy.
    pub fn data(&self) -> CastEventData<'_> {
        CastEventData(self)
    }

    /// Whether the log is flushed with this event, and with it everything before it, because
    /// something outside relies on it from now on.
    ///
    /// A finished socket is flushed by the dispatch, the pause or the end that follows at once: one
    /// flush a step. So is the beginning, unless it is reported earlier: then the reporter flushes.
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

/// The data of an event, without its type.
#[derive(Debug, Clone, Copy)]
pub struct CastEventData<'a>(&'a CastEventBody);

/// Makes everything that needs all event types from one list of them.
macro_rules! event_types {
    ($($variant:ident => $name:literal,)*) => {
        /// Every type that the fold knows.
        pub const TYPES: &[&str] = &[$($name),*];

        impl CastEventBody {
            /// The type, as a record of the log has it.
            pub fn kind(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                }
            }
        }

        impl Serialize for CastEventData<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self.0 {
                    $(CastEventBody::$variant(data) => data.serialize(serializer),)*
                }
            }
        }
    };
}

event_types! {
    CastStart => "cast_start",
    SocketRoute => "socket_route",
    SocketStart => "socket_start",
    AgentTurnStart => "agent_turn_start",
    AgentTurnEnd => "agent_turn_end",
    UtilityInput => "utility_input",
    UtilityCommand => "utility_command",
    SocketRefinement => "socket_refinement",
    ContextRefinement => "context_refinement",
    SocketFinalization => "socket_finalization",
    SameSocketRecoveryStart => "same_socket_recovery_start",
    SameSocketRecoveryExhausted => "same_socket_recovery_exhausted",
    SocketFailed => "socket_failed",
    SocketInterrupted => "socket_interrupted",
    SocketComplete => "socket_complete",
    SocketAdvance => "socket_advance",
    BudgetWarning => "budget_warning",
    BudgetLimit => "budget_limit",
    BudgetRaised => "budget_raised",
    CastRecast => "cast_recast",
    CastRevive => "cast_revive",
    CastEnd => "cast_end",
}
