//! Random graphs against an interpreter that is written to be obvious: it keeps the whole history
//! and scans all of it at every step.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::world::{Reply, World, config_with};
use crate::loadout::fanout::{self, DefaultLimits};
use crate::loadout::settings::LimitSettings;

const CAP_CYCLES: usize = 4;
const CAP_VISITS: usize = 30;

#[derive(Debug, Clone, Copy, PartialEq)]
enum When {
    Always,
    Yes,
    No,
}

impl When {
    fn word(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Yes => "satisfied",
            Self::No => "not_satisfied",
        }
    }

    fn lets(self, outcome: bool) -> bool {
        self == Self::Always || (self == Self::Yes) == outcome
    }
}

/// Sockets `S0`…; `S0` gives the list; the loop has the members `1..=members`, and `steps[i]` says
/// when `Si` advances.
#[derive(Debug, Clone)]
struct Plan {
    edges: Vec<Vec<(When, usize, Option<usize>)>>,
    members: usize,
    steps: Vec<Option<When>>,
    exits: Vec<(usize, When, usize)>,
    items: usize,
    outcomes: Vec<bool>,
}

impl Plan {
    fn name(&self, socket: usize) -> String {
        if socket < self.edges.len() {
            format!("S{socket}")
        } else {
            "end".to_owned()
        }
    }

    fn is_member(&self, socket: usize) -> bool {
        (1..=self.members).contains(&socket)
    }

    fn config(&self) -> Value {
        let mut sockets = serde_json::Map::new();
        for (index, edges) in self.edges.iter().enumerate() {
            let edges: Vec<Value> = edges
                .iter()
                .map(|(when, to, cap)| {
                    let mut edge = json!({"when": when.word(), "to": self.name(*to)});
                    if let Some(cap) = cap {
                        edge["maxTraversals"] = (*cap).into();
                    }
                    edge
                })
                .collect();
            let mut socket = json!({"materia": "UJ", "edges": edges});
            if let Some(when) = self.steps[index].filter(|_| self.is_member(index)) {
                socket["advance"] =
                    json!({"cursor": "i", "items": "state.list", "when": when.word()});
            }
            sockets.insert(self.name(index), socket);
        }
        let exits: Vec<Value> = self
            .exits
            .iter()
            .enumerate()
            .map(|(index, (from, when, to))| json!({"id": format!("x{index}"), "from": self.name(*from), "condition": when.word(), "targetSocketId": self.name(*to)}))
            .collect();
        let members: Vec<String> = (1..=self.members).map(|index| self.name(index)).collect();
        let loops = json!({"l": {"sockets": members, "iterator": {"items": "state.list", "cursor": "i"}, "exits": exits}});
        let limits =
            json!({"limits": {"maxNoAdvanceCycles": CAP_CYCLES, "maxSocketVisits": CAP_VISITS}});
        config_with(&Value::Object(sockets), &loops, &limits)
    }

    fn outcome(&self, socket: usize, nth: usize) -> bool {
        self.outcomes[(socket * 7 + nth) % self.outcomes.len()]
    }

    /// The expected result: the sockets with their items, and how the cast ends.
    fn interpret(&self) -> (Vec<String>, &'static str) {
        let mut story = Story::default();
        let (mut at, mut from) = (0, None);
        let mut pass = (0, 0);
        let mut skipped = 0;
        loop {
            if at >= self.edges.len() {
                return (story.trace, "complete");
            }
            if self.is_member(at) && from.is_none_or(|from| !self.is_member(from)) {
                pass = (pass.0 + 1, 0);
            }
            if self.is_member(at) && pass.1 >= self.items {
                skipped += 1;
                if skipped > 3 {
                    return (story.trace, "stalled");
                }
                (from, at) = (Some(at), self.way_out_of_nothing(at));
                continue;
            }
            skipped = 0;
            if story.started.iter().filter(|socket| **socket == at).count() >= CAP_VISITS {
                return (story.trace, "visit_limit");
            }
            story.start(at, self.is_member(at).then_some(pass.1));
            let outcome = self.outcome(
                at,
                story.started.iter().filter(|socket| **socket == at).count(),
            );
            let advanced =
                self.is_member(at) && self.steps[at].is_some_and(|when| when.lets(outcome));
            if advanced {
                pass.1 += 1;
                story.entered.clear();
            }
            if advanced && pass.1 >= self.items {
                let to = self.exit(at, outcome);
                (from, at) = (None, to);
                // Leaving and returning is an entry from outside.
                if to < self.edges.len() {
                    story.entered.push((to, false));
                }
                continue;
            }
            let edge = self.edges[at]
                .iter()
                .position(|(when, ..)| when.lets(outcome));
            let to = match edge {
                None if advanced => self.entry(),
                None => return (story.trace, "complete"),
                Some(edge) => {
                    let (_, to, cap) = self.edges[at][edge];
                    let item = self.is_member(at).then_some(pass);
                    let taken = story
                        .taken
                        .iter()
                        .filter(|past| **past == (at, edge, item))
                        .count();
                    if cap.is_some_and(|cap| taken >= cap) {
                        return (story.trace, "edge_limit");
                    }
                    if cap.is_none() && to < self.edges.len() && story.cycles(to) >= CAP_CYCLES {
                        return (story.trace, "stalled");
                    }
                    story.taken.push((at, edge, item));
                    story.entered.push((to, cap.is_none()));
                    to
                }
            };
            if edge.is_none() {
                story.entered.push((to, false));
            }
            (from, at) = (Some(at), to);
        }
    }

    /// The entry of the loop: the target of the first edge from outside, else of a route, else its
    /// first member.
    fn entry(&self) -> usize {
        let outside = self
            .edges
            .iter()
            .enumerate()
            .filter(|(socket, _)| !self.is_member(*socket));
        let edges = outside.flat_map(|(_, edges)| edges.iter().map(|(_, to, _)| *to));
        let exits = self.exits.iter().map(|(_, _, to)| *to);
        edges
            .chain(exits)
            .find(|to| self.is_member(*to))
            .unwrap_or(1)
    }

    fn exit(&self, from: usize, outcome: bool) -> usize {
        let wanted = if outcome { When::Yes } else { When::No };
        let route = |when| {
            self.exits
                .iter()
                .find(|(source, guard, _)| *source == from && *guard == when)
        };
        route(wanted)
            .or_else(|| route(When::Always))
            .map_or(usize::MAX, |(_, _, to)| *to)
    }

    fn way_out_of_nothing(&self, entered: usize) -> usize {
        let always = |from: usize| {
            self.exits
                .iter()
                .find(|(source, when, _)| *source == from && *when == When::Always)
        };
        let source = (1..=self.members).find(|member| self.steps[*member].is_some());
        let any = self.exits.iter().find(|(_, when, _)| *when == When::Always);
        always(entered)
            .or_else(|| source.and_then(always))
            .or(any)
            .map_or(usize::MAX, |(_, _, to)| *to)
    }
}

/// An item: which pass through the list, and which index.
type Pass = Option<(usize, usize)>;

#[derive(Default)]
struct Story {
    trace: Vec<String>,
    started: Vec<usize>,
    /// Entries since the last advance, and whether they were made by an edge without a limit.
    entered: Vec<(usize, bool)>,
    /// Edges by socket and position, and the item they were taken for.
    taken: Vec<(usize, usize, Pass)>,
}

impl Story {
    fn start(&mut self, socket: usize, item: Option<usize>) {
        self.started.push(socket);
        self.trace.push(item.map_or_else(
            || format!("S{socket}"),
            |index| format!("S{socket}/{index}"),
        ));
        if !self.entered.iter().any(|(entered, _)| *entered == socket) {
            self.entered.push((socket, false));
        }
    }

    /// How often a socket was re-entered by an edge without a limit.
    fn cycles(&self, socket: usize) -> usize {
        let entries: Vec<bool> = self
            .entered
            .iter()
            .filter(|(entered, _)| *entered == socket)
            .map(|(_, free)| *free)
            .collect();
        if entries.is_empty() {
            0
        } else {
            entries[1..].iter().filter(|free| **free).count()
        }
    }
}

fn when() -> impl Strategy<Value = When> {
    prop_oneof![Just(When::Always), Just(When::Yes), Just(When::No)]
}

fn plans() -> impl Strategy<Value = Plan> {
    (3usize..7).prop_flat_map(|count| {
        let edge = (
            when(),
            1..=count,
            proptest::option::weighted(0.4, 1usize..4),
        );
        let edges = proptest::collection::vec(proptest::collection::vec(edge, 0..4), count);
        let steps = proptest::collection::vec(proptest::option::weighted(0.5, when()), count);
        let exits = proptest::collection::vec((1usize..3, when(), 0..=count), 0..4);
        let outcomes = proptest::collection::vec(any::<bool>(), 1..9);
        (edges, 1usize..3, steps, exits, 0usize..4, outcomes).prop_map(
            |(mut edges, members, steps, mut exits, items, outcomes)| {
                // Removes what a loadout may not contain: edges behind `always`, and two routes
                // from one socket with one guard.
                for edges in &mut edges {
                    if let Some(always) = edges.iter().position(|(when, ..)| *when == When::Always)
                    {
                        edges.truncate(always + 1);
                    }
                }
                exits.retain(|(from, ..)| *from <= members);
                let mut seen = Vec::new();
                exits.retain(|(from, when, _)| {
                    let new = !seen.contains(&(*from, when.word()));
                    seen.push((*from, when.word()));
                    new
                });
                // Routes out of a loop that nothing advances would become an advance themselves.
                let mut steps = steps;
                if steps[1..=members].iter().all(Option::is_none) && !exits.is_empty() {
                    steps[1] = Some(When::Always);
                }
                Plan {
                    edges,
                    members,
                    steps,
                    exits,
                    items,
                    outcomes,
                }
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_kernel_does_what_the_rules_say(plan in plans()) {
        let mut world = World::new(&plan.config());
        world.play(&mut |q| {
            let index: usize = q.socket[1..].parse().unwrap();
            let list: Vec<usize> = (0..plan.items).collect();
            let satisfied = plan.outcome(index, q.nth);
            if index == 0 {
                return Reply::Json(json!({"satisfied": satisfied, "state": {"list": list}}));
            }
            Reply::Json(json!({"satisfied": satisfied}))
        });
        let (trace, end) = plan.interpret();
        prop_assert_eq!((world.trace(), world.end()), (trace.join(" "), end.to_owned()));
        prop_assert_eq!(world.count("cast_end"), 1);
        prop_assert!(world.state.visits.values().all(|visits| *visits <= CAP_VISITS as u64));
    }

    #[test]
    fn c23_no_cast_visits_a_socket_more_often_than_its_plan_says(plan in plans()) {
        let mut config = plan.config();
        config["limits"]["maxSocketVisits"] = 100.into();
        let mut world = World::new(&config);
        world.play(&mut |q| {
            let index: usize = q.socket[1..].parse().unwrap();
            let list: Vec<usize> = (0..plan.items).collect();
            Reply::Json(json!({"satisfied": plan.outcome(index, q.nth), "state": {"list": list}}))
        });
        let limits = LimitSettings { max_no_advance_cycles: Some(CAP_CYCLES as u64), ..LimitSettings::default() };
        let net = DefaultLimits { visits: 100, cycles: CAP_CYCLES as u64 };
        let graph = world.kernel.graph();
        let bounds = fanout::visits(graph, &limits, net, plan.items as u64);
        for (socket, bound) in graph.sockets().iter().zip(bounds) {
            let visits = world.visits(socket.id.as_str());
            prop_assert!(visits <= bound.most, "{} was visited {visits} times, planned {}", socket.id, bound.most);
        }
    }

    #[test]
    fn a_budget_is_never_exceeded_by_more_than_the_turn_that_reached_it(plan in plans(), budget in 1u64..60, cost in 1u64..9) {
        let mut config = plan.config();
        for socket in config["loadouts"]["T"]["sockets"].as_object_mut().unwrap().values_mut() {
            socket["materia"] = "A".into();
            socket["parse"] = "json".into();
        }
        config["budget"] = json!({"maxTokens": budget});
        let mut world = World::new(&config);
        world.play(&mut |q| {
            let index: usize = q.socket[1..].parse().unwrap();
            Reply::Spent(json!({"satisfied": plan.outcome(index, q.nth)}), cost)
        });
        prop_assert!(world.state.usage().total <= budget.max(cost), "{} of {budget}", world.state.usage().total);
        prop_assert_eq!(world.count("cast_end"), 1);
    }
}
