//! `materia message`: sends a message to an actor.

use std::path::PathBuf;

use clap::Args;
use materia_engine::api::{ApiError, ErrorKind, MessageDraft, MessageRequest};
use materia_model::message::{check_numbers, read_body};
use materia_model::text;
use serde_json::Value;

use super::input;
use crate::view::{OutputFormat, RunView, Screen};
use crate::world::World;

/// Say something to a run, a branch, a room, or whoever started the run we are in
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    materia message run:tests task.run '{\"suite\": \"fast\"}'\n  \
    materia message run:tests control.kill\n  \
    materia message room:tests chat.note \"who has the lock?\" --from branch:tests/worker-1\n  \
    materia message coordinator progress.update \"40 files\"      # inside a run\n\n\
    Answers once the message is on disk. A message that nobody reads yet waits, which is no error. Exits with 2 when the \
    message cannot be sent as it is, 3 when there is no such run, 4 when it is over or somebody else's, 7 when its mailbox \
    is full.")]
pub(super) struct Message {
    /// Where it goes: run:ID, branch:RUN/NAME, room:RUN, session:ID, tool:NAME or coordinator
    #[arg(value_name = "TO")]
    to: String,

    /// What kind of message it is, such as task.run
    #[arg(value_name = "TYPE")]
    kind: String,

    /// JSON when it parses, else text
    #[arg(value_name = "BODY", allow_hyphen_values = true)]
    body: Option<String>,

    /// A file with the body; `-` reads it from stdin
    #[arg(long, value_name = "F", conflicts_with = "body")]
    body_file: Option<PathBuf>,

    /// Who says it; inside a run, that run
    #[arg(long, value_name = "A")]
    from: Option<String>,

    /// One line for people
    #[arg(long, value_name = "S")]
    summary: Option<String>,

    /// The id of the message it answers
    #[arg(long, value_name = "ID")]
    reply_to: Option<String>,

    /// What belongs together
    #[arg(long, value_name = "ID")]
    correlation: Option<String>,

    /// A JSON object for programs, such as {"requires_response": true}
    #[arg(long, value_name = "JSON")]
    metadata: Option<String>,

    /// The session that sends it
    #[arg(long, value_name = "S")]
    session: Option<String>,
}

impl Message {
    pub(super) fn run(
        self,
        world: &World,
        screen: Screen,
        format: OutputFormat,
    ) -> Result<u8, ApiError> {
        let request = MessageRequest {
            session: self.session.clone(),
            body: self.body_file.clone().map(input::input).transpose()?,
            draft: self.draft()?,
            audience: format.audience(),
        };
        let mut view = RunView::new(world, screen, OutputFormat::Json);
        let report = world.engine().message(request, Some(&mut view))?;
        screen.report(&report, format);
        Ok(report.exit_code())
    }

    fn draft(self) -> Result<MessageDraft, ApiError> {
        Ok(MessageDraft {
            to: self.to,
            kind: self.kind,
            body: self.body.map(read_body).transpose()?,
            from: self.from,
            summary: self.summary,
            reply_to: self.reply_to,
            correlation_id: self.correlation,
            metadata: self.metadata.as_deref().map(metadata).transpose()?,
        })
    }
}

fn metadata(given: &str) -> Result<Value, ApiError> {
    let metadata = serde_json::from_str(given).map_err(|error| {
        let message = format!("the metadata {} is no JSON: {error}", text::quoted(given));
        ApiError::new(ErrorKind::Invalid, "invalid_metadata", message)
            .hint("write {\"requires_response\": true}")
    })?;
    check_numbers("metadata", given)?;
    Ok(metadata)
}
