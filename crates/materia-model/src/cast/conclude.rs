//! The events after a dispatched visit ends.
//!
//! Owns the reading of an agent's answer and of a utility's result: accepted, repaired, retried,
//! paused or failed. Returns the events; never records them.

use crate::agent::{self, AgentFailureKind, TurnKind, TurnOutcome};
use crate::cast::event::{
    AgentTurnEnd, AnswerRepair, CastEventBody, Dispatch, Interruption, RecoveryExhausted,
    RecoveryStart, Refinement, SocketComplete, SocketFailed, UtilityEnd,
};
use crate::cast::failure::{CastFailure, CastFailureCode};
use crate::cast::kernel::Kernel;
use crate::cast::recovery::{self, BREAKER, RecoveryAction};
use crate::cast::state::{CastPhase, CastState, VisitState};
use crate::handoff::{AcceptedOutput, InvalidOutput, extract};
use crate::loadout::graph::SocketIndex;
use crate::materia::{InterruptedPolicy, OutputParse};
use crate::text;
use crate::utility::UtilityExit;

/// How much of an invalid answer a repair prompt shows, in bytes.
const MAX_EXCERPT: usize = 600;
/// How much of a text output the state keeps, in bytes. It fits into a record even when escaped.
const MAX_OUTPUT: usize = 512 << 10;
/// How much of a reply in a conversation to keep, in bytes.
const MAX_REPLY: usize = 16 << 10;

impl Kernel {
    /// The event to record before dispatching the due visit. `artifact` holds the prompt or the
    /// input.
    pub fn dispatched(&self, state: &CastState, artifact: Option<String>) -> Option<CastEventBody> {
        let CastPhase::Due(visit) = &state.step else {
            return None;
        };
        let slot = self.graph.find(&visit.place.socket)?;
        let is_agent = self.graph.socket(slot).materia.agent().is_some();
        let turn = is_agent.then_some(visit.turn);
        let dispatch = Dispatch {
            place: visit.place.clone(),
            attempt: visit.attempt,
            turn,
            artifact,
        };
        Some(if is_agent {
            CastEventBody::AgentTurnStart(dispatch)
        } else {
            CastEventBody::UtilityInput(dispatch)
        })
    }

    /// The events after an agent's turn. `artifact` holds the answer.
    pub fn asked(
        &self,
        state: &CastState,
        end: &TurnOutcome,
        artifact: Option<String>,
    ) -> Vec<CastEventBody> {
        let Some((visit, slot)) = self.running(state) else {
            return Vec::new();
        };
        let empty = || agent::AgentFailure::new(AgentFailureKind::Empty, "the answer is empty");
        let reply = match &end.reply {
            Ok(text) if text.trim().is_empty() => Err(empty()),
            Ok(text) => Ok(text.trim()),
            Err(failure) => Err(failure.clone()),
        };
        let ended = AgentTurnEnd {
            place: visit.place.clone(),
            attempt: visit.attempt,
            usage: end.usage,
            models: end.models.clone(),
            agent: end.agent.clone(),
            session: end.session.clone(),
            failure: reply.as_ref().err().cloned(),
        };
        let meaning = match reply {
            Ok(text) => self.answered(state, visit, slot, text, artifact),
            Err(failure) => self.turn_failed(state, visit, &failure),
        };
        vec![CastEventBody::AgentTurnEnd(ended), meaning]
    }

    /// The events after a utility ends. `artifact` holds its output.
    pub fn ran(
        &self,
        state: &CastState,
        ended: &UtilityExit,
        stdout: &str,
        stderr: &str,
        artifact: Option<String>,
    ) -> Vec<CastEventBody> {
        let Some((visit, slot)) = self.running(state) else {
            return Vec::new();
        };
        let command = CastEventBody::UtilityCommand(UtilityEnd {
            place: visit.place.clone(),
            ended: ended.clone(),
        });
        let socket = self.graph.socket(slot);
        let failed = |code: CastFailureCode, message: String| {
            let message = format!("{}: {message}", socket.materia.title());
            let failure = CastFailure::new(code, message).at(socket.id.as_str());
            CastEventBody::SocketFailed(SocketFailed {
                place: visit.place.clone(),
                failure,
            })
        };
        let meaning = match (ended.failure(stderr), socket.contract.parse) {
            (Some(message), _) => failed(CastFailureCode::UtilityFailed, message),
            (None, OutputParse::Text) => self.complete(visit, slot, Output::Text(stdout), artifact),
            (None, OutputParse::Json) => match extract::stdout(stdout, &self.contract(slot)) {
                Ok(accepted) => self.complete(visit, slot, Output::Json(accepted), artifact),
                Err(invalid) => failed(CastFailureCode::InvalidOutput, invalid.to_string()),
            },
        };
        vec![command, meaning]
    }

    /// The event for a dispatched visit whose end is unknown (C22).
    pub fn interrupted(&self, state: &CastState) -> Option<CastEventBody> {
        let (visit, slot) = self.running(state)?;
        let policy = match self.graph.socket(slot).materia.interrupted {
            InterruptedPolicy::Rerun => "rerun",
            InterruptedPolicy::Ask => "ask",
            InterruptedPolicy::Fail => "fail",
        };
        Some(CastEventBody::SocketInterrupted(Interruption {
            place: visit.place.clone(),
            policy: policy.to_owned(),
        }))
    }

    fn running<'a>(&self, state: &'a CastState) -> Option<(&'a VisitState, SocketIndex)> {
        let CastPhase::Running(visit) = &state.step else {
            return None;
        };
        Some((visit, self.graph.find(&visit.place.socket)?))
    }

    fn answered(
        &self,
        state: &CastState,
        visit: &VisitState,
        slot: SocketIndex,
        text: &str,
        artifact: Option<String>,
    ) -> CastEventBody {
        let socket = self.graph.socket(slot);
        let talks = socket.materia.agent().is_some_and(|agent| agent.multi_turn);
        if talks && !visit.finalising {
            return CastEventBody::SocketRefinement(Refinement {
                place: visit.place.clone(),
                refinement_turn: state.conversation.turns + 1,
                reply: text::bounded(text, MAX_REPLY).into_owned(),
                artifact,
            });
        }
        if socket.contract.parse == OutputParse::Text {
            return self.complete(visit, slot, Output::Text(text), artifact);
        }
        match extract::answer(text, &self.contract(slot)) {
            Ok(accepted) => self.complete(visit, slot, Output::Json(accepted), artifact),
            Err(invalid) => repair_or_end(state, visit, text, invalid),
        }
    }

    fn turn_failed(
        &self,
        state: &CastState,
        visit: &VisitState,
        failure: &agent::AgentFailure,
    ) -> CastEventBody {
        let reason = failure.kind.as_str();
        let repeated = state.recovery.repeated_after(reason);
        let said = text::bounded(&failure.message, 800).into_owned();
        let (code, message) = match state.recovery.after(failure.kind, reason) {
            RecoveryAction::Retry { delay_ms } => {
                let delay_ms = recovery::obliging(delay_ms, failure);
                return CastEventBody::SameSocketRecoveryStart(RecoveryStart {
                    place: visit.place.clone(),
                    reason: reason.to_owned(),
                    turn: visit.turn,
                    delay_ms,
                    repeated,
                    repair: None,
                });
            }
            RecoveryAction::GiveUp if failure.kind == AgentFailureKind::Auth => (
                CastFailureCode::AgentAuth,
                format!("the agent's login was refused (auth): {said}"),
            ),
            RecoveryAction::GiveUp if failure.kind == AgentFailureKind::InvalidRequest => (
                CastFailureCode::AgentFailed,
                format!("the model's provider does not take the request: {said}"),
            ),
            RecoveryAction::GiveUp => (
                CastFailureCode::AgentUnavailable,
                format!("the agent cannot be used ({reason}): {said}"),
            ),
            RecoveryAction::Breaker => (
                CastFailureCode::Breaker,
                format!(
                    "the agent failed {BREAKER} times in a row with the same failure ({reason}): {said}"
                ),
            ),
            RecoveryAction::Exhausted => (
                CastFailureCode::AgentFailed,
                format!("the agent failed ({reason}), also when it was asked again: {said}"),
            ),
        };
        let mut ended = CastFailure::new(code, message).at(&visit.place.socket);
        ended.hint = failure.hint.clone().or_else(|| hint(code, &state.cast_id));
        exhausted(visit, reason, ended, None)
    }

    fn complete(
        &self,
        visit: &VisitState,
        slot: SocketIndex,
        output: Output<'_>,
        artifact: Option<String>,
    ) -> CastEventBody {
        let socket = self.graph.socket(slot);
        if let Some(bad) = socket
            .contract
            .assign
            .iter()
            .find(|assign| assign.target.split('.').any(|part| part.trim().is_empty()))
        {
            let message = format!(
                "`assign` has an empty target for {}",
                text::quoted(&bad.source)
            );
            let failure =
                CastFailure::new(CastFailureCode::Definition, message).at(socket.id.as_str());
            return CastEventBody::SocketFailed(SocketFailed {
                place: visit.place.clone(),
                failure,
            });
        }
        let (payload, text, warnings) = match output {
            Output::Json(accepted) => (Some(accepted.payload), None, accepted.warnings),
            Output::Text(text) => (
                None,
                Some(text::bounded(text, MAX_OUTPUT).into_owned()),
                Vec::new(),
            ),
        };
        let generated = socket.contract.generator
            && payload
                .as_ref()
                .is_some_and(|payload| payload.contains_key("workItems"));
        let restarted = self
            .graph
            .regenerated(slot)
            .filter(|_| generated)
            .map(|cursor| self.cursor(cursor).clone());
        // The merge already adopts a generator's list; another copy would write it twice.
        let adopted = |target: &str, source: &str| {
            generated && target == "workItems" && source.trim() == "$.workItems"
        };
        let assign = socket
            .contract
            .assign
            .iter()
            .filter(|assign| !adopted(&assign.target, &assign.source));
        CastEventBody::SocketComplete(SocketComplete {
            place: visit.place.clone(),
            materia_label: socket.materia.title().to_owned(),
            parsed: payload.is_some(),
            utility: socket.materia.agent().is_none(),
            generator: socket.contract.generator,
            payload,
            output: text,
            assign: assign.cloned().collect(),
            restarted: restarted.collect(),
            warnings,
            finalized: visit.finalising,
            artifact,
        })
    }
}

/// An output that satisfies the contract of its socket.
enum Output<'a> {
    Json(AcceptedOutput),
    Text(&'a str),
}

fn repair_or_end(
    state: &CastState,
    visit: &VisitState,
    text: &str,
    invalid: InvalidOutput,
) -> CastEventBody {
    let shown = text.floor_char_boundary(MAX_EXCERPT);
    let repair = AnswerRepair {
        validation_kind: invalid.kind,
        excerpt: text[..shown].to_owned(),
        excerpt_truncated: shown < text.len(),
        invalid,
    };
    let reason = "invalid_output";
    if state.recovery.may_repair() {
        return CastEventBody::SameSocketRecoveryStart(RecoveryStart {
            place: visit.place.clone(),
            reason: reason.to_owned(),
            turn: TurnKind::Repair,
            delay_ms: 0,
            repeated: state.recovery.repeated_after(reason),
            repair: Some(repair),
        });
    }
    let message = format!(
        "the answer is not what {} needs: {}",
        visit.place.socket, repair.invalid
    );
    let mut failure =
        CastFailure::new(CastFailureCode::InvalidOutput, message).at(&visit.place.socket);
    failure.hint = hint(CastFailureCode::InvalidOutput, &state.cast_id);
    exhausted(visit, reason, failure, Some(repair))
}

fn exhausted(
    visit: &VisitState,
    reason: &str,
    failure: CastFailure,
    repair: Option<AnswerRepair>,
) -> CastEventBody {
    CastEventBody::SameSocketRecoveryExhausted(RecoveryExhausted {
        place: visit.place.clone(),
        reason: reason.to_owned(),
        failure,
        repair,
    })
}

fn hint(code: CastFailureCode, cast: &str) -> Option<String> {
    match code {
        CastFailureCode::InvalidOutput => Some(format!("`materia revive {cast}` asks once more")),
        CastFailureCode::AgentFailed | CastFailureCode::Breaker => {
            Some(format!("`materia revive {cast}` tries again"))
        }
        CastFailureCode::AgentAuth => {
            Some(format!("log in to the agent, then `materia recast {cast}`"))
        }
        CastFailureCode::AgentUnavailable => Some(format!(
            "fix the agent or its model, then `materia recast {cast}`"
        )),
        _ => None,
    }
}
