//! Retention: how long to keep the directory of an ended run.
//!
//! Owns the rule. Only a run whose own journal records its end can be overdue: neither the age of a
//! directory nor a stale process id proves anything.

use std::time::Duration;

use super::state::RunState;
use crate::time::Timestamp;

/// How long to keep the directory of an ended run: seven days.
pub const KEPT_FOR: Duration = Duration::from_secs(7 * 24 * 3600);

/// Whether a run ended longer ago than it is kept.
pub fn is_overdue(state: &RunState, now: Timestamp, kept_for: Duration) -> bool {
    let kept = i64::try_from(kept_for.as_millis()).unwrap_or(i64::MAX);
    let ended = state.ended.as_ref().filter(|_| state.status.is_terminal());
    ended.is_some_and(|ended| now.as_millis().saturating_sub(ended.at.as_millis()) > kept)
}

#[cfg(test)]
mod tests {
    use super::super::state::{RunOutcome, RunStatus};
    use super::*;

    #[test]
    fn only_what_is_known_to_be_over_is_overdue() {
        let now = Timestamp::from_millis(1_000_000_000_000);
        let day = Duration::from_secs(24 * 3600);
        let at = Timestamp::from_millis(now.as_millis() - 86_400_001);
        let over = RunState {
            status: RunStatus::Done,
            ended: Some(Box::new(RunOutcome {
                end: Default::default(),
                at,
            })),
            ..RunState::default()
        };
        assert!(is_overdue(&over, now, day));
        assert!(!is_overdue(&over, now, 2 * day));
        assert!(!is_overdue(
            &RunState {
                status: RunStatus::Running,
                ..over.clone()
            },
            now,
            day
        ));
        assert!(!is_overdue(
            &RunState {
                ended: None,
                ..over
            },
            now,
            day
        ));
    }
}
