//! Reads a definition: its kind and the fields that both kinds share.
//!
//! Owns the shared fields, the replacements of obsolete ones, and the findings about misplaced
//! fields. `agent` and `utility` read the fields of one kind. Never merges layers: the fields come
//! merged, each with its file.

use serde_json::{Value, json};

use super::agent::{self, AGENT};
use super::utility::{self, RUN, UTILITY};
use super::{InterruptedPolicy, Materia, MateriaBody, OutputParse, StateAssign};
use crate::document::{
    DocValue, FieldTable, JsonContent, Location, Read, Schema, SourceMember, choices, field,
};
use crate::text;

/// The code of a malformed definition.
pub(crate) const INVALID: &str = "invalid-materia";

/// The words of `lockState`, with whether they lock.
pub(crate) const LOCK_STATES: &[(&str, bool)] = &[("locked", true), ("unlocked", false)];
/// The words of `parse`.
pub(crate) const PARSE_WORDS: &[(&str, OutputParse)] =
    &[("text", OutputParse::Text), ("json", OutputParse::Json)];
const KINDS: &[(&str, MateriaKind)] = &[
    ("agent", MateriaKind::Agent),
    ("utility", MateriaKind::Utility),
];
const INTERRUPTED: &[(&str, InterruptedPolicy)] = &[
    ("rerun", InterruptedPolicy::Rerun),
    ("ask", InterruptedPolicy::Ask),
    ("fail", InterruptedPolicy::Fail),
];

/// The fields of every materia.
pub(super) const SHARED: FieldTable<Read<Materia>> = FieldTable {
    owner: "a materia",
    about: "An agent's role (`prompt`, `tools`) or a utility (`command`, `script`, `template` or `recipe`).",
    fields: &[
        field("type", "Follows from the other fields where left out.").with(
            Schema::Json(|| choices(KINDS)),
            |_, (), value| {
                value.choice(KINDS);
            },
        ),
        field("label", "What people call it.")
            .string(|materia, text| materia.label = Some(text.to_owned())),
        field("description", "What it is for.")
            .string(|materia, text| materia.description = Some(text.to_owned())),
        field("group", "Where a palette shows it.")
            .string(|materia, text| materia.group = Some(text.to_owned())),
        field("color", "The colour a palette shows it in.")
            .string(|materia, text| materia.color = Some(text.to_owned())),
        field("lockState", "Whether editors may change it.").with(
            Schema::Json(|| choices(LOCK_STATES)),
            |materia, (), value| materia.locked = value.choice(LOCK_STATES).unwrap_or(false),
        ),
        field("parse", "").with(Schema::Ref("parse"), |materia, (), value| {
            materia.parse = parse(value);
        }),
        field("assign", "").with(Schema::Ref("assign"), |materia, (), value| {
            materia.assign = assign(value);
        }),
        field(
            "generator",
            "Produces the top-level `workItems` that a loop works through.",
        )
        .boolean(|materia, yes| materia.generator = yes),
        field(
            "interrupted",
            "What happens to a visit of which nobody knows whether it ended.",
        )
        .with(
            Schema::Json(|| choices(INTERRUPTED)),
            |materia, (), value| {
                materia.interrupted = value.choice(INTERRUPTED).unwrap_or_default();
            },
        ),
        field(
            "secret",
            "Environment variables whose values are redacted wherever text is written.",
        )
        .with(
            Schema::Json(|| json!({"type": ["array", "string"], "items": {"type": "string"}})),
            |materia, (), value| materia.secret = variable_names(value),
        ),
    ],
};

/// The timeout, which both kinds read with their own fields.
pub(super) const TIMEOUT: FieldTable<Read<Option<u64>>> = FieldTable {
    owner: "a materia",
    about: "",
    fields: &[
        field("timeoutMs", "How long a utility or one turn of an agent may take; 30 seconds and an hour where left out.")
            .with(
                Schema::Json(|| json!({"type": "number", "exclusiveMinimum": 0})),
                |timeout, (), value| *timeout = utility::timeout(value),
            ),
    ],
};

/// Fields of a socket that users write on a materia by mistake.
const SOCKET_FIELDS: [&str; 6] = [
    "edges",
    "foreach",
    "advance",
    "limits",
    "materia",
    "socketKind",
];

/// Obsolete fields, with their replacements.
const OBSOLETE: [(&str, &str); 3] = [
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

/// The schema of a definition, with the fields of both kinds.
pub(crate) fn schema() -> Value {
    let mut schema = SHARED.schema();
    let mut properties = SHARED.properties();
    properties.extend(AGENT.properties());
    properties.extend(RUN.properties());
    properties.extend(UTILITY.properties());
    properties.extend(TIMEOUT.properties());
    // A higher layer removes a field with null.
    for field in properties.values_mut() {
        let description = field.get("description").cloned();
        *field = json!({"anyOf": [field.take(), {"type": "null"}]});
        if let Some(description) = description {
            field["description"] = description;
        }
    }
    schema["properties"] = properties.into();
    schema
}

/// Whether only one of the two kinds has this field.
pub(crate) fn is_kind_field(name: &str) -> bool {
    AGENT.has(name) || UTILITY.has(name) || RUN.has(name)
}

/// Whether this field defines what a utility runs. These fields replace each other (C19).
pub(crate) fn is_run_field(name: &str) -> bool {
    RUN.has(name)
}

/// The two kinds, before their fields are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MateriaKind {
    Agent,
    Utility,
}

impl MateriaKind {
    /// Its name in messages.
    fn called(self) -> &'static str {
        match self {
            Self::Agent => AGENT.owner,
            Self::Utility => UTILITY.owner,
        }
    }

    /// All fields of the kind, the shared ones first.
    fn names(self) -> Vec<&'static str> {
        let both = SHARED.names().chain(TIMEOUT.names());
        match self {
            Self::Agent => both.chain(AGENT.names()).collect(),
            Self::Utility => both.chain(UTILITY.names()).chain(RUN.names()).collect(),
        }
    }
}

/// The kind of these fields: the one in `type`, else the one that the other fields imply.
pub(crate) fn kind_of(fields: &[SourceMember<'_>]) -> Option<MateriaKind> {
    let stated = fields.iter().find(|field| field.name() == "type");
    let stated = stated.and_then(|field| field.node().as_str());
    let has = |known: fn(&str) -> bool| fields.iter().any(|field| known(field.name()));
    match stated {
        Some("agent") => Some(MateriaKind::Agent),
        Some("utility") => Some(MateriaKind::Utility),
        _ if has(|name| RUN.has(name) || name == "utility") => Some(MateriaKind::Utility),
        _ if has(|name| AGENT.has(name)) => Some(MateriaKind::Agent),
        _ => None,
    }
}

/// Reads a definition from its merged fields; `at` is the definition.
pub(crate) fn read(fields: &[SourceMember<'_>], at: &Location) -> Option<Materia> {
    let before = at.findings.errors();
    let kind = kind_of(fields).unwrap_or(MateriaKind::Agent);
    let mut materia = Materia {
        id: at.path.last().to_owned(),
        ..Materia::default()
    };
    let known = kind.names();
    let mut own = Vec::new();
    for field in fields {
        let value = at.value_of(*field);
        let shared = SHARED.read_field(&mut materia, &(), &value);
        if shared || known.contains(&value.name()) {
            own.push(value);
        } else {
            report_foreign_field(&value, kind);
        }
    }
    let runs = fields.iter().find(|field| RUN.has(field.name()));
    let runs = runs.filter(|_| kind == MateriaKind::Utility);
    materia.owner = match runs {
        Some(field) => field.layer,
        None => fields.iter().map(|field| field.layer).max().unwrap_or(0),
    };
    materia.kind = match kind {
        MateriaKind::Agent => MateriaBody::Agent(agent::read(&own, at)),
        MateriaKind::Utility => MateriaBody::Utility(utility::read(&own, at)?),
    };
    (at.findings.errors() == before).then_some(materia)
}

/// Reports a misplaced field, and where it belongs.
fn report_foreign_field(value: &DocValue<'_>, kind: MateriaKind) {
    let name = value.name();
    let quoted = text::quoted(name);
    let misplaced = value.at.at_name_as("misplaced-field");
    if let Some((_, instead)) = OBSOLETE.iter().find(|(old, _)| *old == name) {
        let at = value.at.at_name_as("obsolete-field");
        at.error(format!("{quoted} is obsolete on a materia"), *instead);
    } else if SOCKET_FIELDS.contains(&name) {
        let message = format!("{quoted} belongs on a socket, not on a materia");
        misplaced.error(message, "move it to the socket of the loadout");
    } else if name == "prompt" || RUN.has(name) {
        // It would change what the materia does, so it is an error.
        let hint =
            "remove it, or change `type`: a materia is an agent's role or a utility, not both";
        misplaced.error(format!("{} has no {quoted}", kind.called()), hint);
    } else if is_kind_field(name) {
        let message = format!("{} has no {quoted}", kind.called());
        misplaced.warn(message, "remove it; it has no effect");
    } else {
        value.unknown(kind.called(), kind.names().iter().copied());
    }
}

/// How to read an output.
pub(crate) fn parse(value: &DocValue<'_>) -> Option<OutputParse> {
    value.choice(PARSE_WORDS)
}

/// The assignments of an output, in the order written.
pub(crate) fn assign(value: &DocValue<'_>) -> Vec<StateAssign> {
    if !value.object() {
        return Vec::new();
    }
    let mut copies = Vec::new();
    for field in value.fields() {
        if field.name().trim().is_empty() {
            let hint = "write where in the state the value goes, such as `plan.title`";
            field
                .at
                .at_name()
                .error("the target of an assignment is blank", hint);
        } else if let Some(source) = field.text() {
            let (target, source) = (field.name().to_owned(), source.to_owned());
            copies.push(StateAssign { target, source });
        }
    }
    copies
}

/// The names of environment variables: one, or a list.
fn variable_names(value: &DocValue<'_>) -> Vec<String> {
    match &value.node.content {
        JsonContent::String(name) => vec![name.clone()],
        _ => value.texts(),
    }
}

#[cfg(test)]
mod tests;
