//! Why a message was not sent.

use materia_model::message::EnvelopeError;
use materia_model::text;

use crate::{post, run};

/// An error of sending a message.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The message is invalid.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// The message needs a sender.
    #[error("a message to {to} has to say who sends it")]
    NoSender {
        /// The address.
        to: String,
        /// The allowed senders.
        allowed: String,
    },
    /// This sender may not write to this address.
    #[error("{from} may not write to {to}")]
    Sender {
        /// The address.
        to: String,
        /// The sender.
        from: String,
        /// The allowed senders.
        allowed: String,
    },
    /// A program inside a run sends as another actor.
    #[error("a program inside run:{run} cannot speak for {from}")]
    NotYou {
        /// The sender it claims to be.
        from: String,
        /// The run it is in.
        run: String,
    },
    /// A recipient of a room message is not a branch of the run.
    #[error("{} cannot be a recipient of a message to {room}", text::quoted(given))]
    Recipient {
        /// The room.
        room: String,
        /// The invalid recipient.
        given: String,
        /// The valid recipients.
        allowed: String,
    },
    /// The message has too many recipients.
    #[error("the message to {room} names {count} recipients, at most {most} are allowed")]
    Recipients {
        /// The room.
        room: String,
        /// The number of recipients.
        count: usize,
        /// The allowed number.
        most: usize,
    },
    /// The run belongs to another session.
    #[error("run:{run} belongs to {}, not to session {session}", owner.as_ref().map_or_else(|| "no session".to_owned(), |owner| format!("session {owner}")))]
    Session {
        /// The run.
        run: String,
        /// Its session.
        owner: Option<String>,
        /// The addressed session.
        session: String,
    },
    /// Only the session itself or the operator may end a session.
    #[error("session {session} is not yours to end")]
    NotYours {
        /// The session.
        session: String,
    },
    /// Only the operator may send it (S2).
    #[error("{} needs the operator: programs in a run or a session cannot ask for it", text::quoted(.0))]
    OperatorOnly(String),
    /// There is no such tool.
    #[error("there is no tool {} that can be executed by a message", text::quoted(.0))]
    NoTool(String),
    /// The state of the cast does not allow this message.
    #[error(
        "the cast of run:{run} is {standing}: {} does not fit",
        text::quoted(kind)
    )]
    Cast {
        /// The run.
        run: String,
        /// The state of the cast.
        standing: &'static str,
        /// The type of the message.
        kind: String,
        /// The valid types.
        fits: &'static str,
    },
    /// A field in the body of a control message is invalid.
    #[error(
        "{} of {kind} is {}, which is not {wanted}",
        text::quoted(field),
        text::quoted(given)
    )]
    Field {
        /// The type of the message.
        kind: String,
        /// The field.
        field: &'static str,
        /// Its value.
        given: String,
        /// The expected value.
        wanted: &'static str,
    },
    /// Posting failed.
    #[error(transparent)]
    Post(#[from] post::Error),
    /// The run cannot be used.
    #[error(transparent)]
    Run(#[from] run::Error),
}

impl Error {
    /// A hint for the sender.
    pub fn hint(&self) -> String {
        match self {
            Self::Envelope(error) => error.hint(),
            Self::NoSender { allowed, .. } | Self::Sender { allowed, .. } => {
                format!("send it with --from {allowed}")
            }
            Self::NotYou { run, .. } => {
                format!("leave --from out, or write run:{run} or branch:{run}/NAME")
            }
            Self::Recipient { allowed, .. } => format!("list addresses such as {allowed}"),
            Self::Recipients { .. } => "send it in several messages".to_owned(),
            Self::Session {
                owner: Some(owner), ..
            } => {
                format!("write to coordinator, or to session:{owner}")
            }
            Self::Session { owner: None, .. } => "write to coordinator".to_owned(),
            Self::NotYours { session } => {
                format!("ask the host of session {session}, or the person, to end it")
            }
            Self::OperatorOnly(_) => "ask the person to type it at a terminal".to_owned(),
            Self::NoTool(name) => format!("run it with `materia run {name}`"),
            Self::Cast { run, fits, .. } => {
                format!("send {fits}, or see `materia inspect run:{run}`")
            }
            Self::Field { field, wanted, .. } => {
                format!("nothing was changed; write {wanted} for `{field}`")
            }
            Self::Post(error) => error.hint(),
            Self::Run(error) => error.hint(),
        }
    }
}
