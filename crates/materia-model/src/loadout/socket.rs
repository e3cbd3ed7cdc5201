//! Reading sockets: placements of materia, with what is said about this placement.
//!
//! Owns the fields of a socket, what obsolete ones are called today, and that behaviour belongs on
//! the materia (C8). Never looks a materia up.

use super::draft::{Advance, Each, Names, Socket, Text};
use super::edge;
use super::read::INVALID;
use crate::document::{Field, Part, Path, Reader};
use crate::materia::{self, AGENT_FIELDS, RUN_FIELDS, UTILITY_FIELDS};
use crate::name::SocketId;
use crate::text;

pub(super) const FIELDS: &[&str] = &[
    "materia",
    "parse",
    "assign",
    "edges",
    "foreach",
    "advance",
    "limits",
    "socketKind",
    "empty",
    "layout",
];
const EACH_FIELDS: &[&str] = &["items", "as", "cursor", "done"];
const ADVANCE_FIELDS: &[&str] = &["cursor", "items", "when", "done"];
const LIMIT_FIELDS: &[&str] = &["maxVisits", "maxEdgeTraversals", "maxOutputBytes"];
/// Fields of a materia that people write on a socket, besides those of one kind.
const MATERIA_FIELDS: &[&str] = &["generator", "interrupted", "secret", "utility"];

/// Fields that had a meaning once, with what to write today.
const OBSOLETE: &[(&str, &str)] = &[
    ("type", "remove it; the materia says what it is"),
    ("role", "write \"materia\": the name of a definition"),
    ("prompt", "write it on the materia"),
    ("systemPrompt", "write `prompt` on the materia"),
];

/// Reads the socket `id`.
pub(super) fn socket<'a>(
    reader: &mut Reader,
    names: &Names<'_>,
    id: SocketId,
    at: Field<'a>,
    path: &Path<'_>,
) -> Socket<'a> {
    let mut socket = Socket {
        id,
        at,
        materia: None,
        parse: None,
        assign: None,
        edges: Vec::new(),
        edges_at: None,
        each: None,
        advance: None,
        max_visits: None,
    };
    if !reader.object(at.value(), path, INVALID) {
        return socket;
    }
    let mut named = false;
    for field in at.value().fields() {
        named |= field.name() == "materia";
        member(
            reader,
            names,
            &mut socket,
            field,
            &path.member(field.name()),
        );
    }
    if !named {
        let message = format!(
            "the socket {} holds no materia",
            text::quoted(socket.id.as_str())
        );
        let hint = "add \"materia\": the name of a definition";
        reader.error(
            at.spot(),
            &path.member("materia"),
            "unknown-materia",
            message,
            hint,
        );
    }
    socket
}

fn member<'a>(
    reader: &mut Reader,
    names: &Names<'_>,
    socket: &mut Socket<'a>,
    field: Field<'a>,
    path: &Path<'_>,
) {
    let value = field.value();
    match field.name() {
        "materia" => {
            let name = reader.words(value, path, "unknown-materia");
            socket.materia = name.map(|text| Text { text, at: value });
        }
        "parse" => {
            socket.parse = materia::parse(reader, value, path, INVALID).map(|parse| (parse, value));
        }
        "assign" => socket.assign = Some((materia::assign(reader, value, path, INVALID), value)),
        "edges" => {
            socket.edges = edge::edges(reader, names, value, path);
            socket.edges_at = Some(value);
        }
        "foreach" => socket.each = each(reader, names, value, path, INVALID),
        "advance" => socket.advance = advance(reader, names, value, path),
        "limits" => socket.max_visits = limits(reader, value, path),
        "socketKind" | "empty" | "layout" => {}
        _ => stray(reader, socket, field, path),
    }
}

/// Reads a `foreach` or an `iterator`.
pub(super) fn each<'a>(
    reader: &mut Reader,
    names: &Names<'_>,
    value: Part<'a>,
    path: &Path<'_>,
    code: &'static str,
) -> Option<Each<'a>> {
    if !reader.object(value, path, code) {
        return None;
    }
    let (mut items, mut alias, mut cursor) = (None, None, None);
    for field in value.fields() {
        let (value, path) = (field.value(), path.member(field.name()));
        match field.name() {
            "items" => items = Some(reader.words(value, &path, code)),
            "as" => alias = reader.words(value, &path, code),
            "cursor" => cursor = reader.words(value, &path, code),
            "done" => done(reader, names, value, &path),
            _ => reader.unknown(field, &path, "an iteration", EACH_FIELDS),
        }
    }
    let Some(items) = items else {
        let hint = "add \"items\": the path of a list, such as \"state.workItems\"";
        reader.error(
            value.spot(),
            &path.member("items"),
            code,
            "it is not said which list is worked through",
            hint,
        );
        return None;
    };
    Some(Each {
        items: items?,
        alias,
        cursor,
    })
}

/// A target that is checked and has no effect: exits route when a list is done.
pub(super) fn done(reader: &mut Reader, names: &Names<'_>, value: Part<'_>, path: &Path<'_>) {
    names.target(reader, value, path);
}

fn advance<'a>(
    reader: &mut Reader,
    names: &Names<'_>,
    value: Part<'a>,
    path: &Path<'_>,
) -> Option<Advance<'a>> {
    if !reader.object(value, path, INVALID) {
        return None;
    }
    let mut advance = Advance {
        at: value,
        cursor: None,
        items: None,
        when: None,
        when_at: None,
    };
    for field in value.fields() {
        let (value, path) = (field.value(), path.member(field.name()));
        let located = |reader: &mut Reader| {
            reader
                .words(value, &path, INVALID)
                .map(|text| Text { text, at: value })
        };
        match field.name() {
            "cursor" => advance.cursor = located(reader),
            "items" => advance.items = located(reader),
            "when" => {
                advance.when = edge::guard(reader, value, &path);
                advance.when_at = Some(value);
            }
            "done" => done(reader, names, value, &path),
            _ => reader.unknown(field, &path, "an `advance`", ADVANCE_FIELDS),
        }
    }
    Some(advance)
}

/// How often the socket may be visited.
fn limits(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Option<u64> {
    if !reader.object(value, path, INVALID) {
        return None;
    }
    let mut max_visits = None;
    for field in value.fields() {
        let path = path.member(field.name());
        match field.name() {
            "maxVisits" => max_visits = reader.count(field.value(), &path, INVALID, 1),
            "maxEdgeTraversals" => {
                let message = "`maxEdgeTraversals` has no effect on a socket";
                let hint = "write `maxTraversals` on the edge";
                reader.warn(field.spot(), &path, "misplaced-field", message, hint);
            }
            "maxOutputBytes" => {
                let message = "`maxOutputBytes` has no effect; output is bounded everywhere";
                reader.warn(field.spot(), &path, "misplaced-field", message, "remove it");
            }
            _ => reader.unknown(field, &path, "the limits of a socket", LIMIT_FIELDS),
        }
    }
    max_visits
}

/// A field that no socket has.
fn stray(reader: &mut Reader, socket: &Socket<'_>, field: Field<'_>, path: &Path<'_>) {
    let name = field.name();
    let kinds = [AGENT_FIELDS, RUN_FIELDS, UTILITY_FIELDS, MATERIA_FIELDS];
    if let Some((_, instead)) = OBSOLETE.iter().find(|(old, _)| *old == name) {
        let message = format!(
            "{} is obsolete on the socket {}",
            text::quoted(name),
            socket.id
        );
        reader.error(field.spot(), path, "obsolete-field", message, *instead);
    } else if kinds.iter().any(|fields| fields.contains(&name)) {
        let message = format!(
            "{} belongs on the materia, not on the socket {}",
            text::quoted(name),
            socket.id
        );
        let hint = match socket.materia {
            Some(materia) => format!("move it to the materia {}", text::quoted(materia.text)),
            None => "move it to the materia".to_owned(),
        };
        reader.error(field.spot(), path, "misplaced-field", message, hint);
    } else if name == "next" {
        let hint = "write \"edges\": [{\"when\": \"always\", \"to\": …}]";
        reader.warn(
            field.spot(),
            path,
            "unknown-field",
            "a socket has no field `next`",
            hint,
        );
    } else {
        reader.unknown(field, path, "a socket", FIELDS);
    }
}
