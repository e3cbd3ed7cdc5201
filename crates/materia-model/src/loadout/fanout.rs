//! How far a loadout fans out: how often each socket is visited when all goes well, and at most (C23).
//!
//! Owns both counts for a given length of the lists. The smooth one is a walk in which every guard is satisfied; the
//! other one is a bound: edges with a limit are taken as often as it allows for every item, edges without one as often
//! as the detection of stalls allows, and nothing more often than the net below everything. Never asks a model.

mod component;

use std::collections::BTreeMap;

use super::graph::{CursorSlot, Graph, Slot, Target};
use super::settings::Limits;
use crate::materia::Parse;

/// How often one socket is visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Visits {
    /// When every guard is satisfied.
    pub smooth: u64,
    /// Never more than this.
    pub most: u64,
}

/// The defaults for what the settings leave open.
#[derive(Debug, Clone, Copy)]
pub struct Net {
    /// How often one socket may be visited, and one edge taken.
    pub visits: u64,
    /// How often a socket may be entered again without anything advancing.
    pub cycles: u64,
}

/// The longest walk that is made.
const LONGEST: u64 = 2_000_000;

/// The visits of each socket, in the order written, for lists of this length.
pub fn visits(graph: &Graph, limits: &Limits, net: Net, items: u64) -> Vec<Visits> {
    let smooth = smooth(graph, items);
    let most = Bound::new(graph, limits, net, items).settle();
    smooth.into_iter().zip(most).map(|(smooth, most)| Visits { smooth, most: most.max(smooth) }).collect()
}

/// Walks the graph with every guard satisfied.
fn smooth(graph: &Graph, items: u64) -> Vec<u64> {
    let mut visits = vec![0; graph.sockets().len()];
    let mut cursors: BTreeMap<CursorSlot, u64> = BTreeMap::new();
    let (mut from, mut at) = (None, graph.entry());
    for _ in 0..LONGEST {
        for cursor in graph.restarted(from, at) {
            cursors.insert(cursor, 0);
        }
        let socket = graph.socket(at);
        let next = if socket.each.is_some() && items == 0 {
            graph.empty(at)
        } else {
            visits[at.position()] += 1;
            leave(graph, at, &mut cursors, items)
        };
        match next {
            Target::End => break,
            Target::Socket(to) => (from, at) = (Some(at), to),
        }
    }
    visits
}

fn leave(graph: &Graph, at: Slot, cursors: &mut BTreeMap<CursorSlot, u64>, items: u64) -> Target {
    let socket = graph.socket(at);
    let outcome = (socket.contract.parse == Parse::Json).then_some(true);
    for cursor in graph.regenerated(at) {
        cursors.insert(cursor, 0);
    }
    let moves = socket.advance.as_ref().filter(|advance| advance.when.matches(outcome));
    if let Some(advance) = moves {
        let index = cursors.entry(advance.cursor).or_default();
        *index += 1;
        if *index >= items {
            return graph.exhausted(at, outcome);
        }
    }
    match graph.edge(at, outcome) {
        Some(edge) => edge.to,
        None => moves.and_then(|_| graph.next_item(at)).map_or(Target::End, Target::Socket),
    }
}

/// The bound, approached from below until nothing grows.
struct Bound<'a> {
    graph: &'a Graph,
    items: u64,
    cycles: u64,
    edge_net: u64,
    most: Vec<u64>,
    totals: Vec<u64>,
    component: Vec<usize>,
}

impl<'a> Bound<'a> {
    fn new(graph: &'a Graph, limits: &Limits, net: Net, items: u64) -> Self {
        let visits = limits.max_socket_visits.unwrap_or(net.visits);
        let most = graph.sockets().iter().map(|socket| socket.max_visits.unwrap_or(visits).min(visits));
        Self {
            component: component::components(&ways(graph)),
            graph,
            items,
            cycles: limits.max_no_advance_cycles.unwrap_or(net.cycles),
            edge_net: limits.max_edge_traversals.unwrap_or(net.visits),
            most: most.collect(),
            totals: vec![0; graph.sockets().len()],
        }
    }

    fn settle(mut self) -> Vec<u64> {
        // Every round that changes anything adds at least one visit, and there are only so many.
        let rounds: u64 = self.most.iter().fold(1, |sum, most| sum.saturating_add(*most));
        for _ in 0..rounds {
            let next = self.round();
            if next == self.totals {
                break;
            }
            self.totals = next;
        }
        self.totals
    }

    fn round(&self) -> Vec<u64> {
        let count = self.graph.sockets().len();
        let (mut free, mut capped) = (vec![0_u64; count], vec![0_u64; count]);
        let mut add = |to: Target, times: u64, is_capped: bool| {
            if let Target::Socket(to) = to {
                let sum = if is_capped { &mut capped } else { &mut free };
                sum[to.position()] = sum[to.position()].saturating_add(times);
            }
        };
        add(Target::Socket(self.graph.entry()), 1, false);
        for from in self.graph.slots() {
            let (socket, visited) = (self.graph.socket(from), self.totals[from.position()]);
            let left = self.entries(from);
            for edge in &socket.edges {
                let visited = if self.leaves_for_good(from, edge.to) { visited.min(left) } else { visited };
                let own = edge.max_traversals.map(|cap| cap.saturating_mul(self.scopes(from)));
                add(edge.to, visited.min(own.unwrap_or(u64::MAX)).min(self.edge_net), own.is_some());
            }
            if let Some(advance) = &socket.advance {
                let passes = self.passes(advance.cursor).min(visited);
                for target in self.leaves(from) {
                    add(target, passes, false);
                }
                if self.graph.edge(from, Some(true)).is_none()
                    && let Some(next) = self.graph.next_item(from)
                {
                    add(Target::Socket(next), visited, false);
                }
            }
        }
        (0..count).map(|at| self.bounded(at, free[at], capped[at])).collect()
    }

    fn bounded(&self, at: usize, free: u64, capped: u64) -> u64 {
        let Some(slot) = self.graph.slots().nth(at) else { return 0 };
        let empty = self.items == 0 && self.graph.socket(slot).each.is_some();
        let stalls = (1 + self.cycles).saturating_mul(self.epochs(slot));
        let total = free.min(stalls).saturating_add(capped).min(self.most[at]);
        if empty { 0 } else { total.max(self.totals[at]) }
    }

    /// Whether a way leads to where nothing leads back from.
    fn leaves_for_good(&self, from: Slot, to: Target) -> bool {
        matches!(to, Target::Socket(to) if self.component[to.position()] != self.component[from.position()])
    }

    /// How often the sockets that lead back to this one are entered from elsewhere, at least once.
    fn entries(&self, slot: Slot) -> u64 {
        let own = self.component[slot.position()];
        let mut sum = u64::from(self.component[self.graph.entry().position()] == own);
        for from in self.graph.slots().filter(|from| self.component[from.position()] != own) {
            let visited = self.totals[from.position()];
            let into = |to: &usize| self.component[*to] == own;
            sum = sum.saturating_add(
                visited.saturating_mul(targets(self.graph, from).iter().filter(|to| into(to)).count() as u64),
            );
        }
        sum.max(1)
    }

    /// Where a list that is done may lead.
    fn leaves(&self, from: Slot) -> Vec<Target> {
        let mut targets: Vec<Target> =
            [Some(true), Some(false), None].map(|outcome| self.graph.exhausted(from, outcome)).to_vec();
        targets.dedup();
        targets
    }

    /// How many items a socket's limits count for.
    fn scopes(&self, slot: Slot) -> u64 {
        let socket = self.graph.socket(slot);
        let each = socket.each.as_ref().map(|each| each.cursor);
        let cursor = each.or_else(|| socket.advance.as_ref().map(|advance| advance.cursor));
        cursor.map_or(1, |cursor| self.items.saturating_mul(self.passes(cursor)).max(1))
    }

    /// How often something advances while a socket may be entered, at least once.
    fn epochs(&self, slot: Slot) -> u64 {
        if self.graph.socket(slot).each.is_some() {
            return self.scopes(slot);
        }
        let advances = self.graph.slots().filter(|slot| self.graph.socket(*slot).advance.is_some());
        advances.map(|slot| self.scopes(slot)).fold(1, u64::saturating_add)
    }

    /// How often the region of a cursor is entered from outside, at least once.
    fn passes(&self, cursor: CursorSlot) -> u64 {
        let region = &self.graph.cursor(cursor).region;
        let outside = self.graph.slots().filter(|slot| !region.contains(*slot));
        let entering = outside.flat_map(|from| {
            let visited = self.totals[from.position()];
            let edges = self.graph.socket(from).edges.iter();
            edges
                .filter(|edge| matches!(edge.to, Target::Socket(to) if region.contains(to)))
                .map(move |edge| visited.min(edge.max_traversals.unwrap_or(u64::MAX)))
        });
        entering.fold(0, u64::saturating_add).max(1)
    }
}

/// Where each socket may lead.
fn ways(graph: &Graph) -> Vec<Vec<usize>> {
    graph.slots().map(|slot| targets(graph, slot)).collect()
}

fn targets(graph: &Graph, slot: Slot) -> Vec<usize> {
    let socket = graph.socket(slot);
    let mut all: Vec<Target> = socket.edges.iter().map(|edge| edge.to).collect();
    if socket.each.is_some() {
        all.push(graph.empty(slot));
    }
    if socket.advance.is_some() {
        all.extend([Some(true), Some(false), None].map(|outcome| graph.exhausted(slot, outcome)));
        all.extend(graph.next_item(slot).map(Target::Socket));
    }
    let mut found: Vec<usize> = all
        .into_iter()
        .filter_map(|to| if let Target::Socket(to) = to { Some(to.position()) } else { None })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}
