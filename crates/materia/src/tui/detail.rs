//! The selected tab as lines. Read again after each change, and bounded.
//!
//! Owns how a tab is rendered in a narrow area.

use materia_engine::api::{CastShowReport, RunProcess, TopDetail, TopMessage, TopSide, TopWatch};
use materia_model::text::{bounded, printable};
use materia_model::time::Timestamp;
use serde_json::Value;

use super::app::App;
use super::rows::Row;
use crate::view::{Report, amounts};

/// At most this many events or files of a cast are shown.
const MAX_LINES: usize = 500;
/// A line shows at most this many bytes of a body.
const MAX_BODY: usize = 400;

/// The lines of the selected tab, or the reason why there are none.
pub(super) fn detail(watch: &TopWatch, app: &App) -> Vec<String> {
    let Some(row) = app.row() else {
        return Vec::new();
    };
    let lines = match watch.detail(&row.subject(), app.tab) {
        Ok(detail) => rendered(detail, row, app.tab),
        Err(error) => vec![format!("error: {error}")],
    };
    lines
        .iter()
        .map(|line| printable(&line.replace('\t', "    ")).into_owned())
        .collect()
}

fn rendered(detail: TopDetail, row: &Row, side: TopSide) -> Vec<String> {
    match detail {
        TopDetail::Tail(tail) => lines(&tail.human(false)),
        TopDetail::Messages(messages) => talk(
            messages.iter().map(message).collect(),
            "nothing was said; m says something",
        ),
        TopDetail::Room { members, messages } => {
            let mut text: Vec<String> = members
                .iter()
                .map(|member| format!("{}  {}  {}", member.address, member.role, member.status))
                .collect();
            text.push(String::new());
            let said = messages.into_iter().map(|said| {
                let from = said.from.unwrap_or_default();
                (said.at, format!("{from} {}", said.kind), said.text)
            });
            text.extend(talk(said.collect(), "nobody said anything in its room"));
            text
        }
        TopDetail::Files(files) => lines(&files.human(false)),
        TopDetail::Cast(cast) => of_cast(&cast, row, side),
        TopDetail::Drivers(runs) if runs.is_empty() => {
            vec!["no run drives it: it has no room".to_owned()]
        }
        TopDetail::Drivers(runs) => runs
            .iter()
            .map(|run| format!("run:{} {}", run.run, run.status.as_str()))
            .collect(),
        TopDetail::Processes(processes) => tree(&processes),
    }
}

/// Renders one message of a run, with an arrow for its direction.
fn message(message: &TopMessage) -> (Timestamp, String, String) {
    let from = message.from.as_ref().map(|from| format!(" from {from}"));
    let arrow = if message.received { "→" } else { "←" };
    let what = format!("{arrow} {}{}", message.kind, from.unwrap_or_default());
    (message.at, what, message.text.clone())
}

fn of_cast(cast: &CastShowReport, row: &Row, side: TopSide) -> Vec<String> {
    match side {
        TopSide::Messages => {
            let events = cast.events.as_deref().unwrap_or_default();
            let newest = &events[events.len().saturating_sub(MAX_LINES)..];
            let rows = newest.iter().map(|event| {
                let socket = event.data.get("socket").and_then(Value::as_str);
                let socket = socket.unwrap_or_default().to_owned();
                (event.at, event.kind.clone(), socket)
            });
            talk(rows.collect(), "nothing happened")
        }
        TopSide::Artifacts => {
            let files = cast.artifacts.as_deref().unwrap_or_default();
            let rows = files
                .iter()
                .take(MAX_LINES)
                .map(|one| vec![amounts::short(one.bytes as f64), one.path.clone()]);
            let mut text = vec![format!("in {}", row.folder)];
            text.extend(amounts::columns(&rows.collect::<Vec<_>>(), &[0]));
            text
        }
        _ => {
            let mut text = lines(&cast.human(false));
            text.extend(activity(&cast.activity));
            text
        }
    }
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// Renders messages in the order of time, or `nothing` if there are none.
fn talk(mut said: Vec<(Timestamp, String, String)>, nothing: &str) -> Vec<String> {
    said.sort_by_key(|(at, ..)| *at);
    if said.is_empty() {
        return vec![format!("({nothing})")];
    }
    let clock = |at: &Timestamp| at.to_string().get(11..19).unwrap_or_default().to_owned();
    let one = |(at, what, words): &(Timestamp, String, String)| {
        format!(
            "{} {what}  {}",
            clock(at),
            bounded(words, MAX_BODY).replace('\n', " ")
        )
    };
    said.iter().map(one).collect()
}

fn tree(processes: &[RunProcess]) -> Vec<String> {
    if processes.is_empty() {
        return vec!["(nothing runs)".to_owned()];
    }
    let one = |process: &RunProcess| {
        let branch = if process.depth == 0 {
            String::new()
        } else {
            format!("{}└ ", "  ".repeat(process.depth - 1))
        };
        format!(
            "{:>8}  {branch}{}",
            process.pid,
            bounded(&process.command, MAX_BODY)
        )
    };
    processes.iter().map(one).collect()
}

/// Renders the recent activity of the last step's agent.
fn activity(seen: &[Value]) -> Vec<String> {
    let mut text = String::new();
    for line in seen {
        let field = |name: &str| line[name].as_str().unwrap_or_default();
        match field("type") {
            "text" => text.push_str(field("text")),
            "tool_start" => text.push_str(&format!("\n[{} {}]\n", field("name"), field("input"))),
            _ => {}
        }
    }
    let words = lines(text.trim());
    if words.is_empty() {
        words
    } else {
        std::iter::once(String::new()).chain(words).collect()
    }
}
