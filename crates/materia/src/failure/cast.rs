//! How errors of the engine leave the house, whichever door they leave by.

use materia_engine::cast::Error;
use materia_engine::quest::Error as BoardError;
use materia_engine::store::journal::JournalError;
use materia_engine::store::lock::LockError;
use materia_engine::trust;
use materia_engine::verb::quest;
use materia_model::text;

use super::{Failure, Kind};

impl From<&Error> for Failure {
    fn from(error: &Error) -> Self {
        let typed = |kind, code: &str| Self::from_error(kind, code, error);
        match error {
            Error::UnknownLoadout(finding) => {
                let told = Self::from_findings(vec![(**finding).clone()]);
                Self {
                    kind: Kind::NotFound,
                    ..told
                }
            }
            Error::Trust(error) => error.into(),
            Error::Unsealed(_) => typed(Kind::Refused, "untrusted")
                .hint("if you know what it would run, accept it once with MATERIA_TRUST=1"),
            Error::Invalid(findings) => Self::from_findings(findings.clone()),
            Error::Unavailable { hint, agent, .. } => {
                let (kind, code) = if *agent {
                    (Kind::Agent, "no_agent")
                } else {
                    (Kind::Invalid, "unavailable")
                };
                typed(kind, code).hint(hint)
            }
            Error::NoCast {
                near: Some(near), ..
            } => typed(Kind::NotFound, "cast_not_found").hint(format!("did you mean `{near}`?")),
            Error::NoCast { given, .. } if given == "*" => typed(Kind::NotFound, "cast_not_found")
                .hint("start one with `materia cast`, or look elsewhere with `-C`"),
            Error::NoCast { .. } => typed(Kind::NotFound, "cast_not_found")
                .hint("`materia casts` lists them; a cast's directory names it, too"),
            Error::Ambiguous { found, .. } => {
                let some: Vec<String> = found.iter().take(5).map(|id| text::quoted(id)).collect();
                typed(Kind::Invalid, "ambiguous")
                    .hint(format!("write more of it: {}", text::list(&some, "or")))
            }
            Error::NoStep { cast, .. } => typed(Kind::NotFound, "step_not_found").hint(format!(
                "`materia cast-show {cast}` numbers them; write 3, or Socket-4:1"
            )),
            Error::Refused(refusal) => typed(Kind::Refused, "refused").hint(refusal.hint()),
            Error::Driven(lock @ LockError::Held { .. }) => {
                typed(Kind::Conflict, "cast_in_use").hint(lock.hint())
            }
            Error::Orphans { .. } => {
                typed(Kind::Conflict, "orphans").hint("end them, then `materia resume`")
            }
            Error::NoDriver(_) => typed(Kind::Failed, "no_driver").hint("materia resume"),
            Error::Log(held @ JournalError::Held(LockError::Held { .. })) => {
                typed(Kind::Conflict, "cast_in_use").hint(held.hint())
            }
            Error::Log(journal) => typed(Kind::Failed, "log").hint(journal.hint()),
            Error::BadEvent { .. } | Error::NoBeginning | Error::OutOfStep => {
                typed(Kind::Failed, "bad_cast")
                    .hint("start a new one; what it did is in its directory")
            }
            Error::Driven(_)
            | Error::Artifact(_)
            | Error::Dir(_)
            | Error::Document(_)
            | Error::Output(_) => typed(Kind::Failed, "storage")
                .hint("make room and check who may write there, then `materia resume`"),
            Error::Spelling(_) => typed(Kind::Internal, "internal").hint("see `materia doctor`"),
        }
    }
}

impl From<&trust::Error> for Failure {
    fn from(error: &trust::Error) -> Self {
        let typed = |kind, code: &str| Self::from_error(kind, code, error);
        match error {
            trust::Error::Refused(_) => typed(Kind::Refused, "untrusted").hint(
                "`materia trust` shows what would run and asks; MATERIA_TRUST=1 accepts it for one process",
            ),
            trust::Error::Unknown(_) => {
                typed(Kind::NotFound, "not_trusted").hint("see `materia trust --list`")
            }
            trust::Error::Read(_) => typed(Kind::Refused, "bad_ledger").hint(
                "move `trust.json` in your profile away, and agree again; see `materia doctor` for the place",
            ),
            trust::Error::Write(_) | trust::Error::Dir(_) => {
                typed(Kind::Failed, "storage").hint("check who may write to your profile")
            }
            trust::Error::Lock(lock) => typed(Kind::Conflict, "in_use").hint(lock.hint()),
        }
    }
}

impl From<&quest::Error> for Failure {
    fn from(error: &quest::Error) -> Self {
        let typed = |kind, code: &str| Self::from_error(kind, code, error);
        match error {
            quest::Error::Unfound(unfound) => {
                typed(Kind::NotFound, "quest_not_found").hint(unfound.hint())
            }
            quest::Error::Refused(_) => {
                typed(Kind::Refused, "refused").hint("`materia quest list` shows how they stand")
            }
            quest::Error::Empty | quest::Error::TooLong => {
                typed(Kind::Invalid, "bad_quest").hint("say what should be done, in short")
            }
            quest::Error::Board(BoardError::Running { .. }) => {
                typed(Kind::Conflict, "runner_in_use")
                    .hint("`materia quest stop` lets it stop behind its quest")
            }
            quest::Error::Board(BoardError::Locked(lock)) => {
                typed(Kind::Conflict, "board_in_use").hint(lock.hint())
            }
            quest::Error::Board(BoardError::Bad { .. } | BoardError::Read { .. }) => {
                typed(Kind::Invalid, "bad_board")
                    .hint("repair the file by hand, or move it away; it is never overwritten")
            }
            quest::Error::Board(BoardError::Write(_) | BoardError::Dir(_)) => {
                typed(Kind::Failed, "storage").hint("make room and check who may write there")
            }
        }
    }
}
