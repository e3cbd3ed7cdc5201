//! A loadout that was checked and compiled: what the kernel walks.
//!
//! Owns the shapes; the questions that need nothing but the graph are in `walk`. Everything in it
//! holds together: slots exist, loops have members, guarded sockets read JSON. Never counts, never
//! looks at the state of a cast.

mod walk;

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;

use crate::materia::{Materia, OutputParse, StateAssign};
use crate::name::SocketId;

/// A compiled loadout; a clone shares everything.
#[derive(Debug, Clone)]
pub struct Graph(pub(super) Arc<GraphParts>);

/// What a graph is made of.
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
    /// Where it leads, in order: the first edge that matches is taken.
    pub edges: Vec<Edge>,
    /// The list it works through: its own `foreach`, else that of the first loop around it that has
    /// one.
    pub each: Option<Iteration>,
    /// What moves a cursor when the socket is done.
    pub advance: Option<AdvanceRule>,
    /// The loops it is a member of, as positions in [`Graph::loops`], in the order written.
    pub loops: Vec<usize>,
    /// How often it may be visited in a cast, where the socket says so.
    pub max_visits: Option<u64>,
}

/// How the output of a socket is read and what it must contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SocketContract {
    pub parse: OutputParse,
    /// Whether a top-level `workItems` is required.
    pub generator: bool,
    /// Whether a boolean `satisfied` is required (C6): something guarded asks for it, and no
    /// `always` stands behind.
    pub needs_satisfied: bool,
    /// What is copied into the state, in order; a generator's list is among it.
    pub assign: Vec<StateAssign>,
}

/// When a route is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RouteGuard {
    /// Whatever came out.
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

    /// Whether it looks at the output.
    pub fn is_guarded(self) -> bool {
        self != Self::Always
    }

    /// Whether it lets this outcome through.
    pub fn matches(self, outcome: Option<bool>) -> bool {
        match self {
            Self::Always => true,
            Self::Satisfied => outcome == Some(true),
            Self::NotSatisfied => outcome == Some(false),
        }
    }
}

/// Where a route leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RouteTarget {
    Socket(SocketIndex),
    /// To the end of the cast.
    End,
}

/// A guarded way from a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    pub guard: RouteGuard,
    pub to: RouteTarget,
    /// How often it may be taken for one work item (C2).
    pub max_traversals: Option<u64>,
}

/// A list that is worked through, one item at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Iteration {
    /// The value path of the list, such as `state.workItems`.
    pub items: String,
    /// The name in the state under which the current item is seen.
    pub alias: String,
    /// Which item is the current one.
    pub cursor: CursorIndex,
}

impl Iteration {
    /// Whether the items are work items, so that their keys are `WI-1`, `WI-2` and so on.
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

/// A step of a cursor, made when a socket is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdvanceRule {
    pub cursor: CursorIndex,
    /// The value path of the list whose end is looked for.
    pub items: String,
    pub when: RouteGuard,
}

/// A named position in a list; it belongs to a region of the graph (C3).
#[derive(Debug, Clone)]
pub struct CursorDefinition {
    /// Its name in the state; two cursors may have the same.
    pub name: String,
    /// The sockets it belongs to. Entering one of them from outside starts the cursor anew.
    pub region: SocketRegion,
    /// The generator whose new list starts it anew.
    pub generator: Option<SocketIndex>,
}

/// A set of sockets; many cursors share the parts of a large one.
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

/// A region of the graph that works through a list.
#[derive(Debug, Clone)]
pub struct LoopDefinition {
    pub id: String,
    /// Its sockets, in the order written.
    pub members: Vec<SocketIndex>,
    /// Where it is entered: it goes on there when an item is left and no edge matches (C3).
    pub entry: SocketIndex,
    /// The generator whose list it works through.
    pub generator: Option<SocketIndex>,
    /// The list it works through.
    pub each: Option<Iteration>,
    /// Where it leaves: `exit.from`, else the first member that advances.
    pub exit_source: Option<SocketIndex>,
    /// The routes that are taken when the list is done, in order.
    pub exits: Vec<LoopExit>,
}

impl LoopDefinition {
    /// The route from a member for an outcome: the guard that fits, then `always`.
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

/// A route out of a loop, taken when its list is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopExit {
    /// Its id, unique in the loop.
    pub id: String,
    /// The member it leaves from.
    pub from: SocketIndex,
    pub guard: RouteGuard,
    pub to: RouteTarget,
}
