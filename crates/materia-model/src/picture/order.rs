//! The order of the boxes in a picture: along the flow, with the sockets of a loop together.
//!
//! Owns the walk. Never draws.

use super::ways;
use crate::loadout::graph::{Graph, RouteTarget, SocketIndex};

/// At most `most` sockets, from the entry along the edges. Unreachable ones come last.
pub fn order(graph: &Graph, most: usize) -> Vec<SocketIndex> {
    let mut seen = vec![false; graph.sockets().len()];
    let mut order = Vec::new();
    let starts = std::iter::once(graph.entry()).chain(graph.slots());
    for start in starts {
        walk(graph, start, &mut seen, &mut order, most);
        if order.len() >= most {
            break;
        }
    }
    order
}

/// Depth first. A route within the loop comes before one that leaves it, then the order written.
fn walk(
    graph: &Graph,
    start: SocketIndex,
    seen: &mut [bool],
    order: &mut Vec<SocketIndex>,
    most: usize,
) {
    let mut ahead = vec![start];
    while let Some(slot) = ahead.pop() {
        if order.len() >= most || std::mem::replace(&mut seen[slot.position()], true) {
            continue;
        }
        order.push(slot);
        let mut next: Vec<(bool, SocketIndex)> = ways(graph, slot)
            .filter_map(|way| match way.to {
                RouteTarget::Socket(to) => Some((way.done || leaves(graph, slot, to), to)),
                RouteTarget::End => None,
            })
            .collect();
        next.sort_by_key(|(leaves, _)| *leaves);
        ahead.extend(next.into_iter().rev().map(|(_, to)| to));
    }
}

fn leaves(graph: &Graph, from: SocketIndex, to: SocketIndex) -> bool {
    let around = &graph.socket(from).loops;
    around.iter().any(|at| !graph.socket(to).loops.contains(at))
}
