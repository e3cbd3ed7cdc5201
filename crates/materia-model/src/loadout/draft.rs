//! A loadout as written: every value with its location, targets resolved, nothing derived.
//!
//! Owns the types between reading and compiling, and the lookup of targets. Omits unreadable
//! values; a finding reports each. Used inside `loadout` only: other modules see a
//! [`super::Graph`].

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::graph::{RouteGuard, RouteTarget, SocketIndex};
use crate::document::{DocValue, Location};
use crate::materia::{OutputParse, StateAssign};
use crate::name::SocketId;
use crate::text;

/// The maximum number of socket names to compare for a suggestion.
const MAX_SUGGESTION_CANDIDATES: usize = 1000;

/// A loadout as it was written.
pub(super) struct LoadoutDraft {
    pub(super) name: String,
    pub(super) at: Location,
    pub(super) entry: Option<SocketIndex>,
    pub(super) sockets: Vec<SocketDraft>,
    pub(super) loops: Vec<LoopDraft>,
    /// The position of each socket in an editor.
    pub(super) layout: Value,
}

/// A socket as it was written.
pub(super) struct SocketDraft {
    pub(super) id: SocketId,
    pub(super) at: Location,
    pub(super) materia: Option<TextDraft>,
    pub(super) parse: Option<(OutputParse, Location)>,
    pub(super) assign: Option<(Vec<StateAssign>, Location)>,
    pub(super) edges: Vec<EdgeDraft>,
    pub(super) edges_at: Option<Location>,
    pub(super) iteration: Option<IterationDraft>,
    pub(super) advance: Option<AdvanceDraft>,
    pub(super) max_visits: Option<u64>,
    pub(super) position: Map<String, Value>,
}

impl SocketDraft {
    /// The location of the edges; the name of the socket if it has none.
    pub(super) fn edges_at(&self) -> Location {
        let edges = self.edges_at.clone();
        edges.unwrap_or_else(|| self.at.at_name().member("edges"))
    }

    /// The location of `parse`; the name of the socket if it has none.
    pub(super) fn parse_at(&self) -> Location {
        match &self.parse {
            Some((_, at)) => at.clone(),
            None => self.at.at_name().member("parse"),
        }
    }
}

/// A text with its location.
pub(super) struct TextDraft {
    pub(super) text: String,
    pub(super) at: Location,
}

impl TextDraft {
    /// A string that is not blank.
    pub(super) fn read(value: &DocValue<'_>) -> Option<Self> {
        let text = value.text()?.to_owned();
        let at = value.at.clone();
        Some(Self { text, at })
    }

    pub(super) fn located(&self) -> (&str, Location) {
        (&self.text, self.at.clone())
    }
}

/// An edge as it was written.
pub(super) struct EdgeDraft {
    pub(super) at: Location,
    pub(super) guard: Option<RouteGuard>,
    /// The location of `when`; that of the edge if it has none.
    pub(super) guard_at: Location,
    pub(super) to: Option<RouteTarget>,
    pub(super) max_traversals: Option<u64>,
}

/// A `foreach` or an `iterator` as it was written.
#[derive(Default)]
pub(super) struct IterationDraft {
    pub(super) items: String,
    pub(super) alias: Option<String>,
    pub(super) cursor: Option<String>,
}

/// An `advance` as it was written.
pub(super) struct AdvanceDraft {
    pub(super) at: Location,
    pub(super) cursor: Option<TextDraft>,
    pub(super) items: Option<TextDraft>,
    pub(super) when: Option<RouteGuard>,
    pub(super) when_at: Option<Location>,
}

impl AdvanceDraft {
    /// The location of `when`; that of the advance if it has none.
    pub(super) fn when_at(&self) -> Location {
        let when = self.when_at.clone();
        when.unwrap_or_else(|| self.at.member("when"))
    }
}

/// A loop as it was written.
pub(super) struct LoopDraft {
    pub(super) id: String,
    pub(super) at: Location,
    pub(super) members: Vec<SocketIndex>,
    /// The location of `sockets`; the name of the loop if it has none.
    pub(super) members_at: Location,
    pub(super) consumes: Option<ConsumesDraft>,
    pub(super) iterator: Option<IterationDraft>,
    pub(super) exit: Option<ExitDraft>,
    pub(super) exits: Vec<ExitDraft>,
}

impl LoopDraft {
    pub(super) fn member_set(&self) -> HashSet<SocketIndex> {
        self.members.iter().copied().collect()
    }
}

/// The list that a loop iterates.
pub(super) struct ConsumesDraft {
    pub(super) at: Location,
    pub(super) from: Option<SocketIndex>,
    pub(super) alias: Option<String>,
    pub(super) cursor: Option<String>,
}

/// A route out of a loop: `exit`, or one of `exits`.
pub(super) struct ExitDraft {
    pub(super) at: Location,
    pub(super) id: String,
    pub(super) from: Option<SocketIndex>,
    pub(super) guard: Option<RouteGuard>,
    pub(super) to: Option<RouteTarget>,
}

impl ExitDraft {
    pub(super) fn new(at: &Location) -> Self {
        Self {
            at: at.clone(),
            id: String::new(),
            from: None,
            guard: None,
            to: None,
        }
    }
}

/// The sockets of a loadout by name.
pub(super) struct SocketNames {
    ids: Vec<String>,
    by_id: HashMap<String, SocketIndex>,
}

impl SocketNames {
    pub(super) fn new(ids: Vec<String>) -> Self {
        let slots = ids.iter().cloned().zip((0..).map(SocketIndex));
        let by_id = slots.collect();
        Self { ids, by_id }
    }

    pub(super) fn get(&self, id: &str) -> Option<SocketIndex> {
        self.by_id.get(id).copied()
    }

    /// A socket, where `end` is not allowed: an entry, a member, a source.
    pub(super) fn socket(&self, value: &DocValue<'_>) -> Option<SocketIndex> {
        let given = endpoint_text(value)?;
        if let Some(slot) = self.get(given) {
            return Some(slot);
        }
        match given.parse::<SocketId>() {
            Err(error) => {
                let hint = if given == "end" {
                    "name a socket"
                } else {
                    error.hint()
                };
                let at = value.at.with_code("invalid-socket-id");
                at.error(error.to_string(), hint);
            }
            Ok(_) => {
                let at = value.at.with_code("unknown-endpoint");
                let message = format!("there is no socket {}", text::quoted(given));
                at.error(message, self.suggestion(&at, given));
            }
        }
        None
    }

    /// A socket or `end`.
    pub(super) fn target(&self, value: &DocValue<'_>) -> Option<RouteTarget> {
        if value.node.as_str() == Some("end") {
            return Some(RouteTarget::End);
        }
        self.socket(value).map(RouteTarget::Socket)
    }

    fn suggestion(&self, at: &Location, given: &str) -> String {
        let near = at.findings.has_room().then(|| {
            let ids = self.ids.iter().map(String::as_str).chain(["end"]);
            text::closest(given, ids.take(MAX_SUGGESTION_CANDIDATES))
        });
        match near.flatten() {
            Some(near) => format!("did you mean `{near}`?"),
            None => "name a socket of this loadout, or `end`".to_owned(),
        }
    }
}

fn endpoint_text<'a>(value: &DocValue<'a>) -> Option<&'a str> {
    let value = value.with_code("missing-endpoint");
    let text = value.string()?;
    if text.is_empty() {
        let message = format!("{} names nothing", text::quoted(value.name()));
        value.error(message, "name a socket, or `end`");
        return None;
    }
    Some(text)
}
