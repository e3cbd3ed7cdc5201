//! One part of a link: renamed, and with every end leading into the next part.
//!
//! Owns both. Leaves everything unchanged that names no socket.

use serde_json::{Map, Value, json};

use super::{LinkPart, LinkedSocketNames};
use crate::loadout::Graph;
use crate::loadout::graph::{RouteGuard, RouteTarget, SocketIndex};

/// A part after renaming.
pub(super) struct StitchedPart {
    pub(super) sockets: Map<String, Value>,
    pub(super) loops: Map<String, Value>,
}

/// Renames a part. `next` is the target of its ends, and `order` its number.
pub(super) fn stitch(
    part: &LinkPart,
    names: &LinkedSocketNames,
    next: Option<&str>,
    order: usize,
) -> StitchedPart {
    let way = Way { names, next };
    let mut sockets = Map::new();
    for (id, written) in part.written["sockets"].as_object().into_iter().flatten() {
        let mut socket = written.clone();
        way.rename_socket(&mut socket);
        match (&part.graph, next) {
            (Some(graph), Some(next)) => {
                if let Some(slot) = graph.find(id) {
                    lead_on(graph, slot, &mut socket, next);
                    write_advance(graph, slot, &mut socket);
                }
            }
            (None, Some(next)) => add_edge(&mut socket, RouteGuard::Always, next),
            (_, None) => {}
        }
        sockets.insert(names.id_now(id).to_owned(), socket);
    }
    let mut loops = Map::new();
    for (id, written) in part.written["loops"].as_object().into_iter().flatten() {
        let mut region = written.clone();
        way.rename_loop(&mut region);
        if let (Some(graph), Some(next)) = (&part.graph, next) {
            leave_for(graph, id, &mut region, names, next);
        }
        loops.insert(format!("t{order}-{id}"), region);
    }
    StitchedPart { sockets, loops }
}

/// The new targets of a part's names.
struct Way<'a> {
    names: &'a LinkedSocketNames,
    next: Option<&'a str>,
}

impl Way<'_> {
    /// Replaces a socket's name. The end of the part becomes the entry of the next one.
    fn target(&self, value: &mut Value) {
        let Some(old) = value.as_str() else { return };
        let new = match (old, self.next) {
            ("end", Some(next)) => next,
            ("end", None) => "end",
            (old, _) => self.names.id_now(old),
        };
        *value = Value::String(new.to_owned());
    }

    fn rename_socket(&self, socket: &mut Value) {
        for edge in socket["edges"].as_array_mut().into_iter().flatten() {
            edge.get_mut("to")
                .into_iter()
                .for_each(|to| self.target(to));
        }
        for field in ["advance", "foreach"] {
            if let Some(done) = socket
                .get_mut(field)
                .and_then(|field| field.get_mut("done"))
            {
                self.target(done);
            }
        }
        if let Some(fields) = socket.as_object_mut() {
            fields.remove("layout");
            fields.retain(|name, value| name != "edges" || !value.is_null());
        }
    }

    fn rename_loop(&self, region: &mut Value) {
        for member in region["sockets"].as_array_mut().into_iter().flatten() {
            self.target(member);
        }
        let places = [
            ("consumes", "from"),
            ("consumes", "done"),
            ("iterator", "done"),
            ("exit", "from"),
            ("exit", "to"),
        ];
        for (field, name) in places {
            if let Some(value) = region.get_mut(field).and_then(|field| field.get_mut(name)) {
                self.target(value);
            }
        }
        if let Some(exits) = region.get_mut("exits").and_then(Value::as_array_mut) {
            for exit in exits {
                for name in ["from", "targetSocketId"] {
                    exit.get_mut(name)
                        .into_iter()
                        .for_each(|value| self.target(value));
                }
            }
        }
    }
}

/// Adds an edge to a socket for every outcome on which the part would have ended.
fn lead_on(graph: &Graph, slot: SocketIndex, socket: &mut Value, next: &str) {
    let found = graph.socket(slot);
    let covers = |guard: RouteGuard| {
        found
            .edges
            .iter()
            .any(|edge| edge.guard == guard || edge.guard == RouteGuard::Always)
    };
    // After an advance a list continues by itself, and the loop handles its end.
    let advances = found.advance.as_ref().map(|advance| advance.when);
    match advances {
        Some(RouteGuard::Always) => {}
        Some(when) => {
            let other = if when == RouteGuard::Satisfied {
                RouteGuard::NotSatisfied
            } else {
                RouteGuard::Satisfied
            };
            if !covers(other) {
                add_edge(socket, other, next);
            }
        }
        None if found.edges.is_empty() => add_edge(socket, RouteGuard::Always, next),
        None => {
            for guard in [RouteGuard::Satisfied, RouteGuard::NotSatisfied] {
                if !covers(guard) {
                    add_edge(socket, guard, next);
                }
            }
        }
    }
}

fn add_edge(socket: &mut Value, guard: RouteGuard, to: &str) {
    let edge = json!({"when": guard.as_str(), "to": to});
    match socket.get_mut("edges").and_then(Value::as_array_mut) {
        Some(edges) => edges.push(edge),
        None => socket["edges"] = json!([edge]),
    }
}

/// Writes the implied advance explicitly, because it follows from routes that change.
fn write_advance(graph: &Graph, slot: SocketIndex, socket: &mut Value) {
    let found = graph.socket(slot);
    if let (Some(advance), None) = (&found.advance, socket.get("advance")) {
        let cursor = &graph.cursor(advance.cursor).name;
        socket["advance"] =
            json!({"cursor": cursor, "items": advance.items, "when": advance.when.as_str()});
        socket["parse"] = found.contract.parse.as_str().into();
    }
}

/// Routes an exhausted or empty loop into the next part if it had no exit.
fn leave_for(graph: &Graph, id: &str, region: &mut Value, names: &LinkedSocketNames, next: &str) {
    let Some((position, found)) = graph
        .loops()
        .iter()
        .enumerate()
        .find(|(_, one)| one.id == id)
    else {
        return;
    };
    let turning = found
        .members
        .iter()
        .copied()
        .filter(|slot| graph.socket(*slot).advance.is_some());
    let mut added = Vec::new();
    for slot in turning {
        let socket = graph.socket(slot);
        let nowhere = |outcome| graph.exhausted(slot, outcome) == RouteTarget::End;
        // If several loops contain a socket, the first one decides where it leads.
        let leaves = socket.loops.first() == Some(&position)
            && (nowhere(None) || nowhere(Some(true)) || nowhere(Some(false)));
        let always = found
            .exits
            .iter()
            .any(|exit| exit.from == slot && exit.guard == RouteGuard::Always);
        if leaves && !always {
            let from = names.id_now(socket.id.as_str());
            added.push(json!({"id": format!("link:{from}"), "from": from, "condition": "always", "targetSocketId": next}));
        }
    }
    if added.is_empty() {
        return;
    }
    match region.get_mut("exits").and_then(Value::as_array_mut) {
        Some(exits) => exits.extend(added),
        None => region["exits"] = Value::Array(added),
    }
}
