//! Rendering of split command lines and explained templates.

use std::fmt::Write as _;

use materia_engine::api::ExplainReport;
use materia_model::template::{self, TemplateArg};
use materia_model::text::printable;
use serde::Serialize;
use serde_json::Value;

use super::Report;
use super::style::Role;

/// The result of `split`.
#[derive(Debug, Serialize)]
pub struct Words {
    /// Always true: a text that cannot be split is an error.
    pub ok: bool,
    /// The words.
    pub words: Vec<String>,
}

impl Report for Words {
    fn human(&self, _: bool) -> String {
        self.words
            .iter()
            .map(|word| format!("{}\n", printable(word)))
            .collect()
    }
}

impl Report for ExplainReport {
    fn human(&self, colour: bool) -> String {
        let mut text = String::new();
        let tree = serde_json::to_value(template::explain(&self.plan)).unwrap_or_default();
        node(&mut text, &tree, 0, colour);
        if !self.args.is_empty() {
            let _ = writeln!(text, "\n{}", Role::Strong.paint("arguments", colour));
        }
        let width = |text: fn(&TemplateArg) -> String, least: usize| {
            self.args
                .iter()
                .map(|arg| text(arg).chars().count())
                .max()
                .unwrap_or(0)
                .max(least)
        };
        let (names, types) = (
            width(|arg| arg.name.clone(), 14),
            width(|arg| arg.ty.to_string(), 9),
        );
        for arg in &self.args {
            let wanted = match (&arg.default, arg.required) {
                (Some(default), _) => format!("default {default}"),
                (None, true) => "required".to_owned(),
                (None, false) => "optional".to_owned(),
            };
            let _ = writeln!(
                text,
                "  {:<names$}  {:<types$}  {wanted}",
                arg.name,
                arg.ty.to_string()
            );
        }
        if !self.warnings.is_empty() {
            text.push('\n');
        }
        for warning in &self.warnings {
            let _ = writeln!(
                text,
                "{} {}",
                Role::Warning.paint("warning:", colour),
                printable(warning)
            );
        }
        text
    }
}

/// Writes a node and its children, indented. Commands are shown as shell words.
fn node(text: &mut String, tree: &Value, depth: usize, colour: bool) {
    let indent = "  ".repeat(depth);
    let skipped = tree["skipped"] == true;
    let head = match tree["argv"].as_array() {
        Some(argv) => argv
            .iter()
            .filter_map(Value::as_str)
            .map(shell_word)
            .collect::<Vec<_>>()
            .join(" "),
        None => Role::Strong.paint(tree["kind"].as_str().unwrap_or_default(), colour),
    };
    let label = tree["label"]
        .as_str()
        .map(|label| format!("{}: ", printable(label)))
        .unwrap_or_default();
    let skipped = if skipped { " (skipped)" } else { "" };
    let _ = writeln!(
        text,
        "{indent}{label}{head}{skipped}{}",
        Role::Quiet.paint(&controls(tree), colour)
    );
    if let Some(recover) = tree.get("recover") {
        let _ = writeln!(
            text,
            "{indent}  {}",
            Role::Quiet.paint("between attempts", colour)
        );
        node(text, recover, depth + 2, colour);
    }
    for child in tree["children"].as_array().into_iter().flatten() {
        node(text, child, depth + 1, colour);
    }
}

/// The controls of a node that differ from the defaults.
fn controls(tree: &Value) -> String {
    let named = [
        "timeout",
        "delay",
        "retry",
        "failure",
        "concurrency",
        "min_successful",
        "output",
    ];
    let set = named.iter().filter_map(|name| {
        let value = tree.get(*name).filter(|value| !value.is_null())?;
        let unit = if matches!(*name, "timeout" | "delay") {
            " ms"
        } else {
            ""
        };
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        Some(format!("{name} {value}{unit}"))
    });
    let input = tree["input"].as_str().map(|input| {
        let shown = materia_model::text::bounded(input.trim(), 60).replace('\n', " ");
        format!("input {}", shell_word(&shown))
    });
    let set: Vec<String> = set.chain(input).collect();
    if set.is_empty() {
        String::new()
    } else {
        format!("  [{}]", set.join(", "))
    }
}

/// Quotes a word for a shell.
pub(super) fn shell_word(word: &str) -> String {
    let plain = !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_/:=.,@%+-".contains(c));
    if plain {
        word.to_owned()
    } else {
        printable(&format!("'{}'", word.replace('\'', "'\\''"))).into_owned()
    }
}
