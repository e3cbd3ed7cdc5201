//! What is wrong with a graph as a whole: guards nobody can answer, sockets nobody reaches.
//!
//! Owns the checks that need edges, loops and contracts together. Never changes anything: what it
//! is given is what will run.

use super::contract::Reading;
use super::draft::Draft;
use super::graph::{Advance, Guard, Slot, Target};
use super::neighbours::targets;
use super::region::Region;
use crate::document::{Path, Reader};
use crate::materia::Parse;

const CODE: &str = "guarded-text-socket";

/// Guards need JSON: a text is neither satisfied nor not (C7).
pub(super) fn guards(
    reader: &mut Reader,
    draft: &Draft<'_>,
    readings: &[Option<Reading>],
    regions: &[Region],
    path: &Path<'_>,
) {
    let is_text = |slot: Slot| {
        readings[slot.0]
            .as_ref()
            .is_some_and(|reading| reading.parse() == Parse::Text)
    };
    let sockets = path.member("sockets");
    for (_, socket) in draft
        .sockets
        .iter()
        .enumerate()
        .filter(|(at, _)| is_text(Slot(*at)))
    {
        let path = sockets.member(socket.id.as_str());
        let hint = "write \"parse\": \"json\", so that the output can say \"satisfied\"";
        let edges = path.member("edges");
        for (index, edge) in socket.edges.iter().enumerate() {
            let Some(guard) = edge.guard.filter(|guard| guard.is_guarded()) else {
                continue;
            };
            let message = format!(
                "the output of `{}` is read as text, so its edge {index} can never be `{}`",
                socket.id,
                guard.as_str()
            );
            let at = edge.at.get("when").unwrap_or(edge.at).spot();
            reader.error(at, &edges.index(index).member("when"), CODE, message, hint);
        }
        let advance = socket
            .advance
            .as_ref()
            .filter(|advance| advance.when.is_some_and(Guard::is_guarded));
        if let Some(advance) = advance {
            let message = format!(
                "the output of `{}` is read as text, so its guarded `advance` never moves",
                socket.id
            );
            let at = advance.when_at.unwrap_or(advance.at).spot();
            reader.error(
                at,
                &path.member("advance").member("when"),
                CODE,
                message,
                hint,
            );
        }
    }
    exits(reader, draft, regions, is_text, path);
}

fn exits(
    reader: &mut Reader,
    draft: &Draft<'_>,
    regions: &[Region],
    is_text: impl Fn(Slot) -> bool,
    path: &Path<'_>,
) {
    let loops = path.member("loops");
    for (written, region) in draft.loops.iter().zip(regions) {
        let path = loops.member(written.id);
        let path = path.member("exits");
        for (index, route) in written.exits.iter().enumerate() {
            let Some((from, guard)) = route.from.zip(route.guard) else {
                continue;
            };
            let used = region.exits.iter().any(|used| used.id == route.id);
            if used && guard.is_guarded() && is_text(from) {
                let id = &draft.sockets[from.0].id;
                let message =
                    format!("the output of `{id}` is read as text, so this route is never taken");
                let hint =
                    "write \"parse\": \"json\" on the socket, or \"condition\": \"always\" here";
                reader.warn(
                    route.at.spot(),
                    &path.index(index).member("condition"),
                    CODE,
                    message,
                    hint,
                );
            }
        }
    }
}

/// Whether an output must say `satisfied` (C6).
pub(super) fn needs_satisfied(draft: &Draft<'_>, slot: Slot, advance: Option<&Advance>) -> bool {
    let guards = || {
        draft.sockets[slot.0]
            .edges
            .iter()
            .filter_map(|edge| edge.guard)
    };
    let by_edges = guards().any(Guard::is_guarded) && !guards().any(|guard| guard == Guard::Always);
    by_edges || advance.is_some_and(|advance| advance.when.is_guarded())
}

/// Sockets that no cast can reach: allowed, and told.
pub(super) fn reach(
    reader: &mut Reader,
    draft: &Draft<'_>,
    regions: &[Region],
    entry: Slot,
    path: &Path<'_>,
) {
    let mut reached = vec![false; draft.sockets.len()];
    let mut routes: Vec<Vec<Slot>> = vec![Vec::new(); draft.sockets.len()];
    for route in regions.iter().flat_map(|region| &region.exits) {
        if let Target::Socket(to) = route.to {
            routes[route.from.0].push(to);
        }
    }
    let mut ahead = vec![entry];
    reached[entry.0] = true;
    while let Some(slot) = ahead.pop() {
        for to in targets(draft, slot).chain(routes[slot.0].iter().copied()) {
            if !reached[to.0] {
                reached[to.0] = true;
                ahead.push(to);
            }
        }
    }
    let path = path.member("sockets");
    for (socket, _) in draft
        .sockets
        .iter()
        .zip(&reached)
        .filter(|(_, reached)| !**reached)
    {
        let message = format!("nothing leads to the socket `{}`", socket.id);
        let hint = "lead an edge or a loop's exit to it, or remove it";
        reader.warn(
            socket.at.spot(),
            &path.member(socket.id.as_str()),
            "unreachable-socket",
            message,
            hint,
        );
    }
}
