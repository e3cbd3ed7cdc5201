//! The side that is looked at, as lines: read anew whenever something changed, and bounded.
//!
//! Owns the choice of what is asked of the engine for a tab, and how it reads in a narrow place.

use std::path::Path;

use materia_engine::cast::Folder;
use materia_engine::process::Below;
use materia_engine::run::Root;
use materia_engine::verb::cast_show::{self, Wanted};
use materia_engine::verb::inspect::{self, mail};
use materia_engine::verb::top;
use materia_model::name::RunId;
use materia_model::text::{bounded, printable};
use materia_model::time::Timestamp;
use serde_json::Value;

use super::Desk;
use super::app::{App, Tab};
use super::rows::{Kind, Row};
use crate::failure::Failure;
use crate::view::{Report, amounts};

/// How many lines of anything are read.
const MOST: usize = 500;
/// How much of a body a line shows.
const LONGEST: usize = 400;
/// How much of what an agent does is read.
const ACTIVITY: u64 = 16 << 10;

/// The lines of the tab, or why there are none.
pub(super) fn detail(desk: &Desk<'_>, app: &App) -> Vec<String> {
    let Some(row) = app.row() else { return Vec::new() };
    let read = match row.kind {
        Kind::Run => of_run(desk, row, app.tab),
        Kind::Cast => of_cast(desk, row, app.tab),
    };
    let lines = read.unwrap_or_else(|failure| vec![format!("error: {}", failure.message)]);
    lines.iter().map(|line| printable(&line.replace('\t', "    ")).into_owned()).collect()
}

fn of_run(desk: &Desk<'_>, row: &Row, tab: Tab) -> Result<Vec<String>, Failure> {
    let id: RunId = row.id.parse()?;
    let clock = desk.world.clock();
    let (place, state) = inspect::open(&desk.root, &id, desk.caller.as_deref(), &clock)?;
    Ok(match tab {
        Tab::Tail => lines(&inspect::tail(&place, &state, MOST)?.human(false)),
        Tab::Messages => {
            let read = mail::read(&place)?;
            let said = mail::messages(&id, &read, MOST).messages.into_iter().map(|posted| {
                let kind = posted.envelope.kind.to_string();
                (posted.at, format!("← {kind}"), posted.envelope.headline())
            });
            let told = mail::mailbox(&id, None, &read, MOST).messages.into_iter().map(|entry| {
                let from = entry.from.map(|from| format!(" from {from}")).unwrap_or_default();
                (
                    entry.queued_at,
                    format!("→ {}{from}", entry.kind),
                    format!("{} {}", entry.state.as_str(), entry.summary),
                )
            });
            talk(said.chain(told).collect(), "nothing was said; m says something")
        }
        Tab::Room => {
            let read = mail::read(&place)?;
            let members = mail::roster(&id, read.room(), MOST).members;
            let mut text: Vec<String> = members
                .iter()
                .map(|member| format!("{}  {}  {}", member.address, member.role, member.status))
                .collect();
            let said = mail::timeline(&id, read.room(), MOST).messages.into_iter().map(|said| {
                let from = said.envelope.from.as_ref().map(ToString::to_string).unwrap_or_default();
                (said.received_at, format!("{from} {}", said.envelope.kind), said.envelope.headline())
            });
            text.push(String::new());
            text.extend(talk(said.collect(), "nobody said anything in its room"));
            text
        }
        Tab::Artifacts => lines(&inspect::files(&place, &state, true)?.human(false)),
        Tab::Processes => tree(&top::processes(&state)),
    })
}

fn of_cast(desk: &Desk<'_>, row: &Row, tab: Tab) -> Result<Vec<String>, Failure> {
    let failed = |error: materia_engine::cast::Error| Failure::from(&error);
    let folder = Folder::open(Path::new(&row.folder)).map_err(failed)?;
    let wanted = Wanted { events: tab == Tab::Messages, artifacts: tab == Tab::Artifacts };
    let shown = || cast_show::show(&folder, wanted, &desk.world.clock()).map_err(failed);
    Ok(match tab {
        Tab::Tail => {
            let mut text = lines(&shown()?.human(false));
            text.extend(activity(&folder));
            text
        }
        Tab::Messages => {
            let told = shown()?.events.unwrap_or_default();
            let rows = told.iter().rev().take(MOST).rev().map(|told| {
                let socket = told.data.get("socket").and_then(Value::as_str).unwrap_or_default();
                (told.at, told.kind.clone(), socket.to_owned())
            });
            talk(rows.collect(), "nothing happened")
        }
        Tab::Room => runs_of(desk, row)?,
        Tab::Artifacts => {
            let files = shown()?.artifacts.unwrap_or_default();
            let rows =
                files.iter().take(MOST).map(|one| vec![amounts::short(one.bytes as f64), one.path.clone()]);
            let mut text = vec![format!("in {}", row.folder)];
            text.extend(amounts::columns(&rows.collect::<Vec<_>>(), &[0]));
            text
        }
        Tab::Processes => tree(&row.driver.map(top::processes_of).unwrap_or_default()),
    })
}

/// The runs that drive a cast.
fn runs_of(desk: &Desk<'_>, row: &Row) -> Result<Vec<String>, Failure> {
    let found = desk.look()?.runs;
    let drives = |root: &Root, run: &str| {
        let id = run.parse::<RunId>().ok()?;
        let state = materia_engine::run::recorded(&root.place(&id)).ok()?;
        state.start?.cast.filter(|cast| cast.id == row.id)
    };
    let runs = found.iter().filter(|run| drives(&desk.root, &run.run).is_some());
    let text: Vec<String> = runs.map(|run| format!("run:{} {}", run.run, run.status.as_str())).collect();
    Ok(if text.is_empty() { vec!["no run drives it: it has no room".to_owned()] } else { text })
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
        format!("{} {what}  {}", clock(at), bounded(words, LONGEST).replace('\n', " "))
    };
    said.iter().map(one).collect()
}

fn tree(processes: &[Below]) -> Vec<String> {
    if processes.is_empty() {
        return vec!["(nothing runs)".to_owned()];
    }
    let one = |living: &Below| {
        let branch =
            if living.depth == 0 { String::new() } else { format!("{}└ ", "  ".repeat(living.depth - 1)) };
        format!("{:>8}  {branch}{}", living.pid, bounded(&living.command, LONGEST))
    };
    processes.iter().map(one).collect()
}

/// What the agent at work does, where it can be followed.
fn activity(folder: &Folder) -> Vec<String> {
    let Some(file) = newest(&folder.path().join("sockets")) else { return Vec::new() };
    let Ok(read) = top::end_of(&file, ACTIVITY) else { return Vec::new() };
    let said = String::from_utf8_lossy(&read);
    let mut text = String::new();
    for line in said.lines() {
        let Ok(seen) = serde_json::from_str::<Value>(line) else { continue };
        match seen["type"].as_str() {
            Some("text") => text.push_str(seen["text"].as_str().unwrap_or_default()),
            Some("tool_start") => {
                let (name, input) = (seen["name"].as_str(), seen["input"].as_str());
                text.push_str(&format!("\n[{} {}]\n", name.unwrap_or_default(), input.unwrap_or_default()));
            }
            _ => {}
        }
    }
    std::iter::once(String::new()).chain(lines(text.trim())).collect()
}

/// The file of the turn that was last seen at work.
fn newest(sockets: &Path) -> Option<std::path::PathBuf> {
    let folders = std::fs::read_dir(sockets).ok()?.flatten();
    let files =
        folders.filter_map(|folder| std::fs::read_dir(folder.path()).ok()).flat_map(Iterator::flatten);
    let seen = files.filter(|file| file.file_name().as_encoded_bytes().ends_with(b"activity.jsonl"));
    seen.max_by_key(|file| file.metadata().and_then(|about| about.modified()).ok()).map(|file| file.path())
}
