//! The attempts of a visit in the fold: dispatch, conversation turns, retries.
//!
//! Owns these state changes and nothing else.

use crate::agent::TurnKind;
use crate::cast::event::{AgentTurnEnd, Interruption, RecoveryStart};
use crate::cast::failure::{CastFailure, CastFailureCode};
use crate::cast::recovery::VisitRecovery;
use crate::cast::state::{CastPhase, CastState, CastStatus, PendingInput, Speaker, VisitState};
use crate::text;

/// How much of a conversation to keep, in bytes.
const MAX_CONVERSATION: usize = 32 << 10;

impl CastState {
    pub(super) fn dispatch(&mut self, attempt: u64) {
        if let CastPhase::Due(visit) = &self.step {
            self.step = CastPhase::Running(VisitState {
                attempt,
                delay_ms: 0,
                ..visit.clone()
            });
        }
    }

    /// Every turn counts against the budget, whatever its outcome. Only an answered turn updates
    /// the session.
    pub(super) fn turn_over(&mut self, end: &AgentTurnEnd) {
        self.spending
            .add(&end.place.socket, &end.place.materia, &end.usage);
        self.spending
            .add_more(end.place.item_key.as_deref(), &end.usage, &end.models);
        if end.failure.is_none() {
            self.conversation.session.clone_from(&end.session);
        }
    }

    pub(super) fn pause(&mut self, reply: &str) {
        let Some(visit) = self.visit().cloned() else {
            return;
        };
        self.conversation.turns += 1;
        self.remember(Speaker::Agent, reply);
        self.recovery = VisitRecovery::default();
        self.status = CastStatus::Paused;
        self.step = CastPhase::Waiting {
            visit,
            what: PendingInput::Refinement,
        };
    }

    pub(super) fn hear(&mut self, said: &str) {
        self.remember(Speaker::Person, said);
        self.due(TurnKind::Refine, false);
    }

    pub(super) fn finalise(&mut self) {
        let waits_for_rerun = matches!(
            self.step,
            CastPhase::Waiting {
                what: PendingInput::Interrupted,
                ..
            }
        );
        match self.visit() {
            Some(visit) if waits_for_rerun => self.due(visit.turn, visit.finalising),
            _ => self.due(TurnKind::Finalise, true),
        }
    }

    /// Marks the current visit for another dispatch.
    pub(super) fn due(&mut self, turn: TurnKind, finalising: bool) {
        if let Some(visit) = self.visit().cloned() {
            self.status = CastStatus::Running;
            self.step = CastPhase::Due(VisitState {
                attempt: visit.attempt + 1,
                turn,
                finalising,
                delay_ms: 0,
                ..visit
            });
        }
    }

    fn remember(&mut self, speaker: Speaker, words: &str) {
        let lines = &mut self.conversation.lines;
        lines.push((
            speaker,
            text::bounded(words, MAX_CONVERSATION / 2).into_owned(),
        ));
        while lines.len() > 1
            && lines.iter().map(|(_, line)| line.len()).sum::<usize>() > MAX_CONVERSATION
        {
            lines.remove(0);
        }
    }

    pub(super) fn retry(&mut self, recovery: &RecoveryStart) {
        self.recovery.count(&recovery.reason, recovery.repeated);
        if recovery.repair.is_some() {
            self.repair.clone_from(&recovery.repair);
        }
        let finalising = self.visit().is_some_and(|visit| visit.finalising);
        self.due(recovery.turn, finalising);
        if let CastPhase::Due(visit) = &mut self.step {
            visit.delay_ms = recovery.delay_ms;
        }
    }

    pub(super) fn interrupt(&mut self, interruption: &Interruption) {
        let Some(visit) = self.visit().cloned() else {
            return;
        };
        match interruption.policy.as_str() {
            "ask" => {
                self.status = CastStatus::Paused;
                self.step = CastPhase::Waiting {
                    visit,
                    what: PendingInput::Interrupted,
                };
            }
            "fail" => {
                let message =
                    "the socket was interrupted and its materia says that it must not run again";
                let hint = format!("check what it did, then `materia recast {}`", self.cast_id);
                self.failure = Some(
                    CastFailure::new(CastFailureCode::Interrupted, message)
                        .at(&visit.place.socket)
                        .hint(hint),
                );
            }
            _ => self.due(visit.turn, visit.finalising),
        }
    }
}
