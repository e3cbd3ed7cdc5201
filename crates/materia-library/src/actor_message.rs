//! `actor-message`: sends its input as the body of a message.
//!
//! Owns building and checking the message. With `send=true` inside a run, the message also goes to
//! the coordinator. Outside a run it is only printed, because there is no run to send it from.

use materia_engine::post::{MessageLog, MessagePosting};
use materia_engine::run;
use materia_engine::utility::step::{StepContext, StepOptions};
use materia_engine::utility::{UtilityError, UtilityOutput, UtilityReport};
use materia_model::message::{Address, Envelope, MessageDraft};
use materia_model::text;
use serde_json::Value;

use crate::files;

pub(crate) fn run(
    context: &mut StepContext<'_>,
    options: &StepOptions,
) -> Result<UtilityReport, UtilityError> {
    let body = String::from_utf8_lossy(&files::all(context.stdin, "stdin")?).into_owned();
    let own = context.within.map(|run| format!("run:{run}"));
    let draft = MessageDraft {
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
        .map_err(|error| UtilityError::wrong(error.to_string(), error.hint()))?;
    let mut notes = Vec::new();
    if options.flag("send") {
        match context.within {
            Some(_) => send(context, envelope.clone())?,
            None => notes.push("this is no run, so the message was not sent".to_owned()),
        }
    }
    let shown = serde_json::to_value(&envelope).unwrap_or_default();
    Ok(UtilityReport {
        output: UtilityOutput::Json(shown),
        notes,
    })
}

/// Parses the input as JSON if possible, else keeps it as text. Returns `None` for blank input.
fn body_of(text: &str) -> Option<Value> {
    let trimmed = text.trim();
    (!trimmed.is_empty()).then(|| serde_json::from_str(trimmed).unwrap_or_else(|_| trimmed.into()))
}

fn metadata(text: &str) -> Result<Value, UtilityError> {
    serde_json::from_str(text).map_err(|error| {
        UtilityError::wrong(
            format!(
                "metadata is {}, which is no JSON: {error}",
                text::quoted(text)
            ),
            "write metadata={\"key\": \"value\"}",
        )
    })
}

/// Sends the message to the coordinator of the enclosing run.
fn send(context: &StepContext<'_>, envelope: Envelope) -> Result<(), UtilityError> {
    let Some(run) = context.within else {
        return Ok(());
    };
    if envelope.to != Address::Coordinator {
        let message = format!(
            "`actor-message` sends to the coordinator, not to {}",
            envelope.to
        );
        return Err(UtilityError::wrong(
            message,
            "use `materia message` for that",
        ));
    }
    let failed = |error: &dyn std::error::Error| {
        UtilityError::failed(
            format!("the message was not sent: {error}"),
            "see `materia inspect` of the run",
        )
    };
    let place = context.runs.find(run).map_err(|error| failed(&error))?;
    let post = MessageLog::open(&place.journal(), context.clock).map_err(|error| failed(&error))?;
    post.deliver(MessagePosting::new(envelope))
        .map_err(|error| failed(&error))?;
    let session = post
        .look(|mail| mail.session.clone())
        .map_err(|error| failed(&error))?;
    run::ring_session(
        context.runs,
        session.as_ref().map(materia_model::name::SessionId::as_str),
    );
    Ok(())
}
