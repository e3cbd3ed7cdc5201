//! Queries of a graph: the matching edge, the exit of an exhausted or empty loop, the cursors that
//! a transition restarts.
//!
//! Owns what follows from the graph alone. The kernel knows whether a list is exhausted and how
//! often an edge was taken.

use std::sync::Arc;

use super::{
    CursorDefinition, CursorIndex, Edge, Graph, LoopDefinition, RouteGuard, RouteTarget, Socket,
    SocketIndex,
};
use crate::materia::Materia;
use crate::name::SocketId;

impl Graph {
    /// The loadout's name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The socket where a cast starts.
    pub fn entry(&self) -> SocketIndex {
        self.0.entry
    }

    /// The sockets, in the order written.
    pub fn sockets(&self) -> &[Socket] {
        &self.0.sockets
    }

    /// The socket at an index.
    pub fn socket(&self, slot: SocketIndex) -> &Socket {
        &self.0.sockets[slot.0]
    }

    /// Replaces the materia of sockets. `None` keeps it.
    pub fn replace_materia(&mut self, mut replacement: impl FnMut(&Materia) -> Option<Materia>) {
        for socket in &mut Arc::make_mut(&mut self.0).sockets {
            if let Some(materia) = replacement(&socket.materia) {
                socket.materia = Arc::new(materia);
            }
        }
    }

    /// Every socket index, in the order written.
    pub fn slots(&self) -> impl Iterator<Item = SocketIndex> + use<> {
        (0..self.0.sockets.len()).map(SocketIndex)
    }

    /// The index of the socket with this id.
    pub fn find(&self, id: &str) -> Option<SocketIndex> {
        let id: SocketId = id.parse().ok()?;
        self.0.by_id.get(&id).copied()
    }

    /// The loops, in the order written.
    pub fn loops(&self) -> &[LoopDefinition] {
        &self.0.loops
    }

    /// The cursors.
    pub fn cursors(&self) -> &[CursorDefinition] {
        &self.0.cursors
    }

    /// The cursor at an index.
    pub fn cursor(&self, slot: CursorIndex) -> &CursorDefinition {
        &self.0.cursors[slot.0]
    }

    /// The name of a target: the socket's id, or `end`.
    pub fn target_name(&self, target: RouteTarget) -> &str {
        match target {
            RouteTarget::Socket(slot) => self.socket(slot).id.as_str(),
            RouteTarget::End => "end",
        }
    }

    /// The positions that an editor stores: `{"<socket>": {"x", "y"}}`.
    pub fn layout(&self) -> &serde_json::Value {
        &self.0.layout
    }

    /// The edge from a socket for an outcome: the first that matches.
    pub fn edge(&self, from: SocketIndex, outcome: Option<bool>) -> Option<&Edge> {
        self.socket(from)
            .edges
            .iter()
            .find(|edge| edge.guard.matches(outcome))
    }

    /// The target if the list is exhausted after this socket; without a route, the end.
    pub fn exhausted(&self, from: SocketIndex, outcome: Option<bool>) -> RouteTarget {
        let mut around = self.loops_of(from);
        around
            .find_map(|region| region.exit(from, outcome))
            .map_or(RouteTarget::End, |exit| exit.to)
    }

    /// The target if a cast enters a socket whose list is empty (C4).
    ///
    /// Only `always` routes count: from the entered socket first, then from the exit source, then
    /// from any member.
    pub fn empty(&self, entered: SocketIndex) -> RouteTarget {
        let own = self
            .loops_of(entered)
            .find_map(|region| region.route(entered, RouteGuard::Always));
        let route = own.or_else(|| {
            self.loops_of(entered).find_map(|region| {
                let source = region
                    .exit_source
                    .and_then(|source| region.route(source, RouteGuard::Always));
                source.or_else(|| {
                    region
                        .exits
                        .iter()
                        .find(|exit| exit.guard == RouteGuard::Always)
                })
            })
        });
        route.map_or(RouteTarget::End, |exit| exit.to)
    }

    /// The socket for the next item if this socket advanced, items are left and none of its edges
    /// matches (C3): the entry of its loop, else the socket that iterates the list.
    pub fn next_item(&self, from: SocketIndex) -> Option<SocketIndex> {
        let cursor = self.socket(from).advance.as_ref()?.cursor;
        let over = |region: &&LoopDefinition| {
            region
                .each
                .as_ref()
                .is_some_and(|each| each.cursor == cursor)
        };
        let around = self
            .loops_of(from)
            .find(over)
            .or_else(|| self.loops_of(from).next());
        let alone = || {
            self.slots()
                .find(|slot| self.each_cursor(*slot) == Some(cursor))
        };
        around.map(|region| region.entry).or_else(alone)
    }

    fn each_cursor(&self, slot: SocketIndex) -> Option<CursorIndex> {
        self.socket(slot).each.as_ref().map(|each| each.cursor)
    }

    /// The cursors that restart on the transition from one socket to another, or into the graph
    /// (C3).
    pub fn restarted(
        &self,
        from: Option<SocketIndex>,
        to: SocketIndex,
    ) -> impl Iterator<Item = CursorIndex> {
        let cursors = self.0.cursors.iter().enumerate();
        cursors.filter_map(move |(position, cursor)| {
            let outside = from.is_none_or(|from| !cursor.region.contains(from));
            (outside && cursor.region.contains(to)).then_some(CursorIndex(position))
        })
    }

    /// The cursors that restart when this generator produces a list (C3).
    pub fn regenerated(&self, generator: SocketIndex) -> impl Iterator<Item = CursorIndex> {
        let cursors = self.0.cursors.iter().enumerate();
        cursors
            .filter(move |(_, cursor)| cursor.generator == Some(generator))
            .map(|(at, _)| CursorIndex(at))
    }

    fn loops_of(&self, slot: SocketIndex) -> impl Iterator<Item = &LoopDefinition> {
        self.socket(slot)
            .loops
            .iter()
            .map(|position| &self.0.loops[*position])
    }
}
