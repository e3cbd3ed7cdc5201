//! Recovery from a turn without a valid answer (C10).
//!
//! Owns the allowances per kind of failure and the breaker. Everything is bounded per visit: one
//! repair of an invalid answer, one retry after a full window or a timeout, a few after a crash,
//! several back-offs that cost no allowance, none for failures that only the user can fix. Never
//! waits: it returns the delay.

use serde::{Deserialize, Serialize};

use crate::agent::{AgentFailure, AgentFailureKind};

/// The repairs of a visit, unless it is revived.
pub const REPAIRS: u64 = 1;
/// The retries of a visit after crashes and empty answers.
pub const RETRIES: u64 = 2;
/// The back-offs of a visit.
pub const BACKOFFS: u64 = 8;
/// How often the same failure may occur in a row.
pub const BREAKER: u64 = 3;

const FIRST_DELAY_MS: u64 = 500;
const LONGEST_DELAY_MS: u64 = 60_000;
/// The longest wait to accept from a provider.
const LONGEST_HINT_MS: u64 = 15 * 60_000;

/// The attempts of a visit.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct VisitRecovery {
    /// Repairs used.
    pub repairs: u64,
    /// Extra repairs from reviving the visit.
    pub extra_repairs: u64,
    /// Retries after crashes, aborts and empty answers.
    pub retries: u64,
    /// Retries after a full context window.
    pub windows: u64,
    /// Retries after a timeout.
    pub timeouts: u64,
    /// Back-offs for the provider.
    pub backoffs: u64,
    pub last: Option<String>,
    /// How often the last failure occurred in a row.
    pub repeated: u64,
    /// Whether the retries are used up, so that the visit can be revived.
    pub exhausted: bool,
}

/// The action after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecoveryAction {
    /// Retry after a delay.
    Retry { delay_ms: u64 },
    /// The retries are used up.
    Exhausted,
    /// The same failure occurred too often.
    Breaker,
    /// Only the user can fix it.
    GiveUp,
}

impl VisitRecovery {
    /// The action after a failed turn.
    pub fn after(&self, kind: AgentFailureKind, signature: &str) -> RecoveryAction {
        let once = |used: u64| {
            if used < 1 {
                RecoveryAction::Retry { delay_ms: 0 }
            } else {
                RecoveryAction::Exhausted
            }
        };
        match kind {
            AgentFailureKind::RateLimit | AgentFailureKind::Overload
                if self.backoffs < BACKOFFS =>
            {
                RecoveryAction::Retry {
                    delay_ms: delay(self.backoffs),
                }
            }
            AgentFailureKind::RateLimit | AgentFailureKind::Overload => RecoveryAction::Exhausted,
            AgentFailureKind::Auth
            | AgentFailureKind::Config
            | AgentFailureKind::Unavailable
            | AgentFailureKind::InvalidRequest => RecoveryAction::GiveUp,
            _ if self.repeated_after(signature) >= BREAKER => RecoveryAction::Breaker,
            AgentFailureKind::ContextWindow => once(self.windows),
            AgentFailureKind::Timeout => once(self.timeouts),
            AgentFailureKind::Crash | AgentFailureKind::Aborted | AgentFailureKind::Empty
                if self.retries < RETRIES =>
            {
                RecoveryAction::Retry { delay_ms: 0 }
            }
            AgentFailureKind::Crash | AgentFailureKind::Aborted | AgentFailureKind::Empty => {
                RecoveryAction::Exhausted
            }
        }
    }

    /// Whether an invalid answer may be repaired.
    pub fn may_repair(&self) -> bool {
        self.repairs < self.max_repairs()
    }

    /// The number of repairs of the visit.
    pub fn max_repairs(&self) -> u64 {
        REPAIRS + self.extra_repairs
    }

    /// How often this failure occurred in a row, this time included.
    pub fn repeated_after(&self, signature: &str) -> u64 {
        if self.last.as_deref() == Some(signature) {
            self.repeated + 1
        } else {
            1
        }
    }

    /// Counts an attempt that was started for a reason.
    pub fn count(&mut self, reason: &str, repeated: u64) {
        match reason {
            "invalid_output" => self.repairs += 1,
            "rate_limit" | "overload" => self.backoffs += 1,
            "context_window" => self.windows += 1,
            "timeout" => self.timeouts += 1,
            _ => self.retries += 1,
        }
        self.last = Some(reason.to_owned());
        self.repeated = repeated;
    }

    /// Grants more of everything, at the user's request.
    pub fn revive(&mut self) {
        let extra = self.extra_repairs + REPAIRS;
        let repairs = self.repairs;
        *self = Self {
            repairs,
            extra_repairs: extra,
            ..Self::default()
        };
    }

    /// Grants one new attempt without new repairs: the user wants the same visit again.
    pub fn recast(&mut self) {
        let (repairs, extra_repairs) = (self.repairs, self.extra_repairs);
        *self = Self {
            repairs,
            extra_repairs,
            ..Self::default()
        };
    }
}

/// The delay before the next attempt: ours or the provider's, whichever is longer.
pub fn obliging(delay_ms: u64, failure: &AgentFailure) -> u64 {
    delay_ms.max(failure.retry_after_ms.unwrap_or(0).min(LONGEST_HINT_MS))
}

fn delay(waits: u64) -> u64 {
    FIRST_DELAY_MS
        .saturating_mul(1 << waits.min(20))
        .min(LONGEST_DELAY_MS)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The retries for a failure that persists, and the action after them.
    fn persistence(kind: AgentFailureKind) -> (u64, RecoveryAction) {
        let mut recovery = VisitRecovery::default();
        for tries in 0.. {
            match recovery.after(kind, kind.as_str()) {
                RecoveryAction::Retry { .. } => {
                    let repeated = recovery.repeated_after(kind.as_str());
                    recovery.count(kind.as_str(), repeated);
                }
                end => return (tries, end),
            }
        }
        unreachable!("every failure ends")
    }

    #[test]
    fn c10_every_failure_has_its_bound() {
        let cases = [
            (AgentFailureKind::RateLimit, 8, RecoveryAction::Exhausted),
            (AgentFailureKind::Overload, 8, RecoveryAction::Exhausted),
            (AgentFailureKind::Auth, 0, RecoveryAction::GiveUp),
            (AgentFailureKind::Config, 0, RecoveryAction::GiveUp),
            (AgentFailureKind::InvalidRequest, 0, RecoveryAction::GiveUp),
            (AgentFailureKind::Unavailable, 0, RecoveryAction::GiveUp),
            (
                AgentFailureKind::ContextWindow,
                1,
                RecoveryAction::Exhausted,
            ),
            (AgentFailureKind::Timeout, 1, RecoveryAction::Exhausted),
            (AgentFailureKind::Crash, 2, RecoveryAction::Breaker),
            (AgentFailureKind::Empty, 2, RecoveryAction::Breaker),
        ];
        for (kind, tries, end) in cases {
            assert_eq!(persistence(kind), (tries, end), "{kind:?}");
        }
    }

    #[test]
    fn c10_backing_off_spares_the_repair_and_grows() {
        let mut recovery = VisitRecovery::default();
        recovery.count("rate_limit", 1);
        assert!(recovery.may_repair());
        assert_eq!(
            recovery.after(AgentFailureKind::RateLimit, "rate_limit"),
            RecoveryAction::Retry { delay_ms: 1000 }
        );
        assert_eq!(delay(60), LONGEST_DELAY_MS);
        let asked = |ms| AgentFailure {
            retry_after_ms: Some(ms),
            ..AgentFailure::new(AgentFailureKind::RateLimit, "")
        };
        assert_eq!(
            (obliging(500, &asked(20_000)), obliging(500, &asked(3))),
            (20_000, 500)
        );
        assert_eq!(obliging(500, &asked(u64::MAX)), LONGEST_HINT_MS);
    }

    #[test]
    fn reviving_extends_the_allowance_and_recasting_does_not() {
        let mut recovery = VisitRecovery::default();
        recovery.count("invalid_output", 1);
        assert!(!recovery.may_repair());
        recovery.recast();
        assert!(!recovery.may_repair());
        recovery.revive();
        assert!(recovery.may_repair());
        assert_eq!(recovery.max_repairs(), 2);
    }
}
