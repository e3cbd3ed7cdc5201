//! A checked and compiled loadout: what the kernel walks.
//!
//! Owns the types; the queries that need only the graph are in `walk`. The graph is consistent: all
//! indices exist, loops have members, guarded sockets read JSON. Never counts, never reads the
//! state of a cast.

mod walk;

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;

use crate::materia::{Materia, OutputParse, StateAssign};
use crate::name::SocketId;

/// A compiled loadout. Cloning is cheap: clones share the data.
#[derive(Debug, Clone)]
pub struct Graph(pub(super) Arc<GraphParts>);

/// The data of a graph.
#[derive(Debug, Clone)]
pub(super) struct GraphParts {
    pub(super) name: String,
    pub(super) entry: SocketIndex,
    pub(super) sockets: Vec<Socket>,
    pub(super) loops: Vec<LoopDefinition>,
    pub(super) cursors: Vec<CursorDefinition>,
    pub(super) by_id: HashMap<SocketId, SocketIndex>,
    pub(super) layout: serde_json::Value,
}

/// The position of a socket in its graph, in the order written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketIndex(pub(super) usize);

impl SocketIndex {
    /// The position, from 0.
    pub fn position(self) -> usize {
        self.0
    }
}

/// The position of a cursor in [`Graph::cursors`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CursorIndex(pub(super) usize);

impl CursorIndex {
    /// The position, from 0.
    pub fn position(self) -> usize {
        self.0
    }
}

/// A place for one materia.
#[derive(Debug, Clone)]
pub struct Socket {
    pub id: SocketId,
    pub materia: Arc<Materia>,
    /// How its output is read and what it must contain.
    pub contract: SocketContract,
    /// Its edges, in order: a cast takes the first that matches.
    pub edges: Vec<Edge>,
    /// The list it iterates: its own `foreach`, else that of the first loop around it that has one.
    pub each: Option<Iteration>,
    /// The cursor step when the socket is done.
    pub advance: Option<AdvanceRule>,
    /// The loops it is a member of, as positions in [`Graph::loops`], in the order written.
    pub loops: Vec<usize>,
    /// The limit of visits in a cast, if the socket sets one.
    pub max_visits: Option<u64>,
}

/// The contract of a socket's output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SocketContract {
    pub parse: OutputParse,
    /// Whether a top-level `workItems` is required.
    pub generator: bool,
    /// Whether a boolean `satisfied` is required (C6): a guard needs it, and no `always` follows.
    pub needs_satisfied: bool,
    /// The assignments to the state, in order, including a generator's list.
    pub assign: Vec<StateAssign>,
}

/// The condition of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteGuard {
    /// Any output.
    Always,
    /// The output says `"satisfied": true`.
    Satisfied,
    /// The output says `"satisfied": false`.
    NotSatisfied,
}

impl RouteGuard {
    /// Every guard.
    pub const ALL: [Self; 3] = [Self::Always, Self::Satisfied, Self::NotSatisfied];

    /// The word that documents use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Satisfied => "satisfied",
            Self::NotSatisfied => "not_satisfied",
        }
    }

    /// Whether it depends on the output.
    pub fn is_guarded(self) -> bool {
        self != Self::Always
    }

    /// Whether it matches this outcome.
    pub fn matches(self, outcome: Option<bool>) -> bool {
        match self {
            Self::Always => true,
            Self::Satisfied => outcome == Some(true),
            Self::NotSatisfied => outcome == Some(false),
        }
    }
}

/// The target of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RouteTarget {
    Socket(SocketIndex),
    /// To the end of the cast.
    End,
}

/// A guarded edge from a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    pub guard: RouteGuard,
    pub to: RouteTarget,
    /// The limit of traversals for one work item (C2).
    pub max_traversals: Option<u64>,
}

/// A list that is iterated, one item at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Iteration {
    /// The value path of the list, such as `state.workItems`.
    pub items: String,
    /// The name of the current item in the state.
    pub alias: String,
    /// The position of the current item.
    pub cursor: CursorIndex,
}

impl Iteration {
    /// Whether the items are work items, with keys `WI-1`, `WI-2` and so on.
    pub fn is_work(&self) -> bool {
        self.alias == "workItem" || self.items.contains("workItems")
    }

    /// The key of the item at this index.
    pub fn key(&self, index: usize) -> String {
        if self.is_work() {
            format!("WI-{}", index + 1)
        } else {
            index.to_string()
        }
    }
}

/// A step of a cursor after a socket is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdvanceRule {
    pub cursor: CursorIndex,
    /// The value path of the list, to detect its end.
    pub items: String,
    pub when: RouteGuard,
}

/// A named position in a list that belongs to a region of the graph (C3).
#[derive(Debug, Clone)]
pub struct CursorDefinition {
    /// Its name in the state, not necessarily unique.
    pub name: String,
    /// The sockets it belongs to. Entering one of them from outside restarts the cursor.
    pub region: SocketRegion,
    /// The generator whose new list restarts it.
    pub generator: Option<SocketIndex>,
}

/// A set of sockets. Cursors share the parts of a large one.
#[derive(Debug, Clone, Default)]
pub struct SocketRegion(pub(super) Vec<Arc<[SocketIndex]>>);

impl SocketRegion {
    /// Whether a socket is in it.
    pub fn contains(&self, slot: SocketIndex) -> bool {
        self.0.iter().any(|part| part.binary_search(&slot).is_ok())
    }

    /// Its sockets, each at least once.
    pub fn slots(&self) -> impl Iterator<Item = SocketIndex> {
        self.0.iter().flat_map(|part| part.iter().copied())
    }
}

/// A region of the graph that iterates a list.
#[derive(Debug, Clone)]
pub struct LoopDefinition {
    pub id: String,
    /// Its sockets, in the order written.
    pub members: Vec<SocketIndex>,
    /// Its entry: the loop continues there if items are left and no edge matches (C3).
    pub entry: SocketIndex,
    /// The generator of its list.
    pub generator: Option<SocketIndex>,
    /// The list it iterates.
    pub each: Option<Iteration>,
    /// The socket it exits from: `exit.from`, else the first member that advances.
    pub exit_source: Option<SocketIndex>,
    /// The routes for an exhausted list, in order.
    pub exits: Vec<LoopExit>,
}

impl LoopDefinition {
    /// The route from a member for an outcome: the matching guard, then `always`.
    pub fn exit(&self, from: SocketIndex, outcome: Option<bool>) -> Option<&LoopExit> {
        let fitting = match outcome {
            Some(true) => Some(RouteGuard::Satisfied),
            Some(false) => Some(RouteGuard::NotSatisfied),
            None => None,
        };
        fitting
            .and_then(|guard| self.route(from, guard))
            .or_else(|| self.route(from, RouteGuard::Always))
    }

    pub(super) fn route(&self, from: SocketIndex, guard: RouteGuard) -> Option<&LoopExit> {
        self.exits
            .iter()
            .find(|exit| exit.from == from && exit.guard == guard)
    }
}

/// A route out of a loop, taken when its list is exhausted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopExit {
    /// Its id, unique in the loop.
    pub id: String,
    /// The member it leaves from.
    pub from: SocketIndex,
    pub guard: RouteGuard,
    pub to: RouteTarget,
}
