//! Brackets: the loops of a picture, on its left.
//!
//! Owns the column of a loop's bracket, the margin of a row, and the header and footer of a loop.

use super::one_line;
use crate::loadout::graph::{Graph, LoopDefinition, SocketIndex};

/// A loop's bracket: the boxes it spans, its column, and the rows where it opens and closes.
pub(super) struct Bracket<'g> {
    pub(super) region: &'g LoopDefinition,
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) open: usize,
    pub(super) close: usize,
    column: usize,
}

/// The brackets of the loops whose sockets are drawn. Wide ones are outermost.
pub(super) fn brackets<'g>(graph: &'g Graph, place: &[Option<usize>]) -> Vec<Bracket<'g>> {
    let span = |region: &'g LoopDefinition| {
        let places = || {
            region
                .members
                .iter()
                .filter_map(|slot| place[slot.position()])
        };
        let (first, last) = (places().min()?, places().max()?);
        Some(Bracket {
            region,
            first,
            last,
            open: 0,
            close: usize::MAX,
            column: 0,
        })
    };
    let mut all: Vec<Bracket<'g>> = graph.loops().iter().filter_map(span).take(100).collect();
    all.sort_by_key(|one| (one.first, std::cmp::Reverse(one.last)));
    for at in 0..all.len() {
        let (before, rest) = all.split_at_mut(at);
        let one = &mut rest[0];
        let taken = |column: usize| {
            before
                .iter()
                .any(|other| other.column == column && other.last >= one.first)
        };
        one.column = (0..at).find(|column| !taken(*column)).unwrap_or(at);
    }
    all
}

/// The width of the margin.
pub(super) fn width(brackets: &[Bracket<'_>]) -> usize {
    brackets
        .iter()
        .map(|one| (one.column + 1) * 2)
        .max()
        .unwrap_or(0)
}

/// The margin of a row that belongs to a socket.
pub(super) fn margin(brackets: &[Bracket<'_>], row: usize, slot: SocketIndex) -> String {
    let mut cells = vec![' '; width(brackets)];
    for one in brackets
        .iter()
        .filter(|one| one.open <= row && row <= one.close)
    {
        let corner = if row == one.open {
            Some('┏')
        } else if row == one.close {
            Some('┗')
        } else {
            None
        };
        let member = one.region.members.contains(&slot);
        let at = one.column * 2;
        cells[at] = corner.unwrap_or(if member { '┃' } else { '┆' });
        if corner.is_some() {
            cells[at + 1..].fill('━');
        }
    }
    cells.into_iter().collect()
}

/// The header of a loop: the list it iterates.
pub(super) fn header(graph: &Graph, region: &LoopDefinition) -> String {
    let mut text = format!(" loop {}", one_line(&region.id, 40));
    if let Some(each) = &region.each {
        text.push_str(&format!(
            ": each {} of {}",
            one_line(&each.alias, 40),
            one_line(&each.items, 40)
        ));
    }
    if let Some(generator) = region.generator {
        text.push_str(&format!(", from {}", graph.socket(generator).id));
    }
    text
}

/// The footer of a loop: what follows it, if none of its routes is drawn.
pub(super) fn footer(region: &LoopDefinition) -> String {
    let done = if region.each.is_some() && region.exits.is_empty() {
        " done ▶ end"
    } else {
        ""
    };
    done.to_owned()
}
