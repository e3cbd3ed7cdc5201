//! Actions on the selected run or cast: kill, continue, send a message.
//!
//! Owns the translation into calls of the engine, and one line about what came of it.

use std::path::{Path, PathBuf};

use materia_engine::cast::start::{self, Asked, Wish};
use materia_engine::cast::steer;
use materia_engine::cast::{Folder, Hands, Silent};
use materia_engine::config::{Files, Places};
use materia_engine::launch::spawn::{self, RunSettings};
use materia_engine::library::Library;
use materia_engine::process::Nursery;
use materia_engine::routing::{self, Sender};
use materia_engine::run::Root;
use materia_model::message::Draft;
use materia_model::run::Origin;
use serde_json::Value;

use super::app::{Action, ActionKind};
use super::rows::{Row, RowStatus};
use crate::door::{Player, Top};
use crate::world::World;
use materia_engine::api::{ApiError, ErrorKind, ObservedStatus};

/// Performs an action; one line about what came of it, or about why it failed.
pub(super) fn perform(world: &World, top: &Top, action: &Action) -> Result<String, String> {
    let row = &action.row;
    let say = |kind: &str, body| say(world, top, row, kind, body);
    let steered = |wish| steered(world, top, row, wish);
    let outcome = match (row.status, &action.kind) {
        (RowStatus::Run(_), ActionKind::Kill) => say("control.kill", None),
        (RowStatus::Run(_), ActionKind::Continue) => say("control.continue", None),
        (RowStatus::Run(_), ActionKind::Say(words)) => {
            let (kind, body) = spoken(words);
            say(kind, body)
        }
        (RowStatus::Cast(_), ActionKind::Kill) => steered(Wish::Abort),
        (RowStatus::Cast(_), ActionKind::Say(words)) => steered(Wish::Continue(Some(words.trim()))),
        (RowStatus::Cast(status), ActionKind::Continue) => match status {
            ObservedStatus::Paused => steered(Wish::Continue(None)),
            ObservedStatus::Interrupted => steered(Wish::Resume),
            ObservedStatus::Failed | ObservedStatus::Aborted => steered(Wish::Recast),
            other => Err(ApiError::new(
                ErrorKind::Invalid,
                "no_wish",
                format!("{} is {}", row.name(), other.as_str()),
            )),
        },
    };
    outcome.map_err(|failure| match &failure.hint {
        Some(hint) => format!("{}; {hint}", failure.message),
        None => failure.message.clone(),
    })
}

/// `TYPE BODY` where the first word has a dot in it, else words of a conversation.
pub(super) fn spoken(words: &str) -> (&str, Option<Value>) {
    let words = words.trim();
    let (first, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let is_kind = first.contains('.')
        && !first.ends_with('.')
        && first
            .chars()
            .all(|one| one.is_alphanumeric() || "._-".contains(one));
    let (kind, body) = if is_kind {
        (first, rest.trim())
    } else {
        ("chat.message", words)
    };
    let body = (!body.is_empty())
        .then(|| serde_json::from_str(body).unwrap_or_else(|_| Value::from(body)));
    (kind, body)
}

fn say(
    world: &World,
    top: &Top,
    row: &Row,
    kind: &str,
    body: Option<Value>,
) -> Result<String, ApiError> {
    let clock = world.clock();
    let within = world.within();
    let session = world.session(top.session.as_deref());
    let sender = Sender {
        root: &Root::new(world.home()?.runs()),
        session: session.as_deref(),
        within: within.as_ref(),
        clock: &clock,
    };
    let draft = Draft {
        to: row.name(),
        kind: kind.to_owned(),
        body,
        ..Draft::default()
    };
    let report = routing::message(&sender, draft)?;
    Ok(format!("{kind} to {}: {}", report.to, report.reason))
}

fn steered(world: &World, top: &Top, row: &Row, wish: Wish<'_>) -> Result<String, ApiError> {
    let player = Player {
        agent: top.agents.agent.clone(),
        script: top.agents.script.clone(),
    };
    let failed = |error: materia_engine::cast::Error| ApiError::from(&error);
    let folder = Folder::open(Path::new(&row.folder)).map_err(failed)?;
    let home = world.home()?;
    let cwd = world.cwd.as_deref().unwrap_or(Path::new("/"));
    // One that cannot be read is told when it is opened.
    let settings = start::settings(&folder).unwrap_or_default();
    let mut agent = player.backend(&settings, cwd)?;
    let user = world.variable("HOME").map(Path::new);
    let library = Library::new(&home, user);
    let clock = world.clock();
    // One that adopts orphans would take the supervisor of a run for one.
    let (mut nursery, mut nobody) = (Nursery::new(), Silent);
    let hands = Hands {
        cwd,
        library: Some(&library),
        home: user,
        variables: &world.variables,
        clock: &clock,
        agent: Some(&mut *agent),
        nursery: &mut nursery,
        listener: &mut nobody,
    };
    if let Wish::Abort = wish {
        start::go_on(folder, wish, hands).map_err(failed)?;
        return Ok(format!("{} is aborted", row.name()));
    }
    let files = Files::find(Places {
        home: Some(&home),
        project: cwd,
        environment: world.variable("MATERIA_CONFIG").map(Path::new),
        flag: None,
    })?;
    let asked = Asked {
        loadout: None,
        files: &files,
        home: Some(&home),
        trusting: false,
        agent: None,
    };
    start::may_go_on(&folder, &asked).map_err(failed)?;
    let driven = steer::wish(folder, wish, hands).map_err(failed)?;
    let spool = world.variable("TMPDIR").map(PathBuf::from);
    let wanted = RunSettings {
        origin: Origin::Cast,
        cwd: cwd.to_owned(),
        clock: world.clock(),
        spool: spool
            .filter(|dir| dir.is_dir())
            .unwrap_or_else(|| "/tmp".into()),
        ..RunSettings::default()
    };
    let spawned = spawn::spawn_cast(&Root::new(home.runs()), &wanted, driven, player.words())?;
    Ok(format!("{} goes on as {}", row.name(), spawned.address))
}
