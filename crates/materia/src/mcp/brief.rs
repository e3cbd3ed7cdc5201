//! Summarizes reports for a model's context.
//!
//! Owns the size limits and the choice of fields; programs get the whole report beside the text.
//! Never computes anything that is not in the report.

use materia_model::text;
use serde_json::{Map, Value};

use super::call::CallKind;

/// Maximum length of a text in bytes, unless the content itself was requested.
const LONGEST: usize = 1200;
/// Maximum bytes of an output.
const OUTPUT: usize = 8 * 1024;
/// Maximum number of items of a list.
const MOST: usize = 12;
/// Fields that only programs need.
const QUIET: &[&str] = &[
    "ok",
    "address",
    "generation",
    "generations",
    "stateDir",
    "runDir",
    "values",
    "children",
    "session",
    "cwd",
    "parent",
    "pid",
    "next",
    "warnings",
    "persisted",
    "root",
    "otherRuns",
    "otherSessions",
    "usage",
    "visits",
    "traversals",
    "state",
    "path",
    "startedAt",
    "endedAt",
    "stdoutBytes",
    "stderrBytes",
    "messageBytes",
    "spent",
];

/// The text of an answer for a model.
pub(super) fn text(kind: CallKind, notes: &[String], document: &Value, woken: bool) -> String {
    let mut said = match document {
        Value::String(text) => text.clone(),
        _ if document["ok"] == false && document.get("error").is_some_and(Value::is_object) => {
            failure(&document["error"])
        }
        _ => match kind {
            CallKind::Spawn | CallKind::SpawnCast => started(document, woken),
            CallKind::Cast => cast(document, woken),
            CallKind::Wait => waited(document),
            CallKind::Tool if document.get("text").is_some() => field(document, "text").to_owned(),
            _ if document.get("stdout").is_some() => tail(document),
            _ => general(document),
        },
    };
    let warnings = document["warnings"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(warning);
    for note in warnings.chain(notes.iter().cloned()) {
        said.push_str(&format!("\nnote: {}", text::bounded(&note, 200)));
    }
    if matches!(kind, CallKind::Tool | CallKind::Other) {
        let next = actions(document);
        if !next.is_empty() {
            said.push_str(&format!("\nnext: {}", next.join(" | ")));
        }
    }
    let longest = if kind == CallKind::Tool || document.get("stdout").is_some() {
        usize::MAX
    } else {
        LONGEST
    };
    text::bounded(&said, longest).into_owned()
}

/// A report without the fields that only programs need: many clients send all of it to their model.
pub(super) fn compact(document: &Value) -> Value {
    let Some(fields) = document
        .as_object()
        .filter(|_| document.get("error").is_none_or(|error| !error.is_object()))
    else {
        return document.clone();
    };
    let mut kept = Map::new();
    for (name, value) in fields
        .iter()
        .filter(|(name, _)| *name == "ok" || !QUIET.contains(&name.as_str()))
    {
        // An empty list is information; an empty text is not.
        if name == "ok" || value.is_array() || !is_nothing(value) {
            kept.insert(name.clone(), shorter(value));
        }
    }
    let warnings = fields
        .get("warnings")
        .filter(|warnings| warnings.as_array().is_some_and(|all| !all.is_empty()));
    kept.extend(warnings.map(|warnings| ("warnings".to_owned(), warnings.clone())));
    let next = actions(document);
    if !next.is_empty() {
        kept.insert("next".to_owned(), next.into());
    }
    Value::Object(kept)
}

/// The items of a list without the fields that only programs need.
fn shorter(value: &Value) -> Value {
    match value {
        Value::Array(things) => things.iter().map(shorter).collect(),
        Value::Object(fields) => {
            let told = fields
                .iter()
                .filter(|(name, value)| !QUIET.contains(&name.as_str()) && !is_nothing(value));
            Value::Object(
                told.map(|(name, value)| (name.clone(), shorter(value)))
                    .collect(),
            )
        }
        value => value.clone(),
    }
}

fn is_nothing(value: &Value) -> bool {
    value.is_null()
        || *value == Value::Bool(false)
        || *value == ""
        || value.as_u64() == Some(0)
        || value.as_array().is_some_and(Vec::is_empty)
        || value.as_object().is_some_and(Map::is_empty)
}

/// The text of one piece of news for a model.
pub(super) fn news(news: &Value, status: Option<&Value>) -> String {
    let run = field(news, "run");
    if news["event"] == "terminal"
        && let Some(asks) = status.and_then(asks)
    {
        return format!("Run {run} rests. {asks}\nnext: inspect run:{run} tail");
    }
    if news["event"] == "terminal" {
        let code = news["code"]
            .as_i64()
            .filter(|code| *code != 0)
            .map(|code| format!(" Exit code {code}."));
        let error = news["error"]
            .as_str()
            .map(|error| error.trim().trim_end_matches(':'));
        let error = error
            .filter(|error| !error.is_empty())
            .map(|error| format!(" {}", text::bounded(error, 200)));
        let summary = field(news, "summary");
        return format!(
            "{summary}{}{}\nnext: inspect run:{run} status | inspect run:{run} tail",
            code.unwrap_or_default(),
            error.unwrap_or_default()
        );
    }
    let summary = Some(field(news, "summary")).filter(|summary| !summary.is_empty());
    let body = match &news["body"] {
        Value::Null => String::new(),
        Value::String(body) => format!("\n{}", text::bounded(body, 500)),
        body => format!("\n{}", text::bounded(&body.to_string(), 500)),
    };
    let answer = if news["attention"] == true {
        format!(
            "\nIt waits for an answer: message run:{run} with reply_to={}",
            field(news, "id")
        )
    } else {
        String::new()
    };
    format!(
        "Run {run}: {}{body}{answer}",
        summary.unwrap_or(field(news, "type"))
    )
}

fn failure(error: &Value) -> String {
    let mut said = format!(
        "error {}: {}",
        field(error, "code"),
        text::bounded(field(error, "message"), 600)
    );
    if let Some(hint) = error["hint"].as_str() {
        said.push_str(&format!("\nhint: {}", text::bounded(hint, 600)));
    }
    if let (Some(file), Some(line)) = (error["at"]["file"].as_str(), error["at"]["line"].as_u64()) {
        said.push_str(&format!("\nat: {file}:{line}"));
    }
    said
}

fn started(document: &Value, woken: bool) -> String {
    let run = field(document, "run");
    format!(
        "run:{run} is {}. {}",
        field(document, "status"),
        meanwhile(run, woken)
    )
}

fn cast(document: &Value, woken: bool) -> String {
    let (id, run) = (field(document, "castId"), field(document, "run"));
    let loadout = field(document, "loadout");
    format!(
        "cast {id} of {loadout} is {} as run:{run}. {}",
        field(document, "status"),
        meanwhile(run, woken)
    )
}

fn meanwhile(run: &str, woken: bool) -> String {
    let end = if woken {
        "You are told when it ends."
    } else {
        "`wait` when you need its end."
    };
    format!("{end}\nnext: inspect run:{run} tail | message run:{run} control.kill")
}

fn waited(document: &Value) -> String {
    let runs = document["runs"]
        .as_array()
        .into_iter()
        .flatten()
        .take(MOST)
        .map(|run| {
            let code = run["code"]
                .as_i64()
                .map(|code| format!(" code={code}"))
                .unwrap_or_default();
            let error = run["error"]
                .as_str()
                .map(|error| format!(" {}", text::bounded(error, 120)));
            let waits = asks(run).map(|asks| format!(" {asks}")).unwrap_or_default();
            let (run, status) = (field(run, "run"), field(run, "status"));
            format!(
                "run:{run} {status}{code}{}{waits}",
                error.unwrap_or_default()
            )
        });
    let mut lines: Vec<String> = runs.collect();
    if document["timedOut"] == true {
        lines.push("The time was over first; they go on.".to_owned());
    }
    lines.join("\n")
}

/// The question of a run's cast, if the cast is waiting for input.
pub(super) fn asks(run: &Value) -> Option<String> {
    let id = field(run, "run");
    (run["cast"]["status"] == "paused").then(|| {
        format!(
            "Its cast is paused and waits for an answer: message run:{id} control.continue, body: the answer."
        )
    })
}

fn tail(document: &Value) -> String {
    let part = |name: &str| {
        let said = field(document, name).trim_end();
        let kept = &said[said.ceil_char_boundary(said.len().saturating_sub(OUTPUT))..];
        if kept.is_empty() {
            String::new()
        } else {
            format!("\n{name}:\n{kept}")
        }
    };
    let said = format!("{}{}", part("stdout"), part("stderr"));
    let said = if said.is_empty() {
        "\n(no output yet)"
    } else {
        &said
    };
    format!(
        "run:{} {}{said}",
        field(document, "run"),
        field(document, "status")
    )
}

/// Any other report: the short fields on one line, and one line per item of a list.
fn general(document: &Value) -> String {
    let Some(fields) = document.as_object() else {
        return text::bounded(&document.to_string(), LONGEST).into_owned();
    };
    let mut said = short(fields);
    for (name, value) in fields
        .iter()
        .filter(|(name, _)| !QUIET.contains(&name.as_str()))
    {
        let things: Vec<String> = match value {
            Value::Array(things) => things.iter().take(MOST).map(thing).collect(),
            Value::Object(things) => things
                .iter()
                .take(MOST)
                .map(|(name, value)| pair(name, value))
                .collect(),
            _ => continue,
        };
        let count = value
            .as_array()
            .map_or_else(|| value.as_object().map_or(0, Map::len), Vec::len);
        if count == 0 {
            continue;
        }
        let more = if count > things.len() {
            format!("\n- … {} more", count - things.len())
        } else {
            String::new()
        };
        said.push_str(&format!("\n{name}:\n- {}{more}", things.join("\n- ")));
    }
    said.trim_start().to_owned()
}

fn thing(value: &Value) -> String {
    let said = value.as_object().map_or_else(|| plain(value), short);
    text::bounded(&said, 140).into_owned()
}

fn pair(name: &str, value: &Value) -> String {
    text::bounded(&format!("{name}: {}", plain(value)), 140).into_owned()
}

fn short(fields: &Map<String, Value>) -> String {
    let told = fields.iter().filter(|(name, value)| {
        !QUIET.contains(&name.as_str())
            && !value.is_array()
            && !value.is_object()
            && !is_nothing(value)
    });
    let told: Vec<String> = told
        .map(|(name, value)| format!("{name}={}", plain(value)))
        .collect();
    told.join(" ")
}

fn plain(value: &Value) -> String {
    let said = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    text::bounded(&said, 100).into_owned()
}

fn warning(warning: &Value) -> Option<String> {
    warning
        .as_str()
        .or_else(|| warning["message"].as_str())
        .map(str::to_owned)
}

/// The suggested next steps, as tool calls.
fn actions(document: &Value) -> Vec<String> {
    document["next"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|next| action(next.as_str()?))
        .collect()
}

/// The tool call that is equivalent to a command. `None` if the command needs a terminal.
fn action(command: &str) -> Option<String> {
    let command = command.strip_prefix("materia ")?;
    if command.contains("--follow") {
        return None;
    }
    let command = command.replace("--view ", "");
    ["inspect", "message", "wait"]
        .iter()
        .any(|verb| command.starts_with(verb))
        .then_some(command)
}

fn field<'a>(document: &'a Value, name: &str) -> &'a str {
    document[name].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn said(kind: CallKind, document: &Value) -> String {
        text(kind, &[], document, true)
    }

    #[test]
    fn a_report_becomes_a_few_words() {
        let spawned = json!({"ok": true, "run": "a", "status": "running", "stateDir": "/x", "next": [], "warnings": ["odd"]});
        assert_eq!(
            said(CallKind::Spawn, &spawned),
            "run:a is running. You are told when it ends.\nnext: inspect run:a tail | message run:a control.kill\nnote: odd"
        );
        let refused = json!({"ok": false, "error": {"code": "session_mismatch", "message": "not yours", "hint": "ask"}});
        assert_eq!(
            said(CallKind::Other, &refused),
            "error session_mismatch: not yours\nhint: ask"
        );
        let listed = json!({"ok": true, "session": "s", "runs": [{"run": "a", "status": "done"}], "next": ["materia inspect run:a --view tail"]});
        assert_eq!(
            said(CallKind::Other, &listed),
            "runs:\n- run=a status=done\nnext: inspect run:a tail"
        );
        let waited =
            json!({"ok": true, "timedOut": true, "runs": [{"run": "a", "status": "running"}]});
        assert_eq!(
            said(CallKind::Wait, &waited),
            "run:a running\nThe time was over first; they go on."
        );
    }

    #[test]
    fn a_hostile_report_stays_bounded() {
        let deep = json!({"ok": true, "things": vec![json!({"name": "x".repeat(5000)}); 500], "word": "é".repeat(9000)});
        assert!(said(CallKind::Other, &deep).len() <= LONGEST + 80);
    }
}
