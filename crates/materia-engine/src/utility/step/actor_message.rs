//! `actor-message`: what flows to it becomes the body of a message.
//!
//! Owns making and checking the message. With `send=true` inside a run it also goes to the
//! coordinator; anywhere else it is only shown, since there is nobody whose run could say it.

use materia_model::message::{Address, Draft, Envelope};
use materia_model::text;
use serde_json::Value;

use super::super::answer::{Answer, Output, Trouble};
use super::options::Options;
use super::{Asked, files};
use crate::post::{Post, Posting};
use crate::run;

pub(super) fn run(asked: &mut Asked<'_>, options: &Options) -> Result<Answer, Trouble> {
    let body = String::from_utf8_lossy(&files::all(asked.stdin, "stdin")?).into_owned();
    let own = asked.within.map(|run| format!("run:{run}"));
    let draft = Draft {
        to: options.text_or("to", "coordinator").to_owned(),
        kind: options.text_or("type", "").to_owned(),
        body: body_of(&body),
        from: options.text("from").map(str::to_owned).or(own),
        summary: options.text("summary").map(str::to_owned),
        reply_to: options.text("reply-to").map(str::to_owned),
        correlation_id: options.text("correlation").map(str::to_owned),
        metadata: options.text("metadata").map(metadata).transpose()?,
    };
    let envelope = draft
        .check()
        .map_err(|error| Trouble::wrong(error.to_string(), error.hint()))?;
    let mut notes = Vec::new();
    if options.flag("send") {
        match asked.within {
            Some(_) => send(asked, envelope.clone())?,
            None => notes.push("this is no run, so the message was not sent".to_owned()),
        }
    }
    let shown = serde_json::to_value(&envelope).unwrap_or_default();
    Ok(Answer {
        output: Output::Json(shown),
        notes,
    })
}

/// JSON where it is JSON, else text; nothing where it is blank.
fn body_of(text: &str) -> Option<Value> {
    let trimmed = text.trim();
    (!trimmed.is_empty()).then(|| serde_json::from_str(trimmed).unwrap_or_else(|_| trimmed.into()))
}

fn metadata(text: &str) -> Result<Value, Trouble> {
    serde_json::from_str(text).map_err(|error| {
        Trouble::wrong(
            format!(
                "metadata is {}, which is no JSON: {error}",
                text::quoted(text)
            ),
            "write metadata={\"key\": \"value\"}",
        )
    })
}

/// Says it to the coordinator of the run around us.
fn send(asked: &Asked<'_>, envelope: Envelope) -> Result<(), Trouble> {
    let Some(run) = asked.within else {
        return Ok(());
    };
    if envelope.to != Address::Coordinator {
        let message = format!(
            "`actor-message` sends to the coordinator, not to {}",
            envelope.to
        );
        return Err(Trouble::wrong(message, "use `materia message` for that"));
    }
    let failed = |error: &dyn std::error::Error| {
        Trouble::failed(
            format!("the message was not sent: {error}"),
            "see `materia inspect` of the run",
        )
    };
    let place = asked.runs.find(run).map_err(|error| failed(&error))?;
    let post = Post::open(&place.journal(), asked.clock).map_err(|error| failed(&error))?;
    post.deliver(Posting::new(envelope))
        .map_err(|error| failed(&error))?;
    let session = post
        .look(|mail| mail.session.clone())
        .map_err(|error| failed(&error))?;
    run::ring_session(
        asked.runs,
        session.as_ref().map(materia_model::name::SessionId::as_str),
    );
    Ok(())
}
