//! The positions of the boxes of an SVG: in rows along the flow, or where the user put them.
//!
//! Owns the arrangement. The row of a socket is its longest distance from the entry without back
//! edges; within a row, boxes are near their predecessors. Never draws.

use super::super::order::order;
use super::super::ways;
use super::{BOX, SvgScene, reaches_end};
use crate::loadout::graph::{Graph, RouteTarget, SocketIndex};

/// The space between boxes of a row, and between rows.
const GAP: (f64, f64) = (56.0, 70.0);

/// Arranges at most `most` sockets.
pub(super) fn arrange(graph: &Graph, most: usize) -> SvgScene<'_> {
    let shown = order(graph, most);
    if let Some(corners) = placed(graph, &shown) {
        let rows = vec![None; corners.len()];
        let mut scene = SvgScene {
            graph,
            shown,
            corners,
            rows,
            end: None,
        };
        scene.end = end(&scene);
        return scene;
    }
    let rows = rows(graph, &shown);
    let corners = corners(graph, &shown, &rows);
    let mut scene = SvgScene {
        graph,
        shown,
        corners,
        rows,
        end: None,
    };
    scene.end = end(&scene);
    scene
}

/// The positions from the user; `None` unless all boxes have one.
fn placed(graph: &Graph, shown: &[SocketIndex]) -> Option<Vec<Option<(f64, f64)>>> {
    let mut corners = vec![None; graph.sockets().len()];
    for slot in shown {
        let at = graph.layout().get(graph.socket(*slot).id.as_str())?;
        let axis = |name: &str| at.get(name)?.as_f64().filter(|value| value.abs() < 1e6);
        corners[slot.position()] = Some((axis("x")?, axis("y")?));
    }
    (!shown.is_empty()).then_some(corners)
}

/// The row of each socket. An edge to an earlier socket of the walk is a back edge.
fn rows(graph: &Graph, shown: &[SocketIndex]) -> Vec<Option<usize>> {
    let mut place = vec![None; graph.sockets().len()];
    for (at, slot) in shown.iter().enumerate() {
        place[slot.position()] = Some(at);
    }
    let mut rows: Vec<Option<usize>> = vec![None; graph.sockets().len()];
    for slot in shown {
        let own = *rows[slot.position()].get_or_insert(0);
        for way in ways(graph, *slot) {
            let RouteTarget::Socket(to) = way.to else {
                continue;
            };
            if place[to.position()] > place[slot.position()] {
                let row = &mut rows[to.position()];
                *row = Some(row.map_or(own + 1, |row| row.max(own + 1)));
            }
        }
    }
    rows
}

fn corners(
    graph: &Graph,
    shown: &[SocketIndex],
    rows: &[Option<usize>],
) -> Vec<Option<(f64, f64)>> {
    let mut corners = vec![None; graph.sockets().len()];
    let last = rows.iter().flatten().max().copied().unwrap_or(0);
    for row in 0..=last {
        let mut members: Vec<SocketIndex> = shown
            .iter()
            .copied()
            .filter(|slot| rows[slot.position()] == Some(row))
            .collect();
        members.sort_by(|one, other| {
            wish(graph, &corners, *one).total_cmp(&wish(graph, &corners, *other))
        });
        let width = members.len() as f64 * (BOX.0 + GAP.0) - GAP.0;
        for (at, slot) in members.iter().enumerate() {
            let x = at as f64 * (BOX.0 + GAP.0) - width / 2.0;
            corners[slot.position()] = Some((x, row as f64 * (BOX.1 + GAP.1)));
        }
    }
    corners
}

/// The preferred position of a box: below its predecessors.
fn wish(graph: &Graph, corners: &[Option<(f64, f64)>], slot: SocketIndex) -> f64 {
    let above = graph
        .slots()
        .filter(|from| ways(graph, *from).any(|way| way.to == RouteTarget::Socket(slot)));
    let places: Vec<f64> = above
        .filter_map(|from| corners[from.position()])
        .map(|(x, _)| x)
        .collect();
    if places.is_empty() {
        0.0
    } else {
        places.iter().sum::<f64>() / places.len() as f64
    }
}

/// The end node is below everything, if something leads to it.
fn end(scene: &SvgScene<'_>) -> Option<(f64, f64)> {
    let ending: Vec<(f64, f64)> = scene
        .shown
        .iter()
        .filter(|slot| reaches_end(scene.graph, **slot))
        .filter_map(|slot| scene.corners[slot.position()])
        .collect();
    let bottom = scene
        .corners
        .iter()
        .flatten()
        .map(|(_, y)| y + BOX.1)
        .fold(f64::MIN, f64::max);
    let lowest = ending
        .iter()
        .copied()
        .max_by(|one, other| one.1.total_cmp(&other.1))?;
    Some((lowest.0 + BOX.0 / 2.0, bottom + GAP.1))
}
