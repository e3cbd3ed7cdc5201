//! Before a socket: its item, its visit limit, the budget (C2, C4).
//!
//! Owns the binding of an item and the route around an empty list. Never counts: the fold does.

use super::{Decision, Kernel, MAX_VISITS, fail, record};
use crate::cast::event::{BoundItem, CastEventBody, RouteReason, SocketStart, VisitId};
use crate::cast::failure::CastFailureCode;
use crate::cast::state::CastState;
use crate::loadout::graph::{Iteration, SocketIndex};

impl Kernel {
    /// Before a socket starts: its item, its visit limit, the budget.
    pub(super) fn enter(&self, state: &CastState, slot: SocketIndex) -> Decision {
        let socket = self.graph.socket(slot);
        let id = socket.id.as_str();
        let bound = match &socket.each {
            None => None,
            Some(each) => match self.bind(state, each) {
                Some(bound) => Some(bound),
                None => return self.leave_empty(state, slot),
            },
        };
        let visits = state.visits.get(id).copied().unwrap_or(0);
        let counted = visits
            - state
                .forgiven
                .visits
                .get(id)
                .copied()
                .unwrap_or(0)
                .min(visits);
        let limit = socket
            .max_visits
            .or(self.settings.limits.max_socket_visits)
            .unwrap_or(MAX_VISITS);
        if counted >= limit {
            let knob = if socket.max_visits.is_some() {
                "the socket's `limits.maxVisits`"
            } else {
                "`limits.maxSocketVisits`"
            };
            let message = format!("visit limit exceeded for {id} ({}/{limit})", counted + 1);
            return Err(fail(
                CastFailureCode::VisitLimit,
                message,
                id,
                format!("raise {knob}, then `materia recast`"),
            ));
        }
        if let Some(effect) = self.check_budget(state, slot)? {
            return Ok(effect);
        }
        let label = |bound: &BoundItem, key: &str| {
            let named = ["title", "name"]
                .iter()
                .find_map(|name| bound.value.get(*name)?.as_str());
            named.unwrap_or(key).to_owned()
        };
        let item_key = bound
            .as_ref()
            .zip(socket.each.as_ref())
            .map(|(bound, each)| each.key(bound.index));
        let item_label = bound
            .as_ref()
            .zip(item_key.as_ref())
            .map(|(bound, key)| label(bound, key));
        let place = VisitId {
            socket: id.to_owned(),
            materia: socket.materia.id.clone(),
            visit: visits + 1,
            item_key,
            item_label,
        };
        let materia_label = socket.materia.title().to_owned();
        Ok(record(CastEventBody::SocketStart(SocketStart {
            place,
            materia_label,
            item: bound,
        })))
    }

    fn bind(&self, state: &CastState, each: &Iteration) -> Option<BoundItem> {
        let cursor = self.cursor(each.cursor);
        let items = state.sources().list(&each.items);
        let index = state.index(&cursor.key);
        let value = items.get(index)?.clone();
        let mut names = vec!["item".to_owned(), "currentWorkItem".to_owned()];
        let work = each.is_work().then_some("workItem");
        for name in [Some(each.alias.as_str()), work].into_iter().flatten() {
            if !name.is_empty() && !names.iter().any(|other| other == name) {
                names.push(name.to_owned());
            }
        }
        Some(BoundItem {
            cursor: cursor.clone(),
            index,
            count: items.len(),
            names,
            value,
        })
    }

    fn leave_empty(&self, state: &CastState, slot: SocketIndex) -> Decision {
        if state.hops > self.graph.sockets().len() + 1 {
            let id = self.graph.socket(slot).id.as_str();
            let message = format!("the empty lists around {id} only lead into each other");
            return Err(fail(
                CastFailureCode::Stalled,
                message,
                id,
                "give one of the loops an exit to `end`".to_owned(),
            ));
        }
        Ok(record(CastEventBody::SocketRoute(self.way(
            Some(slot),
            self.graph.empty(slot),
            RouteReason::Empty,
        ))))
    }
}
