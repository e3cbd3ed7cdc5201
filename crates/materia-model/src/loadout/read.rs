//! Reads one loadout from its merged fields.
//!
//! Owns the fields of a loadout, its entry, and the layout that an editor stores. Each loadout is
//! read separately, so that a broken one never disables another (C13). Never looks a materia up and
//! derives nothing.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::draft::{LoadoutDraft, LoopDraft, SocketDraft, SocketNames};
use super::graph::SocketIndex;
use super::{loops, socket};
use crate::document::{
    DocValue, FieldTable, Location, Read, Schema, SourceMember, choices, field, ignore,
};
use crate::materia::LOCK_STATES;
use crate::name::SocketId;
use crate::text;

/// The code of a malformed loadout.
pub(super) const INVALID: &str = "invalid-loadout";

/// The maximum number of loops around one socket.
const MAX_LOOPS_AROUND: usize = 16;

/// The fields of a loadout. [`read`] reads its graph after all of them.
pub(super) const LOADOUT: FieldTable<Read<()>> = FieldTable {
    owner: "a loadout",
    about: "A graph of sockets with one entry.",
    fields: &[
        field("id", "A stable id.").string(ignore),
        field("source", "").with(
            Schema::Enum(&["default", "user", "project", "explicit"]),
            |(), (), value| {
                value.string();
            },
        ),
        field("lockState", "Whether editors may change it.").with(
            Schema::Json(|| choices(LOCK_STATES)),
            |(), (), value| {
                value.choice(LOCK_STATES);
            },
        ),
        field("originDefaultId", "The shipped loadout it was copied from.").string(ignore),
        field("description", "What it is for.").string(ignore),
        field("entry", "").unread(Schema::Ref("socketId")),
        field("sockets", "Placements of materia by id.").unread(Schema::Json(|| {
            json!({
                "type": "object", "minProperties": 1,
                "propertyNames": {"$ref": "#/$defs/socketId"},
                "additionalProperties": {"$ref": "#/$defs/socket"},
            })
        })),
        field("loops", "Regions that work through a list, by id.").unread(Schema::Json(
            || json!({"type": "object", "additionalProperties": {"$ref": "#/$defs/loop"}}),
        )),
        field("layout", "Kept for editors, not interpreted.").unread(Schema::Object),
    ],
};

/// Reads a loadout from its merged fields; `at` is its definition.
pub(super) fn read(fields: &[SourceMember<'_>], at: &Location) -> LoadoutDraft {
    let mut given: HashMap<&str, DocValue<'_>> = HashMap::new();
    for field in fields {
        let value = at.value_of(*field);
        read_field(&value);
        given.insert(field.name(), value);
    }
    let (names, sockets) = match given.get("sockets") {
        Some(value) => sockets(value),
        None => {
            let hint = "add \"sockets\": {\"Socket-1\": {\"materia\": …}}";
            report_no_sockets(&at.at_name().member("sockets"), hint);
            (SocketNames::new(Vec::new()), Vec::new())
        }
    };
    let entry = match given.get("entry") {
        Some(value) => names.socket(value),
        None => (!sockets.is_empty()).then_some(SocketIndex(0)),
    };
    let loops = given.get("loops").map(|value| loops_of(&names, value));
    let layout = layout(&names, &sockets, given.get("layout"));
    LoadoutDraft {
        name: at.path.last().to_owned(),
        at: at.clone(),
        entry,
        sockets,
        loops: loops.unwrap_or_default(),
        layout,
    }
}

fn read_field(value: &DocValue<'_>) {
    if matches!(value.name(), "prompt" | "systemPrompt") {
        let message = format!("{} is obsolete on a loadout", text::quoted(value.name()));
        let at = value.at.at_name_as("obsolete-field");
        at.error(message, "write `prompt` on a materia");
    } else {
        LOADOUT.read_known(&mut (), &(), value);
    }
}

fn report_no_sockets(at: &Location, hint: &str) {
    at.with_code("missing-endpoint")
        .error("the loadout has no sockets", hint);
}

fn sockets(value: &DocValue<'_>) -> (SocketNames, Vec<SocketDraft>) {
    let mut placed: Vec<(SocketId, DocValue<'_>)> = Vec::new();
    if value.object() {
        for field in value.fields() {
            match field.name().parse::<SocketId>() {
                Ok(id) => placed.push((id, field)),
                Err(error) => {
                    let at = field.at.at_name_as("invalid-socket-id");
                    at.error(error.to_string(), error.hint());
                }
            }
        }
        if value.node.members().is_empty() {
            report_no_sockets(&value.at, "write {\"Socket-1\": {\"materia\": …}}");
        }
    }
    let names = placed.iter().map(|(_, field)| field.name().to_owned());
    let names = SocketNames::new(names.collect());
    let sockets = placed
        .into_iter()
        .map(|(id, value)| socket::socket(&names, id, &value));
    let sockets = sockets.collect();
    (names, sockets)
}

fn loops_of(names: &SocketNames, value: &DocValue<'_>) -> Vec<LoopDraft> {
    let value = value.with_code(loops::INVALID);
    if !value.object() {
        return Vec::new();
    }
    let mut read: Vec<LoopDraft> = Vec::new();
    let mut around: HashMap<SocketIndex, usize> = HashMap::new();
    for field in value.fields() {
        let Some(mut region) = loops::read(names, &field) else {
            continue;
        };
        let before = region.members.len();
        region.members.retain(|member| {
            let loops = around.entry(*member).or_default();
            *loops += 1;
            *loops <= MAX_LOOPS_AROUND
        });
        if region.members.len() < before {
            let message = format!("a socket is in more than {MAX_LOOPS_AROUND} loops");
            region.members_at.error(message, "merge the loops");
        }
        read.push(region);
    }
    read
}

/// The positions that an editor stores, of existing sockets. A position on a socket is moved here;
/// one that is already here wins.
fn layout(names: &SocketNames, sockets: &[SocketDraft], layout: Option<&DocValue<'_>>) -> Value {
    let own = sockets
        .iter()
        .map(|socket| (socket.id.to_string(), socket.position.clone()));
    let kept = layout.and_then(|layout| layout.get("sockets"));
    let kept: Vec<_> = kept.iter().flat_map(DocValue::fields).collect();
    let kept = kept
        .iter()
        .filter(|value| names.get(value.name()).is_some());
    let kept = kept.map(|value| (value.name().to_owned(), socket::position(value)));
    let positions = own.chain(kept).filter(|(_, position)| !position.is_empty());
    Value::Object(
        positions
            .map(|(id, position)| (id, position.into()))
            .collect(),
    )
}
