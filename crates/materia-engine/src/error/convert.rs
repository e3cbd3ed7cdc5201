//! Converts the errors of the engine and the model: their kind, code and hint.
//!
//! Owns one conversion per error type, except those of casts (`cast`). Never prints.

use std::cmp::Reverse;

use crate::config::ConfigReadError;
use crate::home::NoHome;
use crate::post::Error as PostError;
use crate::recipe::NotResolved;
use crate::recipe::tool::NotCalled;
use crate::registry::NotRegistered;
use crate::routing::Error as MessageError;
use crate::routing::receive::Error as ReceiveError;
use crate::routing::watch::Error as WatchError;
use crate::run::{AmbiguousId, Error as RunError};
use crate::store::journal::JournalError;
use crate::store::lock::LockError;
use materia_model::message::EnvelopeError;
use materia_model::name::NameError;
use materia_model::text;

use super::{ApiError, ErrorKind};

impl From<NameError> for ApiError {
    fn from(error: NameError) -> Self {
        Self::from_error(ErrorKind::Invalid, "invalid_name", &error).hint(error.hint())
    }
}

impl From<NoHome> for ApiError {
    fn from(error: NoHome) -> Self {
        Self::from_error(ErrorKind::Invalid, "no_home", &error)
            .hint("set HOME or MATERIA_HOME to an absolute path")
    }
}

impl From<RunError> for ApiError {
    fn from(error: RunError) -> Self {
        let (kind, code) = match &error {
            RunError::NotFound { .. } => (ErrorKind::NotFound, "run_not_found"),
            RunError::Archived { .. } => (ErrorKind::NotFound, "run_archived"),
            RunError::Linked { .. } => (ErrorKind::Refused, "run_is_a_link"),
            RunError::InTheWay { .. } => (ErrorKind::Refused, "run_path_taken"),
            RunError::Reserved(_) => (ErrorKind::Invalid, "invalid_name"),
            RunError::OtherGeneration { .. } => (ErrorKind::Conflict, "stale_generation"),
            RunError::SessionMismatch { .. } => (ErrorKind::Refused, "session_mismatch"),
            RunError::Active { .. } => (ErrorKind::Conflict, "run_active"),
            RunError::Taken(_) => (ErrorKind::Conflict, "run_taken"),
            RunError::NotTerminal { .. } => (ErrorKind::Conflict, "run_not_terminal"),
            RunError::StillThere { .. } => (ErrorKind::Failed, "run_still_there"),
            RunError::NotStarted { .. } | RunError::NoAnswer(_) | RunError::Spawn { .. } => {
                (ErrorKind::Failed, "run_not_started")
            }
            RunError::Interrupted { .. } => (ErrorKind::Interrupted, "interrupted"),
            RunError::Lock(LockError::Held { .. }) => (ErrorKind::Conflict, "run_in_use"),
            RunError::Journal(JournalError::Unwritable { .. }) => (ErrorKind::Invalid, "too_large"),
            RunError::Journal(JournalError::Missing(_)) => (ErrorKind::NotFound, "run_not_found"),
            RunError::Journal(JournalError::Replaced(_)) => (ErrorKind::Conflict, "run_replaced"),
            RunError::Journal(_)
            | RunError::Lock(LockError::Io { .. })
            | RunError::Dir(_)
            | RunError::Write(_)
            | RunError::Unkept { .. }
            | RunError::Io { .. } => (ErrorKind::Failed, "run_storage"),
        };
        Self::from_error(kind, code, &error).hint(error.hint())
    }
}

impl From<AmbiguousId> for ApiError {
    fn from(error: AmbiguousId) -> Self {
        Self::from_error(ErrorKind::Invalid, "ambiguous", &error).hint(error.hint())
    }
}

impl From<PostError> for ApiError {
    fn from(error: PostError) -> Self {
        let (kind, code) = match &error {
            PostError::Full { .. } => (ErrorKind::Limit, "mailbox_full"),
            PostError::Crowded { .. } => (ErrorKind::Limit, "too_many_branches"),
            PostError::Over { .. } => (ErrorKind::Conflict, "run_not_running"),
            PostError::Stale { .. } => (ErrorKind::Conflict, "stale_generation"),
            PostError::Unknown(_) => (ErrorKind::NotFound, "message_not_found"),
            PostError::Held { .. } => (ErrorKind::Conflict, "message_claimed"),
            PostError::Finished { .. } => (ErrorKind::Conflict, "message_finished"),
            PostError::TimedOut => (ErrorKind::Failed, "timeout"),
            PostError::Interrupted => (ErrorKind::Interrupted, "interrupted"),
            PostError::Watched { .. }
            | PostError::Journal(JournalError::Held(LockError::Held { .. })) => {
                (ErrorKind::Conflict, "in_use")
            }
            PostError::Journal(JournalError::Missing(_)) => (ErrorKind::NotFound, "run_not_found"),
            PostError::Journal(JournalError::Replaced(_)) => (ErrorKind::Conflict, "run_replaced"),
            PostError::Io { .. }
            | PostError::Dir(_)
            | PostError::Unread(_)
            | PostError::Unwritten(_)
            | PostError::Journal(_)
            | PostError::Run(_) => (ErrorKind::Failed, "run_storage"),
        };
        Self::from_error(kind, code, &error).hint(error.hint())
    }
}

impl From<EnvelopeError> for ApiError {
    fn from(error: EnvelopeError) -> Self {
        MessageError::from(error).into()
    }
}

impl From<MessageError> for ApiError {
    fn from(error: MessageError) -> Self {
        let (kind, code) = match error {
            MessageError::Post(error) => return error.into(),
            MessageError::Run(error) => return error.into(),
            MessageError::Envelope(_) | MessageError::Field { .. } => {
                (ErrorKind::Invalid, "invalid_message")
            }
            MessageError::NoSender { .. } => (ErrorKind::Invalid, "sender_required"),
            MessageError::Sender { .. } => (ErrorKind::Refused, "sender_refused"),
            MessageError::NotYou { .. } => (ErrorKind::Refused, "not_you"),
            MessageError::Recipient { .. } => (ErrorKind::Invalid, "invalid_recipient"),
            MessageError::Recipients { .. } => (ErrorKind::Invalid, "too_many_recipients"),
            MessageError::Session { .. } | MessageError::NotYours { .. } => {
                (ErrorKind::Refused, "session_mismatch")
            }
            MessageError::Cast { .. } => (ErrorKind::Conflict, "cast_not_waiting"),
            MessageError::OperatorOnly(_) => (ErrorKind::Refused, "operator_only"),
            MessageError::NoTool(_) => (ErrorKind::NotFound, "tool_not_found"),
        };
        Self::from_error(kind, code, &error).hint(error.hint())
    }
}

impl From<ReceiveError> for ApiError {
    fn from(error: ReceiveError) -> Self {
        match error {
            ReceiveError::Post(error) => error.into(),
            ReceiveError::Run(error) => error.into(),
            ReceiveError::NoQueue(_) | ReceiveError::NoHolder(_) => {
                Self::from_error(ErrorKind::Invalid, "usage", &error).hint(error.hint())
            }
        }
    }
}

impl From<WatchError> for ApiError {
    fn from(error: WatchError) -> Self {
        match error {
            WatchError::Post(error) => error.into(),
            WatchError::NoRoom => {
                Self::from_error(ErrorKind::Invalid, "no_home", &error).hint(error.hint())
            }
        }
    }
}

impl From<ConfigReadError> for ApiError {
    fn from(error: ConfigReadError) -> Self {
        let kind = if let ConfigReadError::Missing { .. } = error {
            ErrorKind::NotFound
        } else {
            ErrorKind::Invalid
        };
        Self::from_error(kind, error.code().replace('-', "_"), &error).hint(error.hint())
    }
}

impl From<NotResolved> for ApiError {
    fn from(why: NotResolved) -> Self {
        match why {
            NotResolved::NotFound(error) => {
                let missing = error.code == "recipe-not-found";
                let kind = if missing {
                    ErrorKind::NotFound
                } else {
                    ErrorKind::Invalid
                };
                Self::new(kind, error.code.replace('-', "_"), error.message).hint(error.hint)
            }
            NotResolved::Invalid(mut findings) => {
                findings.sort_by_key(|finding| Reverse(finding.severity));
                Self::from_findings(findings)
            }
            NotResolved::Disabled { ref file, .. } => {
                let hint = match file {
                    Some(file) => format!(
                        "take \"disabled\" out of {}; what it hides is not used meanwhile",
                        text::quoted_within(&file.to_string_lossy(), 300)
                    ),
                    None => "use another recipe".to_owned(),
                };
                Self::new(ErrorKind::Refused, "recipe_disabled", why.to_string()).hint(hint)
            }
        }
    }
}

impl From<NotCalled> for ApiError {
    fn from(why: NotCalled) -> Self {
        match why {
            NotCalled::Recipe(why) => why.into(),
            NotCalled::Arguments {
                findings,
                shape,
                name,
            } => {
                let first = findings.first().map_or("", |finding| &finding.message);
                let message = format!(
                    "invalid arguments for the tool {}: {first}",
                    text::quoted(&name)
                );
                Self::new(ErrorKind::Invalid, "invalid_arguments", message)
                    .hint(shape)
                    .with_findings(findings)
            }
            NotCalled::NoTool(ref name) => {
                Self::from_error(ErrorKind::NotFound, "not_a_tool", &why).hint(format!(
                    "materia tool register {0} --from {0}, or materia run {0}",
                    text::printable(name)
                ))
            }
            NotCalled::Detached(ref name) => {
                Self::from_error(ErrorKind::Refused, "detached_tool", &why)
                    .hint(format!("materia spawn {}", text::printable(name)))
            }
            NotCalled::Io(_) => {
                Self::from_error(ErrorKind::Failed, "not_run", &why).hint("see `materia doctor`")
            }
        }
    }
}

impl From<NotRegistered> for ApiError {
    fn from(why: NotRegistered) -> Self {
        let told = |kind, code: &str, hint: &str| Self::from_error(kind, code, &why).hint(hint);
        match &why {
            NotRegistered::Name(finding) => Self::from_findings(vec![(**finding).clone()]),
            NotRegistered::Exists(_) => told(
                ErrorKind::Conflict,
                "tool_exists",
                "use `materia tool update`",
            ),
            NotRegistered::Unknown(_) => told(
                ErrorKind::NotFound,
                "tool_not_found",
                "see `materia tool list`",
            ),
            NotRegistered::Invalid(findings) => Self::from_findings(findings.clone()),
            NotRegistered::Markdown(_) => {
                told(ErrorKind::Refused, "markdown_tool", "edit the file")
            }
            NotRegistered::NoDraft(_) => told(
                ErrorKind::NotFound,
                "draft_not_found",
                "see `materia tool promote`",
            ),
            NotRegistered::Locked(error) => told(ErrorKind::Conflict, "locked", error.hint()),
            NotRegistered::Dir(_) | NotRegistered::Write(_) => told(
                ErrorKind::Failed,
                "not_written",
                "make the directory of your recipes writable",
            ),
        }
    }
}
