//! Conversion of the errors of editing, trials, `init`, skills and targets of `inspect`.
//!
//! Owns one conversion per error type. Never prints.

use super::{ApiError, ErrorKind};
use crate::editor::init;
use crate::editor::trial::TrialError;
use crate::editor::{self, SaveError};
use crate::inspect::TargetError;
use crate::skill;

impl From<editor::NotDrafted> for ApiError {
    fn from(why: editor::NotDrafted) -> Self {
        match why {
            editor::NotDrafted::Read(error) => error.into(),
            editor::NotDrafted::Broken(findings) => Self::from_findings(findings),
        }
    }
}

impl From<SaveError> for ApiError {
    fn from(error: SaveError) -> Self {
        let typed = |kind, code: &str| Self::from_error(kind, code, &error);
        match &error {
            SaveError::Shipped(_) => typed(ErrorKind::Refused, "readonly_loadout")
                .hint("duplicate it under another name first"),
            SaveError::Locked(_) => typed(ErrorKind::Refused, "locked").hint("unlock it first"),
            SaveError::BadName { .. } => {
                typed(ErrorKind::Invalid, "bad_name").hint("choose another name")
            }
            SaveError::Conflict(_) => {
                typed(ErrorKind::Conflict, "changed_meanwhile").hint("look at their version")
            }
            SaveError::Broken(findings) => Self::from_findings(findings.clone()),
            SaveError::Lock(lock) => typed(ErrorKind::Conflict, "in_use").hint(lock.hint()),
            SaveError::Read(_) | SaveError::Dir(_) | SaveError::Write(_) => {
                typed(ErrorKind::Failed, "not_written")
                    .hint("make room and check who may write there")
            }
        }
    }
}

impl From<TrialError> for ApiError {
    fn from(error: TrialError) -> Self {
        let typed = |kind, code: &str| Self::from_error(kind, code, &error);
        match &error {
            TrialError::Unknown(_) => {
                typed(ErrorKind::NotFound, "unknown_materia").hint("save it, or check its name")
            }
            TrialError::Agent(_) => {
                typed(ErrorKind::Invalid, "not_a_utility").hint("try it in a cast")
            }
            TrialError::Untrusted(_) => {
                typed(ErrorKind::Refused, "untrusted").hint("look at it, then accept it")
            }
            TrialError::Broken(findings) => Self::from_findings(findings.clone()),
            TrialError::Unavailable(_) => typed(ErrorKind::Invalid, "unavailable"),
            TrialError::Dir(_) | TrialError::Io(_) => typed(ErrorKind::Failed, "not_run"),
        }
    }
}

impl From<init::Error> for ApiError {
    fn from(error: init::Error) -> Self {
        match error {
            init::Error::Read(error) => error.into(),
            init::Error::Trust(error) => (&error).into(),
            init::Error::Dir(_) | init::Error::Write(_) => {
                Self::from_error(ErrorKind::Failed, "storage", &error)
                    .hint("check who may write here, or name another directory with `-C`")
            }
        }
    }
}

impl From<skill::Error> for ApiError {
    fn from(error: skill::Error) -> Self {
        match error {
            skill::Error::Differs(_) => {
                Self::from_error(ErrorKind::Conflict, "skill_differs", &error)
                    .hint("look at it, then say --force to replace it")
            }
            _ => Self::from_error(ErrorKind::Failed, "storage", &error)
                .hint("check who may write there"),
        }
    }
}

impl From<TargetError> for ApiError {
    fn from(error: TargetError) -> Self {
        let code = match error {
            TargetError::Unknown(_) => "invalid_target",
            TargetError::Name(_) => "invalid_name",
            TargetError::Address(_) => "invalid_address",
            TargetError::View { .. } => "invalid_view",
            TargetError::Follow { .. } => "cannot_follow",
            TargetError::Filter(_) => "invalid_status",
        };
        Self::from_error(ErrorKind::Invalid, code, &error).hint(error.hint())
    }
}
