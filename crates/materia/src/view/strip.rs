//! A graph as a strip: its sockets along the flow with a mark each, loops in brackets, folded to a
//! width.
//!
//! Owns the small live display of a cast's progress. If the strip has too many rows, only those
//! around the current socket are shown. `materia grid` draws the full graph.

use std::collections::BTreeSet;

use materia_model::loadout::graph::{Graph, SocketIndex};
use materia_model::picture;

use super::amounts::line;
use super::block::Line;
use super::style::Role;

/// The longest name of a socket in the strip, in characters.
const LONGEST: usize = 24;

/// The position of a cast, as far as the strip shows it.
#[derive(Debug, Default)]
pub(super) struct Walked<'a> {
    /// The current socket.
    pub(super) current: Option<&'a str>,
    /// The sockets visited so far.
    pub(super) visited: BTreeSet<&'a str>,
    /// The number of the current item, and the number of items.
    pub(super) item: Option<(usize, usize)>,
}

/// Renders the strip in at most `most` rows of at most `columns` columns.
pub(super) fn strip(graph: &Graph, walked: &Walked<'_>, columns: usize, most: usize) -> Vec<Line> {
    let cells = cells(graph, walked);
    let mut rows: Vec<(Line, bool)> = Vec::new();
    for cell in cells {
        let fits = rows
            .last()
            .is_some_and(|(row, _)| row.width() + cell.line.width() <= columns);
        match rows.last_mut() {
            Some((row, current)) if fits => {
                *row = std::mem::take(row).join(cell.line);
                *current |= cell.current;
            }
            _ => rows.push((cell.line, cell.current)),
        }
    }
    let at = rows.iter().position(|(_, current)| *current).unwrap_or(0);
    let from = at
        .saturating_sub(most / 2)
        .min(rows.len().saturating_sub(most));
    rows.into_iter()
        .map(|(row, _)| row)
        .skip(from)
        .take(most)
        .collect()
}

struct Cell {
    line: Line,
    current: bool,
}

fn cells(graph: &Graph, walked: &Walked<'_>) -> Vec<Cell> {
    let order = picture::order(graph, picture::MAX_DRAWN);
    let mut cells = Vec::new();
    for (at, slot) in order.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| order[at]);
        let after = order.get(at + 1).copied();
        let current = walked.current == Some(graph.socket(*slot).id.as_str());
        let mut line = Line::default();
        if at > 0 {
            line = line.with(Role::Quiet, " → ");
        }
        if opens(graph, before, *slot) {
            line = line.with(Role::Quiet, "[ ");
        }
        line = line.join(socket(graph, *slot, walked, current));
        if after.is_none_or(|after| opens(graph, Some(after), *slot))
            && !graph.socket(*slot).loops.is_empty()
        {
            line = line.with(Role::Quiet, " ]");
            if let Some((number, count)) = walked
                .item
                .filter(|_| is_within(graph, *slot, walked.current))
            {
                line = line.with(Role::Strong, &format!(" {number}/{count}"));
            }
        }
        cells.push(Cell { line, current });
    }
    cells
}

/// Whether this socket is in a loop that its neighbour is not in.
fn opens(graph: &Graph, neighbour: Option<SocketIndex>, slot: SocketIndex) -> bool {
    let theirs = neighbour
        .map(|neighbour| graph.socket(neighbour).loops.as_slice())
        .unwrap_or_default();
    graph
        .socket(slot)
        .loops
        .iter()
        .any(|at| !theirs.contains(at))
}

/// Whether this socket shares a loop with the current one.
fn is_within(graph: &Graph, slot: SocketIndex, current: Option<&str>) -> bool {
    let Some(current) = current.and_then(|current| graph.find(current)) else {
        return false;
    };
    graph
        .socket(slot)
        .loops
        .iter()
        .any(|at| graph.socket(current).loops.contains(at))
}

fn socket(graph: &Graph, slot: SocketIndex, walked: &Walked<'_>, current: bool) -> Line {
    let socket = graph.socket(slot);
    let name = line(socket.materia.title(), LONGEST);
    let visited = walked.visited.contains(socket.id.as_str());
    let (role, mark) = match (current, visited) {
        (true, _) => (Role::Strong, "▶"),
        (false, true) => (Role::Good, "✓"),
        (false, false) => (Role::Quiet, "·"),
    };
    Line::of(role, &format!("{mark} {name}"))
}

#[cfg(test)]
mod tests {
    use materia_model::finding::Source;
    use materia_model::loadout::{Config, ConfigDocument, ConfigLayer, ConfigScope};

    use super::*;

    fn drawn(columns: usize, most: usize, walked: &Walked<'_>) -> Vec<String> {
        let shipped = include_str!("../../../materia-engine/assets/loadouts.json");
        let layers = [ConfigLayer {
            scope: ConfigScope::Default,
            document: ConfigDocument::parse(Source::new("loadouts.json", shipped)),
        }];
        let config = Config::load(&layers);
        let graph = config.compile("Full-Auto").unwrap().graph.unwrap();
        strip(&graph, walked, columns, most)
            .iter()
            .map(|row| row.fitted(columns, false).0)
            .collect()
    }

    #[test]
    fn a_loop_is_bracketed_and_its_item_counted() {
        let visited = ["Socket-1", "Socket-2", "Socket-3", "Socket-8", "Socket-4"].into();
        let walked = Walked {
            current: Some("Socket-5"),
            visited,
            item: Some((2, 3)),
        };
        assert_eq!(
            drawn(200, 3, &walked),
            [
                "✓ Ignore-Artifacts → ✓ Detect-VCS → ✓ Auto-Plan → ✓ Auto-Architect → [ ✓ Build → ▶ Auto-Eval → \
              · Maintain ] 2/3 → · Narrate"
            ]
        );
        let narrow = drawn(60, 3, &walked);
        assert!(
            narrow.len() == 3 && narrow.iter().all(|row| row.chars().count() <= 60),
            "{narrow:#?}"
        );
        assert_eq!(drawn(40, 1, &walked), [" → [ ✓ Build → ▶ Auto-Eval"]);
    }
}
