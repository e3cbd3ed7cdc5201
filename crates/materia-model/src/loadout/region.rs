//! Compiles loops: their list, their exit routes and the implied advance.
//!
//! Owns loop compilation and the rules that need the edges and the generators around a loop. Never
//! changes ordinary edges. `cursor` assigns cursors later, when every loop is known.

mod advance;

use super::contract::OutputReading;
use super::draft::{ConsumesDraft, LoadoutDraft, LoopDraft};
use super::graph::{RouteGuard, RouteTarget, SocketIndex};
use super::loops::INVALID;
use super::neighbours::Neighbours;
use crate::materia::OutputParse;

/// The list of every generator.
const ITEMS: &str = "state.workItems";
/// The cursor of a loop over that list.
const CURSOR: &str = "workItemIndex";

/// A compiled loop: its list and its exits.
pub(super) struct LoopReading {
    pub(super) generator: Option<SocketIndex>,
    pub(super) list: Option<LoopList>,
    pub(super) exits: Vec<LoopRoute>,
    pub(super) exit_source: Option<SocketIndex>,
}

/// A list and its names.
pub(super) struct LoopList {
    pub(super) items: String,
    pub(super) alias: String,
    pub(super) cursor: String,
}

/// A route out of a loop.
pub(super) struct LoopRoute {
    pub(super) id: String,
    pub(super) from: SocketIndex,
    pub(super) guard: RouteGuard,
    pub(super) to: RouteTarget,
}

/// An advance implied by a loop's exit.
pub(super) struct DerivedAdvance {
    pub(super) socket: SocketIndex,
    pub(super) region: usize,
    pub(super) when: RouteGuard,
}

/// Compiles every loop. Switches sockets to JSON if their exit requires it.
pub(super) fn compile(
    draft: &LoadoutDraft,
    readings: &mut [Option<OutputReading>],
    around: &Neighbours,
) -> (Vec<LoopReading>, Vec<DerivedAdvance>) {
    let mut regions = Vec::with_capacity(draft.loops.len());
    let mut derived: Vec<DerivedAdvance> = Vec::new();
    for (index, written) in draft.loops.iter().enumerate() {
        let mut one = One {
            draft,
            readings,
            around,
            index,
            written,
        };
        let generator = one.generator();
        let region = one.region(generator);
        derived.extend(one.advance(&region));
        regions.push(region);
    }
    (regions, derived)
}

/// One loop during compilation.
struct One<'w> {
    draft: &'w LoadoutDraft,
    readings: &'w mut [Option<OutputReading>],
    around: &'w Neighbours,
    index: usize,
    written: &'w LoopDraft,
}

impl One<'_> {
    /// The generator of the loop: the only one that leads into it.
    fn generator(&self) -> Option<SocketIndex> {
        let inbound = &self.around.generators_into[self.index];
        let Some(consumes) = &self.written.consumes else {
            let over_work = self
                .written
                .iterator
                .as_ref()
                .is_some_and(|each| each.items == ITEMS);
            return inbound
                .first()
                .filter(|_| over_work && inbound.len() == 1)
                .map(|(from, _)| *from);
        };
        match inbound.as_slice() {
            [(from, _)] => {
                self.compare_source(consumes, *from);
                Some(*from)
            }
            [] => {
                self.no_generator(consumes);
                None
            }
            several => {
                let named = |slot: &SocketIndex| self.draft.sockets[slot.0].id.as_str();
                let ways: Vec<String> = several
                    .iter()
                    .take(5)
                    .map(|(from, to)| format!("{}->{}", named(from), named(to)))
                    .collect();
                let message = format!(
                    "generators lead into the loop {} times: {}",
                    several.len(),
                    ways.join(", ")
                );
                let hint = "let exactly one generator lead into the loop, by one edge";
                consumes.at.error(message, hint);
                None
            }
        }
    }

    /// A loop always belongs to the generator that leads into it.
    fn compare_source(&self, consumes: &ConsumesDraft, from: SocketIndex) {
        if let Some(said) = consumes.from.filter(|said| *said != from) {
            let (said, real) = (
                &self.draft.sockets[said.0].id,
                &self.draft.sockets[from.0].id,
            );
            let message = format!(
                "the loop says it works for `{said}`, but `{real}` leads into it and is used"
            );
            let hint = format!("write \"from\": \"{real}\"");
            consumes.at.member("from").warn(message, hint);
        }
    }

    fn no_generator(&self, consumes: &ConsumesDraft) {
        // An unknown materia may be a generator.
        let unknown = |slot: &SocketIndex| self.readings[slot.0].is_none();
        let Some(from) = consumes.from.filter(|from| !unknown(from)) else {
            return;
        };
        let id = &self.draft.sockets[from.0].id;
        let generates = self.readings[from.0]
            .as_ref()
            .is_some_and(|reading| reading.materia.generator);
        let (message, hint) = if generates {
            (
                format!("no edge leads from `{id}` into the loop"),
                format!("add an edge from `{id}` to a socket of the loop"),
            )
        } else {
            (
                format!("`{id}` is no generator"),
                "write \"generator\": true on its materia, or name a generator".to_owned(),
            )
        };
        consumes.at.member("from").error(message, hint);
    }

    fn region(&mut self, generator: Option<SocketIndex>) -> LoopReading {
        let list = self.list();
        let mut exits: Vec<LoopRoute> = self
            .written
            .exits
            .iter()
            .filter_map(|exit| {
                Some(LoopRoute {
                    id: exit.id.clone(),
                    from: exit.from?,
                    guard: exit.guard?,
                    to: exit.to?,
                })
            })
            .collect();
        if self.written.consumes.is_some() && !self.around.has_cycle(self.draft, self.index) {
            let hint = "lead an edge from its last socket back to its first";
            let message = "the loop has no way round: its sockets do not lead back to each other";
            self.written.members_at.error(message, hint);
        }
        if let Some((from, guard, to)) = self.exit() {
            if self.turns_at_its_exit() {
                self.exit_reads_json(from, guard);
            }
            if self.written.consumes.is_some() {
                self.way_back(from, guard);
            }
            if to != RouteTarget::End {
                exits.retain(|route| route.from != from || route.guard != guard);
                let id = format!("exit:{}:{}", self.draft.sockets[from.0].id, guard.as_str());
                exits.push(LoopRoute {
                    id,
                    from,
                    guard,
                    to,
                });
            }
        }
        let exit_source = self.written.exit.as_ref().and_then(|exit| exit.from);
        LoopReading {
            generator,
            list,
            exits,
            exit_source,
        }
    }

    /// Whether the loop advances to its next item at its exit.
    fn turns_at_its_exit(&self) -> bool {
        self.written.consumes.is_some() || (self.written.iterator.is_some() && !self.advances())
    }

    /// Whether a member has an advance of its own.
    fn advances(&self) -> bool {
        self.written
            .members
            .iter()
            .any(|member| self.draft.sockets[member.0].advance.is_some())
    }

    fn exit(&self) -> Option<(SocketIndex, RouteGuard, RouteTarget)> {
        let exit = self.written.exit.as_ref()?;
        Some((exit.from?, exit.guard?, exit.to?))
    }

    fn list(&self) -> Option<LoopList> {
        if let Some(each) = &self.written.iterator {
            let named = if each.items == ITEMS {
                CURSOR.to_owned()
            } else {
                format!("{}Index", self.written.id)
            };
            return Some(LoopList {
                items: each.items.clone(),
                alias: each.alias.clone().unwrap_or_else(|| "item".to_owned()),
                cursor: each.cursor.clone().unwrap_or(named),
            });
        }
        let consumes = self.written.consumes.as_ref()?;
        Some(LoopList {
            items: ITEMS.to_owned(),
            alias: consumes.alias.as_deref().unwrap_or("workItem").to_owned(),
            cursor: consumes.cursor.as_deref().unwrap_or(CURSOR).to_owned(),
        })
    }

    /// A guarded exit needs an output with `satisfied`.
    fn exit_reads_json(&mut self, from: SocketIndex, guard: RouteGuard) {
        let Some(reading) = self.readings[from.0]
            .as_mut()
            .filter(|_| guard.is_guarded())
        else {
            return;
        };
        match reading.parse {
            None => reading.parse = Some(OutputParse::Json),
            Some(OutputParse::Json) => {}
            Some(OutputParse::Text) => {
                let socket = &self.draft.sockets[from.0];
                let message = format!(
                    "the loop is left from `{}` when `{}`, but its output is read as text",
                    socket.id,
                    guard.as_str()
                );
                let at = socket.parse_at().with_code(INVALID);
                at.error(message, "write \"parse\": \"json\"");
            }
        }
    }

    /// The exit socket must also have a way back into the loop.
    fn way_back(&self, from: SocketIndex, guard: RouteGuard) {
        let socket = &self.draft.sockets[from.0];
        let back: Vec<RouteGuard> = socket
            .edges
            .iter()
            .filter(
                |edge| matches!(edge.to, Some(RouteTarget::Socket(to)) if self.around.is_member(to, self.index)),
            )
            .filter_map(|edge| edge.guard)
            .collect();
        let opposite = match guard {
            RouteGuard::Satisfied => Some(RouteGuard::NotSatisfied),
            RouteGuard::NotSatisfied => Some(RouteGuard::Satisfied),
            RouteGuard::Always => None,
        };
        let goes_on = back.contains(&RouteGuard::Always)
            || opposite.is_none_or(|wanted| back.contains(&wanted));
        let (message, hint) = if back.is_empty() {
            (
                format!(
                    "the loop is left from `{}`, which has no edge back into it",
                    socket.id
                ),
                "always",
            )
        } else if goes_on {
            return;
        } else {
            let missing = opposite.unwrap_or(RouteGuard::Always).as_str();
            (
                format!("`{}` has no `{missing}` edge back into the loop", socket.id),
                missing,
            )
        };
        let hint = format!("add {{\"when\": \"{hint}\", \"to\": …}} to a socket of the loop");
        socket.edges_at().with_code(INVALID).error(message, hint);
    }
}
