//! The fold: what each event changes in the state.
//!
//! Owns every change of a [`CastState`]. Needs nothing but the event, so that any process can
//! rebuild a cast from its log without the graph. Never rejects an event: the log is the truth.

mod attempt;
mod complete;

use crate::agent::TurnKind;
use crate::cast::event::{
    BoundItem, BudgetRaise, CastEnd, CastEvent, CastEventBody, CastRoute, CastStart, CursorName,
    RouteReason, SocketStart, VisitId,
};
use crate::cast::failure::CastFailureCode;
use crate::cast::recovery::VisitRecovery;
use crate::cast::rework::{self, Rework};
use crate::cast::state::{
    CastPhase, CastState, CastStatus, Conversation, CursorState, PendingInput, VisitState, WorkItem,
};
use crate::handoff::assign;

impl CastState {
    /// Folds one event into the state.
    pub fn apply(&mut self, event: &CastEvent) {
        self.pass_time(event);
        match &event.body {
            CastEventBody::CastStart(start) => self.begin(start),
            CastEventBody::SocketRoute(route) => self.route(route),
            CastEventBody::SocketStart(start) => self.enter(start),
            CastEventBody::AgentTurnStart(dispatch) | CastEventBody::UtilityInput(dispatch) => {
                self.dispatch(dispatch.attempt);
            }
            CastEventBody::AgentTurnEnd(end) => self.turn_over(end),
            CastEventBody::SocketRefinement(refinement) => self.pause(&refinement.reply),
            CastEventBody::ContextRefinement(said) => self.hear(&said.text),
            CastEventBody::SocketFinalization(_) => self.finalise(),
            CastEventBody::SameSocketRecoveryStart(recovery) => self.retry(recovery),
            CastEventBody::SameSocketRecoveryExhausted(end) => {
                self.recovery.exhausted = true;
                self.repair.clone_from(&end.repair);
                self.failure = Some(end.failure.clone());
            }
            CastEventBody::SocketFailed(failed) => self.failure = Some(failed.failure.clone()),
            CastEventBody::SocketInterrupted(interruption) => self.interrupt(interruption),
            CastEventBody::SocketComplete(complete) => self.complete(complete),
            CastEventBody::SocketAdvance(advance) => self.advance(advance),
            CastEventBody::BudgetWarning(_) => self.spending.warned = true,
            CastEventBody::BudgetLimit(_) => self.spending.limited = true,
            CastEventBody::BudgetRaised(raise) => self.raise(raise),
            CastEventBody::CastRecast(_) => self.go_on(),
            CastEventBody::CastRevive(_) => self.allow_more(),
            CastEventBody::CastEnd(end) => self.end(end),
            CastEventBody::UtilityCommand(_) => {}
        }
    }

    /// Adds the time since the last event, if the cast was active then.
    fn pass_time(&mut self, event: &CastEvent) {
        if let (Some(before), CastStatus::Running) = (self.updated_at, self.status) {
            let passed = event.at.as_millis().saturating_sub(before.as_millis());
            self.spending.active_ms = self
                .spending
                .active_ms
                .saturating_add(passed.max(0).unsigned_abs());
        }
        self.updated_at = Some(event.at);
    }

    fn begin(&mut self, start: &CastStart) {
        self.cast_id.clone_from(&start.cast_id);
        self.request.clone_from(&start.request);
        self.loadout.clone_from(&start.loadout);
        self.data.clone_from(&start.data);
        self.started_at = self.updated_at;
    }

    fn route(&mut self, route: &CastRoute) {
        self.hops += 1;
        for cursor in &route.restarted {
            self.restart(cursor);
        }
        if let (Some(from), Some(taken)) = (&route.from, &route.edge) {
            let to = route.to.as_deref().unwrap_or("end");
            *self.traversals.entry(format!("{from}->{to}")).or_default() += 1;
            let count = self
                .item_edges
                .entry(format!("{from}#{}", taken.index))
                .or_default();
            if count.item != taken.item {
                count.item.clone_from(&taken.item);
                count.count = 0;
            }
            count.count += 1;
        }
        if let Some(reason) = &route.rework {
            self.capture(route, reason);
        }
        if matches!(route.via, RouteReason::Exit) || route.to.is_none() {
            self.unbind();
        }
        match &route.to {
            None => self.step = CastPhase::End,
            Some(to) => {
                self.count_entry(to, route);
                self.step = CastPhase::Enter { socket: to.clone() };
            }
        }
    }

    /// Entering a socket again by an edge without its own limit counts as a cycle (C2).
    fn count_entry(&mut self, to: &str, route: &CastRoute) {
        if route.via == RouteReason::Empty {
            return;
        }
        let circles = route.edge.as_ref().is_some_and(|taken| !taken.capped);
        match self.since_advance.get_mut(to) {
            Some(count) if circles => *count += 1,
            Some(_) => {}
            None => {
                self.since_advance.insert(to.to_owned(), 0);
            }
        }
    }

    fn capture(&mut self, route: &CastRoute, reason: &str) {
        let (Some(source), Some(target)) = (&route.from, &route.to) else {
            return;
        };
        let label = self
            .visit()
            .and_then(|visit| visit.place.item_label.clone());
        let entry = Rework {
            source: source.clone(),
            source_label: self
                .last
                .as_ref()
                .map_or_else(String::new, |last| materia_of(&last.speaker).to_owned()),
            target: target.clone(),
            item: self
                .last
                .as_ref()
                .map(|last| last.item.clone())
                .unwrap_or_default(),
            item_label: label,
            reason: reason.to_owned(),
        };
        rework::capture(&mut self.rework, entry);
    }

    fn restart(&mut self, cursor: &CursorName) {
        let state = self.cursors.entry(cursor.key.clone()).or_default();
        *state = CursorState {
            name: cursor.name.clone(),
            index: 0,
            epoch: state.epoch + 1,
        };
        rework::moved(&mut self.rework, &cursor.key);
    }

    fn enter(&mut self, start: &SocketStart) {
        self.hops = 0;
        self.visits
            .insert(start.place.socket.clone(), start.place.visit);
        self.since_advance
            .entry(start.place.socket.clone())
            .or_default();
        self.unbind();
        if let Some(bound) = &start.item {
            self.bind(&start.place, bound);
        }
        self.recovery = VisitRecovery::default();
        self.repair = None;
        self.conversation = Conversation::default();
        self.step = CastPhase::Due(VisitState {
            place: start.place.clone(),
            attempt: 1,
            turn: TurnKind::Work,
            finalising: false,
            delay_ms: 0,
        });
    }

    fn bind(&mut self, place: &VisitId, bound: &BoundItem) {
        let cursor = self.cursors.entry(bound.cursor.key.clone()).or_default();
        cursor.name.clone_from(&bound.cursor.name);
        let token = cursor.token(&bound.cursor.key);
        for name in &bound.names {
            assign::set(&mut self.data, name, bound.value.clone());
        }
        self.item = Some(WorkItem {
            key: place.item_key.clone().unwrap_or_default(),
            label: place.item_label.clone().unwrap_or_default(),
            token,
            bound: bound.clone(),
        });
    }

    /// Removes the item from the data, so that nothing stale remains after the visit (C15).
    fn unbind(&mut self) {
        if let Some(item) = self.item.take() {
            for name in &item.bound.names {
                assign::remove(&mut self.data, name);
            }
        }
    }

    fn raise(&mut self, raise: &BudgetRaise) {
        self.raised.add(raise);
        self.spending.limited = false;
        self.spending.warned = false;
    }

    /// Resumes the cast where it was: a dispatched visit is dispatched again, and a reached limit
    /// starts over.
    fn go_on(&mut self) {
        if self
            .failure
            .take()
            .is_some_and(|failure| failure.code.is_limit())
        {
            self.forgiven.visits.clone_from(&self.visits);
            self.forgiven.traversals.clone_from(&self.traversals);
            self.item_edges.clear();
            self.since_advance.clear();
            self.hops = 0;
        }
        self.recovery.recast();
        self.status = CastStatus::Running;
        match self.step.clone() {
            CastPhase::Running(visit)
            | CastPhase::Waiting {
                visit,
                what: PendingInput::Interrupted,
            } => {
                self.due(visit.turn, visit.finalising);
            }
            CastPhase::Waiting {
                what: PendingInput::Refinement,
                ..
            } => self.status = CastStatus::Paused,
            _ => {}
        }
    }

    fn allow_more(&mut self) {
        self.recovery.revive();
        let recovery = self.recovery.clone();
        self.go_on();
        self.recovery = recovery;
        if self.repair.is_some()
            && let CastPhase::Due(visit) = &mut self.step
        {
            visit.turn = TurnKind::Repair;
        }
    }

    fn end(&mut self, end: &CastEnd) {
        self.status = match &end.error {
            _ if end.ok => CastStatus::Complete,
            Some(error) if error.code == CastFailureCode::Aborted => CastStatus::Aborted,
            _ => CastStatus::Failed,
        };
        self.failure.clone_from(&end.error);
        if end.ok {
            self.unbind();
            self.step = CastPhase::End;
        }
    }
}

/// The materia in a speaker, which is a socket id, a space and the materia's title.
fn materia_of(speaker: &str) -> &str {
    speaker
        .split_once(' ')
        .map_or(speaker, |(_, materia)| materia)
}
