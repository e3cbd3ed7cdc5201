//! The decision: what a cast does next.
//!
//! Owns the order of a step: enter (item, visit limit, budget), dispatch, advance, budget, route.
//! Pure and deterministic: the same graph and state give the same effect. Never scans anything that
//! grows with the cast. Never records and never performs: the driver of the cast does both.

mod enter;
mod leave;

use crate::cast::budget::{BudgetLimit, BudgetVerdict};
use crate::cast::event::{BudgetRaise, CastEnd, CastEventBody, CastRoute, CursorName, RouteReason};
use crate::cast::failure::{CastFailure, CastFailureCode};
use crate::cast::prompt;
use crate::cast::state::{CastPhase, CastState, CastStatus, VisitState};
use crate::handoff::{OutputAuthor, OutputContract};
use crate::loadout::graph::{CursorIndex, Graph, RouteTarget, Socket, SocketIndex};
use crate::loadout::settings::ConfigSettings;
use crate::text;
use crate::utility::{CursorPosition, UtilityInput};

/// The default limit of visits per socket and of traversals per edge in a cast (C2).
pub const MAX_VISITS: u64 = 10_000;
/// The default limit of times an item may return to a socket without an advance (C2).
pub const MAX_CYCLES: u64 = 10;

/// Facts about the machine.
#[derive(Debug, Clone, Default)]
pub struct CastFacts {
    /// The project directory.
    pub cwd: String,
    /// The directory for the artifacts of the cast.
    pub run_dir: String,
    /// The file in which an agent can read the shared state, if any.
    pub state_file: Option<String>,
}

/// A graph with everything besides the state that decisions need.
#[derive(Debug)]
pub struct Kernel {
    pub(super) graph: Graph,
    pub(super) facts: CastFacts,
    settings: ConfigSettings,
    cursors: Vec<CursorName>,
}

/// What a cast does next.
#[derive(Debug, Clone, PartialEq)]
pub enum CastEffect {
    /// Record this event and decide again.
    Record(Box<CastEventBody>),
    Ask(Box<AgentEffect>),
    Run(Box<UtilityEffect>),
    /// A visit was dispatched and its end is unknown: see [`Kernel::interrupted`].
    InDoubt,
    Wait,
    Ended,
}

/// A turn of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentEffect {
    pub slot: SocketIndex,
    /// The visit, with its attempt, the kind of turn, and the delay before it.
    pub visit: VisitState,
    pub prompt: String,
}

/// A run of a utility. [`Kernel::input`] returns its stdin document.
#[derive(Debug, Clone, PartialEq)]
pub struct UtilityEffect {
    pub slot: SocketIndex,
    pub visit: VisitState,
}

impl Kernel {
    /// Creates a kernel for a graph.
    pub fn new(graph: Graph, settings: ConfigSettings, facts: CastFacts) -> Self {
        let name = |cursor: &crate::loadout::graph::CursorDefinition| {
            let first = cursor
                .region
                .slots()
                .next()
                .map_or("", |slot| graph.socket(slot).id.as_str());
            CursorName {
                key: format!("{}@{first}", cursor.name),
                name: cursor.name.clone(),
            }
        };
        let mut cursors: Vec<CursorName> = graph.cursors().iter().map(name).collect();
        for position in 1..cursors.len() {
            if cursors[..position]
                .iter()
                .any(|other| other.key == cursors[position].key)
            {
                cursors[position].key.push_str(&format!("~{position}"));
            }
        }
        Self {
            graph,
            facts,
            settings,
            cursors,
        }
    }

    /// The graph it walks.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The budget limits in force for a cast.
    pub fn limit(&self, state: &CastState) -> BudgetLimit {
        self.limit_raised(&state.raised)
    }

    /// The budget limits with the given raise.
    pub fn limit_raised(&self, raised: &BudgetRaise) -> BudgetLimit {
        BudgetLimit::of(&self.settings.budget, raised)
    }

    /// What the cast does next.
    pub fn decide(&self, state: &CastState) -> CastEffect {
        if state.status.is_end() {
            return CastEffect::Ended;
        }
        if let Some(failure) = &state.failure {
            return end(state, Some(failure.clone()));
        }
        if state.status == CastStatus::Paused {
            return CastEffect::Wait;
        }
        let decided = match &state.step {
            CastPhase::Begin => Ok(self.begin()),
            CastPhase::Enter { socket } => {
                self.slot(socket).and_then(|slot| self.enter(state, slot))
            }
            CastPhase::Due(visit) => self
                .slot(&visit.place.socket)
                .and_then(|slot| self.dispatch(state, slot, visit)),
            CastPhase::Running(_) => Ok(CastEffect::InDoubt),
            CastPhase::Waiting { .. } => Ok(CastEffect::Wait),
            CastPhase::Done {
                visit,
                outcome,
                advanced,
            } => self
                .slot(&visit.place.socket)
                .and_then(|slot| self.leave(state, slot, visit, *outcome, advanced.as_ref())),
            CastPhase::End => Ok(end(state, None)),
        };
        decided.unwrap_or_else(|failure| end(state, Some(*failure)))
    }

    /// The stdin document for the utility of the due visit.
    pub fn input<'a>(&'a self, state: &'a CastState) -> Option<UtilityInput<'a>> {
        let visit = state.visit()?;
        let socket = self.graph.socket(self.graph.find(&visit.place.socket)?);
        let item = state.item.as_ref();
        Some(UtilityInput {
            cwd: &self.facts.cwd,
            run_dir: &self.facts.run_dir,
            request: &state.request,
            cast_id: &state.cast_id,
            socket_id: socket.id.as_str(),
            materia_id: &socket.materia.id,
            materia_label: socket.materia.title(),
            params: &socket.materia.utility()?.params,
            state: &state.data,
            item: item.map(|item| &item.bound.value),
            item_key: item.map(|item| item.key.as_str()),
            item_label: item.map(|item| item.label.as_str()),
            cursor: item.map(|item| CursorPosition {
                name: &item.bound.cursor.name,
                index: item.bound.index,
            }),
            cursors: state
                .cursors
                .values()
                .map(|cursor| (cursor.name.as_str(), cursor.index))
                .collect(),
        })
    }

    fn begin(&self) -> CastEffect {
        let entry = self.graph.entry();
        record(CastEventBody::SocketRoute(self.way(
            None,
            RouteTarget::Socket(entry),
            RouteReason::Entry,
        )))
    }

    fn dispatch(&self, state: &CastState, slot: SocketIndex, visit: &VisitState) -> Decision {
        if let Some(effect) = self.check_budget(state, slot)? {
            return Ok(effect);
        }
        let visit = visit.clone();
        if self.graph.socket(slot).materia.agent().is_none() {
            return Ok(CastEffect::Run(Box::new(UtilityEffect { slot, visit })));
        }
        let prompt = prompt::assemble(self, state, slot, &visit);
        Ok(CastEffect::Ask(Box::new(AgentEffect {
            slot,
            visit,
            prompt,
        })))
    }

    fn check_budget(
        &self,
        state: &CastState,
        slot: SocketIndex,
    ) -> Result<Option<CastEffect>, Box<CastFailure>> {
        let socket = self.graph.socket(slot);
        let limit = self.limit(state);
        let verdict = match socket.materia.agent() {
            Some(_) => limit.before_turn(&state.spending, &socket.materia.id),
            None => limit.before_run(&state.spending),
        };
        obey(verdict, socket)
    }

    fn way(&self, from: Option<SocketIndex>, to: RouteTarget, via: RouteReason) -> CastRoute {
        let restarted = match to {
            RouteTarget::End => Vec::new(),
            RouteTarget::Socket(to) => self
                .graph
                .restarted(from, to)
                .map(|slot| self.cursor(slot).clone())
                .collect(),
        };
        let name = |target: RouteTarget| match target {
            RouteTarget::End => None,
            RouteTarget::Socket(slot) => Some(self.graph.socket(slot).id.to_string()),
        };
        let from = from.and_then(|from| name(RouteTarget::Socket(from)));
        CastRoute {
            from,
            to: name(to),
            via,
            edge: None,
            restarted,
            rework: None,
        }
    }

    pub(super) fn cursor(&self, slot: CursorIndex) -> &CursorName {
        &self.cursors[slot.position()]
    }

    pub(super) fn slot(&self, id: &str) -> Result<SocketIndex, Box<CastFailure>> {
        self.graph.find(id).ok_or_else(|| {
            let message = format!(
                "the loadout {} has no socket {}",
                text::quoted(self.graph.name()),
                text::quoted(id)
            );
            fail(
                CastFailureCode::Definition,
                message,
                id,
                "resume the cast with the definition it began with".to_owned(),
            )
        })
    }

    /// The contract for the output of a socket.
    pub(super) fn contract(&self, slot: SocketIndex) -> OutputContract {
        let socket = self.graph.socket(slot);
        let author = if socket.materia.agent().is_some() {
            OutputAuthor::Agent
        } else {
            OutputAuthor::Utility
        };
        OutputContract {
            author,
            generator: socket.contract.generator,
            needs_satisfied: socket.contract.needs_satisfied,
            assign: socket.contract.assign.clone(),
        }
    }
}

/// An effect, or the failure of the cast.
type Decision = Result<CastEffect, Box<CastFailure>>;

fn record(body: CastEventBody) -> CastEffect {
    CastEffect::Record(Box::new(body))
}

fn end(state: &CastState, error: Option<CastFailure>) -> CastEffect {
    record(CastEventBody::CastEnd(CastEnd {
        ok: error.is_none(),
        error,
        usage: *state.usage(),
    }))
}

fn fail(code: CastFailureCode, message: String, socket: &str, hint: String) -> Box<CastFailure> {
    Box::new(CastFailure::new(code, message).at(socket).hint(hint))
}

/// The consequence of a verdict: nothing, a record, or the end of the cast.
fn obey(verdict: BudgetVerdict, socket: &Socket) -> Result<Option<CastEffect>, Box<CastFailure>> {
    match verdict {
        BudgetVerdict::Fine => Ok(None),
        BudgetVerdict::Warn(note) => Ok(Some(record(CastEventBody::BudgetWarning(note)))),
        BudgetVerdict::Reached { note, .. } => Ok(Some(record(CastEventBody::BudgetLimit(note)))),
        BudgetVerdict::Stop(note) => {
            let message = format!("the budget is used up: {} at {} %", note.what, note.percent);
            let hint = "raise it with `materia budget`, then `materia recast`".to_owned();
            Err(fail(
                CastFailureCode::BudgetLimit,
                message,
                socket.id.as_str(),
                hint,
            ))
        }
    }
}
