//! Loadouts as tables: what is read, refused, derived, merged and drawn. Each table names its
//! decision or part.

mod validation;
mod fields;
mod files;
mod loops;
mod fanout;
mod layers;
mod hostile;
mod slow;

use serde_json::{Value, json};

use super::{CompiledLoadout, Config, ConfigDocument, ConfigLayer, ConfigScope, Graph};
use crate::finding::{Finding, Severity, Source};

/// The materia of every test: an agent, one that answers JSON, a generator, a utility.
pub(crate) fn shelf() -> Value {
    json!({
        "A": {"tools": "none", "prompt": "a"},
        "J": {"tools": "none", "prompt": "j", "parse": "json"},
        "Gen": {"tools": "none", "prompt": "g", "generator": true},
        "Util": {"type": "utility", "command": ["true"], "parse": "json", "assign": {"x": "$.x"}},
        "Quiet": {"type": "utility", "command": ["true"]},
    })
}

pub(crate) fn layer(scope: ConfigScope, value: &Value) -> ConfigLayer {
    let name = format!("{scope:?}.json").to_lowercase();
    ConfigLayer {
        scope,
        document: ConfigDocument::parse(Source::new(&name, &value.to_string())),
    }
}

/// Compiles one loadout with these materia.
fn compiled(loadout: &Value) -> CompiledLoadout {
    let layers = [layer(
        ConfigScope::Flag,
        &json!({"materia": shelf(), "loadouts": {"T": loadout}}),
    )];
    Config::load(&layers).compile("T").unwrap()
}

/// The graph of a loadout without errors.
pub(crate) fn graph(loadout: &Value) -> Graph {
    let compiled = compiled(loadout);
    compiled
        .graph
        .unwrap_or_else(|| panic!("{:#?}", compiled.findings))
}

/// `code path`, without the loadout's own path; warnings begin with `~`.
fn told(findings: &[Finding]) -> Vec<String> {
    let one = |finding: &Finding| {
        assert!(
            finding.place.is_some() && finding.hint.is_some(),
            "{finding:?}"
        );
        let mark = if finding.severity == Severity::Warning {
            "~"
        } else {
            ""
        };
        let path = finding.path.as_deref().unwrap();
        format!(
            "{mark}{} {}",
            finding.code,
            path.strip_prefix("loadouts.T.").unwrap_or(path)
        )
    };
    findings.iter().map(one).collect()
}

/// A loop of two sockets behind a generator.
pub(crate) fn work() -> Value {
    json!({
        "entry": "S1",
        "sockets": {
            "S1": {"materia": "Gen", "edges": [{"to": "S3"}]},
            "S3": {"materia": "A", "edges": [{"to": "S4"}]},
            "S4": {"materia": "A", "edges": [{"when": "always", "to": "S3"}]},
            "S5": {"materia": "A"},
        },
        "loops": {"l": {
            "sockets": ["S3", "S4"],
            "consumes": {"from": "S1", "output": "workItems"},
            "exit": {"from": "S4", "when": "satisfied", "to": "S5"},
        }},
    })
}

/// The same document with one value changed.
pub(crate) fn with(mut document: Value, at: &str, value: Value) -> Value {
    let (parent, name) = at.rsplit_once('/').unwrap();
    let parent = document.pointer_mut(parent).unwrap();
    match parent {
        Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
        _ => parent[name] = value,
    }
    document
}
