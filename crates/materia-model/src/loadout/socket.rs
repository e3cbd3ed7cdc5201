//! Reads sockets: placements of materia, with the fields of the placement.
//!
//! Owns the fields of a socket, the replacements of obsolete ones, and that behaviour belongs on
//! the materia (C8). Never looks a materia up.

use serde_json::{Map, Value, json};

use super::draft::{AdvanceDraft, IterationDraft, SocketDraft, SocketNames, TextDraft};
use super::edge;
use crate::document::{DocValue, FieldTable, JsonContent, Location, Read, Schema, field};
use crate::materia;
use crate::name::SocketId;
use crate::text;

pub(super) const SOCKET: FieldTable<Read<SocketDraft, SocketNames>> = FieldTable {
    owner: "a socket",
    about: "One placement of a materia.",
    fields: &[
        field("materia", "The name of a definition.")
            .required()
            .with(Schema::String, |socket, _, value| {
                socket.materia = TextDraft::read(&value.with_code("unknown-materia"));
            }),
        field("parse", "").with(Schema::Ref("parse"), |socket, _, value| {
            socket.parse = materia::parse(value).map(|parse| (parse, value.at.clone()));
        }),
        field("assign", "").with(Schema::Ref("assign"), |socket, _, value| {
            socket.assign = Some((materia::assign(value), value.at.clone()));
        }),
        field(
            "edges",
            "Where it leads, in order: the first that matches is taken; none ends the cast.",
        )
        .with(
            Schema::List(&Schema::Ref("edge")),
            |socket, names, value| {
                socket.edges = edge::edges(names, value);
                socket.edges_at = Some(value.at.clone());
            },
        ),
        field("foreach", "").with(Schema::Ref("foreach"), |socket, names, value| {
            socket.iteration = iteration(names, value);
        }),
        field("advance", "").with(Schema::Ref("advance"), |socket, names, value| {
            socket.advance = advance(names, value);
        }),
        field("limits", "").with(
            Schema::Json(|| json!({"type": "object", "properties": LIMITS.properties()})),
            |socket, _, value| {
                LIMITS.read(socket, &(), value);
            },
        ),
        field("socketKind", "Derived; not read.").unread(Schema::Enum(&["entry", "normal"])),
        field("empty", "").unread(Schema::Boolean),
        field("layout", "").with(Schema::Object, |socket, _, value| {
            socket.position = position(value);
        }),
    ],
};

/// The fields of `foreach` and of a loop's `iterator`.
pub(super) const ITERATION: FieldTable<Read<IterationDraft, SocketNames>> = FieldTable {
    owner: "an iteration",
    about: "The list that is worked through, one item at a time.",
    fields: &[
        field("items", "The path of the list, such as `state.workItems`.")
            .required()
            .text(|iteration, path| iteration.items = path.to_owned()),
        field("as", "The name under which the current item is seen.")
            .text(|iteration, name| iteration.alias = Some(name.to_owned())),
        field("cursor", "The name of the position.")
            .text(|iteration, name| iteration.cursor = Some(name.to_owned())),
        field("done", "").with(Schema::Ref("target"), check_target),
    ],
};

pub(super) const ADVANCE: FieldTable<Read<AdvanceDraft, SocketNames>> = FieldTable {
    owner: "an `advance`",
    about: "Moves to the next item when the socket is done.",
    fields: &[
        field("cursor", "The position that moves.").with(Schema::String, |advance, _, value| {
            advance.cursor = TextDraft::read(value);
        }),
        field("items", "The path of the list whose end is looked for.").with(
            Schema::String,
            |advance, _, value| {
                advance.items = TextDraft::read(value);
            },
        ),
        field("when", "").with(Schema::Ref("guard"), |advance, _, value| {
            advance.when = edge::guard(value);
            advance.when_at = Some(value.at.clone());
        }),
        field("done", "").with(Schema::Ref("target"), check_target),
    ],
};

const LIMITS: FieldTable<Read<SocketDraft>> = FieldTable {
    owner: "the limits of a socket",
    about: "",
    fields: &[
        field("maxVisits", "").count(1, |socket, count| socket.max_visits = Some(count)),
        field("maxEdgeTraversals", "").with(Schema::Hidden, |_, (), value| {
            let message = "`maxEdgeTraversals` has no effect on a socket";
            misplaced(value).warn(message, "write `maxTraversals` on the edge");
        }),
        field("maxOutputBytes", "").with(Schema::Hidden, |_, (), value| {
            let message = "`maxOutputBytes` has no effect; output is bounded everywhere";
            misplaced(value).warn(message, "remove it");
        }),
    ],
};

/// Fields of a materia that users write on a socket by mistake.
const MATERIA_FIELDS: [&str; 4] = ["generator", "interrupted", "secret", "utility"];

/// Obsolete fields, with their replacements.
const OBSOLETE: [(&str, &str); 4] = [
    ("type", "remove it; the materia says what it is"),
    ("role", "write \"materia\": the name of a definition"),
    ("prompt", "write it on the materia"),
    ("systemPrompt", "write `prompt` on the materia"),
];

/// Reads the socket `id`.
pub(super) fn socket(names: &SocketNames, id: SocketId, value: &DocValue<'_>) -> SocketDraft {
    let mut socket = SocketDraft {
        id,
        at: value.at.clone(),
        materia: None,
        parse: None,
        assign: None,
        edges: Vec::new(),
        edges_at: None,
        iteration: None,
        advance: None,
        max_visits: None,
        position: Map::new(),
    };
    if !value.object() {
        return socket;
    }
    for field in value.fields() {
        if !SOCKET.read_field(&mut socket, names, &field) {
            report_foreign_field(&socket, &field);
        }
    }
    if value.get("materia").is_none() {
        let at = value.at.at_name().member_as("materia", "unknown-materia");
        let id = text::quoted(socket.id.as_str());
        let hint = "add \"materia\": the name of a definition";
        at.error(format!("the socket {id} holds no materia"), hint);
    }
    socket
}

/// Reads a `foreach` or an `iterator`.
pub(super) fn iteration(names: &SocketNames, value: &DocValue<'_>) -> Option<IterationDraft> {
    let mut iteration = IterationDraft::default();
    if !ITERATION.read(&mut iteration, names, value) {
        return None;
    }
    if value.get("items").is_none() {
        let hint = "add \"items\": the path of a list, such as \"state.workItems\"";
        let at = value.at.member("items");
        at.error("it is not said which list is worked through", hint);
    }
    (!iteration.items.is_empty()).then_some(iteration)
}

fn advance(names: &SocketNames, value: &DocValue<'_>) -> Option<AdvanceDraft> {
    let mut advance = AdvanceDraft {
        at: value.at.clone(),
        cursor: None,
        items: None,
        when: None,
        when_at: None,
    };
    ADVANCE.read(&mut advance, names, value).then_some(advance)
}

/// Checks a target without using it: exits route when a list is exhausted.
pub(super) fn check_target<T>(_: &mut T, names: &SocketNames, value: &DocValue<'_>) {
    names.target(value);
}

/// The `x` and `y` of a position in an editor.
pub(super) fn position(value: &DocValue<'_>) -> Map<String, Value> {
    let axis = |name: &str| {
        let axis = value.get(name)?;
        let number = matches!(axis.node.content, JsonContent::Number(_));
        number.then(|| (name.to_owned(), axis.node.to_value()))
    };
    ["x", "y"].into_iter().filter_map(axis).collect()
}

/// Reports a field that no socket has.
fn report_foreign_field(socket: &SocketDraft, value: &DocValue<'_>) {
    let name = value.name();
    let quoted = text::quoted(name);
    let obsolete = OBSOLETE.iter().find(|(old, _)| *old == name);
    if let Some((_, instead)) = obsolete {
        let message = format!("{quoted} is obsolete on the socket {}", socket.id);
        value
            .at
            .at_name_as("obsolete-field")
            .error(message, *instead);
    } else if materia::is_kind_field(name) || MATERIA_FIELDS.contains(&name) {
        let message = format!(
            "{quoted} belongs on the materia, not on the socket {}",
            socket.id
        );
        let hint = match &socket.materia {
            Some(materia) => format!("move it to the materia {}", text::quoted(&materia.text)),
            None => "move it to the materia".to_owned(),
        };
        misplaced(value).error(message, hint);
    } else if name == "next" {
        let hint = "write \"edges\": [{\"when\": \"always\", \"to\": …}]";
        let at = value.at.at_name_as("unknown-field");
        at.warn("a socket has no field `next`", hint);
    } else {
        value.unknown(SOCKET.owner, SOCKET.names());
    }
}

fn misplaced(value: &DocValue<'_>) -> Location {
    value.at.at_name_as("misplaced-field")
}
