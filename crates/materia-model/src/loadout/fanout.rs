//! The fan-out of a loadout: how often each socket is visited in the smooth case, and at most
//! (C23).
//!
//! Owns both counts for a given length of the lists. The smooth count is a walk in which every
//! guard is satisfied. The other one is an upper bound: edges with a limit are taken as often as it
//! allows for every item, edges without one as often as the cycle limit allows, and nothing more
//! often than the overall limits. Never calls a model.

mod component;

use std::collections::BTreeMap;

use super::graph::{CursorIndex, Graph, RouteTarget, SocketIndex};
use super::settings::LimitSettings;
use crate::materia::OutputParse;

/// How often one socket is visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SocketVisits {
    /// If every guard is satisfied.
    pub smooth: u64,
    /// The upper bound.
    pub most: u64,
}

/// The defaults for unset limits.
#[derive(Debug, Clone, Copy)]
pub struct DefaultLimits {
    /// The limit of visits per socket and of traversals per edge.
    pub visits: u64,
    /// The limit of entries into a socket without an advance.
    pub cycles: u64,
}

/// The maximum length of the walk.
const LONGEST: u64 = 500_000;
/// The maximum work before the overall limit is used as the bound.
const MUCH: usize = 1_000_000;
/// The possible outcomes when a list is exhausted.
const LEAVING: [Option<bool>; 3] = [Some(true), Some(false), None];

/// The visits of each socket, in the order written, for lists of this length.
pub fn visits(
    graph: &Graph,
    limits: &LimitSettings,
    net: DefaultLimits,
    items: u64,
) -> Vec<SocketVisits> {
    let bound = Bound::new(graph, limits, net, items);
    let smooth = smooth(graph, items, &bound.most);
    let most = bound.settle();
    smooth
        .into_iter()
        .zip(most)
        .map(|(smooth, most)| SocketVisits {
            smooth,
            most: most.max(smooth),
        })
        .collect()
}

/// Walks the graph with every guard satisfied, until a socket reaches its visit limit.
fn smooth(graph: &Graph, items: u64, net: &[u64]) -> Vec<u64> {
    let mut visits = vec![0; graph.sockets().len()];
    let mut cursors: BTreeMap<CursorIndex, u64> = BTreeMap::new();
    let (mut from, mut at) = (None, graph.entry());
    for _ in 0..LONGEST {
        for cursor in graph.restarted(from, at) {
            cursors.insert(cursor, 0);
        }
        let socket = graph.socket(at);
        let next = if socket.each.is_some() && items == 0 {
            graph.empty(at)
        } else {
            if visits[at.position()] >= net[at.position()] {
                break;
            }
            visits[at.position()] += 1;
            leave(graph, at, &mut cursors, items)
        };
        match next {
            RouteTarget::End => break,
            RouteTarget::Socket(to) => (from, at) = (Some(at), to),
        }
    }
    visits
}

fn leave(
    graph: &Graph,
    at: SocketIndex,
    cursors: &mut BTreeMap<CursorIndex, u64>,
    items: u64,
) -> RouteTarget {
    let socket = graph.socket(at);
    let outcome = (socket.contract.parse == OutputParse::Json).then_some(true);
    for cursor in graph.regenerated(at) {
        cursors.insert(cursor, 0);
    }
    let moves = socket
        .advance
        .as_ref()
        .filter(|advance| advance.when.matches(outcome));
    if let Some(advance) = moves {
        let index = cursors.entry(advance.cursor).or_default();
        *index += 1;
        if *index >= items {
            return graph.exhausted(at, outcome);
        }
    }
    match graph.edge(at, outcome) {
        Some(edge) => edge.to,
        None => moves
            .and_then(|_| graph.next_item(at))
            .map_or(RouteTarget::End, RouteTarget::Socket),
    }
}

/// The bound, increased until it is stable.
struct Bound<'a> {
    graph: &'a Graph,
    items: u64,
    cycles: u64,
    edge_net: u64,
    most: Vec<u64>,
    totals: Vec<u64>,
    ways: Vec<Vec<usize>>,
    component: Vec<usize>,
}

/// Values that are constant during a round.
struct Round {
    /// How often the region of each cursor is entered from outside, at least once.
    passes: Vec<u64>,
    /// How often each component is entered from elsewhere, at least once.
    entries: Vec<u64>,
    /// How often any cursor advances, at least once.
    advances: u64,
}

impl<'a> Bound<'a> {
    fn new(graph: &'a Graph, limits: &LimitSettings, net: DefaultLimits, items: u64) -> Self {
        let visits = limits.max_socket_visits.unwrap_or(net.visits);
        let most = graph
            .sockets()
            .iter()
            .map(|socket| socket.max_visits.unwrap_or(visits).min(visits));
        let ways: Vec<Vec<usize>> = graph.slots().map(|slot| targets(graph, slot)).collect();
        Self {
            graph,
            items,
            cycles: limits.max_no_advance_cycles.unwrap_or(net.cycles),
            edge_net: limits.max_edge_traversals.unwrap_or(net.visits),
            most: most.collect(),
            totals: vec![0; graph.sockets().len()],
            component: component::components(&ways),
            ways,
        }
    }

    /// Iterates until nothing grows. If that takes too long, the overall limit is the bound.
    fn settle(mut self) -> Vec<u64> {
        let size: usize = self.ways.iter().map(|ways| ways.len() + 1).sum();
        for _ in 0..(MUCH / size.max(1)).max(10) {
            let next = self.round();
            if next == self.totals {
                return self.visited(next);
            }
            self.totals = next;
        }
        let most = std::mem::take(&mut self.most);
        self.visited(most)
    }

    /// An empty list is skipped, and its sockets are not visited.
    fn visited(&self, mut totals: Vec<u64>) -> Vec<u64> {
        for slot in self.graph.slots().filter(|slot| self.passes_by(*slot)) {
            totals[slot.position()] = 0;
        }
        totals
    }

    fn passes_by(&self, slot: SocketIndex) -> bool {
        self.items == 0 && self.graph.socket(slot).each.is_some()
    }

    fn round(&self) -> Vec<u64> {
        let round = self.prepared();
        let count = self.graph.sockets().len();
        let (mut free, mut capped) = (vec![0_u64; count], vec![0_u64; count]);
        let mut add = |to: RouteTarget, times: u64, is_capped: bool| {
            if let RouteTarget::Socket(to) = to {
                let sum = if is_capped { &mut capped } else { &mut free };
                sum[to.position()] = sum[to.position()].saturating_add(times);
            }
        };
        add(RouteTarget::Socket(self.graph.entry()), 1, false);
        for from in self.graph.slots() {
            let (socket, visited) = (self.graph.socket(from), self.totals[from.position()]);
            if self.passes_by(from) {
                add(self.graph.empty(from), visited, false);
                continue;
            }
            for edge in &socket.edges {
                let left = if self.leaves_for_good(from, edge.to) {
                    round.entries[self.component[from.position()]]
                } else {
                    self.edge_net
                };
                let own = edge
                    .max_traversals
                    .map(|cap| cap.saturating_mul(self.scopes(from, &round)));
                let times = visited
                    .min(left)
                    .min(self.edge_net)
                    .min(own.unwrap_or(u64::MAX));
                add(edge.to, times, own.is_some());
            }
            if let Some(advance) = &socket.advance {
                let passes = round.passes[advance.cursor.position()].min(visited);
                let mut exits = LEAVING
                    .map(|outcome| self.graph.exhausted(from, outcome))
                    .to_vec();
                exits.dedup();
                exits.into_iter().for_each(|exit| add(exit, passes, false));
                // A socket that advances and has no matching edge continues at the loop's entry
                // (C3).
                let strays = |outcome: &Option<bool>| {
                    advance.when.matches(*outcome) && self.graph.edge(from, *outcome).is_none()
                };
                if LEAVING.iter().any(strays)
                    && let Some(next) = self.graph.next_item(from)
                {
                    add(RouteTarget::Socket(next), visited, false);
                }
            }
        }
        self.graph
            .slots()
            .map(|slot| self.bounded(slot, free[slot.position()], capped[slot.position()], &round))
            .collect()
    }

    fn bounded(&self, slot: SocketIndex, free: u64, capped: u64, round: &Round) -> u64 {
        let (at, is_member) = (slot.position(), self.graph.socket(slot).each.is_some());
        if self.passes_by(slot) {
            return free
                .saturating_add(capped)
                .min(self.most[at])
                .max(self.totals[at]);
        }
        let epochs = if is_member {
            self.scopes(slot, round)
        } else {
            round.advances
        };
        let stalls = (1 + self.cycles).saturating_mul(epochs);
        free.min(stalls)
            .saturating_add(capped)
            .min(self.most[at])
            .max(self.totals[at])
    }

    fn prepared(&self) -> Round {
        let mut passes = vec![0_u64; self.graph.cursors().len()];
        let mut entries = vec![0_u64; self.ways.len().max(1)];
        if let Some(first) = self.component.get(self.graph.entry().position()) {
            entries[*first] = 1;
        }
        for from in self.graph.slots() {
            let visited = self.totals[from.position()];
            for to in &self.ways[from.position()] {
                if self.component[*to] != self.component[from.position()] {
                    let sum = &mut entries[self.component[*to]];
                    *sum = sum.saturating_add(visited);
                }
            }
            // A route out of a loop that leads back into it restarts it.
            if let Some(advance) = &self.graph.socket(from).advance {
                let back = |to: RouteTarget| {
                    matches!(to, RouteTarget::Socket(_)) && !self.leaves_for_good(from, to)
                };
                if LEAVING
                    .iter()
                    .any(|outcome| back(self.graph.exhausted(from, *outcome)))
                {
                    let sum = &mut passes[advance.cursor.position()];
                    *sum = sum.saturating_add(visited);
                }
            }
            for edge in &self.graph.socket(from).edges {
                let RouteTarget::Socket(to) = edge.to else {
                    continue;
                };
                for cursor in self.graph.restarted(Some(from), to) {
                    let sum = &mut passes[cursor.position()];
                    *sum = sum.saturating_add(visited.min(edge.max_traversals.unwrap_or(u64::MAX)));
                }
            }
        }
        passes
            .iter_mut()
            .chain(&mut entries)
            .for_each(|sum| *sum = (*sum).max(1));
        let mut round = Round {
            passes,
            entries,
            advances: 1,
        };
        let turning = self
            .graph
            .slots()
            .filter(|slot| self.graph.socket(*slot).advance.is_some());
        round.advances = turning
            .map(|slot| self.scopes(slot, &round))
            .fold(1, u64::saturating_add);
        round
    }

    /// The number of items that a socket's limits apply to.
    fn scopes(&self, slot: SocketIndex, round: &Round) -> u64 {
        let socket = self.graph.socket(slot);
        let each = socket.each.as_ref().map(|each| each.cursor);
        let cursor = each.or_else(|| socket.advance.as_ref().map(|advance| advance.cursor));
        cursor.map_or(1, |cursor| {
            self.items
                .saturating_mul(round.passes[cursor.position()])
                .max(1)
        })
    }

    /// Whether a route leaves the component, so that nothing leads back.
    fn leaves_for_good(&self, from: SocketIndex, to: RouteTarget) -> bool {
        matches!(to, RouteTarget::Socket(to) if self.component[to.position()] != self.component[from.position()])
    }
}

fn targets(graph: &Graph, slot: SocketIndex) -> Vec<usize> {
    let socket = graph.socket(slot);
    let mut all: Vec<RouteTarget> = socket.edges.iter().map(|edge| edge.to).collect();
    if socket.each.is_some() {
        all.push(graph.empty(slot));
    }
    if socket.advance.is_some() {
        all.extend(LEAVING.map(|outcome| graph.exhausted(slot, outcome)));
        all.extend(graph.next_item(slot).map(RouteTarget::Socket));
    }
    let socket_of = |to: RouteTarget| {
        if let RouteTarget::Socket(to) = to {
            Some(to.position())
        } else {
            None
        }
    };
    let mut found: Vec<usize> = all.into_iter().filter_map(socket_of).collect();
    found.sort_unstable();
    found.dedup();
    found
}
