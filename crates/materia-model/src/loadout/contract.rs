//! How each socket's output is read: what the socket says together with what its materia says (C8).
//!
//! Owns the effective contract and the findings about the two disagreeing. A loop may still turn a
//! socket to JSON where nobody said anything. Never checks whether guards can be answered.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::draft::{Draft, Socket};
use crate::document::{Part, Path, Reader};
use crate::materia::{Assign, Materia, Parse};
use crate::text;

/// What a generator's list is read from.
const WORK_ITEMS: &str = "$.workItems";

/// How a socket's output is read, so far.
pub(super) struct Reading {
    pub(super) materia: Arc<Materia>,
    /// Text or JSON, where somebody said so.
    pub(super) parse: Option<Parse>,
    pub(super) assign: Vec<Assign>,
}

impl Reading {
    pub(super) fn parse(&self) -> Parse {
        self.parse.unwrap_or(Parse::Text)
    }
}

/// The materia that sockets can hold; a broken one is known and has no definition.
pub(super) type Shelf<'s> = BTreeMap<&'s str, Option<Arc<Materia>>>;

/// The readings of all sockets, in order; none where the materia is unknown or broken.
pub(super) fn readings(
    reader: &mut Reader,
    draft: &Draft<'_>,
    shelf: &Shelf<'_>,
    path: &Path<'_>,
) -> Vec<Option<Reading>> {
    let path = path.member("sockets");
    let mut told_broken: Vec<&str> = Vec::new();
    let mut read = Vec::with_capacity(draft.sockets.len());
    for socket in &draft.sockets {
        let path = path.member(socket.id.as_str());
        let found = socket
            .materia
            .and_then(|named| match shelf.get(named.text) {
                Some(Some(materia)) => Some(Arc::clone(materia)),
                Some(None) => {
                    if !told_broken.contains(&named.text) && told_broken.len() < 100 {
                        told_broken.push(named.text);
                        broken(reader, named.text, named.at, &path.member("materia"));
                    }
                    None
                }
                None => {
                    unknown(reader, named.text, shelf, named.at, &path.member("materia"));
                    None
                }
            });
        read.push(found.map(|materia| reading(reader, socket, materia, &path)));
    }
    read
}

fn broken(reader: &mut Reader, name: &str, at: Part<'_>, path: &Path<'_>) {
    let message = format!("the materia {} has errors of its own", text::quoted(name));
    reader.error(
        at.spot(),
        path,
        "invalid-materia",
        message,
        "correct its definition",
    );
}

fn unknown(reader: &mut Reader, name: &str, shelf: &Shelf<'_>, at: Part<'_>, path: &Path<'_>) {
    let message = format!("there is no materia {}", text::quoted(name));
    let near = reader
        .has_room()
        .then(|| text::closest(name, shelf.keys().copied().take(1000)))
        .flatten();
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => "define it under `materia`".to_owned(),
    };
    reader.error(at.spot(), path, "unknown-materia", message, hint);
}

fn reading(
    reader: &mut Reader,
    socket: &Socket<'_>,
    materia: Arc<Materia>,
    path: &Path<'_>,
) -> Reading {
    let utility = materia.utility().is_some();
    if utility && !materia.generator {
        agree_on_parse(reader, socket, &materia, path);
    }
    if utility {
        agree_on_assign(reader, socket, &materia, path);
    }
    let mut parse = match materia.parse {
        Some(own) if utility => Some(own),
        own => socket.parse.map(|(parse, _)| parse).or(own),
    };
    let mut assign = match &socket.assign {
        Some((assign, _)) if !utility => assign.clone(),
        _ => materia.assign.clone(),
    };
    if materia.generator {
        generator(reader, socket, &mut assign, path);
        parse = Some(Parse::Json);
    }
    Reading {
        materia,
        parse,
        assign,
    }
}

/// A utility's socket may repeat what the materia says, and fill in a `parse` that it leaves open.
fn agree_on_parse(reader: &mut Reader, socket: &Socket<'_>, materia: &Materia, path: &Path<'_>) {
    let (Some((given, at)), Some(own)) = (socket.parse, materia.parse) else {
        return;
    };
    if given != own {
        let message = format!(
            "`parse` is {} on the socket {} and {} on its utility",
            given.as_str(),
            socket.id,
            own.as_str()
        );
        let hint = format!(
            "remove it here; it belongs on the materia {}",
            text::quoted(&materia.id)
        );
        reader.error(
            at.spot(),
            &path.member("parse"),
            "misplaced-field",
            message,
            hint,
        );
    }
}

fn agree_on_assign(reader: &mut Reader, socket: &Socket<'_>, materia: &Materia, path: &Path<'_>) {
    let Some((given, at)) = &socket.assign else {
        return;
    };
    let implied = |copy: &Assign| {
        materia.generator && copy.target == "workItems" && copy.source == WORK_ITEMS
    };
    let strange = given
        .iter()
        .any(|copy| !materia.assign.contains(copy) && !implied(copy));
    let missing = materia
        .assign
        .iter()
        .any(|copy| !given.contains(copy) && !implied(copy));
    if strange || missing {
        let message = format!(
            "`assign` on the socket {} is not that of its utility",
            socket.id
        );
        let hint = format!(
            "move it to the materia {}; utilities own it",
            text::quoted(&materia.id)
        );
        reader.error(
            at.spot(),
            &path.member("assign"),
            "misplaced-field",
            message,
            hint,
        );
    }
}

/// A generator's output is JSON with `workItems`, whatever the socket says.
fn generator(reader: &mut Reader, socket: &Socket<'_>, assign: &mut Vec<Assign>, path: &Path<'_>) {
    if let Some((Parse::Text, at)) = socket.parse {
        let message = format!(
            "the socket {} holds a generator, whose output is JSON",
            socket.id
        );
        let hint = "remove `parse`, or write \"json\"";
        reader.error(
            at.spot(),
            &path.member("parse"),
            "misplaced-field",
            message,
            hint,
        );
    }
    match assign.iter().find(|copy| copy.target == "workItems") {
        Some(copy) if copy.source != WORK_ITEMS => {
            let path = path.member("assign");
            let at = socket
                .assign
                .as_ref()
                .map_or_else(|| socket.at.spot(), |(_, at)| at.spot());
            let message = format!(
                "a generator's `workItems` come from `{WORK_ITEMS}`, not {}",
                text::quoted(&copy.source)
            );
            reader.error(
                at,
                &path.member("workItems"),
                "misplaced-field",
                message,
                "remove it; it is implied",
            );
        }
        Some(_) => {}
        None => assign.push(Assign {
            target: "workItems".to_owned(),
            source: WORK_ITEMS.to_owned(),
        }),
    }
}
