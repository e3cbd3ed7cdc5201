//! Reads loops: their members, their list and their exit routes.
//!
//! Owns the shape of a loop and the checks that need only its own fields. `region` derives the rest
//! (iterators, advances, exit routes).

use std::collections::{HashMap, HashSet};

use serde_json::json;

use super::draft::{ConsumesDraft, ExitDraft, LoopDraft, SocketNames};
use super::edge;
use super::graph::{RouteGuard, RouteTarget, SocketIndex};
use super::socket::{check_target, iteration};
use crate::document::{DocValue, FieldTable, Read, Schema, field};
use crate::text;

/// The code of a malformed loop.
pub(super) const INVALID: &str = "invalid-loop";

pub(super) const LOOP: FieldTable<Read<LoopDraft, SocketNames>> = FieldTable {
    owner: "a loop",
    about: "Sockets that run once for each item of a list.",
    fields: &[
        field("sockets", "").required().unread(Schema::Json(
            || json!({"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/socketId"}}),
        )),
        field("consumes", "").with(
            Schema::Json(|| CONSUMES.schema()),
            |region, names, value| {
                region.consumes = consumes(names, value);
            },
        ),
        field("iterator", "").with(Schema::Ref("foreach"), |region, names, value| {
            region.iterator = iteration(names, value);
        }),
        field("exit", "").with(Schema::Json(|| EXIT.schema()), |region, names, value| {
            region.exit = exit(names, &region.member_set(), value);
        }),
        field("exits", "").with(
            Schema::List(&Schema::Json(|| ROUTE.schema())),
            |region, names, value| region.exits = routes(names, &region.member_set(), value),
        ),
    ],
};

const CONSUMES: FieldTable<Read<ConsumesDraft, SocketNames>> = FieldTable {
    owner: "`consumes`",
    about: "The generator whose list it works through.",
    fields: &[
        field("from", "")
            .required()
            .with(Schema::Ref("socketId"), |consumes, names, value| {
                consumes.from = names.socket(value);
            }),
        field("output", "").with(Schema::Json(|| json!({"const": "workItems"})), check_output),
        field("as", "The name under which the current item is seen.")
            .text(|consumes, name| consumes.alias = Some(name.to_owned())),
        field("cursor", "The name of the position.")
            .text(|consumes, name| consumes.cursor = Some(name.to_owned())),
        field("done", "").with(Schema::Ref("target"), check_target),
    ],
};

const EXIT: FieldTable<Read<ExitDraft, SocketNames>> = FieldTable {
    owner: "an exit",
    about: "Where the loop turns, and where it leads when it is done.",
    fields: &[
        field("from", "").required().unread(Schema::Ref("socketId")),
        field("when", "")
            .required()
            .with(Schema::Ref("guard"), |exit, _, value| {
                exit.guard = edge::guard(value);
            }),
        field("to", "").with(Schema::Ref("target"), |exit, names, value| {
            exit.to = names.target(value);
        }),
    ],
};

const ROUTE: FieldTable<Read<ExitDraft, SocketNames>> = FieldTable {
    owner: "an exit route",
    about: "A route that is taken when the list is done.",
    fields: &[
        field("id", "A name that is unique in the loop.")
            .required()
            .text(|route, id| route.id = id.to_owned()),
        field("from", "").required().unread(Schema::Ref("socketId")),
        field("condition", "")
            .required()
            .with(Schema::Ref("guard"), |route, _, value| {
                route.guard = edge::guard(value);
            }),
        field("targetSocketId", "").required().with(
            Schema::Ref("target"),
            |route, names, value| {
                route.to = names.target(value);
            },
        ),
    ],
};

/// Reads one loop.
pub(super) fn read(names: &SocketNames, value: &DocValue<'_>) -> Option<LoopDraft> {
    if !value.object() {
        return None;
    }
    let mut region = LoopDraft {
        id: value.name().to_owned(),
        at: value.at.clone(),
        members: Vec::new(),
        members_at: value.at.at_name().member("sockets"),
        consumes: None,
        iterator: None,
        exit: None,
        exits: Vec::new(),
    };
    if let Some(value) = value.get("sockets") {
        region.members = members(names, &value);
        region.members_at = value.at;
    } else {
        let hint = "add \"sockets\": the sockets that run once for each item";
        region.members_at.error("the loop has no sockets", hint);
    }
    for field in value.fields() {
        if field.name() == "label" {
            let at = field.at.at_name_as("obsolete-field");
            at.error(
                "`label` is obsolete on a loop",
                "remove it; the loop's id is its name",
            );
        } else {
            LOOP.read_known(&mut region, names, &field);
        }
    }
    Some(region)
}

fn members(names: &SocketNames, value: &DocValue<'_>) -> Vec<SocketIndex> {
    if !value.list() {
        return Vec::new();
    }
    if value.node.items().is_empty() {
        let hint = "name the sockets that run once for each item";
        value.error("the loop has no sockets", hint);
    }
    let mut seen = HashSet::new();
    let slots = value.items().filter_map(|item| names.socket(&item));
    slots.filter(|slot| seen.insert(*slot)).collect()
}

fn consumes(names: &SocketNames, value: &DocValue<'_>) -> Option<ConsumesDraft> {
    let mut consumes = ConsumesDraft {
        at: value.at.clone(),
        from: None,
        alias: None,
        cursor: None,
    };
    if !CONSUMES.read(&mut consumes, names, value) {
        return None;
    }
    if value.get("from").is_none() {
        let at = value.at.member_as("from", "missing-endpoint");
        let hint = "add \"from\": the socket of the generator";
        at.error("it is not said which generator the loop works for", hint);
    }
    Some(consumes)
}

fn check_output(_: &mut ConsumesDraft, _: &SocketNames, value: &DocValue<'_>) {
    if let Some(given) = value.string().filter(|given| *given != "workItems") {
        let message = format!(
            "a generator produces `workItems`, not {}",
            text::quoted(given)
        );
        value.error(message, "write \"output\": \"workItems\", or remove it");
    }
}

fn exit(
    names: &SocketNames,
    members: &HashSet<SocketIndex>,
    value: &DocValue<'_>,
) -> Option<ExitDraft> {
    let mut exit = ExitDraft::new(&value.at);
    exit.to = Some(RouteTarget::End);
    if !EXIT.read(&mut exit, names, value) {
        return None;
    }
    exit.from = source(names, members, value);
    require_guard(value, "when");
    Some(exit)
}

fn routes(
    names: &SocketNames,
    members: &HashSet<SocketIndex>,
    value: &DocValue<'_>,
) -> Vec<ExitDraft> {
    if !value.list() {
        return Vec::new();
    }
    let mut routes: Vec<ExitDraft> = Vec::new();
    let mut ids: HashMap<String, usize> = HashMap::new();
    let mut taken: HashMap<(SocketIndex, RouteGuard), usize> = HashMap::new();
    for (index, item) in value.items().enumerate() {
        let Some(route) = route(names, members, &item) else {
            continue;
        };
        let first = ids.insert(route.id.clone(), index);
        if let Some(first) = first.filter(|_| !route.id.is_empty()) {
            let message = format!(
                "{} is also the id of route {first}",
                text::quoted(&route.id)
            );
            let at = item
                .get("id")
                .map_or_else(|| item.at.member("id"), |id| id.at);
            at.error(message, "give each route its own id");
        }
        let way = route.from.zip(route.guard);
        if let Some((first, (_, guard))) =
            way.and_then(|way| Some((taken.insert(way, index)?, way)))
        {
            let message = format!(
                "route {first} already leaves from there when `{}`",
                guard.as_str()
            );
            let at = item.get("condition");
            let at = at.map_or_else(|| item.at.member("condition"), |condition| condition.at);
            at.error(message, "keep one of them");
        }
        routes.push(route);
    }
    routes
}

fn route(
    names: &SocketNames,
    members: &HashSet<SocketIndex>,
    value: &DocValue<'_>,
) -> Option<ExitDraft> {
    let mut route = ExitDraft::new(&value.at);
    if !ROUTE.read(&mut route, names, value) {
        return None;
    }
    route.from = source(names, members, value);
    if value.get("id").is_none() {
        let hint = "add \"id\": a name that is unique in the loop";
        value.at.member("id").error("the route has no id", hint);
    }
    if value.get("targetSocketId").is_none() {
        let at = value.at.member_as("targetSocketId", "missing-endpoint");
        let hint = "add \"targetSocketId\": a socket, or \"end\"";
        at.error("the route leads nowhere", hint);
    }
    require_guard(value, "condition");
    Some(route)
}

/// The member that a route starts from.
fn source(
    names: &SocketNames,
    members: &HashSet<SocketIndex>,
    value: &DocValue<'_>,
) -> Option<SocketIndex> {
    let Some(from) = value.get("from") else {
        let at = value.at.member_as("from", "missing-endpoint");
        let hint = "add \"from\": a socket of the loop";
        at.error("it is not said where the loop is left", hint);
        return None;
    };
    let slot = names.socket(&from)?;
    if !members.contains(&slot) {
        let given = text::quoted(from.node.as_str().unwrap_or_default());
        let message = format!("the loop is left from {given}, which is none of its sockets");
        from.error(message, "name a socket of the loop, or add it there");
        return None;
    }
    Some(slot)
}

fn require_guard(value: &DocValue<'_>, field: &str) {
    if value.get(field).is_none() {
        let at = value.at.member_as(field, "invalid-edge-condition");
        let hint = format!("add \"{field}\": \"always\", \"satisfied\" or \"not_satisfied\"");
        at.error("it is not said when the loop is left this way", hint);
    }
}
