//! Asking the user to agree to what a project brings, before it runs (S1).
//!
//! Owns when the user is asked and what their answer means. Front ends only show the question.

use super::project::{ProjectTrust, TrustReport, grant};
use super::refusal::Error;
use crate::clock::Clock;
use crate::config::Files;
use crate::home::Home;

/// What the user answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustAnswer {
    /// They trust what they were shown.
    Agreed,
    /// They do not.
    Declined,
    /// They cannot be asked here.
    NotAsked,
}

/// A front end that can ask its user for trust.
pub trait TrustObserver {
    /// Shows what would run and asks whether the user trusts it.
    fn confirm_trust(&mut self, _report: &TrustReport) -> TrustAnswer {
        TrustAnswer::NotAsked
    }
}

/// A front end that never asks.
impl TrustObserver for () {}

/// Refuses what the project brings unless the user trusts it as it is, or agrees to it now.
pub fn require_confirmed(
    files: &Files,
    home: Option<&Home>,
    clock: &Clock,
    observer: &mut dyn TrustObserver,
) -> Result<(), Error> {
    let project = ProjectTrust::inspect(files, home)?;
    match (project.require(), home) {
        (Err(refusal @ Error::Refused(_)), Some(home)) => {
            match confirm(files, home, project.report(), clock, observer) {
                Err(Error::NoTerminal) => Err(refusal),
                answered => answered,
            }
        }
        (required, _) => required,
    }
}

/// Asks the user whether they trust what they are shown, and records that they do.
pub fn confirm(
    files: &Files,
    home: &Home,
    shown: &TrustReport,
    clock: &Clock,
    observer: &mut dyn TrustObserver,
) -> Result<(), Error> {
    match observer.confirm_trust(shown) {
        // Computed again: files may have changed while the user was reading.
        TrustAnswer::Agreed => grant(files, home, shown, clock),
        TrustAnswer::Declined => Err(Error::Declined),
        TrustAnswer::NotAsked => Err(Error::NoTerminal),
    }
}
