//! The SVG of a graph: boxes along the flow, curves between neighbours, lanes for other routes.
//!
//! Owns the drawing and its style, which follows the reader's light or dark theme and needs no
//! external resource. [`layers`] places the boxes, or the user did in an editor. Escapes every
//! text.

mod layers;
mod route;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{MAX_DRAWN, kind, one_line, ways};
use crate::loadout::graph::{Graph, RouteTarget, SocketIndex};
use crate::text;

/// The size of a box.
pub(super) const BOX: (f64, f64) = (200.0, 58.0);

const STYLE: &str = "\
.grid{--ink:#1f2328;--soft:#656d76;--paper:#ffffff;--card:#f6f8fa;--line:#8c959f;--agent:#8250df;--utility:#0969da;\
--done:#1a7f37;--failed:#cf222e;--open:#bf8700;font:13px ui-sans-serif,system-ui,sans-serif}\
@media(prefers-color-scheme:dark){.grid{--ink:#e6edf3;--soft:#9198a1;--paper:#0d1117;--card:#161b22;--line:#656d76;\
--agent:#bc8cff;--utility:#58a6ff;--done:#3fb950;--failed:#f85149;--open:#d29922}}\
.grid text{fill:var(--ink)}.grid .soft{fill:var(--soft);font-size:11px}.grid .back{fill:var(--paper)}\
.grid .box{fill:var(--card);stroke:var(--line)}.grid .agent{stroke:var(--agent)}.grid .utility{stroke:var(--utility)}\
.grid .way{fill:none;stroke:var(--line);stroke-width:1.4}.grid .over{stroke-width:2.6}.grid .tip{fill:var(--line)}\
.grid .loop{fill:none;stroke:var(--line);stroke-dasharray:5 4}.grid .halo{stroke:var(--paper);stroke-width:4px;\
paint-order:stroke;stroke-linejoin:round}.grid .m-done{stroke:var(--done);stroke-width:2.4}\
.grid .m-failed{stroke:var(--failed);stroke-width:2.4}.grid .m-open{stroke:var(--open);stroke-width:2.4}\
.grid .m-never{opacity:.55}";

/// The annotation of a socket in a picture of a cast.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SocketMark {
    pub standing: MarkStatus,
    /// A short text, such as the number of visits.
    pub note: String,
}

/// The state of a cast at a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkStatus {
    /// Visited, without a failure.
    Done,
    Failed,
    /// Active or waiting.
    Open,
    Never,
}

/// The positions of all elements.
pub(super) struct SvgScene<'g> {
    pub(super) graph: &'g Graph,
    pub(super) shown: Vec<SocketIndex>,
    /// The upper left corner of each socket's box; `None` if it is not shown.
    pub(super) corners: Vec<Option<(f64, f64)>>,
    /// The row of each socket; `None` if the user placed the boxes.
    pub(super) rows: Vec<Option<usize>>,
    /// The centre of the end node.
    pub(super) end: Option<(f64, f64)>,
}

/// Draws the graph. `marks` are by socket, and empty for a loadout without a cast.
pub fn svg(graph: &Graph, marks: &BTreeMap<String, SocketMark>) -> String {
    let scene = layers::arrange(graph, MAX_DRAWN);
    let mut body = String::new();
    let paths = route::routes(&scene);
    let mut around = Frame::new();
    for corner in scene.corners.iter().flatten() {
        around.take(corner.0, corner.1);
        around.take(corner.0 + BOX.0, corner.1 + BOX.1);
    }
    scene
        .end
        .iter()
        .for_each(|end| around.take(end.0, end.1 + 14.0));
    loops(&mut body, &scene, &mut around);
    for path in &paths {
        path.points.iter().for_each(|(x, y)| around.take(*x, *y));
        let class = if path.done { "way over" } else { "way" };
        let _ = writeln!(
            body,
            r#"<path class="{class}" d="{}" marker-end="url(#tip)"/>"#,
            path.shape
        );
    }
    for slot in &scene.shown {
        socket(&mut body, &scene, *slot, marks);
    }
    if let Some((x, y)) = scene.end {
        let _ = writeln!(
            body,
            r#"<circle class="box" cx="{x}" cy="{y}" r="12"/><text class="soft" x="{x}" y="{:.0}" text-anchor="middle">end</text>"#,
            y + 4.0
        );
    }
    for path in paths.iter().filter(|path| !path.label.is_empty()) {
        let (x, y) = path.label_at;
        around.take(x + path.label.chars().count() as f64 * 3.2, y);
        around.take(x - path.label.chars().count() as f64 * 3.2, y);
        let _ = writeln!(
            body,
            r#"<text class="soft halo" x="{x:.1}" y="{y:.1}" text-anchor="middle">{}</text>"#,
            escaped(&path.label, 60)
        );
    }
    left_out(&mut body, &scene, &mut around);
    document(graph, &body, &around)
}

fn document(graph: &Graph, body: &str, around: &Frame) -> String {
    let (left, top) = (around.left - 24.0, around.top - 24.0);
    let (width, height) = (around.right - left + 24.0, around.bottom - top + 24.0);
    let name = escaped(graph.name(), 100);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"grid\" role=\"img\" aria-label=\"{name}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" viewBox=\"{left:.0} {top:.0} {width:.0} {height:.0}\">\n<title>{name}</title>\n\
         <style>{STYLE}</style>\n<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
         markerHeight=\"7\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"tip\" d=\"M0 0L8 4L0 8z\"/></marker></defs>\n\
         <rect class=\"back\" x=\"{left:.0}\" y=\"{top:.0}\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n{body}</svg>\n"
    )
}

fn socket(
    out: &mut String,
    scene: &SvgScene<'_>,
    slot: SocketIndex,
    marks: &BTreeMap<String, SocketMark>,
) {
    let Some((x, y)) = scene.corners[slot.position()] else {
        return;
    };
    let socket = scene.graph.socket(slot);
    let kind = kind(&socket.materia.kind);
    let mark = marks.get(socket.id.as_str());
    let standing = match mark.map(|mark| mark.standing) {
        Some(MarkStatus::Done) => " m-done",
        Some(MarkStatus::Failed) => " m-failed",
        Some(MarkStatus::Open) => " m-open",
        Some(MarkStatus::Never) => " m-never",
        None => "",
    };
    let round = if kind == "agent" { 12 } else { 3 };
    let _ = writeln!(
        out,
        "<g><title>{}</title>",
        escaped(&hover(scene.graph, slot), 300)
    );
    let _ = writeln!(
        out,
        r#"<rect class="box {kind}{standing}" x="{x:.1}" y="{y:.1}" width="{}" height="{}" rx="{round}"/>"#,
        BOX.0, BOX.1
    );
    let start = if scene.graph.entry() == slot {
        "▶ "
    } else {
        ""
    };
    let centre = x + BOX.0 / 2.0;
    let title = escaped(&format!("{start}{}", socket.materia.title()), 26);
    let _ = writeln!(
        out,
        r#"<text x="{centre:.1}" y="{:.1}" text-anchor="middle">{title}</text>"#,
        y + 24.0
    );
    let note = mark.map_or_else(
        || format!("{} · {kind}", socket.id),
        |mark| format!("{} · {}", socket.id, mark.note),
    );
    let note = escaped(&note, 32);
    let _ = writeln!(
        out,
        r#"<text class="soft" x="{centre:.1}" y="{:.1}" text-anchor="middle">{note}</text></g>"#,
        y + 43.0
    );
}

fn hover(graph: &Graph, slot: SocketIndex) -> String {
    let socket = graph.socket(slot);
    let to = ways(graph, slot).map(|way| {
        let label = if way.label.is_empty() {
            "then".to_owned()
        } else {
            way.label
        };
        format!("{label} → {}", graph.target_name(way.to))
    });
    let ways: Vec<String> = to.collect();
    format!(
        "{} ({}): {}",
        socket.id,
        socket.materia.id,
        if ways.is_empty() {
            "end".to_owned()
        } else {
            ways.join("; ")
        }
    )
}

/// A frame around the sockets of each loop.
fn loops(out: &mut String, scene: &SvgScene<'_>, around: &mut Frame) {
    for (depth, region) in scene.graph.loops().iter().enumerate() {
        let mut frame = Frame::new();
        for corner in region
            .members
            .iter()
            .filter_map(|slot| scene.corners[slot.position()])
        {
            frame.take(corner.0, corner.1);
            frame.take(corner.0 + BOX.0, corner.1 + BOX.1);
        }
        if frame.left > frame.right {
            continue;
        }
        let pad = 14.0 + (depth % 3) as f64 * 4.0;
        let (x, y) = (frame.left - pad, frame.top - pad);
        around.take(x, y - 8.0);
        around.take(frame.right + pad, frame.bottom + pad);
        let _ = writeln!(
            out,
            r#"<rect class="loop" x="{x:.1}" y="{y:.1}" width="{:.1}" height="{:.1}" rx="16"/><text class="soft halo" x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
            frame.right + pad - x,
            frame.bottom + pad - y,
            frame.right + pad - 14.0,
            y + 4.0,
            escaped(&format!("loop {}", region.id), 40)
        );
    }
}

fn left_out(out: &mut String, scene: &SvgScene<'_>, around: &mut Frame) {
    let left = scene.graph.sockets().len() - scene.shown.len();
    if left > 0 {
        let y = around.bottom + 28.0;
        around.take(around.left, y);
        let _ = writeln!(
            out,
            r#"<text class="soft" x="{:.0}" y="{y:.0}">… and {left} more sockets</text>"#,
            around.left
        );
    }
}

/// The bounding box of the picture.
struct Frame {
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

impl Frame {
    fn new() -> Self {
        Self {
            left: f64::MAX,
            top: f64::MAX,
            right: f64::MIN,
            bottom: f64::MIN,
        }
    }

    fn take(&mut self, x: f64, y: f64) {
        self.left = self.left.min(x);
        self.right = self.right.max(x);
        self.top = self.top.min(y);
        self.bottom = self.bottom.max(y);
    }
}

/// Escapes a text for an attribute or between tags, in one line.
fn escaped(said: &str, most: usize) -> String {
    text::markup(&one_line(said, most))
}

/// Whether a route leads to the end. A missing target is the end, too.
pub(super) fn reaches_end(graph: &Graph, slot: SocketIndex) -> bool {
    let mut any = false;
    let ends = ways(graph, slot).any(|way| {
        any = true;
        way.to == RouteTarget::End
    });
    ends || !any
}
