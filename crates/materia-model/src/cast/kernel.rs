//! The decision: what a cast does next.
//!
//! Owns the order of a step: enter (item, visit limit, budget), dispatch, advance, budget, route.
//! Pure and deterministic: the same graph and state give the same effect, and nothing is looked
//! through that grows with the cast. Never records and never performs: whoever drives the cast does
//! both.

mod enter;
mod leave;

use crate::cast::budget::{Limit, Verdict};
use crate::cast::event::{Body, CastEnd, CursorName, Raise, Route, Via};
use crate::cast::failure::{Code, Failure};
use crate::cast::prompt;
use crate::cast::state::{State, Status, Step, Visit};
use crate::handoff::{Author, Contract};
use crate::loadout::graph::{CursorSlot, Graph, Slot, Socket, Target};
use crate::loadout::settings::Settings;
use crate::text;
use crate::utility::{CursorAt, Input};

/// How often a socket may be visited, and an edge taken, in a cast whose config does not say (C2).
pub const MAX_VISITS: u64 = 10_000;
/// How often an item may come back to a socket without advancing, when the config does not say
/// (C2).
pub const MAX_CYCLES: u64 = 10;

/// What a cast is told about the machine.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The project directory.
    pub cwd: String,
    /// Where the cast keeps its artifacts.
    pub run_dir: String,
    /// Where an agent can read the shared state, if anywhere.
    pub state_file: Option<String>,
}

/// A graph with everything that decisions need besides the state.
#[derive(Debug)]
pub struct Kernel {
    pub(super) graph: Graph,
    pub(super) facts: Facts,
    settings: Settings,
    cursors: Vec<CursorName>,
}

/// What a cast does next.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Record this and decide again.
    Record(Box<Body>),
    Ask(Box<Ask>),
    Run(Box<Run>),
    /// A visit was dispatched and its end is not known: see [`Kernel::interrupted`].
    InDoubt,
    Wait,
    Ended,
}

/// A turn of an agent.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    pub slot: Slot,
    /// The visit, with the attempt and the kind of turn, and how long to wait first.
    pub visit: Visit,
    pub prompt: String,
}

/// A run of a utility; [`Kernel::input`] is what it reads.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    pub slot: Slot,
    pub visit: Visit,
}

impl Kernel {
    /// A kernel for a graph.
    pub fn new(graph: Graph, settings: Settings, facts: Facts) -> Self {
        let name = |cursor: &crate::loadout::graph::Cursor| {
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

    /// The budget that holds for a cast.
    pub fn limit(&self, state: &State) -> Limit {
        self.limit_raised(&state.raised)
    }

    /// The limits that hold once so much is raised.
    pub fn limit_raised(&self, raised: &Raise) -> Limit {
        Limit::of(&self.settings.budget, raised)
    }

    /// What the cast does next.
    pub fn decide(&self, state: &State) -> Effect {
        if state.status.is_end() {
            return Effect::Ended;
        }
        if let Some(failure) = &state.failure {
            return end(state, Some(failure.clone()));
        }
        if state.status == Status::Paused {
            return Effect::Wait;
        }
        let decided = match &state.step {
            Step::Begin => Ok(self.begin()),
            Step::Enter { socket } => self.slot(socket).and_then(|slot| self.enter(state, slot)),
            Step::Due(visit) => self
                .slot(&visit.place.socket)
                .and_then(|slot| self.dispatch(state, slot, visit)),
            Step::Running(_) => Ok(Effect::InDoubt),
            Step::Waiting { .. } => Ok(Effect::Wait),
            Step::Done {
                visit,
                outcome,
                advanced,
            } => self
                .slot(&visit.place.socket)
                .and_then(|slot| self.leave(state, slot, visit, *outcome, advanced.as_ref())),
            Step::End => Ok(end(state, None)),
        };
        decided.unwrap_or_else(|failure| end(state, Some(*failure)))
    }

    /// The document that the utility of the visit that is due reads.
    pub fn input<'a>(&'a self, state: &'a State) -> Option<Input<'a>> {
        let visit = state.visit()?;
        let socket = self.graph.socket(self.graph.find(&visit.place.socket)?);
        let item = state.item.as_ref();
        Some(Input {
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
            cursor: item.map(|item| CursorAt {
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

    fn begin(&self) -> Effect {
        let entry = self.graph.entry();
        record(Body::SocketRoute(self.way(
            None,
            Target::Socket(entry),
            Via::Entry,
        )))
    }

    fn dispatch(&self, state: &State, slot: Slot, visit: &Visit) -> Decision {
        if let Some(effect) = self.check_budget(state, slot)? {
            return Ok(effect);
        }
        let visit = visit.clone();
        if self.graph.socket(slot).materia.agent().is_none() {
            return Ok(Effect::Run(Box::new(Run { slot, visit })));
        }
        let prompt = prompt::assemble(self, state, slot, &visit);
        Ok(Effect::Ask(Box::new(Ask {
            slot,
            visit,
            prompt,
        })))
    }

    fn check_budget(&self, state: &State, slot: Slot) -> Result<Option<Effect>, Box<Failure>> {
        let socket = self.graph.socket(slot);
        let limit = self.limit(state);
        let verdict = match socket.materia.agent() {
            Some(_) => limit.before_turn(&state.spending, &socket.materia.id),
            None => limit.before_run(&state.spending),
        };
        obey(verdict, socket)
    }

    fn way(&self, from: Option<Slot>, to: Target, via: Via) -> Route {
        let restarted = match to {
            Target::End => Vec::new(),
            Target::Socket(to) => self
                .graph
                .restarted(from, to)
                .map(|slot| self.cursor(slot).clone())
                .collect(),
        };
        let name = |target: Target| match target {
            Target::End => None,
            Target::Socket(slot) => Some(self.graph.socket(slot).id.to_string()),
        };
        let from = from.and_then(|from| name(Target::Socket(from)));
        Route {
            from,
            to: name(to),
            via,
            edge: None,
            restarted,
            rework: None,
        }
    }

    pub(super) fn cursor(&self, slot: CursorSlot) -> &CursorName {
        &self.cursors[slot.position()]
    }

    pub(super) fn slot(&self, id: &str) -> Result<Slot, Box<Failure>> {
        self.graph.find(id).ok_or_else(|| {
            let message = format!(
                "the loadout {} has no socket {}",
                text::quoted(self.graph.name()),
                text::quoted(id)
            );
            fail(
                Code::Definition,
                message,
                id,
                "resume the cast with the definition it began with".to_owned(),
            )
        })
    }

    /// What the output of a socket must be.
    pub(super) fn contract(&self, slot: Slot) -> Contract {
        let socket = self.graph.socket(slot);
        let author = if socket.materia.agent().is_some() {
            Author::Agent
        } else {
            Author::Utility
        };
        Contract {
            author,
            generator: socket.contract.generator,
            needs_satisfied: socket.contract.needs_satisfied,
            assign: socket.contract.assign.clone(),
        }
    }
}

/// An effect, or why the cast fails.
type Decision = Result<Effect, Box<Failure>>;

fn record(body: Body) -> Effect {
    Effect::Record(Box::new(body))
}

fn end(state: &State, error: Option<Failure>) -> Effect {
    record(Body::CastEnd(CastEnd {
        ok: error.is_none(),
        error,
        usage: *state.usage(),
    }))
}

fn fail(code: Code, message: String, socket: &str, hint: String) -> Box<Failure> {
    Box::new(Failure::new(code, message).at(socket).hint(hint))
}

/// What a verdict asks for: nothing, a record, or the end.
fn obey(verdict: Verdict, socket: &Socket) -> Result<Option<Effect>, Box<Failure>> {
    match verdict {
        Verdict::Fine => Ok(None),
        Verdict::Warn(note) => Ok(Some(record(Body::BudgetWarning(note)))),
        Verdict::Reached { note, .. } => Ok(Some(record(Body::BudgetLimit(note)))),
        Verdict::Stop(note) => {
            let message = format!("the budget is used up: {} at {} %", note.what, note.percent);
            let hint = "raise it with `materia budget`, then `materia recast`".to_owned();
            Err(fail(Code::BudgetLimit, message, socket.id.as_str(), hint))
        }
    }
}
