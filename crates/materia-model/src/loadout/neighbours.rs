//! The connections of sockets: loops around a socket, generators into a loop, cycles.
//!
//! Owns the queries on a draft's edges. Each takes one pass over them, so that a hostile loadout
//! costs time in proportion to its size. Never reports anything.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::contract::OutputReading;
use super::draft::LoadoutDraft;
use super::graph::{RouteTarget, SocketIndex};

/// The connections of sockets and loops.
pub(super) struct Neighbours {
    /// For each socket, the loops around it, in order.
    pub(super) loops: Vec<Vec<usize>>,
    /// For each loop, the edges from generators outside into it.
    pub(super) generators_into: Vec<Vec<(SocketIndex, SocketIndex)>>,
    /// For each loop, the member that an edge from outside leads to.
    pub(super) entered: Vec<Option<SocketIndex>>,
}

impl Neighbours {
    pub(super) fn of(draft: &LoadoutDraft, readings: &[Option<OutputReading>]) -> Self {
        let mut loops = vec![Vec::new(); draft.sockets.len()];
        for (index, region) in draft.loops.iter().enumerate() {
            for member in &region.members {
                loops[member.0].push(index);
            }
        }
        let none = vec![None; draft.loops.len()];
        let mut all = Self {
            loops,
            generators_into: vec![Vec::new(); draft.loops.len()],
            entered: none,
        };
        for (position, reading) in readings.iter().enumerate() {
            let generator = reading
                .as_ref()
                .is_some_and(|reading| reading.materia.generator);
            all.leave(draft, SocketIndex(position), generator);
        }
        all.enter_by_exits(draft);
        all
    }

    fn leave(&mut self, draft: &LoadoutDraft, from: SocketIndex, generator: bool) {
        let mut seen = HashSet::new();
        for to in targets(draft, from).filter(|to| seen.insert(*to)) {
            for index in self.loops[to.0].clone() {
                if self.is_member(from, index) {
                    continue;
                }
                let first = self.generators_into[index].is_empty();
                if generator {
                    self.generators_into[index].push((from, to));
                }
                if (generator && first) || self.entered[index].is_none() {
                    self.entered[index] = Some(to);
                }
            }
        }
    }

    fn enter_by_exits(&mut self, draft: &LoadoutDraft) {
        for region in &draft.loops {
            for exit in region.exit.iter().chain(&region.exits) {
                let Some(RouteTarget::Socket(to)) = exit.to else {
                    continue;
                };
                for index in &self.loops[to.0] {
                    self.entered[*index].get_or_insert(to);
                }
            }
        }
    }

    /// Whether a socket is in a loop.
    pub(super) fn is_member(&self, slot: SocketIndex, index: usize) -> bool {
        self.loops[slot.0].binary_search(&index).is_ok()
    }

    /// Whether the members of a loop form a cycle.
    pub(super) fn has_cycle(&self, draft: &LoadoutDraft, index: usize) -> bool {
        let members = &draft.loops[index].members;
        let inside =
            |slot: SocketIndex| targets(draft, slot).filter(|to| self.is_member(*to, index));
        let mut arrivals: HashMap<SocketIndex, usize> = HashMap::new();
        for to in members.iter().flat_map(|member| inside(*member)) {
            *arrivals.entry(to).or_default() += 1;
        }
        let mut free: Vec<SocketIndex> = members
            .iter()
            .copied()
            .filter(|member| !arrivals.contains_key(member))
            .collect();
        let mut gone = 0;
        while let Some(slot) = free.pop() {
            gone += 1;
            for to in inside(slot) {
                let left = arrivals.entry(to).or_insert(1);
                *left -= 1;
                if *left == 0 {
                    free.push(to);
                }
            }
        }
        gone < members.len()
    }
}

/// The targets of a socket's edges.
pub(super) fn targets<'d>(
    draft: &'d LoadoutDraft,
    from: SocketIndex,
) -> impl Iterator<Item = SocketIndex> + use<'d> {
    draft.sockets[from.0]
        .edges
        .iter()
        .filter_map(|edge| match edge.to {
            Some(RouteTarget::Socket(to)) => Some(to),
            _ => None,
        })
}

/// For each socket, the sockets on a common cycle with it, itself included.
pub(super) fn circles(draft: &LoadoutDraft) -> Vec<Arc<[SocketIndex]>> {
    let mut search = Circles {
        draft,
        order: vec![None; draft.sockets.len()],
        low: vec![0; draft.sockets.len()],
        open: vec![false; draft.sockets.len()],
        stack: Vec::new(),
        next: 0,
        found: vec![Arc::from([]); draft.sockets.len()],
    };
    for position in 0..draft.sockets.len() {
        if search.order[position].is_none() {
            search.visit(SocketIndex(position));
        }
    }
    search.found
}

/// Tarjan's search for strongly connected components, without recursion.
struct Circles<'d> {
    draft: &'d LoadoutDraft,
    order: Vec<Option<usize>>,
    low: Vec<usize>,
    open: Vec<bool>,
    stack: Vec<SocketIndex>,
    next: usize,
    found: Vec<Arc<[SocketIndex]>>,
}

impl Circles<'_> {
    fn visit(&mut self, start: SocketIndex) {
        let mut path: Vec<(SocketIndex, Vec<SocketIndex>)> = Vec::new();
        self.arrive(start, &mut path);
        while let Some((slot, ahead)) = path.last_mut() {
            let slot = *slot;
            let Some(to) = ahead.pop() else {
                path.pop();
                if let Some((before, _)) = path.last() {
                    self.low[before.0] = self.low[before.0].min(self.low[slot.0]);
                }
                self.close(slot);
                continue;
            };
            match self.order[to.0] {
                None => self.arrive(to, &mut path),
                Some(order) if self.open[to.0] => self.low[slot.0] = self.low[slot.0].min(order),
                Some(_) => {}
            }
        }
    }

    fn arrive(&mut self, slot: SocketIndex, path: &mut Vec<(SocketIndex, Vec<SocketIndex>)>) {
        self.order[slot.0] = Some(self.next);
        self.low[slot.0] = self.next;
        self.next += 1;
        self.open[slot.0] = true;
        self.stack.push(slot);
        path.push((slot, targets(self.draft, slot).collect()));
    }

    fn close(&mut self, slot: SocketIndex) {
        if self.order[slot.0] != Some(self.low[slot.0]) {
            return;
        }
        let start = self
            .stack
            .iter()
            .rposition(|open| *open == slot)
            .unwrap_or(0);
        let mut circle = self.stack.split_off(start);
        circle.sort_unstable();
        let circle: Arc<[SocketIndex]> = circle.into();
        for member in circle.iter() {
            self.open[member.0] = false;
            self.found[member.0] = Arc::clone(&circle);
        }
    }
}
