//! Reads a utility: what it runs, with which parameters and timeout.
//!
//! Owns the four run fields (a command, a shipped utility, a template, a recipe) and that exactly
//! one is set. Never looks for the program, the script or the recipe.

use serde_json::{Map, Value, json};

use super::read::TIMEOUT;
use super::{UtilityCommand, UtilityProgram};
use crate::document::{DocValue, FieldTable, JsonContent, Location, Read, Schema, field};
use crate::{template, text};

/// The syntax of a shipped utility.
const SHIPPED: &str = "{\"kind\": \"shippedUtility\", \"name\": \"detect-vcs.mjs\"}";

/// The fields of a utility besides what it runs.
pub(super) const UTILITY: FieldTable<Read<Map<String, Value>>> = FieldTable {
    owner: "a utility",
    about: "",
    fields: &[field("params", "What the utility is given.").with(
        Schema::Object,
        |params, (), value| {
            if let (true, Value::Object(given)) = (value.object(), value.node.to_value()) {
                *params = given;
            }
        },
    )],
};

/// The run fields, of which exactly one is set.
pub(super) const RUN: FieldTable<Read<Option<UtilityCommand>>> = FieldTable {
    owner: "a utility",
    about: "",
    fields: &[
        field(
            "command",
            "argv; there is no shell. Relative scripts are seen from this file.",
        )
        .with(
            Schema::Json(|| {
                json!({
                    "type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1},
                })
            }),
            |run, (), value| *run = command(value).map(UtilityCommand::Command),
        ),
        field("script", "A utility that ships with the program.").with(
            Schema::Json(|| {
                json!({
                    "type": "object",
                    "properties": {
                        "kind": {"const": "shippedUtility"},
                        "name": {"type": "string", "pattern": "^[A-Za-z0-9_-][A-Za-z0-9._-]*$"},
                        "runtime": {"type": "string"},
                    },
                    "additionalProperties": false,
                    "required": ["kind", "name"],
                })
            }),
            |run, (), value| *run = script(value).map(UtilityCommand::Shipped),
        ),
        field("template", "A command template.").with(
            Schema::Json(|| json!({"type": ["string", "array", "object"]})),
            |run, (), value| *run = read_template(value),
        ),
        field("recipe", "A recipe by name or path.")
            .text(|run, name| *run = Some(UtilityCommand::Recipe(name.to_owned()))),
    ],
};

/// Reads the utility from its fields; `at` is the materia.
pub(super) fn read(fields: &[DocValue<'_>], at: &Location) -> Option<UtilityProgram> {
    let mut params = Map::new();
    let mut timeout_ms = None;
    for value in fields {
        TIMEOUT.read_field(&mut timeout_ms, &(), value);
        UTILITY.read_field(&mut params, &(), value);
    }
    let run = run(fields, at)?;
    Some(UtilityProgram {
        run,
        params,
        timeout_ms,
    })
}

pub(super) fn timeout(value: &DocValue<'_>) -> Option<u64> {
    let given = value.amount()?;
    if given <= 0.0 {
        let hint = "write the milliseconds it may take, or remove it for the default";
        value.error("`timeoutMs` is not above 0", hint);
        return None;
    }
    // The cast saturates, so an absurd number is a very long time.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturating is meant"
    )]
    Some(given.ceil() as u64)
}

fn run(fields: &[DocValue<'_>], at: &Location) -> Option<UtilityCommand> {
    let mut given = fields.iter().filter(|field| RUN.has(field.name()));
    let Some(first) = given.next() else {
        let id = text::quoted(at.path.last());
        let hint = format!("add \"command\": [\"program\", \"argument\"] or \"script\": {SHIPPED}");
        let at = at.at_name().member("command");
        at.error(format!("{id} is a utility and runs nothing"), hint);
        return None;
    };
    for other in given {
        let (one, other_name) = (first.name(), text::quoted(other.name()));
        let message = format!("a utility has {other_name} or `{one}`, not both");
        other.at.at_name().error(message, "remove one of them");
    }
    let mut run = None;
    RUN.read_field(&mut run, &(), first);
    run
}

fn command(value: &DocValue<'_>) -> Option<Vec<String>> {
    let hint = "write argv as a list, such as [\"python3\", \"check.py\"]; there is no shell";
    let JsonContent::Array(items) = &value.node.content else {
        let message = format!("`command` is {}, not a list of strings", value.node.kind());
        value.error(message, hint);
        return None;
    };
    if items.is_empty() {
        value.error("`command` is empty", hint);
        return None;
    }
    value.items().map(|item| argument(&item)).collect()
}

fn argument(value: &DocValue<'_>) -> Option<String> {
    let word = value.string()?;
    if word.is_empty() {
        value.error("an argument is empty", "remove it, or write it");
        return None;
    }
    if word.contains('\0') {
        value.error("an argument has a zero byte in it", "remove it");
        return None;
    }
    Some(word.to_owned())
}

/// The name of a shipped utility, without its file extension.
fn script(value: &DocValue<'_>) -> Option<String> {
    if !value.object() {
        return None;
    }
    if value.get("kind").and_then(|kind| kind.node.as_str()) != Some("shippedUtility") {
        let message = "a `script` is a shipped utility and says \"kind\": \"shippedUtility\"";
        let hint = format!("write {SHIPPED}; a script of your own is a `command`");
        value.at.member("kind").error(message, hint);
        return None;
    }
    let Some(name) = value.get("name") else {
        let at = value.at.member("name");
        at.error("the script has no `name`", format!("write {SHIPPED}"));
        return None;
    };
    let given = name.text()?;
    let stem = given.strip_suffix(".mjs").unwrap_or(given);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if stem.is_empty() || given.starts_with('.') || !given.chars().all(plain) {
        let message = format!("{} is no name of a shipped utility", text::quoted(given));
        let hint = "write a plain file name such as `detect-vcs.mjs`, without directories";
        name.error(message, hint);
        return None;
    }
    Some(stem.to_owned())
}

/// Checks a template as far as possible without values (C20).
fn read_template(value: &DocValue<'_>) -> Option<UtilityCommand> {
    let path = value.at.path.render();
    let below = |inner: Option<String>| match inner {
        Some(inner) if inner.starts_with('[') => format!("{path}{inner}"),
        Some(inner) if !inner.is_empty() => format!("{path}.{inner}"),
        _ => path.clone(),
    };
    let (template, findings) = match template::read(&value.at.source, value.node, &[]) {
        Ok(template) => {
            let warnings = template.warnings().to_vec();
            (Some(template), warnings)
        }
        Err(findings) => (None, findings),
    };
    for mut finding in findings {
        finding.path = Some(below(finding.path.take()));
        value.at.findings.adopt(finding);
    }
    template.map(|template| UtilityCommand::Template(Box::new(template)))
}
