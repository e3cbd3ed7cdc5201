//! Renderings of a graph for users and programs: text, Mermaid, DOT, SVG, JSON.
//!
//! Owns the renderings of `materia grid` and `materia export`. Each is a pure function of the graph
//! and bounded: a picture that is too large to read is truncated and says so. Never uses colours:
//! the view does.

mod order;
mod lane;
mod bracket;
mod drawn;
mod markup;
mod svg;

use serde_json::{Map, Value, json};

use crate::loadout::graph::{Graph, Iteration, RouteGuard, RouteTarget, SocketIndex};
use crate::materia::MateriaBody;

pub use drawn::{MAX_DRAWN, text, text_within};
pub use markup::{dot, mermaid};
pub use order::order;
pub use svg::{MarkStatus, SocketMark, svg};

/// The graph as one JSON document, sockets and edges in the order written.
pub fn json(graph: &Graph) -> Value {
    json!({
        "loadout": graph.name(),
        "entry": graph.socket(graph.entry()).id,
        "sockets": graph.slots().map(|slot| socket(graph, slot)).collect::<Vec<_>>(),
        "loops": graph.loops().iter().enumerate().map(|(at, _)| region(graph, at)).collect::<Vec<_>>(),
        "layout": graph.layout(),
    })
}

fn socket(graph: &Graph, slot: SocketIndex) -> Value {
    let socket = graph.socket(slot);
    let edges: Vec<Value> = socket
        .edges
        .iter()
        .map(|edge| {
            let mut one = json!({"when": edge.guard, "to": graph.target_name(edge.to)});
            if let Some(most) = edge.max_traversals {
                one["maxTraversals"] = most.into();
            }
            one
        })
        .collect();
    let mut one = Map::new();
    one.insert("id".to_owned(), socket.id.as_str().into());
    one.insert("materia".to_owned(), socket.materia.id.as_str().into());
    one.insert("label".to_owned(), socket.materia.title().into());
    one.insert("kind".to_owned(), kind(&socket.materia.kind).into());
    one.insert("parse".to_owned(), socket.contract.parse.as_str().into());
    one.insert("generator".to_owned(), socket.contract.generator.into());
    one.insert(
        "needsSatisfied".to_owned(),
        socket.contract.needs_satisfied.into(),
    );
    one.insert("edges".to_owned(), edges.into());
    let loops = socket.loops.iter().map(|at| graph.loops()[*at].id.as_str());
    one.insert("loops".to_owned(), loops.collect::<Vec<_>>().into());
    if let Some(each) = &socket.each {
        one.insert("foreach".to_owned(), iteration(graph, each));
    }
    if let Some(advance) = &socket.advance {
        let cursor = &graph.cursor(advance.cursor).name;
        let advance = json!({"cursor": cursor, "items": advance.items, "when": advance.when});
        one.insert("advance".to_owned(), advance);
    }
    Value::Object(one)
}

fn region(graph: &Graph, at: usize) -> Value {
    let region = &graph.loops()[at];
    let id = |slot: SocketIndex| graph.socket(slot).id.as_str();
    let exits = region.exits.iter().map(|exit| {
        json!({
            "id": exit.id,
            "from": id(exit.from),
            "condition": exit.guard,
            "targetSocketId": graph.target_name(exit.to),
        })
    });
    json!({
        "id": region.id,
        "sockets": region.members.iter().map(|slot| id(*slot)).collect::<Vec<_>>(),
        "entry": id(region.entry),
        "consumes": region.generator.map(id),
        "iterator": region.each.as_ref().map(|each| iteration(graph, each)),
        "exits": exits.collect::<Vec<_>>(),
    })
}

fn iteration(graph: &Graph, each: &Iteration) -> Value {
    json!({"items": each.items, "as": each.alias, "cursor": graph.cursor(each.cursor).name})
}

/// The word for a kind of materia.
fn kind(kind: &MateriaBody) -> &'static str {
    match kind {
        MateriaBody::Agent(_) => "agent",
        MateriaBody::Utility(_) => "utility",
    }
}

/// The label of an edge: its guard, if it has one, and its limit.
fn edge_label(guard: RouteGuard, most: Option<u64>) -> String {
    let guard = if guard == RouteGuard::Always {
        ""
    } else {
        guard.as_str()
    };
    match most {
        Some(most) if guard.is_empty() => format!("at most {most}×"),
        Some(most) => format!("{guard}, at most {most}×"),
        None => guard.to_owned(),
    }
}

/// The label of a route out of a loop.
fn exit_label(guard: RouteGuard) -> String {
    if guard == RouteGuard::Always {
        "done".to_owned()
    } else {
        format!("done, {}", guard.as_str())
    }
}

/// A text for one line of a picture: no control characters, no line breaks, at most `most`
/// characters.
fn one_line(text: &str, most: usize) -> String {
    let plain = crate::text::printable(text).replace(['\n', '\t'], " ");
    if plain.chars().count() <= most {
        return plain;
    }
    plain
        .chars()
        .take(most.saturating_sub(1))
        .chain(['…'])
        .collect()
}

/// Every route out of a socket: its edges, then the exits of the loops that it leaves.
fn ways(graph: &Graph, slot: SocketIndex) -> impl Iterator<Item = Way> {
    let socket = graph.socket(slot);
    let edges = socket.edges.iter().map(|edge| Way {
        label: edge_label(edge.guard, edge.max_traversals),
        to: edge.to,
        done: false,
    });
    let loops = socket.loops.iter().map(|at| &graph.loops()[*at]);
    let exits =
        loops.flat_map(move |region| region.exits.iter().filter(move |exit| exit.from == slot));
    edges.chain(exits.map(|exit| Way {
        label: exit_label(exit.guard),
        to: exit.to,
        done: true,
    }))
}

/// One route out of a socket.
struct Way {
    label: String,
    to: RouteTarget,
    /// Whether it is taken when a list is exhausted.
    done: bool,
}

#[cfg(test)]
mod tests;
