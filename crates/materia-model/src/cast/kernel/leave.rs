//! After a socket: its cursor, the budget, and the route (C2, C3).
//!
//! Owns which route is taken and which limit it may exceed. Never counts: the fold does.

use super::{Decision, Kernel, MAX_CYCLES, MAX_VISITS, fail, obey, record};
use crate::cast::event::{CastEventBody, CastRoute, CursorAdvance, RouteReason, TakenEdge};
use crate::cast::failure::{CastFailure, CastFailureCode};
use crate::cast::rework;
use crate::cast::state::{CastState, CursorStep, VisitState};
use crate::loadout::graph::{RouteGuard, RouteTarget, SocketIndex};
use crate::text;

impl Kernel {
    /// After a socket: its cursor, the budget, the route.
    pub(super) fn leave(
        &self,
        state: &CastState,
        slot: SocketIndex,
        visit: &VisitState,
        outcome: Option<bool>,
        advanced: Option<&CursorStep>,
    ) -> Decision {
        let socket = self.graph.socket(slot);
        if let (None, Some(advance)) = (advanced, &socket.advance)
            && advance.when.matches(outcome)
        {
            let cursor = self.cursor(advance.cursor).clone();
            let index = state.index(&cursor.key) + 1;
            let exhausted = index >= state.sources().list(&advance.items).len();
            return Ok(record(CastEventBody::SocketAdvance(CursorAdvance {
                place: visit.place.clone(),
                cursor,
                index,
                exhausted,
            })));
        }
        if let Some(effect) = obey(self.limit(state).after_socket(&state.spending), socket)? {
            return Ok(effect);
        }
        self.route(state, slot, outcome, advanced)
            .map(|route| record(CastEventBody::SocketRoute(route)))
    }

    fn route(
        &self,
        state: &CastState,
        slot: SocketIndex,
        outcome: Option<bool>,
        advanced: Option<&CursorStep>,
    ) -> Result<CastRoute, Box<CastFailure>> {
        if let Some(advanced) = advanced.filter(|advanced| advanced.exhausted) {
            return Ok(self.exit(slot, outcome, &advanced.cursor));
        }
        let socket = self.graph.socket(slot);
        let found = socket
            .edges
            .iter()
            .enumerate()
            .find(|(_, edge)| edge.guard.matches(outcome));
        let Some((index, edge)) = found else {
            let next = advanced.and_then(|_| self.next_item(slot));
            return Ok(match next {
                Some(next) => {
                    self.way(Some(slot), RouteTarget::Socket(next), RouteReason::NextItem)
                }
                None => self.way(Some(slot), RouteTarget::End, RouteReason::NoMatch),
            });
        };
        let item = state.token(
            socket
                .each
                .as_ref()
                .map(|each| self.cursor(each.cursor).key.as_str()),
        );
        let taken = TakenEdge::new(index, edge.guard, item, edge.max_traversals.is_some());
        self.check_edge(state, slot, edge.to, &taken, edge.max_traversals)?;
        let complains = edge.guard == RouteGuard::NotSatisfied
            && advanced.is_none()
            && edge.to != RouteTarget::End;
        let reason = || {
            state
                .last_json
                .as_ref()
                .and_then(|json| json.as_object())
                .map(rework::reason)
        };
        Ok(CastRoute {
            edge: Some(taken),
            rework: complains.then(reason).flatten(),
            ..self.way(Some(slot), edge.to, RouteReason::Edge)
        })
    }

    /// Checks the limits of an edge: its own per item, the cast's, and the cycle limit (C2).
    fn check_edge(
        &self,
        state: &CastState,
        from: SocketIndex,
        to: RouteTarget,
        taken: &TakenEdge,
        own: Option<u64>,
    ) -> Result<(), Box<CastFailure>> {
        let (id, target) = (
            self.graph.socket(from).id.as_str(),
            self.graph.target_name(to),
        );
        let name = format!("{id}->{target}");
        let counted = state
            .item_edges
            .get(&format!("{id}#{}", taken.index))
            .filter(|count| count.item == taken.item);
        let count = counted.map_or(0, |count| count.count);
        let item = state
            .visit()
            .and_then(|visit| visit.place.item_key.as_ref());
        let whom = item.map(|key| format!(" for {key}")).unwrap_or_default();
        if let Some(limit) = own.filter(|limit| count >= *limit) {
            let message = format!(
                "traversal limit exceeded for {name}{whom} ({}/{limit})",
                count + 1
            );
            return Err(fail(
                CastFailureCode::EdgeLimit,
                message,
                id,
                "raise the edge's `maxTraversals`, then `materia recast`".to_owned(),
            ));
        }
        let total = state.traversals.get(&name).copied().unwrap_or(0);
        let total = total
            - state
                .forgiven
                .traversals
                .get(&name)
                .copied()
                .unwrap_or(0)
                .min(total);
        let limit = self
            .settings
            .limits
            .max_edge_traversals
            .unwrap_or(MAX_VISITS);
        if total >= limit {
            let message = format!(
                "{name} was taken {} in this cast",
                text::count(limit as usize, "time")
            );
            return Err(fail(
                CastFailureCode::VisitLimit,
                message,
                id,
                "raise `limits.maxEdgeTraversals`, then `materia recast`".to_owned(),
            ));
        }
        let cycles = state
            .since_advance
            .get(target)
            .map_or(0, |cycles| cycles + 1);
        let limit = self
            .settings
            .limits
            .max_no_advance_cycles
            .unwrap_or(MAX_CYCLES);
        if !taken.capped && to != RouteTarget::End && cycles > limit {
            let message = format!(
                "stalled: {target} was entered again{whom} {limit} times without advancing, last by {name}"
            );
            let hint = "give the edge a `maxTraversals`, or raise `limits.maxNoAdvanceCycles`, then `materia recast`";
            return Err(fail(CastFailureCode::Stalled, message, id, hint.to_owned()));
        }
        Ok(())
    }

    /// The route out of an exhausted list. A loop that leads back into itself starts over.
    fn exit(&self, slot: SocketIndex, outcome: Option<bool>, cursor_key: &str) -> CastRoute {
        let to = self.graph.exhausted(slot, outcome);
        let mut route = self.way(Some(slot), to, RouteReason::Exit);
        if let RouteTarget::Socket(to) = to {
            let cursors = self.graph.cursors().iter().zip(&self.cursors);
            let again = cursors
                .filter(|(cursor, name)| name.key == cursor_key && cursor.region.contains(to));
            for (_, name) in again {
                if !route.restarted.contains(name) {
                    route.restarted.push(name.clone());
                }
            }
        }
        route
    }

    fn next_item(&self, slot: SocketIndex) -> Option<SocketIndex> {
        let socket = self.graph.socket(slot);
        let cursor = socket
            .advance
            .as_ref()
            .map(|advance| self.graph.cursor(advance.cursor));
        let own = socket.each.is_some().then_some(slot);
        self.graph
            .next_item(slot)
            .or(own)
            .or_else(|| cursor.and_then(|cursor| cursor.region.slots().next()))
    }
}
