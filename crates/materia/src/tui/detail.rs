//! The side that is looked at, as lines: read anew whenever something changed, and bounded.
//!
//! Owns the choice of what is asked of the engine for a tab, and how it reads in a narrow place.

use std::path::Path;

use materia_engine::cast::Folder;
use materia_engine::cast::show::{self, CastShowReport, Wanted};
use materia_engine::inspect::top;
use materia_engine::inspect::{self, mail, room};
use materia_engine::process::Below;
use materia_engine::run::Root;
use materia_model::name::RunId;
use materia_model::text::{bounded, printable};
use materia_model::time::Timestamp;
use serde_json::Value;

use super::Desk;
use super::app::{App, Tab};
use super::rows::{Kind, Row};
use crate::view::{Report, amounts};
use materia_engine::api::ApiError;

/// How many lines of anything are read.
const MOST: usize = 500;
/// How much of a body a line shows.
const LONGEST: usize = 400;

/// The lines of the tab, or why there are none.
pub(super) fn detail(desk: &Desk<'_>, app: &App) -> Vec<String> {
    let Some(row) = app.row() else {
        return Vec::new();
    };
    let read = match row.kind {
        Kind::Run => of_run(desk, row, app.tab),
        Kind::Cast => of_cast(desk, row, app.tab),
    };
    let lines = read.unwrap_or_else(|failure| vec![format!("error: {}", failure.message)]);
    lines
        .iter()
        .map(|line| printable(&line.replace('\t', "    ")).into_owned())
        .collect()
}

fn of_run(desk: &Desk<'_>, row: &Row, tab: Tab) -> Result<Vec<String>, ApiError> {
    let id: RunId = row.id.parse()?;
    let clock = desk.world.clock();
    let (place, log) = inspect::open(&desk.root, &id, desk.caller.as_deref(), &clock)?;
    let (state, read) = (log.state(), &log.fold().mail);
    Ok(match tab {
        Tab::Tail => lines(&inspect::tail(&place, state, MOST)?.human(false)),
        Tab::Messages => {
            let said = mail::messages(&id, read, MOST)
                .messages
                .into_iter()
                .map(|posted| {
                    let kind = posted.envelope.kind.to_string();
                    (posted.at, format!("← {kind}"), posted.envelope.headline())
                });
            let told = mail::mailbox(&id, None, read, MOST)
                .messages
                .into_iter()
                .map(|letter| {
                    let entry = letter.entry;
                    let from = entry
                        .from
                        .map(|from| format!(" from {from}"))
                        .unwrap_or_default();
                    (
                        entry.queued_at,
                        format!("→ {}{from}", entry.kind),
                        format!("{} {}", entry.state.as_str(), entry.summary),
                    )
                });
            talk(
                said.chain(told).collect(),
                "nothing was said; m says something",
            )
        }
        Tab::Room => {
            let members = room::roster(&id, read.room(), MOST).members;
            let mut text: Vec<String> = members
                .iter()
                .map(|member| format!("{}  {}  {}", member.address, member.role, member.status))
                .collect();
            let said = room::timeline(&id, read.room(), MOST)
                .messages
                .into_iter()
                .map(|said| {
                    let from = said
                        .envelope
                        .from
                        .as_ref()
                        .map(ToString::to_string)
                        .unwrap_or_default();
                    (
                        said.received_at,
                        format!("{from} {}", said.envelope.kind),
                        said.envelope.headline(),
                    )
                });
            text.push(String::new());
            text.extend(talk(said.collect(), "nobody said anything in its room"));
            text
        }
        Tab::Artifacts => lines(&inspect::files(&place, state, true)?.human(false)),
        Tab::Processes => tree(&top::processes(state)),
    })
}

fn of_cast(desk: &Desk<'_>, row: &Row, tab: Tab) -> Result<Vec<String>, ApiError> {
    let failed = |error: materia_engine::cast::Error| ApiError::from(&error);
    let folder = Folder::open(Path::new(&row.folder)).map_err(failed)?;
    let wanted = Wanted {
        events: tab == Tab::Messages,
        artifacts: tab == Tab::Artifacts,
    };
    let shown = || show::show(&folder, wanted, &desk.world.clock()).map_err(failed);
    Ok(match tab {
        Tab::Tail => {
            let shown = shown()?;
            let mut text = lines(&shown.human(false));
            text.extend(activity(&folder, &shown));
            text
        }
        Tab::Messages => {
            let told = shown()?.events.unwrap_or_default();
            let rows = told.iter().rev().take(MOST).rev().map(|told| {
                let socket = told
                    .data
                    .get("socket")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                (told.at, told.kind.clone(), socket.to_owned())
            });
            talk(rows.collect(), "nothing happened")
        }
        Tab::Room => runs_of(desk, row)?,
        Tab::Artifacts => {
            let files = shown()?.artifacts.unwrap_or_default();
            let rows = files
                .iter()
                .take(MOST)
                .map(|one| vec![amounts::short(one.bytes as f64), one.path.clone()]);
            let mut text = vec![format!("in {}", row.folder)];
            text.extend(amounts::columns(&rows.collect::<Vec<_>>(), &[0]));
            text
        }
        Tab::Processes => tree(&row.driver.map(top::processes_of).unwrap_or_default()),
    })
}

/// The runs that drive a cast.
fn runs_of(desk: &Desk<'_>, row: &Row) -> Result<Vec<String>, ApiError> {
    let found = desk.look()?.runs;
    let drives = |root: &Root, run: &str| {
        let id = run.parse::<RunId>().ok()?;
        let state = materia_engine::run::recorded(&root.place(&id)).ok()?;
        state.start?.cast.filter(|cast| cast.id == row.id)
    };
    let runs = found
        .iter()
        .filter(|run| drives(&desk.root, &run.run).is_some());
    let text: Vec<String> = runs
        .map(|run| format!("run:{} {}", run.run, run.status.as_str()))
        .collect();
    Ok(if text.is_empty() {
        vec!["no run drives it: it has no room".to_owned()]
    } else {
        text
    })
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// What was said, in the order of time.
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
            bounded(words, LONGEST).replace('\n', " ")
        )
    };
    said.iter().map(one).collect()
}

fn tree(processes: &[Below]) -> Vec<String> {
    if processes.is_empty() {
        return vec!["(nothing runs)".to_owned()];
    }
    let one = |living: &Below| {
        let branch = if living.depth == 0 {
            String::new()
        } else {
            format!("{}└ ", "  ".repeat(living.depth - 1))
        };
        format!(
            "{:>8}  {branch}{}",
            living.pid,
            bounded(&living.command, LONGEST)
        )
    };
    processes.iter().map(one).collect()
}

/// What the agent of the last step was lately seen doing.
fn activity(folder: &Folder, shown: &CastShowReport) -> Vec<String> {
    let seen = shown
        .steps
        .last()
        .map(|step| folder.seen(&step.place, step.attempts));
    let mut text = String::new();
    for line in seen.unwrap_or_default() {
        let said = |field: &str| line[field].as_str().unwrap_or_default();
        match said("type") {
            "text" => text.push_str(said("text")),
            "tool_start" => text.push_str(&format!("\n[{} {}]\n", said("name"), said("input"))),
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
