//! What the person does to what is selected: killing, continuing, saying something.
//!
//! Owns the translation into the verbs of the facade, and one line about how it went.

use materia_engine::api::{ApiError, CastOptions, ErrorKind, ResumeAction, ResumeRequest};
use materia_engine::routing::{self, Sender};
use materia_model::message::Draft;
use serde_json::Value;

use super::Desk;
use super::app::{Deed, What};
use super::rows::{Kind, Row};

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
        (Kind::Cast, What::Kill) => resume(desk, row, ResumeAction::Abort),
        (Kind::Cast, What::Say(words)) => {
            let text = words.trim().to_owned();
            resume(desk, row, ResumeAction::Continue(Some(text)))
        }
        (Kind::Cast, What::Continue) => match row.status {
            "paused" => resume(desk, row, ResumeAction::Continue(None)),
            "interrupted" => resume(desk, row, ResumeAction::Resume),
            "failed" | "aborted" => resume(desk, row, ResumeAction::Recast),
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
    let clock = desk.world.clock();
    let within = desk.world.within();
    let sender = Sender {
        root: &desk.root,
        session: desk.caller.as_deref(),
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

fn resume(desk: &Desk<'_>, row: &Row, action: ResumeAction) -> Result<String, ApiError> {
    let aborts = action == ResumeAction::Abort;
    let request = ResumeRequest {
        cast: Some(row.folder.clone()),
        action,
        options: CastOptions {
            agents: desk.agents.clone(),
            detach: true,
            ..CastOptions::default()
        },
    };
    let report = desk.world.engine().resume(&request, &mut ())?;
    if aborts {
        return Ok(format!("{} is aborted", row.name()));
    }
    let run = report.run.unwrap_or_default();
    Ok(format!("{} goes on as run:{run}", row.name()))
}
