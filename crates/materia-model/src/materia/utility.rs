//! Reading a utility: what it runs, with what, for how long.
//!
//! Owns the four ways to say what is run (a command, a shipped utility, a template, a recipe) and
//! that there is exactly one. Never looks for the program, the script or the recipe: that needs a
//! machine.

use serde_json::{Map, Value as Json};

use super::read::{INVALID, RUN_FIELDS};
use super::{Run, Utility};
use crate::document::{Content, Field, Part, Path, Reader, Spot};
use crate::{template, text};

/// How a shipped utility is written.
const SHIPPED: &str = "{\"kind\": \"shippedUtility\", \"name\": \"detect-vcs.mjs\"}";

/// Reads the utility from its fields; `at` is where the materia's name stands.
pub(super) fn read(
    reader: &mut Reader,
    id: &str,
    fields: &[Field<'_>],
    at: Spot<'_>,
    path: &Path<'_>,
) -> Option<Utility> {
    let mut params = Map::new();
    let mut timeout_ms = None;
    for field in fields {
        let (value, path) = (field.value(), path.member(field.name()));
        match field.name() {
            "params" if reader.object(value, &path, INVALID) => {
                if let Json::Object(given) = value.node.to_value() {
                    params = given;
                }
            }
            "timeoutMs" => timeout_ms = timeout(reader, value, &path),
            _ => {}
        }
    }
    let run = run(reader, id, fields, at, path)?;
    Some(Utility {
        run,
        params,
        timeout_ms,
    })
}

pub(super) fn timeout(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Option<u64> {
    let given = reader.amount(value, path, INVALID)?;
    if given <= 0.0 {
        let hint = "write the milliseconds it may take, or remove it for the default";
        reader.error(
            value.spot(),
            path,
            INVALID,
            "`timeoutMs` is not above 0",
            hint,
        );
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

fn run(
    reader: &mut Reader,
    id: &str,
    fields: &[Field<'_>],
    at: Spot<'_>,
    path: &Path<'_>,
) -> Option<Run> {
    let mut given = fields
        .iter()
        .filter(|field| RUN_FIELDS.contains(&field.name()));
    let Some(first) = given.next() else {
        let message = format!("{} is a utility and runs nothing", text::quoted(id));
        let hint = format!("add \"command\": [\"program\", \"argument\"] or \"script\": {SHIPPED}");
        reader.error(at, &path.member("command"), INVALID, message, hint);
        return None;
    };
    for other in given {
        let message = format!(
            "a utility has {} or `{}`, not both",
            text::quoted(other.name()),
            first.name()
        );
        reader.error(
            other.spot(),
            &path.member(other.name()),
            INVALID,
            message,
            "remove one of them",
        );
    }
    let (value, path) = (first.value(), path.member(first.name()));
    match first.name() {
        "command" => command(reader, value, &path).map(Run::Command),
        "script" => script(reader, value, &path).map(Run::Shipped),
        "recipe" => reader
            .words(value, &path, INVALID)
            .map(|name| Run::Recipe(name.to_owned())),
        _ => read_template(reader, value, &path),
    }
}

fn command(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Option<Vec<String>> {
    let hint = "write argv as a list, such as [\"python3\", \"check.py\"]; there is no shell";
    let Content::Array(items) = &value.node.content else {
        let message = format!("`command` is {}, not a list of strings", value.node.kind());
        reader.error(value.spot(), path, INVALID, message, hint);
        return None;
    };
    if items.is_empty() {
        reader.error(value.spot(), path, INVALID, "`command` is empty", hint);
        return None;
    }
    let mut argv = Vec::with_capacity(items.len());
    for (index, item) in value.items().enumerate() {
        let path = path.index(index);
        let word = reader.string(item, &path, INVALID)?;
        if word.is_empty() {
            reader.error(
                item.spot(),
                &path,
                INVALID,
                "an argument is empty",
                "remove it, or write it",
            );
            return None;
        }
        if word.contains('\0') {
            reader.error(
                item.spot(),
                &path,
                INVALID,
                "an argument has a zero byte in it",
                "remove it",
            );
            return None;
        }
        argv.push(word.to_owned());
    }
    Some(argv)
}

/// The name of a shipped utility, without its file ending.
fn script(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Option<String> {
    if !reader.object(value, path, INVALID) {
        return None;
    }
    if value.get("kind").and_then(|kind| kind.node.as_str()) != Some("shippedUtility") {
        let message = "a `script` is a shipped utility and says \"kind\": \"shippedUtility\"";
        let hint = format!("write {SHIPPED}; a script of your own is a `command`");
        reader.error(value.spot(), &path.member("kind"), INVALID, message, hint);
        return None;
    }
    let path = path.member("name");
    let Some(name) = value.get("name") else {
        let message = "the script has no `name`";
        reader.error(
            value.spot(),
            &path,
            INVALID,
            message,
            format!("write {SHIPPED}"),
        );
        return None;
    };
    let given = reader.words(name, &path, INVALID)?;
    let stem = given.strip_suffix(".mjs").unwrap_or(given);
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if stem.is_empty() || given.starts_with('.') || !given.chars().all(plain) {
        let message = format!("{} is no name of a shipped utility", text::quoted(given));
        let hint = "write a plain file name such as `detect-vcs.mjs`, without directories";
        reader.error(name.spot(), &path, INVALID, message, hint);
        return None;
    }
    Some(stem.to_owned())
}

/// A template is checked as far as it can be without values (C20).
fn read_template(reader: &mut Reader, value: Part<'_>, path: &Path<'_>) -> Option<Run> {
    let below = |inner: Option<String>| match inner {
        Some(inner) if inner.starts_with('[') => format!("{}{inner}", path.render()),
        Some(inner) if !inner.is_empty() => format!("{}.{inner}", path.render()),
        _ => path.render(),
    };
    let (read, findings) = match template::read(value.source, value.node, &[]) {
        Ok(read) => {
            let warnings = read.warnings().to_vec();
            (Some(read), warnings)
        }
        Err(findings) => (None, findings),
    };
    for mut finding in findings {
        finding.path = Some(below(finding.path.take()));
        reader.adopt(finding);
    }
    read.map(|template| Run::Template(Box::new(template)))
}
