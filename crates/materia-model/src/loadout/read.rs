//! Reading one loadout from its merged fields.
//!
//! Owns the fields of a loadout, its entry, and what an editor keeps about the picture. Each
//! loadout is read on its own, so that a broken one never disables another (C13). Never looks a
//! materia up and derives nothing.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::draft::{Draft, Loop, Names, Socket};
use super::graph::Slot;
use super::{loops, socket};
use crate::document::{Content, Field, Part, Path, Reader, Spot};
use crate::materia;
use crate::name::SocketId;
use crate::text;

/// The code of a loadout that is not shaped as it should be.
pub(super) const INVALID: &str = "invalid-loadout";

/// How many loops may be around one socket.
const MAX_AROUND: usize = 16;

pub(super) const FIELDS: &[&str] = &[
    "id",
    "source",
    "lockState",
    "originDefaultId",
    "description",
    "entry",
    "sockets",
    "loops",
    "layout",
];

/// Reads the loadout `name`; `at` is where its name stands.
pub(super) fn read<'a>(
    reader: &mut Reader,
    name: &'a str,
    fields: &[Field<'a>],
    at: Spot<'a>,
    path: &Path<'_>,
) -> Draft<'a> {
    let get = |wanted: &str| {
        fields
            .iter()
            .find(|field| field.name() == wanted)
            .map(|field| field.value())
    };
    for field in fields {
        check_field(reader, *field, &path.member(field.name()));
    }
    let (names, sockets) = match get("sockets") {
        Some(value) => sockets(reader, value, &path.member("sockets")),
        None => {
            no_sockets(reader, at, path);
            (Names::new(Vec::new()), Vec::new())
        }
    };
    let entry = match get("entry") {
        Some(value) => names.socket(reader, value, &path.member("entry")),
        None => (!sockets.is_empty()).then_some(Slot(0)),
    };
    let loops = get("loops").map(|value| loops_of(reader, &names, value, &path.member("loops")));
    let layout = layout(&names, &sockets, get("layout"));
    Draft {
        name,
        entry,
        sockets,
        loops: loops.unwrap_or_default(),
        layout,
    }
}

fn check_field(reader: &mut Reader, field: Field<'_>, path: &Path<'_>) {
    match field.name() {
        "lockState" => {
            materia::lock_state(reader, field.value(), path, INVALID);
        }
        "id" | "source" | "originDefaultId" | "description" => {
            reader.string(field.value(), path, INVALID);
        }
        "prompt" | "systemPrompt" => {
            let message = format!("{} is obsolete on a loadout", text::quoted(field.name()));
            reader.error(
                field.spot(),
                path,
                "obsolete-field",
                message,
                "write `prompt` on a materia",
            );
        }
        name if FIELDS.contains(&name) => {}
        _ => reader.unknown(field, path, "a loadout", FIELDS),
    }
}

fn no_sockets(reader: &mut Reader, at: Spot<'_>, path: &Path<'_>) {
    let hint = "add \"sockets\": {\"Socket-1\": {\"materia\": …}}";
    reader.error(
        at,
        &path.member("sockets"),
        "missing-endpoint",
        "the loadout has no sockets",
        hint,
    );
}

fn sockets<'a>(
    reader: &mut Reader,
    value: Part<'a>,
    path: &Path<'_>,
) -> (Names<'a>, Vec<Socket<'a>>) {
    let mut placed: Vec<(SocketId, Field<'a>)> = Vec::new();
    if reader.object(value, path, INVALID) {
        for field in value.fields() {
            match field.name().parse::<SocketId>() {
                Ok(id) => placed.push((id, field)),
                Err(error) => {
                    let path = path.member(field.name());
                    reader.error(
                        field.spot(),
                        &path,
                        "invalid-socket-id",
                        error.to_string(),
                        error.hint(),
                    );
                }
            }
        }
        if value.node.members().is_empty() {
            let hint = "write {\"Socket-1\": {\"materia\": …}}";
            reader.error(
                value.spot(),
                path,
                "missing-endpoint",
                "the loadout has no sockets",
                hint,
            );
        }
    }
    let names = Names::new(placed.iter().map(|(_, field)| field.name()).collect());
    let read = placed.into_iter().map(|(id, field)| {
        let path = path.member(field.name());
        socket::socket(reader, &names, id, field, &path)
    });
    let read = read.collect();
    (names, read)
}

fn loops_of<'a>(
    reader: &mut Reader,
    names: &Names<'_>,
    value: Part<'a>,
    path: &Path<'_>,
) -> Vec<Loop<'a>> {
    if !reader.object(value, path, loops::INVALID) {
        return Vec::new();
    }
    let mut read: Vec<Loop<'a>> = Vec::new();
    let mut around: HashMap<Slot, usize> = HashMap::new();
    for field in value.fields() {
        let path = path.member(field.name());
        let Some(mut region) = loops::read(reader, names, field, &path) else {
            continue;
        };
        let before = region.members.len();
        region.members.retain(|member| {
            let loops = around.entry(*member).or_default();
            *loops += 1;
            *loops <= MAX_AROUND
        });
        if region.members.len() < before {
            let message = format!("a socket is in more than {MAX_AROUND} loops");
            reader.error(
                region.spot(),
                &path.member("sockets"),
                loops::INVALID,
                message,
                "merge the loops",
            );
        }
        read.push(region);
    }
    read
}

/// The picture an editor keeps: positions of sockets that exist, those on sockets moved to where
/// they belong.
fn layout(names: &Names<'_>, sockets: &[Socket<'_>], layout: Option<Part<'_>>) -> Value {
    let mut positions = Map::new();
    let own = sockets
        .iter()
        .filter_map(|socket| Some((socket.id.as_str(), socket.at.value().get("layout")?)));
    let kept = layout.and_then(|layout| layout.get("sockets"));
    let kept = kept
        .into_iter()
        .flat_map(|kept| kept.fields().map(|field| (field.name(), field.value())));
    for (id, value) in own.chain(kept.filter(|(id, _)| names.get(id).is_some())) {
        let axis = |name: &str| {
            let number = value
                .get(name)
                .filter(|axis| matches!(axis.node.content, Content::Number(_)))?;
            Some((name.to_owned(), number.node.to_value()))
        };
        let position: Map<_, _> = ["x", "y"].into_iter().filter_map(axis).collect();
        if !position.is_empty() {
            positions.insert(id.to_owned(), Value::Object(position));
        }
    }
    Value::Object(positions)
}
