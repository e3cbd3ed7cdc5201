//! Checks of a whole graph: guards that no output can satisfy, unreachable sockets.
//!
//! Owns the checks that need edges, loops and contracts together. Never changes anything.

use super::contract::OutputReading;
use super::draft::LoadoutDraft;
use super::graph::{AdvanceRule, RouteGuard, RouteTarget, SocketIndex};
use super::neighbours::targets;
use super::region::LoopReading;
use crate::materia::OutputParse;

const CODE: &str = "guarded-text-socket";

/// Guards need JSON: a text has no `satisfied` field (C7).
pub(super) fn guards(
    draft: &LoadoutDraft,
    readings: &[Option<OutputReading>],
    regions: &[LoopReading],
) {
    let is_text = |slot: SocketIndex| {
        readings[slot.0]
            .as_ref()
            .is_some_and(|reading| reading.parse() == OutputParse::Text)
    };
    for (_, socket) in draft
        .sockets
        .iter()
        .enumerate()
        .filter(|(at, _)| is_text(SocketIndex(*at)))
    {
        let hint = "write \"parse\": \"json\", so that the output can say \"satisfied\"";
        for (index, edge) in socket.edges.iter().enumerate() {
            let Some(guard) = edge.guard.filter(|guard| guard.is_guarded()) else {
                continue;
            };
            let message = format!(
                "the output of `{}` is read as text, so its edge {index} can never be `{}`",
                socket.id,
                guard.as_str()
            );
            edge.guard_at.with_code(CODE).error(message, hint);
        }
        let advance = socket
            .advance
            .as_ref()
            .filter(|advance| advance.when.is_some_and(RouteGuard::is_guarded));
        if let Some(advance) = advance {
            let message = format!(
                "the output of `{}` is read as text, so its guarded `advance` never moves",
                socket.id
            );
            advance.when_at().with_code(CODE).error(message, hint);
        }
    }
    exits(draft, regions, is_text);
}

fn exits(draft: &LoadoutDraft, regions: &[LoopReading], is_text: impl Fn(SocketIndex) -> bool) {
    for (written, region) in draft.loops.iter().zip(regions) {
        for route in &written.exits {
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
                let at = route.at.member_as("condition", CODE);
                at.warn(message, hint);
            }
        }
    }
}

/// Whether an output must contain `satisfied` (C6).
pub(super) fn needs_satisfied(
    draft: &LoadoutDraft,
    slot: SocketIndex,
    advance: Option<&AdvanceRule>,
) -> bool {
    let guards = || {
        draft.sockets[slot.0]
            .edges
            .iter()
            .filter_map(|edge| edge.guard)
    };
    let by_edges =
        guards().any(RouteGuard::is_guarded) && !guards().any(|guard| guard == RouteGuard::Always);
    by_edges || advance.is_some_and(|advance| advance.when.is_guarded())
}

/// Warns about sockets that no cast can reach.
pub(super) fn reach(draft: &LoadoutDraft, regions: &[LoopReading], entry: SocketIndex) {
    let mut reached = vec![false; draft.sockets.len()];
    let mut routes: Vec<Vec<SocketIndex>> = vec![Vec::new(); draft.sockets.len()];
    for route in regions.iter().flat_map(|region| &region.exits) {
        if let RouteTarget::Socket(to) = route.to {
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
    for (socket, _) in draft
        .sockets
        .iter()
        .zip(&reached)
        .filter(|(_, reached)| !**reached)
    {
        let message = format!("nothing leads to the socket `{}`", socket.id);
        let hint = "lead an edge or a loop's exit to it, or remove it";
        let at = socket.at.at_name_as("unreachable-socket");
        at.warn(message, hint);
    }
}
