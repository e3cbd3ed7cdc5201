//! Reading a definition: the fields both kinds share, and which kind it is.
//!
//! Owns the names of all fields, what obsolete ones are called today, and the findings about fields
//! that stand in the wrong place. The fields of one kind are read in `agent` and `utility`. Never
//! merges layers: the fields come merged, each with the file it stands in.

use super::{Assign, Interrupted, Kind, Materia, Parse, agent, utility};
use crate::document::{Content, Field, Part, Path, Reader, Spot};
use crate::text;

/// The code of a definition that is not shaped as it should be.
pub(super) const INVALID: &str = "invalid-materia";

/// Fields of every materia.
pub(super) const FIELDS: &[&str] = &[
    "type",
    "label",
    "description",
    "group",
    "color",
    "lockState",
    "parse",
    "assign",
    "generator",
    "interrupted",
    "secret",
    "timeoutMs",
];
/// Fields of an agent's role.
pub(crate) const AGENT_FIELDS: &[&str] =
    &["prompt", "tools", "model", "thinking", "multiTurn", "agent"];
/// Fields of a utility besides what it runs.
pub(crate) const UTILITY_FIELDS: &[&str] = &["params"];
/// What a utility runs: one of these, and they replace each other (C19).
pub(crate) const RUN_FIELDS: &[&str] = &["command", "script", "template", "recipe"];
/// Fields of a socket that people write on a materia.
const SOCKET_FIELDS: &[&str] = &[
    "edges",
    "foreach",
    "advance",
    "limits",
    "materia",
    "socketKind",
];

/// Fields that had a meaning once, with what to write today.
const OBSOLETE: &[(&str, &str)] = &[
    ("systemPrompt", "write `prompt`"),
    (
        "generates",
        "write \"generator\": true; the list is always `workItems`",
    ),
    (
        "utility",
        "write `command`, or `script` for a shipped utility: {\"kind\": \"shippedUtility\", \"name\": \"detect-vcs.mjs\"}",
    ),
];

/// The two kinds, before anything else is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Agent,
    Utility,
}

/// Which kind these fields make: what `type` says, else what else is there.
pub(crate) fn kind_of(fields: &[Field<'_>]) -> Option<Sort> {
    let stated = fields
        .iter()
        .find(|field| field.name() == "type")
        .and_then(|field| field.value().node.as_str());
    let has = |names: &[&str]| fields.iter().any(|field| names.contains(&field.name()));
    match stated {
        Some("agent") => Some(Sort::Agent),
        Some("utility") => Some(Sort::Utility),
        _ if has(RUN_FIELDS) || has(&["utility"]) => Some(Sort::Utility),
        _ if has(AGENT_FIELDS) => Some(Sort::Agent),
        _ => None,
    }
}

/// Reads the definition `id` from its merged fields; `at` is where its name stands.
pub(crate) fn read(
    reader: &mut Reader,
    id: &str,
    fields: &[Field<'_>],
    at: Spot<'_>,
    path: &Path<'_>,
) -> Option<Materia> {
    let before = reader.errors();
    let sort = kind_of(fields).unwrap_or(Sort::Agent);
    let mut materia = blank(id);
    let mut common = Vec::new();
    for field in fields {
        let path = path.member(field.name());
        if placed(reader, *field, &path, sort) {
            common.push(*field);
            shared(reader, &mut materia, *field, &path);
        }
    }
    let (kind, owner) = match sort {
        Sort::Agent => (
            agent::read(reader, id, &common, at, path).map(Kind::Agent),
            None,
        ),
        Sort::Utility => {
            let owner = common
                .iter()
                .find(|field| RUN_FIELDS.contains(&field.name()))
                .map(|field| field.owner);
            (
                utility::read(reader, id, &common, at, path).map(Kind::Utility),
                owner,
            )
        }
    };
    materia.owner = owner
        .or_else(|| fields.iter().map(|field| field.owner).max())
        .unwrap_or(0);
    materia.kind = kind?;
    (reader.errors() == before).then_some(materia)
}

fn blank(id: &str) -> Materia {
    let role = super::Agent {
        prompt: String::new(),
        tools: super::Tools::None,
        model: None,
        thinking: None,
        multi_turn: false,
        agent: None,
        timeout_ms: None,
    };
    Materia {
        id: id.to_owned(),
        label: None,
        description: None,
        group: None,
        color: None,
        locked: false,
        parse: None,
        assign: Vec::new(),
        generator: false,
        interrupted: Interrupted::default(),
        secret: Vec::new(),
        kind: Kind::Agent(role),
        owner: 0,
    }
}

/// Whether a field belongs here; if not, says where it does.
fn placed(reader: &mut Reader, field: Field<'_>, path: &Path<'_>, sort: Sort) -> bool {
    let name = field.name();
    let (own, other, called) = match sort {
        Sort::Agent => (
            [AGENT_FIELDS, &[]],
            [UTILITY_FIELDS, RUN_FIELDS],
            "an agent's role",
        ),
        Sort::Utility => (
            [UTILITY_FIELDS, RUN_FIELDS],
            [AGENT_FIELDS, &[]],
            "a utility",
        ),
    };
    if FIELDS.contains(&name) || own.iter().any(|fields| fields.contains(&name)) {
        return true;
    }
    if let Some((_, instead)) = OBSOLETE.iter().find(|(old, _)| *old == name) {
        let message = format!("{} is obsolete on a materia", text::quoted(name));
        reader.error(field.spot(), path, "obsolete-field", message, *instead);
    } else if SOCKET_FIELDS.contains(&name) {
        let message = format!(
            "{} belongs on a socket, not on a materia",
            text::quoted(name)
        );
        reader.error(
            field.spot(),
            path,
            "misplaced-field",
            message,
            "move it to the socket of the loadout",
        );
    } else if other.iter().any(|fields| fields.contains(&name)) {
        other_kind(reader, field, path, called);
    } else {
        let known: Vec<&str> = FIELDS
            .iter()
            .chain(own.into_iter().flatten())
            .copied()
            .collect();
        reader.unknown(field, path, called, &known);
    }
    false
}

/// A field of the other kind: what changes what the materia does is refused, what has no effect is
/// told.
fn other_kind(reader: &mut Reader, field: Field<'_>, path: &Path<'_>, called: &str) {
    let message = format!("{called} has no {}", text::quoted(field.name()));
    if field.name() == "prompt" || RUN_FIELDS.contains(&field.name()) {
        let hint =
            "remove it, or change `type`: a materia is an agent's role or a utility, not both";
        reader.error(field.spot(), path, "misplaced-field", message, hint);
    } else {
        reader.warn(
            field.spot(),
            path,
            "misplaced-field",
            message,
            "remove it; it has no effect",
        );
    }
}

fn shared(reader: &mut Reader, materia: &mut Materia, field: Field<'_>, path: &Path<'_>) {
    let value = field.value();
    let text = |reader: &mut Reader| reader.string(value, path, INVALID).map(str::to_owned);
    match field.name() {
        "type" => {
            reader.word(value, path, INVALID, &[("agent", ()), ("utility", ())]);
        }
        "label" => materia.label = text(reader),
        "description" => materia.description = text(reader),
        "group" => materia.group = text(reader),
        "color" => materia.color = text(reader),
        "lockState" => materia.locked = lock_state(reader, value, path, INVALID),
        "parse" => materia.parse = parse(reader, value, path, INVALID),
        "assign" => materia.assign = assign(reader, value, path, INVALID),
        "generator" => materia.generator = reader.boolean(value, path, INVALID).unwrap_or(false),
        "interrupted" => materia.interrupted = interrupted(reader, value, path),
        "secret" => materia.secret = names(reader, value, path),
        _ => {}
    }
}

/// Whether `lockState` says locked.
pub(crate) fn lock_state(
    reader: &mut Reader,
    value: Part<'_>,
    path: &Path<'_>,
    code: &'static str,
) -> bool {
    reader
        .word(value, path, code, &[("locked", true), ("unlocked", false)])
        .unwrap_or(false)
}

/// How an output is read.
pub(crate) fn parse(
    reader: &mut Reader,
    value: Part<'_>,
    path: &Path<'_>,
    code: &'static str,
) -> Option<Parse> {
    reader.word(
        value,
        path,
        code,
        &[("text", Parse::Text), ("json", Parse::Json)],
    )
}

/// What an output is copied to, in the order written.
pub(crate) fn assign(
    reader: &mut Reader,
    value: Part<'_>,
    path: &Path<'_>,
    code: &'static str,
) -> Vec<Assign> {
    if !reader.object(value, path, code) {
        return Vec::new();
    }
    let mut copies = Vec::new();
    for field in value.fields() {
        let path = path.member(field.name());
        if field.name().trim().is_empty() {
            let hint = "write where in the state the value goes, such as `plan.title`";
            reader.error(
                field.spot(),
                &path,
                code,
                "the target of an assignment is blank",
                hint,
            );
        } else if let Some(source) = reader.words(field.value(), &path, code) {
            copies.push(Assign {
                target: field.name().to_owned(),
                source: source.to_owned(),
            });
        }
    }
    copies
}

fn interrupted(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Interrupted {
    let words = [
        ("rerun", Interrupted::Rerun),
        ("ask", Interrupted::Ask),
        ("fail", Interrupted::Fail),
    ];
    reader
        .word(value, path, INVALID, &words)
        .unwrap_or_default()
}

/// The names of environment variables.
fn names(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Vec<String> {
    if let Content::String(name) = &value.node.content {
        return vec![name.clone()];
    }
    if !reader.list(value, path, INVALID) {
        return Vec::new();
    }
    let items = value.items().enumerate();
    items
        .filter_map(|(at, item)| {
            reader
                .words(item, &path.index(at), INVALID)
                .map(str::to_owned)
        })
        .collect()
}

#[cfg(test)]
mod tests;
