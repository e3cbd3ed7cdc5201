//! Conversion of the engine's and the model's errors into failures: their kind, code and hint.
//!
//! Owns one conversion per error type, except those of casts (`cast`). Never prints.

use std::cmp::Reverse;

use materia_engine::config::ReadError;
use materia_engine::home::NoHome;
use materia_engine::post::Error as PostError;
use materia_engine::registry::NotRegistered;
use materia_engine::run::Error as RunError;
use materia_engine::store::journal::JournalError;
use materia_engine::store::lock::LockError;
use materia_engine::verb::loadout::{NotUsable, UseError};
use materia_engine::verb::message::Error as MessageError;
use materia_engine::verb::receive::Error as ReceiveError;
use materia_engine::verb::recipe::NotResolved;
use materia_engine::verb::tool::NotCalled;
use materia_engine::verb::watch::Error as WatchError;
use materia_model::name::NameError;
use materia_model::text;

use super::{Failure, Kind};

impl From<NameError> for Failure {
    fn from(error: NameError) -> Self {
        Self::from_error(Kind::Invalid, "invalid_name", &error).hint(error.hint())
    }
}

impl From<NoHome> for Failure {
    fn from(error: NoHome) -> Self {
        Self::from_error(Kind::Invalid, "no_home", &error)
            .hint("set HOME or MATERIA_HOME to an absolute path")
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        let (kind, code) = match &error {
            RunError::NotFound { .. } => (Kind::NotFound, "run_not_found"),
            RunError::Archived { .. } => (Kind::NotFound, "run_archived"),
            RunError::Linked { .. } => (Kind::Refused, "run_is_a_link"),
            RunError::InTheWay { .. } => (Kind::Refused, "run_path_taken"),
            RunError::Reserved(_) => (Kind::Invalid, "invalid_name"),
            RunError::OtherGeneration { .. } => (Kind::Conflict, "stale_generation"),
            RunError::SessionMismatch { .. } => (Kind::Refused, "session_mismatch"),
            RunError::Active { .. } => (Kind::Conflict, "run_active"),
            RunError::Taken(_) => (Kind::Conflict, "run_taken"),
            RunError::NotTerminal { .. } => (Kind::Conflict, "run_not_terminal"),
            RunError::StillThere { .. } => (Kind::Failed, "run_still_there"),
            RunError::NotStarted { .. } | RunError::NoAnswer(_) | RunError::Spawn { .. } => {
                (Kind::Failed, "run_not_started")
            }
            RunError::Interrupted { .. } => (Kind::Interrupted, "interrupted"),
            RunError::Lock(LockError::Held { .. }) => (Kind::Conflict, "run_in_use"),
            RunError::Journal(JournalError::Unwritable { .. }) => (Kind::Invalid, "too_large"),
            RunError::Journal(JournalError::Missing(_)) => (Kind::NotFound, "run_not_found"),
            RunError::Journal(JournalError::Replaced(_)) => (Kind::Conflict, "run_replaced"),
            RunError::Journal(_)
            | RunError::Lock(LockError::Io { .. })
            | RunError::Dir(_)
            | RunError::Write(_)
            | RunError::Unkept { .. }
            | RunError::Io { .. } => (Kind::Failed, "run_storage"),
        };
        Self::from_error(kind, code, &error).hint(error.hint())
    }
}

impl From<PostError> for Failure {
    fn from(error: PostError) -> Self {
        let (kind, code) = match &error {
            PostError::Full { .. } => (Kind::Limit, "mailbox_full"),
            PostError::Crowded { .. } => (Kind::Limit, "too_many_branches"),
            PostError::Over { .. } => (Kind::Conflict, "run_not_running"),
            PostError::Stale { .. } => (Kind::Conflict, "stale_generation"),
            PostError::Unknown(_) => (Kind::NotFound, "message_not_found"),
            PostError::Held { .. } => (Kind::Conflict, "message_claimed"),
            PostError::Finished { .. } => (Kind::Conflict, "message_finished"),
            PostError::TimedOut => (Kind::Failed, "timeout"),
            PostError::Interrupted => (Kind::Interrupted, "interrupted"),
            PostError::Watched { .. }
            | PostError::Journal(JournalError::Held(LockError::Held { .. })) => {
                (Kind::Conflict, "in_use")
            }
            PostError::Journal(JournalError::Missing(_)) => (Kind::NotFound, "run_not_found"),
            PostError::Journal(JournalError::Replaced(_)) => (Kind::Conflict, "run_replaced"),
            PostError::Io { .. }
            | PostError::Dir(_)
            | PostError::Unread(_)
            | PostError::Unwritten(_)
            | PostError::Journal(_)
            | PostError::Run(_) => (Kind::Failed, "run_storage"),
        };
        Self::from_error(kind, code, &error).hint(error.hint())
    }
}

impl From<MessageError> for Failure {
    fn from(error: MessageError) -> Self {
        let (kind, code) = match error {
            MessageError::Post(error) => return error.into(),
            MessageError::Run(error) => return error.into(),
            MessageError::Envelope(_) | MessageError::Field { .. } => {
                (Kind::Invalid, "invalid_message")
            }
            MessageError::NoSender { .. } => (Kind::Invalid, "sender_required"),
            MessageError::Sender { .. } => (Kind::Refused, "sender_refused"),
            MessageError::NotYou { .. } => (Kind::Refused, "not_you"),
            MessageError::Recipient { .. } => (Kind::Invalid, "invalid_recipient"),
            MessageError::Recipients { .. } => (Kind::Invalid, "too_many_recipients"),
            MessageError::Session { .. } | MessageError::NotYours { .. } => {
                (Kind::Refused, "session_mismatch")
            }
            MessageError::Cast { .. } => (Kind::Conflict, "cast_not_waiting"),
            MessageError::OperatorOnly(_) => (Kind::Refused, "operator_only"),
            MessageError::NoTool(_) => (Kind::NotFound, "tool_not_found"),
        };
        Self::from_error(kind, code, &error).hint(error.hint())
    }
}

impl From<ReceiveError> for Failure {
    fn from(error: ReceiveError) -> Self {
        match error {
            ReceiveError::Post(error) => error.into(),
            ReceiveError::Run(error) => error.into(),
            ReceiveError::NoQueue(_) | ReceiveError::NoHolder(_) => {
                Self::from_error(Kind::Invalid, "usage", &error).hint(error.hint())
            }
        }
    }
}

impl From<WatchError> for Failure {
    fn from(error: WatchError) -> Self {
        match error {
            WatchError::Post(error) => error.into(),
            WatchError::NoRoom => {
                Self::from_error(Kind::Invalid, "no_home", &error).hint(error.hint())
            }
        }
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let kind = if let ReadError::Missing { .. } = error {
            Kind::NotFound
        } else {
            Kind::Invalid
        };
        Self::from_error(kind, error.code().replace('-', "_"), &error).hint(error.hint())
    }
}

impl From<NotResolved> for Failure {
    fn from(why: NotResolved) -> Self {
        match why {
            NotResolved::NotFound(error) => {
                let missing = error.code == "recipe-not-found";
                let kind = if missing {
                    Kind::NotFound
                } else {
                    Kind::Invalid
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
                Self::new(Kind::Refused, "recipe_disabled", why.to_string()).hint(hint)
            }
        }
    }
}

impl From<NotCalled> for Failure {
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
                Self::new(Kind::Invalid, "invalid_arguments", message)
                    .hint(shape)
                    .with_findings(findings)
            }
            NotCalled::NoTool(ref name) => Self::from_error(Kind::NotFound, "not_a_tool", &why)
                .hint(format!(
                    "materia tool register {0} --from {0}, or materia run {0}",
                    text::printable(name)
                )),
            NotCalled::Detached(ref name) => Self::from_error(Kind::Refused, "detached_tool", &why)
                .hint(format!("materia spawn {}", text::printable(name))),
            NotCalled::Io(_) => {
                Self::from_error(Kind::Failed, "not_run", &why).hint("see `materia doctor`")
            }
        }
    }
}

impl From<NotRegistered> for Failure {
    fn from(why: NotRegistered) -> Self {
        let told = |kind, code: &str, hint: &str| Self::from_error(kind, code, &why).hint(hint);
        match &why {
            NotRegistered::Name(finding) => Self::from_findings(vec![(**finding).clone()]),
            NotRegistered::Exists(_) => {
                told(Kind::Conflict, "tool_exists", "use `materia tool update`")
            }
            NotRegistered::Unknown(_) => {
                told(Kind::NotFound, "tool_not_found", "see `materia tool list`")
            }
            NotRegistered::Invalid(findings) => Self::from_findings(findings.clone()),
            NotRegistered::Markdown(_) => told(Kind::Refused, "markdown_tool", "edit the file"),
            NotRegistered::NoDraft(_) => told(
                Kind::NotFound,
                "draft_not_found",
                "see `materia tool promote`",
            ),
            NotRegistered::Locked(error) => told(Kind::Conflict, "locked", error.hint()),
            NotRegistered::Dir(_) | NotRegistered::Write(_) => told(
                Kind::Failed,
                "not_written",
                "make the directory of your recipes writable",
            ),
        }
    }
}

impl From<NotUsable> for Failure {
    fn from(why: NotUsable) -> Self {
        match why {
            NotUsable::Unknown(finding) => Self {
                kind: Kind::NotFound,
                ..Self::from_findings(vec![*finding])
            },
            NotUsable::Broken(mut findings) => {
                findings.sort_by_key(|finding| Reverse(finding.severity));
                Self::from_findings(findings)
            }
        }
    }
}

impl From<UseError> for Failure {
    fn from(error: UseError) -> Self {
        match error {
            UseError::Read(error) => error.into(),
            UseError::NotUsable(why) => why.into(),
            UseError::Elsewhere { ref file, .. } => {
                let hint = format!(
                    "write \"activeLoadout\" in {}",
                    text::quoted(&file.to_string_lossy())
                );
                Self::from_error(Kind::Refused, "not_yours", &error).hint(hint)
            }
            UseError::Dir(_) | UseError::Write(_) => {
                Self::from_error(Kind::Failed, "not_written", &error)
            }
        }
    }
}
