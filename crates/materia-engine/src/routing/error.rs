//! Why a message was not sent.

use materia_model::message::EnvelopeError;
use materia_model::text;

use crate::{post, run};

/// What went wrong with a message.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It cannot be sent as it is.
    #[error(transparent)]
    Envelope(#[from] EnvelopeError),
    /// Somebody has to say who speaks.
    #[error("a message to {to} has to say who sends it")]
    NoSender {
        /// Where it should go.
        to: String,
        /// Who may send it.
        allowed: String,
    },
    /// Somebody else than those who may.
    #[error("{from} may not write to {to}")]
    Sender {
        /// Where it should go.
        to: String,
        /// Who sends it.
        from: String,
        /// Who may send it.
        allowed: String,
    },
    /// A program inside a run speaks for another.
    #[error("a program inside run:{run} cannot speak for {from}")]
    NotYou {
        /// Whom it speaks for.
        from: String,
        /// Where it is.
        run: String,
    },
    /// Those a message to a room names are not all branches of its run.
    #[error("{} cannot be a recipient of a message to {room}", text::quoted(given))]
    Recipient {
        /// The room.
        room: String,
        /// What is listed.
        given: String,
        /// What may be listed.
        allowed: String,
    },
    /// There are more of them than a message may have.
    #[error("the message to {room} names {count} recipients, at most {most} are allowed")]
    Recipients {
        /// The room.
        room: String,
        /// How many it names.
        count: usize,
        /// How many it may name.
        most: usize,
    },
    /// The run is another session's.
    #[error("run:{run} belongs to {}, not to session {session}", owner.as_ref().map_or_else(|| "no session".to_owned(), |owner| format!("session {owner}")))]
    Session {
        /// The run.
        run: String,
        /// Whose it is.
        owner: Option<String>,
        /// Who was addressed.
        session: String,
    },
    /// A session is ended by itself, or by the operator.
    #[error("session {session} is not yours to end")]
    NotYours {
        /// Which.
        session: String,
    },
    /// Only a person may ask for it (S2).
    #[error("{} needs the operator: programs in a run or a session cannot ask for it", text::quoted(.0))]
    OperatorOnly(String),
    /// There is no such tool.
    #[error("there is no tool {} that can be executed by a message", text::quoted(.0))]
    NoTool(String),
    /// The cast that the run drives cannot be taken up in this way.
    #[error(
        "the cast of run:{run} is {standing}: {} does not fit",
        text::quoted(kind)
    )]
    Cast {
        /// The run.
        run: String,
        /// How its cast stands.
        standing: &'static str,
        /// What was asked for.
        kind: String,
        /// What fits.
        fits: &'static str,
    },
    /// Something in the body of a control message is not what it has to be.
    #[error(
        "{} of {kind} is {}, which is not {wanted}",
        text::quoted(field),
        text::quoted(given)
    )]
    Field {
        /// What was asked for.
        kind: String,
        /// What is wrong.
        field: &'static str,
        /// What it is.
        given: String,
        /// What it has to be.
        wanted: &'static str,
    },
    /// The post.
    #[error(transparent)]
    Post(#[from] post::Error),
    /// The run.
    #[error(transparent)]
    Run(#[from] run::Error),
}

impl Error {
    /// What the sender can do about it.
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
