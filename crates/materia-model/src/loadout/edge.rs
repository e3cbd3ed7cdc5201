//! Reads edges: guards, targets and their order.
//!
//! Owns the three guards (C21), that an edge without one is `always` (C7), and which edges can
//! never be taken. `check` decides later whether the socket's output can satisfy the guard.

use serde_json::json;

use super::draft::{EdgeDraft, SocketNames};
use super::graph::RouteGuard;
use crate::document::{DocValue, FieldTable, Read, Schema, field};
use crate::text;

pub(super) const EDGE: FieldTable<Read<EdgeDraft, SocketNames>> = FieldTable {
    owner: "an edge",
    about: "A guarded way to another socket.",
    fields: &[
        field("when", "").with(
            Schema::Json(|| json!({"$ref": "#/$defs/guard", "default": "always"})),
            |edge, _, value| (edge.guard, edge.guard_at) = (guard(value), value.at.clone()),
        ),
        field("to", "")
            .required()
            .with(Schema::Ref("target"), |edge, names, value| {
                edge.to = names.target(value);
            }),
        field(
            "maxTraversals",
            "How often it may be taken for one work item.",
        )
        .count(0, |edge, count| edge.max_traversals = Some(count)),
    ],
};

/// Reads the edges of a socket, in order.
pub(super) fn edges(names: &SocketNames, value: &DocValue<'_>) -> Vec<EdgeDraft> {
    if !value.list() {
        return Vec::new();
    }
    let edges: Vec<EdgeDraft> = value
        .items()
        .filter_map(|item| edge(names, &item))
        .collect();
    report_unreachable(&edges);
    edges
}

fn edge(names: &SocketNames, value: &DocValue<'_>) -> Option<EdgeDraft> {
    let mut edge = EdgeDraft {
        at: value.at.clone(),
        guard: Some(RouteGuard::Always),
        guard_at: value.at.member("when"),
        to: None,
        max_traversals: None,
    };
    if !EDGE.read(&mut edge, names, value) {
        return None;
    }
    if value.get("to").is_none() {
        let at = value.at.member_as("to", "missing-endpoint");
        let hint = "add \"to\": a socket of this loadout, or \"end\"";
        at.error("the edge leads nowhere", hint);
    }
    Some(edge)
}

/// Reads a guard: one of the three words.
pub(super) fn guard(value: &DocValue<'_>) -> Option<RouteGuard> {
    let value = value.with_code("invalid-edge-condition");
    let given = value.string()?;
    let found = RouteGuard::ALL
        .into_iter()
        .find(|guard| guard.as_str() == given);
    if found.is_none() {
        let message = format!("{} is no condition", text::quoted(given));
        let hint = match text::closest(given.trim(), RouteGuard::ALL.map(RouteGuard::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "write `always`, `satisfied` or `not_satisfied`; expressions are not read"
                .to_owned(),
        };
        value.error(message, hint);
    }
    found
}

/// A cast takes the first matching edge, so it never takes one behind an `always`.
fn report_unreachable(edges: &[EdgeDraft]) {
    let Some(always) = edges
        .iter()
        .position(|edge| edge.guard == Some(RouteGuard::Always))
    else {
        return;
    };
    for (index, edge) in edges.iter().enumerate().skip(always + 1) {
        let message = format!("edge {index} is never taken: edge {always} before it is `always`");
        let hint = "put guarded edges before the `always` edge, or remove this one";
        edge.at.with_code("unreachable-edge").error(message, hint);
    }
}
