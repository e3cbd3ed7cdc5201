//! What a person may ask of a cast that is not going on by itself.
//!
//! Owns when `continue`, `recast`, `revive`, `abort` and `budget` are refused, and the events they
//! become. Never checks who asks: doors do.

use crate::cast::event::{Body, CastEnd, Raise, Recast, Said};
use crate::cast::failure::{Code, Failure};
use crate::cast::state::{State, Status, Step, Waiting};
use crate::text;

/// Why a cast does not do what it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nobody waits for the person.
    #[error("the cast is not paused: it is {0}")]
    NotPaused(&'static str),
    #[error("the cast has ended: it is {0}")]
    Ended(&'static str),
    /// It goes on.
    #[error("the cast has not failed: it is {0}")]
    NotFailed(&'static str),
    /// It did not run out of retries.
    #[error("the cast did not fail by running out of retries")]
    NothingToRevive,
}

impl Refusal {
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

/// The longest thing that a person says at once, in bytes.
const MAX_SAID: usize = 64 << 10;

impl Status {
    /// The word that people and programs see.
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

impl State {
    /// Goes on with a paused cast: with words, one more turn of the conversation; without, its
    /// final answer.
    pub fn go_on_with(&self, words: Option<&str>) -> Result<Body, Refusal> {
        let Step::Waiting { visit, what } = &self.step else {
            return Err(self.not_paused());
        };
        if self.status != Status::Paused {
            return Err(self.not_paused());
        }
        match words.map(str::trim).filter(|words| !words.is_empty()) {
            Some(words) if *what == Waiting::Refinement => {
                let text = text::bounded(words, MAX_SAID).into_owned();
                Ok(Body::ContextRefinement(Said {
                    place: visit.place.clone(),
                    text,
                }))
            }
            _ => Ok(Body::SocketFinalization(visit.place.clone())),
        }
    }

    fn not_paused(&self) -> Refusal {
        if self.status.is_end() {
            Refusal::Ended(self.status.as_str())
        } else {
            Refusal::NotPaused(self.status.as_str())
        }
    }

    /// Goes on with a cast that failed or was aborted, where it was.
    pub fn recast(&self) -> Result<Body, Refusal> {
        match self.status {
            Status::Failed | Status::Aborted => Ok(Body::CastRecast(Recast {
                previous_failure: self.failure.clone(),
                new_max: None,
            })),
            Status::Complete => Err(Refusal::Ended(self.status.as_str())),
            Status::Running | Status::Paused => Err(Refusal::NotFailed(self.status.as_str())),
        }
    }

    /// Gives a visit that ran out of retries some more, and goes on with it.
    pub fn revive(&self) -> Result<Body, Refusal> {
        let Body::CastRecast(recast) = self.recast()? else {
            return Err(Refusal::NothingToRevive);
        };
        if !self.recovery.exhausted {
            return Err(Refusal::NothingToRevive);
        }
        Ok(Body::CastRevive(Recast {
            new_max: Some(self.recovery.max_repairs() + 1),
            ..recast
        }))
    }

    /// Ends a cast by the person's will.
    pub fn abort(&self) -> Result<Body, Refusal> {
        if self.status.is_end() {
            return Err(Refusal::Ended(self.status.as_str()));
        }
        let mut error = Failure::new(Code::Aborted, "the cast was aborted");
        error.socket = self.visit().map(|visit| visit.place.socket.clone());
        Ok(Body::CastEnd(CastEnd {
            ok: false,
            error: Some(error),
            usage: *self.usage(),
        }))
    }

    /// Raises the budget of a cast that is not complete.
    pub fn raise_budget(&self, raise: Raise) -> Result<Body, Refusal> {
        if self.status == Status::Complete {
            return Err(Refusal::Ended(self.status.as_str()));
        }
        Ok(Body::BudgetRaised(raise))
    }
}
