//! Reading loops: their members, the list they work through and the routes that leave them.
//!
//! Owns the shape of a loop and the checks that need only its own fields. What follows from them
//! (iterators, advances, exit routes) is derived in `region`.

use std::collections::{HashMap, HashSet};

use super::draft::{Consumes, Exit, Loop, Names};
use super::graph::{Guard, Slot, Target};
use super::{edge, socket};
use crate::document::{Field, Part, Path, Reader};
use crate::text;

/// The code of a loop that is not shaped as it should be.
pub(super) const INVALID: &str = "invalid-loop";

const FIELDS: &[&str] = &["sockets", "consumes", "iterator", "exit", "exits"];
const CONSUMES_FIELDS: &[&str] = &["from", "output", "as", "cursor", "done"];
const EXIT_FIELDS: &[&str] = &["from", "when", "to"];
const ROUTE_FIELDS: &[&str] = &["id", "from", "condition", "targetSocketId"];

/// Reads one loop.
pub(super) fn read<'a>(
    reader: &mut Reader,
    names: &Names<'_>,
    at: Field<'a>,
    path: &Path<'_>,
) -> Option<Loop<'a>> {
    if !reader.object(at.value(), path, INVALID) {
        return None;
    }
    let mut region = Loop {
        id: at.name(),
        at,
        members: Vec::new(),
        members_at: None,
        consumes: None,
        iterator: None,
        exit: None,
        exits: Vec::new(),
    };
    if let Some(value) = at.value().get("sockets") {
        region.members = members(reader, names, value, &path.member("sockets"));
        region.members_at = Some(value);
    } else {
        let hint = "add \"sockets\": the sockets that run once for each item";
        reader.error(
            at.spot(),
            &path.member("sockets"),
            INVALID,
            "the loop has no sockets",
            hint,
        );
    }
    let inside: HashSet<Slot> = region.members.iter().copied().collect();
    for field in at.value().fields() {
        let (value, path) = (field.value(), path.member(field.name()));
        match field.name() {
            "sockets" => {}
            "consumes" => region.consumes = consumes(reader, names, value, &path),
            "iterator" => region.iterator = socket::each(reader, names, value, &path, INVALID),
            "exit" => region.exit = exit(reader, names, &inside, value, &path),
            "exits" => region.exits = exits(reader, names, &inside, value, &path),
            "label" => {
                let message = "`label` is obsolete on a loop";
                let hint = "remove it; the loop's id is its name";
                reader.error(field.spot(), &path, "obsolete-field", message, hint);
            }
            _ => reader.unknown(field, &path, "a loop", FIELDS),
        }
    }
    Some(region)
}

fn members(reader: &mut Reader, names: &Names<'_>, value: Part<'_>, path: &Path<'_>) -> Vec<Slot> {
    if !reader.list(value, path, INVALID) {
        return Vec::new();
    }
    if value.node.items().is_empty() {
        let hint = "name the sockets that run once for each item";
        reader.error(value.spot(), path, INVALID, "the loop has no sockets", hint);
    }
    let mut members = Vec::new();
    let mut seen = HashSet::new();
    for (index, item) in value.items().enumerate() {
        let slot = names.socket(reader, item, &path.index(index));
        members.extend(slot.filter(|slot| seen.insert(*slot)));
    }
    members
}

fn consumes<'a>(
    reader: &mut Reader,
    names: &Names<'_>,
    value: Part<'a>,
    path: &Path<'_>,
) -> Option<Consumes<'a>> {
    if !reader.object(value, path, INVALID) {
        return None;
    }
    let mut consumes = Consumes {
        at: value,
        from: None,
        alias: None,
        cursor: None,
    };
    let mut has_source = false;
    for field in value.fields() {
        let (value, path) = (field.value(), path.member(field.name()));
        match field.name() {
            "from" => {
                has_source = true;
                consumes.from = names.socket(reader, value, &path);
            }
            "output" => output(reader, value, &path),
            "as" => consumes.alias = reader.words(value, &path, INVALID),
            "cursor" => consumes.cursor = reader.words(value, &path, INVALID),
            "done" => socket::done(reader, names, value, &path),
            _ => reader.unknown(field, &path, "`consumes`", CONSUMES_FIELDS),
        }
    }
    if !has_source {
        let hint = "add \"from\": the socket of the generator";
        let message = "it is not said which generator the loop works for";
        reader.error(
            value.spot(),
            &path.member("from"),
            "missing-endpoint",
            message,
            hint,
        );
    }
    Some(consumes)
}

fn output(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) {
    let given = reader.string(value, path, INVALID);
    if let Some(given) = given.filter(|given| *given != "workItems") {
        let message = format!(
            "a generator produces `workItems`, not {}",
            text::quoted(given)
        );
        reader.error(
            value.spot(),
            path,
            INVALID,
            message,
            "write \"output\": \"workItems\", or remove it",
        );
    }
}

fn exit<'a>(
    reader: &mut Reader,
    names: &Names<'_>,
    inside: &HashSet<Slot>,
    value: Part<'a>,
    path: &Path<'_>,
) -> Option<Exit<'a>> {
    if !reader.object(value, path, INVALID) {
        return None;
    }
    let mut exit = Exit {
        at: value,
        id: "",
        from: None,
        guard: None,
        to: Some(Target::End),
    };
    for field in value.fields() {
        let path = path.member(field.name());
        match field.name() {
            "from" => {}
            "when" => exit.guard = edge::guard(reader, field.value(), &path),
            "to" => exit.to = names.target(reader, field.value(), &path),
            _ => reader.unknown(field, &path, "an exit", EXIT_FIELDS),
        }
    }
    exit.from = source(reader, names, inside, value, path);
    required_guard(reader, value, path, "when");
    Some(exit)
}

fn exits<'a>(
    reader: &mut Reader,
    names: &Names<'_>,
    inside: &HashSet<Slot>,
    value: Part<'a>,
    path: &Path<'_>,
) -> Vec<Exit<'a>> {
    if !reader.list(value, path, INVALID) {
        return Vec::new();
    }
    let mut routes = Vec::new();
    let mut ids: HashMap<&str, usize> = HashMap::new();
    let mut taken: HashMap<(Slot, Guard), usize> = HashMap::new();
    for (index, item) in value.items().enumerate() {
        let path = path.index(index);
        let Some(exit) = route(reader, names, inside, item, &path) else {
            continue;
        };
        if let Some(first) = ids.insert(exit.id, index).filter(|_| !exit.id.is_empty()) {
            let message = format!("{} is also the id of route {first}", text::quoted(exit.id));
            let at = item.get("id").unwrap_or(item).spot();
            reader.error(
                at,
                &path.member("id"),
                INVALID,
                message,
                "give each route its own id",
            );
        }
        let way = exit.from.zip(exit.guard);
        if let Some(first) = way.and_then(|way| taken.insert(way, index)) {
            let guard = exit.guard.map_or("always", Guard::as_str);
            let message = format!("route {first} already leaves from there when `{guard}`");
            let at = item.get("condition").unwrap_or(item).spot();
            reader.error(
                at,
                &path.member("condition"),
                INVALID,
                message,
                "keep one of them",
            );
        }
        routes.push(exit);
    }
    routes
}

fn route<'a>(
    reader: &mut Reader,
    names: &Names<'_>,
    inside: &HashSet<Slot>,
    value: Part<'a>,
    path: &Path<'_>,
) -> Option<Exit<'a>> {
    if !reader.object(value, path, INVALID) {
        return None;
    }
    let mut exit = Exit {
        at: value,
        id: "",
        from: None,
        guard: None,
        to: None,
    };
    for field in value.fields() {
        let path = path.member(field.name());
        match field.name() {
            "id" => exit.id = reader.words(field.value(), &path, INVALID).unwrap_or(""),
            "from" => {}
            "condition" => exit.guard = edge::guard(reader, field.value(), &path),
            "targetSocketId" => exit.to = names.target(reader, field.value(), &path),
            _ => reader.unknown(field, &path, "an exit route", ROUTE_FIELDS),
        }
    }
    exit.from = source(reader, names, inside, value, path);
    if value.get("id").is_none() {
        let hint = "add \"id\": a name that is unique in the loop";
        reader.error(
            value.spot(),
            &path.member("id"),
            INVALID,
            "the route has no id",
            hint,
        );
    }
    if value.get("targetSocketId").is_none() {
        let hint = "add \"targetSocketId\": a socket, or \"end\"";
        let message = "the route leads nowhere";
        reader.error(
            value.spot(),
            &path.member("targetSocketId"),
            "missing-endpoint",
            message,
            hint,
        );
    }
    required_guard(reader, value, path, "condition");
    Some(exit)
}

/// The member that a route leaves from.
fn source(
    reader: &mut Reader,
    names: &Names<'_>,
    inside: &HashSet<Slot>,
    value: Part<'_>,
    path: &Path<'_>,
) -> Option<Slot> {
    let path = path.member("from");
    let Some(from) = value.get("from") else {
        let hint = "add \"from\": a socket of the loop";
        reader.error(
            value.spot(),
            &path,
            "missing-endpoint",
            "it is not said where the loop is left",
            hint,
        );
        return None;
    };
    let slot = names.socket(reader, from, &path)?;
    if !inside.contains(&slot) {
        let given = text::quoted(from.node.as_str().unwrap_or_default());
        let message = format!("the loop is left from {given}, which is none of its sockets");
        reader.error(
            from.spot(),
            &path,
            INVALID,
            message,
            "name a socket of the loop, or add it there",
        );
        return None;
    }
    Some(slot)
}

fn required_guard(reader: &mut Reader, value: Part<'_>, path: &Path<'_>, field: &str) {
    if value.get(field).is_none() {
        let hint = format!("add \"{field}\": \"always\", \"satisfied\" or \"not_satisfied\"");
        let message = "it is not said when the loop is left this way";
        reader.error(
            value.spot(),
            &path.member(field),
            "invalid-edge-condition",
            message,
            hint,
        );
    }
}
