//! Actions on the selected run or cast: kill, continue, send a message.
//!
//! Owns the translation into engine calls, and the one-line result.

use materia_engine::api::{
    ApiError, CastOptions, ErrorKind, MessageDraft, MessageRequest, ObservedStatus, ResumeAction,
    ResumeRequest,
};
use serde_json::Value;

use super::app::{Action, ActionKind};
use super::rows::{Row, RowStatus};
use crate::door::TopOptions;
use crate::world::World;

/// Performs an action. Returns one line with its result, or with the reason why it failed.
pub(super) fn perform(world: &World, top: &TopOptions, action: &Action) -> Result<String, String> {
    let row = &action.row;
    let say = |kind: &str, body| say(world, top, row, kind, body);
    let resume = |action| resume(world, top, row, action);
    let outcome = match (row.status, &action.kind) {
        (RowStatus::Run(_), ActionKind::Kill) => say("control.kill", None),
        (RowStatus::Run(_), ActionKind::Continue) => say("control.continue", None),
        (RowStatus::Run(_), ActionKind::Say(words)) => {
            let (kind, body) = spoken(words);
            say(kind, body)
        }
        (RowStatus::Cast(_), ActionKind::Kill) => resume(ResumeAction::Abort),
        (RowStatus::Cast(_), ActionKind::Say(words)) => {
            resume(ResumeAction::Continue(Some(words.trim().to_owned())))
        }
        (RowStatus::Cast(status), ActionKind::Continue) => match status {
            ObservedStatus::Paused => resume(ResumeAction::Continue(None)),
            ObservedStatus::Interrupted => resume(ResumeAction::Resume),
            ObservedStatus::Failed | ObservedStatus::Aborted => resume(ResumeAction::Recast),
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

/// Parses a typed message: `TYPE BODY` if the first word contains a dot, otherwise a conversation
/// text.
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
    top: &TopOptions,
    row: &Row,
    kind: &str,
    body: Option<Value>,
) -> Result<String, ApiError> {
    let draft = MessageDraft {
        to: row.name(),
        kind: kind.to_owned(),
        body,
        ..MessageDraft::default()
    };
    let request = MessageRequest {
        draft,
        session: top.session.clone(),
        ..MessageRequest::default()
    };
    let report = world.engine().message(request, None)?;
    Ok(format!("{kind} to {}: {}", report.to, report.reason))
}

fn resume(
    world: &World,
    top: &TopOptions,
    row: &Row,
    action: ResumeAction,
) -> Result<String, ApiError> {
    let aborts = action == ResumeAction::Abort;
    let request = ResumeRequest {
        cast: Some(row.folder.clone()),
        action,
        options: CastOptions {
            agents: top.agents.clone(),
            detach: true,
            ..CastOptions::default()
        },
    };
    let report = world.engine().resume(&request, &mut ())?;
    if aborts {
        return Ok(format!("{} is aborted", row.name()));
    }
    let run = report.run.unwrap_or_default();
    Ok(format!("{} goes on as run:{run}", row.name()))
}
