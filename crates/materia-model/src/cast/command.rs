//! The commands of a user to a cast that does not proceed by itself.
//!
//! Owns when `continue`, `recast`, `revive`, `abort` and `budget` are refused, and the events they
//! become. Never checks permissions: the front ends do.

use crate::cast::event::{BudgetRaise, CastEnd, CastEventBody, Recast, UserReply};
use crate::cast::failure::{CastFailure, CastFailureCode};
use crate::cast::state::{CastPhase, CastState, CastStatus, PendingInput};
use crate::text;

/// Why a cast refuses a command.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CastRefusal {
    /// The cast does not wait for the user.
    #[error("the cast is not paused: it is {0}")]
    NotPaused(&'static str),
    #[error("the cast has ended: it is {0}")]
    Ended(&'static str),
    /// The cast is still active.
    #[error("the cast has not failed: it is {0}")]
    NotFailed(&'static str),
    /// It did not fail by running out of retries.
    #[error("the cast did not fail by running out of retries")]
    NothingToRevive,
}

impl CastRefusal {
    /// What to type instead.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotPaused(_) => "`materia status` shows what it does",
            Self::Ended("complete") => "start a new one with `materia cast`",
            Self::Ended(_) => "`materia recast` goes on where it was",
            Self::NotFailed(_) => "`materia abort` ends it first",
            Self::NothingToRevive => "`materia recast` goes on where it was",
        }
    }
}

/// The maximum size of the user's text, in bytes.
const MAX_SAID: usize = 64 << 10;

impl CastStatus {
    /// The word for users and programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Paused => "paused",
            Self::Complete => "complete",
            Self::Failed => "failed",
            Self::Aborted => "aborted",
        }
    }
}

impl CastState {
    /// Continues a paused cast: with words, one more turn of the conversation; without, the final
    /// answer.
    pub fn go_on_with(&self, words: Option<&str>) -> Result<CastEventBody, CastRefusal> {
        let CastPhase::Waiting { visit, what } = &self.step else {
            return Err(self.not_paused());
        };
        if self.status != CastStatus::Paused {
            return Err(self.not_paused());
        }
        match words.map(str::trim).filter(|words| !words.is_empty()) {
            Some(words) if *what == PendingInput::Refinement => {
                let text = text::bounded(words, MAX_SAID).into_owned();
                Ok(CastEventBody::ContextRefinement(UserReply {
                    place: visit.place.clone(),
                    text,
                }))
            }
            _ => Ok(CastEventBody::SocketFinalization(visit.place.clone())),
        }
    }

    fn not_paused(&self) -> CastRefusal {
        if self.status.is_end() {
            CastRefusal::Ended(self.status.as_str())
        } else {
            CastRefusal::NotPaused(self.status.as_str())
        }
    }

    /// Resumes a cast that failed or was aborted.
    pub fn recast(&self) -> Result<CastEventBody, CastRefusal> {
        match self.status {
            CastStatus::Failed | CastStatus::Aborted => Ok(CastEventBody::CastRecast(Recast {
                previous_failure: self.failure.clone(),
                new_max: None,
            })),
            CastStatus::Complete => Err(CastRefusal::Ended(self.status.as_str())),
            CastStatus::Running | CastStatus::Paused => {
                Err(CastRefusal::NotFailed(self.status.as_str()))
            }
        }
    }

    /// Grants more retries to a visit that ran out of them, and resumes it.
    pub fn revive(&self) -> Result<CastEventBody, CastRefusal> {
        let CastEventBody::CastRecast(recast) = self.recast()? else {
            return Err(CastRefusal::NothingToRevive);
        };
        if !self.recovery.exhausted {
            return Err(CastRefusal::NothingToRevive);
        }
        Ok(CastEventBody::CastRevive(Recast {
            new_max: Some(self.recovery.max_repairs() + 1),
            ..recast
        }))
    }

    /// Ends a cast at the user's request.
    pub fn abort(&self) -> Result<CastEventBody, CastRefusal> {
        if self.status.is_end() {
            return Err(CastRefusal::Ended(self.status.as_str()));
        }
        let mut error = CastFailure::new(CastFailureCode::Aborted, "the cast was aborted");
        error.socket = self.visit().map(|visit| visit.place.socket.clone());
        Ok(CastEventBody::CastEnd(CastEnd {
            ok: false,
            error: Some(error),
            usage: *self.usage(),
        }))
    }

    /// Raises the budget of a cast that is not complete.
    pub fn raise_budget(&self, raise: BudgetRaise) -> Result<CastEventBody, CastRefusal> {
        if self.status == CastStatus::Complete {
            return Err(CastRefusal::Ended(self.status.as_str()));
        }
        Ok(CastEventBody::BudgetRaised(raise))
    }
}
