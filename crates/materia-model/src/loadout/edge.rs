//! Reading edges: guards, targets and their order.
//!
//! Owns the three guards (C21), that an edge without one is `always` (C7), and which edges can
//! never be taken. Whether the socket can answer the guard is looked at later, when it is known how
//! its output is read.

use super::draft::{Edge, Names};
use super::graph::Guard;
use super::read::INVALID;
use crate::document::{Part, Path, Reader};
use crate::text;

const FIELDS: &[&str] = &["when", "to", "maxTraversals"];

/// Reads the edges of a socket, in order.
pub(super) fn edges<'a>(
    reader: &mut Reader,
    names: &Names<'_>,
    value: Part<'a>,
    path: &Path<'_>,
) -> Vec<Edge<'a>> {
    if !reader.list(value, path, INVALID) {
        return Vec::new();
    }
    let mut edges = Vec::new();
    for (index, item) in value.items().enumerate() {
        edges.extend(edge(reader, names, item, &path.index(index)));
    }
    unreachable(reader, &edges, path);
    edges
}

fn edge<'a>(
    reader: &mut Reader,
    names: &Names<'_>,
    value: Part<'a>,
    path: &Path<'_>,
) -> Option<Edge<'a>> {
    if !reader.object(value, path, INVALID) {
        return None;
    }
    let mut edge = Edge {
        guard: Some(Guard::Always),
        to: None,
        max_traversals: None,
        at: value,
    };
    let mut has_target = false;
    for field in value.fields() {
        let path = path.member(field.name());
        match field.name() {
            "when" => edge.guard = guard(reader, field.value(), &path),
            "to" => {
                has_target = true;
                edge.to = names.target(reader, field.value(), &path);
            }
            "maxTraversals" => edge.max_traversals = reader.count(field.value(), &path, INVALID, 0),
            _ => reader.unknown(field, &path, "an edge", FIELDS),
        }
    }
    if !has_target {
        let hint = "add \"to\": a socket of this loadout, or \"end\"";
        reader.error(
            value.spot(),
            &path.member("to"),
            "missing-endpoint",
            "the edge leads nowhere",
            hint,
        );
    }
    Some(edge)
}

/// Reads a guard: one of the three words.
pub(super) fn guard(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Option<Guard> {
    let words = Guard::ALL.map(|guard| (guard.as_str(), guard));
    let given = reader.string(value, path, "invalid-edge-condition")?;
    let found = words
        .iter()
        .find(|(word, _)| *word == given)
        .map(|(_, guard)| *guard);
    if found.is_none() {
        let message = format!("{} is no condition", text::quoted(given));
        let hint = match text::closest(given.trim(), words.map(|(word, _)| word)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "write `always`, `satisfied` or `not_satisfied`; expressions are not read"
                .to_owned(),
        };
        reader.error(value.spot(), path, "invalid-edge-condition", message, hint);
    }
    found
}

/// The first edge that matches is taken, so nothing behind an `always` ever is.
fn unreachable(reader: &mut Reader, edges: &[Edge<'_>], path: &Path<'_>) {
    let Some(always) = edges
        .iter()
        .position(|edge| edge.guard == Some(Guard::Always))
    else {
        return;
    };
    for (index, edge) in edges.iter().enumerate().skip(always + 1) {
        let message = format!("edge {index} is never taken: edge {always} before it is `always`");
        let hint = "put guarded edges before the `always` edge, or remove this one";
        reader.error(
            edge.at.spot(),
            &path.index(index),
            "unreachable-edge",
            message,
            hint,
        );
    }
}
