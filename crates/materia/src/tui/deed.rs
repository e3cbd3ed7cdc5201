//! What the person does to what is selected: killing, continuing, saying something.
//!
//! Owns the translation into the verbs of the facade, and one line about how it went.

use std::path::{Path, PathBuf};

use materia_engine::cast::start::{self, Asked, Wish};
use materia_engine::cast::steer;
use materia_engine::cast::{Folder, Hands, Silent};
use materia_engine::launch::spawn::{self, Wanted};
use materia_engine::library::Library;
use materia_engine::process::Nursery;
use materia_model::run::Origin;
use serde_json::Value;

use super::Desk;
use super::app::{Deed, What};
use super::rows::{Kind, Row};
use materia_engine::api::{ApiError, Draft, ErrorKind, MessageRequest};

/// Does it; one line about it, whether it went well or not.
pub(super) fn done(desk: &Desk<'_>, deed: &Deed) -> Result<String, String> {
    let row = &deed.row;
    let outcome = match (row.kind, &deed.what) {
        (Kind::Run, What::Kill) => say(desk, row, "control.kill", None),
        (Kind::Run, What::Continue) => say(desk, row, "control.continue", None),
        (Kind::Run, What::Say(words)) => {
            let (kind, body) = spoken(words);
            say(desk, row, kind, body)
        }
        (Kind::Cast, What::Kill) => steered(desk, row, Wish::Abort),
        (Kind::Cast, What::Say(words)) => steered(desk, row, Wish::Continue(Some(words.trim()))),
        (Kind::Cast, What::Continue) => match row.status {
            "paused" => steered(desk, row, Wish::Continue(None)),
            "interrupted" => steered(desk, row, Wish::Resume),
            "failed" | "aborted" => steered(desk, row, Wish::Recast),
            other => Err(ApiError::new(
                ErrorKind::Invalid,
                "no_wish",
                format!("{} is {other}", row.name()),
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

fn say(desk: &Desk<'_>, row: &Row, kind: &str, body: Option<Value>) -> Result<String, ApiError> {
    let draft = Draft {
        to: row.name(),
        kind: kind.to_owned(),
        body,
        ..Draft::default()
    };
    let request = MessageRequest {
        draft,
        session: desk.caller.clone(),
        ..MessageRequest::default()
    };
    let report = desk.world.engine().message(request, None)?;
    Ok(format!("{kind} to {}: {}", report.to, report.reason))
}

fn steered(desk: &Desk<'_>, row: &Row, wish: Wish<'_>) -> Result<String, ApiError> {
    let failed = |error: materia_engine::cast::Error| ApiError::from(&error);
    let folder = Folder::open(Path::new(&row.folder)).map_err(failed)?;
    let home = desk.world.home()?;
    let cwd = desk.world.cwd.as_deref().unwrap_or(Path::new("/"));
    // One that cannot be read is told when it is opened.
    let settings = start::settings(&folder).unwrap_or_default();
    let mut agent = desk.player.backend(&settings, cwd)?;
    let user = desk.world.variable("HOME").map(Path::new);
    let library = Library::new(&home, user);
    let clock = desk.world.clock();
    // One that adopts orphans would take the supervisor of a run for one.
    let (mut nursery, mut nobody) = (Nursery::new(), Silent);
    let hands = Hands {
        cwd,
        library: Some(&library),
        home: user,
        variables: &desk.world.variables,
        clock: &clock,
        agent: Some(&mut *agent),
        nursery: &mut nursery,
        listener: &mut nobody,
    };
    if let Wish::Abort = wish {
        start::go_on(folder, wish, hands).map_err(failed)?;
        return Ok(format!("{} is aborted", row.name()));
    }
    let asked = Asked {
        loadout: None,
        files: &desk.files,
        home: Some(&home),
        trusting: false,
        agent: None,
    };
    start::may_go_on(&folder, &asked).map_err(failed)?;
    let driven = steer::wish(folder, wish, hands).map_err(failed)?;
    let spool = desk.world.variable("TMPDIR").map(PathBuf::from);
    let wanted = Wanted {
        origin: Origin::Cast,
        cwd: cwd.to_owned(),
        clock: desk.world.clock(),
        spool: spool
            .filter(|dir| dir.is_dir())
            .unwrap_or_else(|| "/tmp".into()),
        ..Wanted::default()
    };
    let spawned = spawn::spawn_cast(&desk.root, &wanted, driven, desk.player.words())?;
    Ok(format!("{} goes on as {}", row.name(), spawned.address))
}
