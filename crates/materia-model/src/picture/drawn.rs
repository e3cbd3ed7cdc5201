//! The text drawing of a graph: a box per socket along the flow, lanes for other routes, brackets
//! for loops.
//!
//! Owns the rows of the picture. A route to the next box goes straight down; any other leaves to
//! the right and enters its target from there. A loop is a bracket on the left with its list as
//! header.

use super::bracket::{self, Bracket};
use super::lane::{self, Lane};
use super::order::order;
use super::{Way, kind, one_line, ways};
use crate::loadout::graph::{Graph, RouteGuard, RouteTarget, SocketIndex};
use crate::materia::OutputParse;

/// The maximum number of drawn sockets.
pub const MAX_DRAWN: usize = 200;

/// The maximum number of routes drawn to the right of one box.
const MOST_WAYS: usize = 12;

/// The maximum inner width of a box.
const WIDEST: usize = 46;

/// The maximum inner width of a box in a narrow picture.
const NARROWEST: usize = 24;

/// The legend of the short marks.
const LEGEND: &str = "\n✓ satisfied · ✗ not satisfied · ≤3× at most 3 times · ═ the list is done\n";

/// Draws the graph.
pub fn text(graph: &Graph) -> String {
    text_within(graph, usize::MAX)
}

/// Draws the graph within a number of columns: if it is wider, routes get short marks and boxes
/// shorter names. If it still does not fit, it stays too wide.
pub fn text_within(graph: &Graph, columns: usize) -> String {
    let whole = drawn(
        graph,
        Room {
            widest: WIDEST,
            short: false,
        },
    );
    let fits = |drawn: &str| drawn.lines().all(|line| line.chars().count() <= columns);
    if fits(&whole) {
        return whole;
    }
    let widths = [WIDEST, 32, NARROWEST];
    let mut short = widths.iter().map(|widest| {
        drawn(
            graph,
            Room {
                widest: *widest,
                short: true,
            },
        )
    });
    let narrow = drawn(
        graph,
        Room {
            widest: NARROWEST,
            short: true,
        },
    );
    short.find(|drawn| fits(drawn)).unwrap_or(narrow) + LEGEND
}

/// The width limits of a picture.
#[derive(Clone, Copy)]
struct Room {
    widest: usize,
    short: bool,
}

fn drawn(graph: &Graph, room: Room) -> String {
    let order = order(graph, MAX_DRAWN);
    let mut picture = Picture::new(graph, &order, room);
    for position in 0..order.len() {
        picture.place(position);
    }
    let mut drawn = picture.draw();
    let left = graph.sockets().len() - order.len();
    if left > 0 {
        drawn.push_str(&format!(
            "… and {left} more; `--format json` has them all\n"
        ));
    }
    drawn
}

/// One row: the box part, and its right side.
struct Row {
    body: String,
    side: Side,
    slot: SocketIndex,
}

enum Side {
    /// Empty.
    Quiet,
    /// A text beside the row.
    Note(String),
    /// Routes enter the box here.
    In,
    /// A route leaves for the lane of its target.
    Out { label: String, done: bool },
}

struct Picture<'g> {
    graph: &'g Graph,
    order: &'g [SocketIndex],
    /// The position of each socket in the order.
    place: Vec<Option<usize>>,
    brackets: Vec<Bracket<'g>>,
    rows: Vec<Row>,
    /// The row where routes enter a box.
    entries: Vec<usize>,
    /// Routes that need a lane: the row they leave from, and the box they lead to.
    carried: Vec<(usize, usize)>,
    width: usize,
    room: Room,
}

impl<'g> Picture<'g> {
    fn new(graph: &'g Graph, order: &'g [SocketIndex], room: Room) -> Self {
        let mut place = vec![None; graph.sockets().len()];
        for (position, slot) in order.iter().enumerate() {
            place[slot.position()] = Some(position);
        }
        let inner = |slot: &SocketIndex| {
            title(graph, *slot)
                .chars()
                .count()
                .max(tags(graph, *slot).chars().count())
        };
        let width = order
            .iter()
            .map(inner)
            .max()
            .unwrap_or(0)
            .clamp(16, room.widest);
        let brackets = bracket::brackets(graph, &place);
        let (rows, entries, carried) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            graph,
            order,
            place,
            brackets,
            rows,
            entries,
            carried,
            width,
            room,
        }
    }

    /// Draws the box at a position of the order, with everything that leaves it.
    fn place(&mut self, at: usize) {
        let slot = self.order[at];
        let (down, aside): (Vec<Way>, Vec<Way>) = self
            .ways(slot)
            .into_iter()
            .partition(|way| self.goes_down(at, way));
        self.open_loops(at);
        let above = at.checked_sub(1).is_some_and(|above| {
            ways(self.graph, self.order[above]).any(|way| self.goes_down(above, &way))
        });
        self.border(slot, '┌', if above { '▼' } else { '─' }, '┐');
        self.entries.push(self.rows.len());
        self.inside(slot, &title(self.graph, slot), Side::In);
        let mut sides: Vec<Side> = Vec::new();
        for way in aside.iter().take(MOST_WAYS) {
            let row = self.rows.len() + sides.len();
            sides.push(self.aside(row, way));
        }
        if down.is_empty() && aside.iter().all(|way| way.done) {
            sides.push(Side::Note("──▶ end".to_owned()));
        }
        if aside.len() > MOST_WAYS {
            sides.push(Side::Note(format!(
                "─ … and {} more",
                aside.len() - MOST_WAYS
            )));
        }
        let mut sides = sides.into_iter();
        self.inside(
            slot,
            &tags(self.graph, slot),
            sides.next().unwrap_or(Side::Quiet),
        );
        for side in sides {
            self.inside(slot, "", side);
        }
        self.border(slot, '└', if down.is_empty() { '─' } else { '┬' }, '┘');
        self.down(slot, &down);
        self.close_loops(at);
    }

    /// The routes out of a socket, with labels that fit the width.
    fn ways(&self, slot: SocketIndex) -> Vec<Way> {
        let mut ways: Vec<Way> = ways(self.graph, slot).collect();
        if self.room.short {
            for way in &mut ways {
                way.label = way
                    .label
                    .replace(RouteGuard::NotSatisfied.as_str(), "✗")
                    .replace(RouteGuard::Satisfied.as_str(), "✓")
                    .replace(", at most ", " ≤")
                    .replace("at most ", "≤");
            }
        }
        ways
    }

    fn goes_down(&self, at: usize, way: &Way) -> bool {
        !way.done
            && matches!(way.to, RouteTarget::Socket(to) if self.place[to.position()] == Some(at + 1))
    }

    fn down(&mut self, slot: SocketIndex, ways: &[Way]) {
        if ways.is_empty() {
            return;
        }
        let labels: Vec<&str> = ways
            .iter()
            .map(|way| way.label.as_str())
            .filter(|label| !label.is_empty())
            .collect();
        let body = format!(
            "{}│ {}",
            " ".repeat(self.width / 2 + 1),
            labels.join(" or ")
        );
        self.rows.push(Row {
            body,
            side: Side::Quiet,
            slot,
        });
    }

    /// A route that leaves to the right in this row.
    fn aside(&mut self, row: usize, way: &Way) -> Side {
        let drawn = match way.to {
            RouteTarget::Socket(to) => self.place[to.position()],
            RouteTarget::End => None,
        };
        if let Some(to) = drawn {
            self.carried.push((row, to));
            return Side::Out {
                label: way.label.clone(),
                done: way.done,
            };
        }
        let line = if way.done { '═' } else { '─' };
        let label = if way.label.is_empty() {
            String::new()
        } else {
            format!(" {} ", way.label)
        };
        Side::Note(format!(
            "{line}{label}{line}▶ {}",
            self.graph.target_name(way.to)
        ))
    }

    fn open_loops(&mut self, at: usize) {
        for index in 0..self.brackets.len() {
            if self.brackets[index].first == at {
                self.brackets[index].open = self.rows.len();
                let body = bracket::header(self.graph, self.brackets[index].region);
                self.rows.push(Row {
                    body,
                    side: Side::Quiet,
                    slot: self.order[at],
                });
            }
        }
    }

    /// Closes the loops that end here, the innermost first.
    fn close_loops(&mut self, at: usize) {
        for index in (0..self.brackets.len()).rev() {
            if self.brackets[index].last == at {
                self.brackets[index].close = self.rows.len();
                let body = bracket::footer(self.brackets[index].region);
                self.rows.push(Row {
                    body,
                    side: Side::Quiet,
                    slot: self.order[at],
                });
            }
        }
    }

    fn border(&mut self, slot: SocketIndex, left: char, mark: char, right: char) {
        let (before, after) = (self.width / 2, self.width + 1 - self.width / 2);
        let body = format!(
            "{left}{}{mark}{}{right}",
            "─".repeat(before),
            "─".repeat(after)
        );
        self.rows.push(Row {
            body,
            side: Side::Quiet,
            slot,
        });
    }

    fn inside(&mut self, slot: SocketIndex, text: &str, side: Side) {
        let text = one_line(text, self.width);
        let space = " ".repeat(self.width - text.chars().count());
        let edge = if matches!(side, Side::Out { .. } | Side::Note(_)) {
            '├'
        } else {
            '│'
        };
        self.rows.push(Row {
            body: format!("│ {text}{space} {edge}"),
            side,
            slot,
        });
    }

    fn draw(&self) -> String {
        let lanes = self.lanes();
        let widths = self.rows.iter().map(|row| match &row.side {
            Side::Out { label, .. } => label.chars().count() + 4,
            Side::Note(text) => text.chars().count() + 1,
            // A loop's header may be wider than its boxes; lanes start beyond it.
            Side::In | Side::Quiet => row
                .body
                .chars()
                .count()
                .saturating_sub(self.width + 4)
                .clamp(3, if self.room.short { 8 } else { WIDEST }),
        });
        let reach = widths.max().unwrap_or(0);
        let mut drawn = format!("{}\n\n", one_line(self.graph.name(), 100));
        for (at, row) in self.rows.iter().enumerate() {
            let margin = bracket::margin(&self.brackets, at, row.slot);
            let line = format!("{margin}{}", self.row(row, at, &lanes, reach));
            drawn.push_str(line.trim_end());
            drawn.push('\n');
        }
        drawn
    }

    fn lanes(&self) -> Vec<Lane> {
        let mut lanes: Vec<Lane> = Vec::new();
        let mut lane_of: Vec<Option<usize>> = vec![None; self.order.len()];
        for (row, to) in &self.carried {
            let lane = *lane_of[*to].get_or_insert_with(|| {
                lanes.push(Lane::new(self.entries[*to]));
                lanes.len() - 1
            });
            lanes[lane].joined.push(*row);
        }
        lane::arrange(&mut lanes);
        lanes
    }

    fn row(&self, row: &Row, at: usize, lanes: &[Lane], reach: usize) -> String {
        let (side, line) = match &row.side {
            Side::Note(text) => (text.clone(), None),
            Side::In if lanes.iter().any(|lane| lane.into == at) => {
                (format!("◀{}", "─".repeat(reach - 1)), Some('─'))
            }
            Side::Out { label, done } => {
                let line = if *done { '═' } else { '─' };
                let label = if label.is_empty() {
                    String::new()
                } else {
                    format!(" {label} ")
                };
                let rest = reach.saturating_sub(label.chars().count() + 1);
                (
                    format!("{line}{label}{}", line.to_string().repeat(rest)),
                    Some(line),
                )
            }
            Side::In | Side::Quiet => (String::new(), None),
        };
        let full = self.width + 4;
        let body = format!("{:<full$}{side}", one_line(&row.body, full + reach));
        let width = full + reach;
        format!("{body:<width$}{}", lane::cells(lanes, at, line))
    }
}

fn title(graph: &Graph, slot: SocketIndex) -> String {
    let socket = graph.socket(slot);
    let start = if graph.entry() == slot { "▶ " } else { "" };
    format!(
        "{start}{} · {}",
        one_line(socket.id.as_str(), 32),
        one_line(socket.materia.title(), 32)
    )
}

fn tags(graph: &Graph, slot: SocketIndex) -> String {
    let socket = graph.socket(slot);
    let mut tags = vec![kind(&socket.materia.kind).to_owned()];
    if socket.contract.generator {
        tags.push("generator".to_owned());
    } else if socket.contract.parse == OutputParse::Json {
        tags.push("json".to_owned());
    }
    if socket.each.is_some() && socket.loops.is_empty() {
        tags.push("each item".to_owned());
    }
    match &socket.advance {
        Some(advance) if advance.when == RouteGuard::Always => tags.push("next item".to_owned()),
        Some(advance) => tags.push(format!("next item when {}", advance.when.as_str())),
        None => {}
    }
    tags.join(", ")
}
