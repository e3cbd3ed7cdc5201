//! Converts the errors of casts, trust and the quest board.

use crate::cast::Error;
use crate::quest::Error as BoardError;
use crate::quest::runner;
use crate::store::journal::JournalError;
use crate::store::lock::LockError;
use crate::trust;
use materia_model::text;

use super::{ApiError, ErrorKind};

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        (&error).into()
    }
}

impl From<trust::Error> for ApiError {
    fn from(error: trust::Error) -> Self {
        (&error).into()
    }
}

impl From<runner::Error> for ApiError {
    fn from(error: runner::Error) -> Self {
        (&error).into()
    }
}

impl From<&Error> for ApiError {
    fn from(error: &Error) -> Self {
        let typed = |kind, code: &str| Self::from_error(kind, code, error);
        match error {
            Error::UnknownLoadout(finding) => {
                let told = Self::from_findings(vec![(**finding).clone()]);
                Self {
                    kind: ErrorKind::NotFound,
                    ..told
                }
            }
            Error::Trust(error) => error.into(),
            Error::Unsealed(_) => typed(ErrorKind::Refused, "untrusted")
                .hint("if you know what it would run, accept it once with MATERIA_TRUST=1"),
            Error::Invalid(findings) => Self::from_findings(findings.clone()),
            Error::Unavailable { hint, agent, .. } => {
                let (kind, code) = if *agent {
                    (ErrorKind::Agent, "no_agent")
                } else {
                    (ErrorKind::Invalid, "unavailable")
                };
                typed(kind, code).hint(hint)
            }
            Error::NoCast {
                near: Some(near), ..
            } => {
                typed(ErrorKind::NotFound, "cast_not_found").hint(format!("did you mean `{near}`?"))
            }
            Error::NoCast { given, .. } if given == "*" => {
                typed(ErrorKind::NotFound, "cast_not_found")
                    .hint("start one with `materia cast`, or look elsewhere with `-C`")
            }
            Error::NoCast { .. } => typed(ErrorKind::NotFound, "cast_not_found")
                .hint("`materia casts` lists them; a cast's directory names it, too"),
            Error::Ambiguous { found, .. } => {
                let some: Vec<String> = found.iter().take(5).map(|id| text::quoted(id)).collect();
                typed(ErrorKind::Invalid, "ambiguous")
                    .hint(format!("write more of it: {}", text::list(&some, "or")))
            }
            Error::NoStep { cast, .. } => typed(ErrorKind::NotFound, "step_not_found").hint(
                format!("`materia cast-show {cast}` numbers them; write 3, or Socket-4:1"),
            ),
            Error::Refused(refusal) => typed(ErrorKind::Refused, "refused").hint(refusal.hint()),
            Error::Driven(lock @ LockError::Held { .. }) => {
                typed(ErrorKind::Conflict, "cast_in_use").hint(lock.hint())
            }
            Error::Orphans { .. } => {
                typed(ErrorKind::Conflict, "orphans").hint("end them, then `materia resume`")
            }
            Error::NoDriver(_) => typed(ErrorKind::Failed, "no_driver").hint("materia resume"),
            Error::Log(held @ JournalError::Held(LockError::Held { .. })) => {
                typed(ErrorKind::Conflict, "cast_in_use").hint(held.hint())
            }
            Error::Log(journal) => typed(ErrorKind::Failed, "log").hint(journal.hint()),
            Error::BadEvent { .. } | Error::NoBeginning | Error::OutOfStep => {
                typed(ErrorKind::Failed, "bad_cast")
                    .hint("start a new one; what it did is in its directory")
            }
            Error::Driven(_)
            | Error::Artifact(_)
            | Error::Dir(_)
            | Error::Document(_)
            | Error::Output(_) => typed(ErrorKind::Failed, "storage")
                .hint("make room and check who may write there, then `materia resume`"),
            Error::Spelling(_) => {
                typed(ErrorKind::Internal, "internal").hint("see `materia doctor`")
            }
        }
    }
}

impl From<&trust::Error> for ApiError {
    fn from(error: &trust::Error) -> Self {
        let typed = |kind, code: &str| Self::from_error(kind, code, error);
        match error {
            trust::Error::Refused(_) => typed(ErrorKind::Refused, "untrusted").hint(
                "`materia trust` shows what would run and asks; MATERIA_TRUST=1 accepts it for one process",
            ),
            trust::Error::Declined => {
                typed(ErrorKind::Refused, "untrusted").hint("`materia trust` asks again")
            }
            trust::Error::NoTerminal => typed(ErrorKind::Refused, "no_terminal").hint(
                "type `materia trust` in a terminal; MATERIA_TRUST=1 accepts without asking",
            ),
            trust::Error::InsideRun => typed(ErrorKind::Refused, "operator_only")
                .hint("type `materia trust` in a terminal of your own"),
            trust::Error::ChangedMeanwhile => {
                typed(ErrorKind::Conflict, "changed_meanwhile").hint("look at it again")
            }
            trust::Error::Unknown(_) => {
                typed(ErrorKind::NotFound, "not_trusted").hint("see `materia trust --list`")
            }
            trust::Error::Read(_) => typed(ErrorKind::Refused, "bad_ledger").hint(
                "move `trust.json` in your profile away, and agree again; see `materia doctor` for the place",
            ),
            trust::Error::Write(_) | trust::Error::Dir(_) => {
                typed(ErrorKind::Failed, "storage").hint("check who may write to your profile")
            }
            trust::Error::Lock(lock) => typed(ErrorKind::Conflict, "in_use").hint(lock.hint()),
        }
    }
}

impl From<&runner::Error> for ApiError {
    fn from(error: &runner::Error) -> Self {
        let typed = |kind, code: &str| Self::from_error(kind, code, error);
        match error {
            runner::Error::Unfound(unfound) => {
                typed(ErrorKind::NotFound, "quest_not_found").hint(unfound.hint())
            }
            runner::Error::Refused(_) => typed(ErrorKind::Refused, "refused")
                .hint("`materia quest list` shows how they stand"),
            runner::Error::Empty | runner::Error::TooLong => {
                typed(ErrorKind::Invalid, "bad_quest").hint("say what should be done, in short")
            }
            runner::Error::Board(BoardError::Running { .. }) => {
                typed(ErrorKind::Conflict, "runner_in_use")
                    .hint("`materia quest stop` lets it stop behind its quest")
            }
            runner::Error::Board(BoardError::Locked(lock)) => {
                typed(ErrorKind::Conflict, "board_in_use").hint(lock.hint())
            }
            runner::Error::Board(BoardError::Bad { .. } | BoardError::Read { .. }) => {
                typed(ErrorKind::Invalid, "bad_board")
                    .hint("repair the file by hand, or move it away; it is never overwritten")
            }
            runner::Error::Board(BoardError::Write(_) | BoardError::Dir(_)) => {
                typed(ErrorKind::Failed, "storage").hint("make room and check who may write there")
            }
        }
    }
}
