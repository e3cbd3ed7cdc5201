//! Converts the errors of loadouts, editing, trials, `init`, skills and targets of `inspect`.
//!
//! Owns one conversion per error type. Never prints.

use std::cmp::Reverse;

use materia_model::text;

use super::{ApiError, ErrorKind};
use crate::editor::init;
use crate::editor::loadout::LoadoutError;
use crate::editor::trial::TrialError;
use crate::editor::{ActiveLoadoutError, SaveError};
use crate::inspect::TargetError;
use crate::skill;

impl From<LoadoutError> for ApiError {
    fn from(error: LoadoutError) -> Self {
        match error {
            LoadoutError::Unknown(finding) => Self {
                kind: ErrorKind::NotFound,
                ..Self::from_findings(vec![*finding])
            },
            LoadoutError::Broken(mut findings) => {
                findings.sort_by_key(|finding| Reverse(finding.severity));
                Self::from_findings(findings)
            }
        }
    }
}

impl From<ActiveLoadoutError> for ApiError {
    fn from(error: ActiveLoadoutError) -> Self {
        match error {
            ActiveLoadoutError::NotUsable(error) => error.into(),
            ActiveLoadoutError::Trust(error) => (&error).into(),
            ActiveLoadoutError::Elsewhere { ref file, .. } => {
                let hint = format!(
                    "write \"activeLoadout\" in {}",
                    text::quoted(&file.to_string_lossy())
                );
                Self::from_error(ErrorKind::Refused, "not_yours", &error).hint(hint)
            }
            ActiveLoadoutError::Dir(_) | ActiveLoadoutError::Write(_) => {
                Self::from_error(ErrorKind::Failed, "not_written", &error)
            }
        }
    }
}

impl From<&SaveError> for ApiError {
    fn from(error: &SaveError) -> Self {
        let typed = |kind, code: &str| Self::from_error(kind, code, error);
        match error {
            SaveError::Shipped(_) => typed(ErrorKind::Refused, "readonly_loadout")
                .hint("duplicate it under another name first"),
            SaveError::Locked(_) => typed(ErrorKind::Refused, "locked").hint("unlock it first"),
            SaveError::BadName { .. } => {
                typed(ErrorKind::Invalid, "bad_name").hint("choose another name")
            }
            SaveError::Conflict(_) => {
                let hint = "look at their version, then save yours over it or take theirs";
                typed(ErrorKind::Conflict, "changed_meanwhile").hint(hint)
            }
            SaveError::Broken(findings) => Self::from_findings(findings.clone()),
            SaveError::Lock(lock) => typed(ErrorKind::Conflict, "in_use").hint(lock.hint()),
            SaveError::Trust(error) => error.into(),
            SaveError::Dir(_) | SaveError::Write(_) => typed(ErrorKind::Failed, "not_written")
                .hint("make room and check who may write there"),
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
