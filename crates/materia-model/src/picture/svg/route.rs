//! The routes of an SVG: curves to the next row, lanes beside the boxes for everything else.
//!
//! Owns the paths. A route that skips a row runs in a lane on the right, a back edge in a lane on
//! the left. Both leave and enter through the space between rows, so that no line crosses a box.

use std::fmt::Write as _;

use super::super::ways;
use super::{BOX, SvgScene};
use crate::loadout::graph::{RouteTarget, SocketIndex};

/// The distance between lanes.
const LANE: f64 = 22.0;

/// One drawn route.
pub(super) struct SvgRoute {
    /// The data of the path element.
    pub(super) shape: String,
    /// Points that must be inside the picture.
    pub(super) points: Vec<(f64, f64)>,
    pub(super) label: String,
    pub(super) label_at: (f64, f64),
    /// Whether it is taken when a list is exhausted.
    pub(super) done: bool,
}

/// Every route between shown elements.
pub(super) fn routes(scene: &SvgScene<'_>) -> Vec<SvgRoute> {
    let left = scene
        .corners
        .iter()
        .flatten()
        .map(|(x, _)| *x)
        .fold(f64::MAX, f64::min);
    let right = scene
        .corners
        .iter()
        .flatten()
        .map(|(x, _)| x + BOX.0)
        .fold(f64::MIN, f64::max);
    let mut lanes = Lanes {
        left: left - 30.0,
        right: right + 30.0,
        used: 0,
    };
    let mut paths = Vec::new();
    for slot in &scene.shown {
        let mut alone = true;
        let count = ways(scene.graph, *slot).count();
        for (at, way) in ways(scene.graph, *slot).enumerate() {
            alone = false;
            let spread = (at as f64 + 1.0) / (count as f64 + 1.0);
            if let Some(path) = one(scene, *slot, way.to, spread, &mut lanes) {
                paths.push(SvgRoute {
                    label: way.label,
                    done: way.done,
                    ..path
                });
            }
        }
        if alone {
            paths.extend(one(scene, *slot, RouteTarget::End, 0.5, &mut lanes));
        }
    }
    paths
}

struct Lanes {
    left: f64,
    right: f64,
    used: usize,
}

fn one(
    scene: &SvgScene<'_>,
    from: SocketIndex,
    to: RouteTarget,
    spread: f64,
    lanes: &mut Lanes,
) -> Option<SvgRoute> {
    let (x, y) = scene.corners[from.position()]?;
    let start = (x + BOX.0 * spread, y + BOX.1);
    let (goal, box_to, row_to) = match to {
        RouteTarget::Socket(slot) => {
            let corner = scene.corners[slot.position()]?;
            (
                (corner.0 + BOX.0 / 2.0, corner.1),
                Some(corner),
                scene.rows[slot.position()],
            )
        }
        RouteTarget::End => {
            let end = scene.end?;
            ((end.0, end.1 - 12.0), None, None)
        }
    };
    let bottom = scene.rows.iter().flatten().max().copied();
    let row_to = if to == RouteTarget::End {
        bottom.map(|row| row + 1)
    } else {
        row_to
    };
    match (scene.rows[from.position()], row_to) {
        (Some(own), Some(row)) if row == own + 1 => Some(curve(start, goal)),
        (Some(own), Some(row)) => {
            lanes.used += 1;
            let shift = (lanes.used % 4) as f64 * 5.0;
            let lane = if row > own {
                lanes.right += LANE;
                lanes.right
            } else {
                lanes.left -= LANE;
                lanes.left
            };
            Some(lane_path(
                start,
                (goal.0 + if row > own { 12.0 } else { -12.0 }, goal.1),
                lane,
                shift,
            ))
        }
        // Boxes that the user placed: the shortest curve between their sides.
        _ => Some(free((x, y), box_to, goal)),
    }
}

fn curve(from: (f64, f64), to: (f64, f64)) -> SvgRoute {
    let bend = ((to.1 - from.1) * 0.5).max(20.0);
    let shape = format!(
        "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
        from.0,
        from.1,
        from.0,
        from.1 + bend,
        to.0,
        to.1 - bend,
        to.0,
        to.1
    );
    let label_at = ((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0 + 4.0);
    SvgRoute {
        shape,
        points: vec![from, to],
        label: String::new(),
        label_at,
        done: false,
    }
}

/// Down into the space below, over to the lane, along it, and into the space above the goal.
fn lane_path(from: (f64, f64), to: (f64, f64), lane: f64, shift: f64) -> SvgRoute {
    let (below, above) = (from.1 + 14.0 + shift, to.1 - 14.0 - shift);
    let corners = [
        from,
        (from.0, below),
        (lane, below),
        (lane, above),
        (to.0, above),
        to,
    ];
    let mut shape = format!("M{:.1} {:.1}", from.0, from.1);
    for at in 1..corners.len() - 1 {
        let (before, corner, after) = (corners[at - 1], corners[at], corners[at + 1]);
        let (into, out) = (toward(corner, before), toward(corner, after));
        let _ = write!(
            shape,
            "L{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}",
            into.0, into.1, corner.0, corner.1, out.0, out.1
        );
    }
    let _ = write!(shape, "L{:.1} {:.1}", to.0, to.1);
    let label_at = (lane, (below + above) / 2.0 + 4.0);
    SvgRoute {
        shape,
        points: corners.to_vec(),
        label: String::new(),
        label_at,
        done: false,
    }
}

/// The point a little away from a corner, towards `other`.
fn toward(corner: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    let (dx, dy) = (other.0 - corner.0, other.1 - corner.1);
    let far = (dx * dx + dy * dy).sqrt();
    let step = 8.0_f64.min(far / 2.0);
    if far == 0.0 {
        corner
    } else {
        (corner.0 + dx / far * step, corner.1 + dy / far * step)
    }
}

/// A curve between two boxes at any positions.
fn free(from: (f64, f64), to: Option<(f64, f64)>, goal: (f64, f64)) -> SvgRoute {
    let centre = |corner: (f64, f64)| (corner.0 + BOX.0 / 2.0, corner.1 + BOX.1 / 2.0);
    let (a, b) = (centre(from), to.map_or(goal, centre));
    let level = (b.0 - a.0).abs() > (b.1 - a.1).abs();
    let sign = |value: f64| if value < 0.0 { -1.0 } else { 1.0 };
    let half = |of_box: bool| {
        if of_box {
            (BOX.0 / 2.0, BOX.1 / 2.0)
        } else {
            (0.0, 0.0)
        }
    };
    let (out, into) = (half(true), half(to.is_some()));
    let (start, stop, reach) = if level {
        let way = sign(b.0 - a.0);
        (
            (a.0 + out.0 * way, a.1),
            (b.0 - into.0 * way, b.1),
            ((b.0 - a.0).abs() * 0.3 * way, 0.0),
        )
    } else {
        let way = sign(b.1 - a.1);
        (
            (a.0, a.1 + out.1 * way),
            (b.0, b.1 - into.1 * way),
            (0.0, (b.1 - a.1).abs() * 0.3 * way),
        )
    };
    let shape = format!(
        "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
        start.0,
        start.1,
        start.0 + reach.0,
        start.1 + reach.1,
        stop.0 - reach.0,
        stop.1 - reach.1,
        stop.0,
        stop.1
    );
    let label_at = ((start.0 + stop.0) / 2.0, (start.1 + stop.1) / 2.0 - 4.0);
    SvgRoute {
        shape,
        points: vec![start, stop],
        label: String::new(),
        label_at,
        done: false,
    }
}
