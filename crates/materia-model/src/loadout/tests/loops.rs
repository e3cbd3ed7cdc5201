//! What follows from loops (C3, C4, C6, C7, C8).

use serde_json::{Value, json};

use super::{graph, with, work};
use crate::loadout::Graph;
use crate::loadout::graph::{CursorIndex, RouteGuard, RouteTarget, SocketIndex};
use crate::materia::OutputParse;

fn at(graph: &Graph, id: &str) -> SocketIndex {
    graph.find(id).unwrap()
}

fn advance_of(graph: &Graph, id: &str) -> Option<(String, String, RouteGuard)> {
    let advance = graph.socket(at(graph, id)).advance.as_ref()?;
    Some((
        graph.cursor(advance.cursor).name.clone(),
        advance.items.clone(),
        advance.when,
    ))
}

fn exits_of(graph: &Graph) -> Vec<(String, String)> {
    let exits = &graph.loops()[0].exits;
    exits
        .iter()
        .map(|exit| (exit.id.clone(), graph.target_name(exit.to).to_owned()))
        .collect()
}

#[test]
fn an_exit_gives_the_advance_the_route_and_json() {
    let made = graph(&work());
    let derived = (
        "workItemIndex".to_owned(),
        "state.workItems".to_owned(),
        RouteGuard::Satisfied,
    );
    assert_eq!(advance_of(&made, "S4"), Some(derived.clone()));
    assert_eq!(
        exits_of(&made),
        [("exit:S4:satisfied".to_owned(), "S5".to_owned())]
    );
    let exit = &made.socket(at(&made, "S4")).contract;
    assert!(exit.parse == OutputParse::Json && exit.needs_satisfied && !exit.generator);
    let each = made.loops()[0].each.clone().unwrap();
    assert_eq!(
        (each.items.as_str(), each.alias.as_str(), each.key(1)),
        ("state.workItems", "workItem", "WI-2".into())
    );
    assert_eq!(made.socket(at(&made, "S3")).each.as_ref(), Some(&each));
    assert_eq!(made.loops()[0].entry, at(&made, "S3"));

    let ended = graph(&with(work(), "/loops/l/exit/to", json!("end")));
    assert_eq!(
        (advance_of(&ended, "S4"), exits_of(&ended).len()),
        (Some(derived.clone()), 0)
    );
    // An older route of the same kind is replaced
    let old =
        json!([{"id": "old", "from": "S4", "condition": "satisfied", "targetSocketId": "end"}]);
    assert_eq!(
        exits_of(&graph(&with(work(), "/loops/l/exits", old))),
        exits_of(&made)
    );
    // An identical advance is kept
    let same = json!({"cursor": "workItemIndex", "items": "state.workItems", "when": "satisfied", "done": "end"});
    assert_eq!(
        advance_of(&graph(&with(work(), "/sockets/S4/advance", same)), "S4"),
        Some(derived)
    );
}

#[test]
fn routes_alone_say_where_a_loop_turns() {
    // Seed 003 writes `exits` and neither `exit` nor `advance`.
    let mut seed = work();
    seed["loops"]["l"].as_object_mut().unwrap().remove("exit");
    let routes = |routes: Value| graph(&with(seed.clone(), "/loops/l/exits", routes));
    let satisfied =
        json!({"id": "s", "from": "S4", "condition": "satisfied", "targetSocketId": "S5"});
    let always = json!({"id": "a", "from": "S4", "condition": "always", "targetSocketId": "S5"});
    let one = routes(json!([satisfied]));
    assert_eq!(advance_of(&one, "S4").unwrap().2, RouteGuard::Satisfied);
    assert_eq!(one.socket(at(&one, "S4")).contract.parse, OutputParse::Json);
    assert_eq!(
        advance_of(&routes(json!([satisfied, always])), "S4")
            .unwrap()
            .2,
        RouteGuard::Always
    );
    assert_eq!(advance_of(&routes(json!([])), "S4"), None);
}

#[test]
fn exits_are_chosen_by_outcome_then_always_then_end() {
    let route = |condition: &str, to: &str| json!({"id": condition, "from": "S4", "condition": condition, "targetSocketId": to});
    let made = |routes: Value| {
        let loadout = with(work(), "/loops/l/exit/to", json!("end"));
        graph(&with(
            with(loadout, "/sockets/S6", json!({"materia": "A"})),
            "/loops/l/exits",
            routes,
        ))
    };
    let name = |graph: &Graph, from: &str, outcome| {
        graph
            .target_name(graph.exhausted(at(graph, from), outcome))
            .to_owned()
    };
    let all = made(json!([
        route("always", "S1"),
        route("satisfied", "S5"),
        route("not_satisfied", "S6")
    ]));
    for (outcome, target) in [(Some(true), "S5"), (Some(false), "S6"), (None, "S1")] {
        assert_eq!(name(&all, "S4", outcome), target);
    }
    assert_eq!(name(&all, "S3", Some(true)), "end");
    let fallback = made(json!([route("always", "S1"), route("not_satisfied", "S6")]));
    assert_eq!(name(&fallback, "S4", Some(true)), "S1");
    let guarded = made(json!([
        route("satisfied", "S5"),
        route("not_satisfied", "S6")
    ]));
    assert_eq!(name(&guarded, "S4", None), "end");
    // C4: an empty list exits by `always`, from the entered socket first, then from the exit source
    let empty = |graph: &Graph, entered: &str| {
        graph
            .target_name(graph.empty(at(graph, entered)))
            .to_owned()
    };
    assert_eq!(empty(&all, "S3"), "S1");
    assert_eq!(empty(&guarded, "S3"), "end");
    let early = json!({"id": "early", "from": "S3", "condition": "always", "targetSocketId": "S6"});
    assert_eq!(
        empty(&made(json!([route("always", "S1"), early])), "S3"),
        "S6"
    );
}

#[test]
fn satisfied_is_asked_for_where_somebody_looks_at_it() {
    // C6
    let needs = |edges: Value| {
        let made = graph(&json!({"sockets": {"a": {"materia": "J", "edges": edges}}}));
        made.sockets()[0].contract.needs_satisfied
    };
    assert!(needs(json!([{"when": "satisfied", "to": "end"}])));
    assert!(!needs(
        json!([{"when": "satisfied", "to": "a"}, {"to": "end"}])
    ));
    assert!(!needs(json!([{"to": "end"}])));
}

#[test]
fn cursors_belong_to_their_loop() {
    // C3: two loops in a row have cursors of the same name and do not share them
    let made = graph(&json!({
        "sockets": {
            "g1": {"materia": "Gen", "edges": [{"to": "w1"}]},
            "w1": {"materia": "J", "edges": [{"to": "w1"}]},
            "g2": {"materia": "Gen", "edges": [{"to": "w2"}]},
            "w2": {"materia": "J", "edges": [{"to": "w2"}]},
        },
        "loops": {
            "one": {"sockets": ["w1"], "consumes": {"from": "g1"}, "exit": {"from": "w1", "when": "satisfied", "to": "g2"}},
            "two": {"sockets": ["w2"], "consumes": {"from": "g2"}, "exit": {"from": "w2", "when": "satisfied", "to": "end"}},
        },
    }));
    let names: Vec<_> = made
        .cursors()
        .iter()
        .map(|cursor| cursor.name.as_str())
        .collect();
    assert_eq!(names, ["workItemIndex", "workItemIndex"]);
    let (w1, g2, w2) = (at(&made, "w1"), at(&made, "g2"), at(&made, "w2"));
    let restarted = |from, to| {
        made.restarted(from, to)
            .map(CursorIndex::position)
            .collect::<Vec<_>>()
    };
    assert_eq!(restarted(Some(at(&made, "g1")), w1), [0]);
    assert_eq!(restarted(Some(w1), w1), [0; 0]);
    assert_eq!(restarted(Some(g2), w2), [1]);
    assert_eq!(restarted(None, w1), [0]);
    assert_eq!(
        made.regenerated(g2)
            .map(CursorIndex::position)
            .collect::<Vec<_>>(),
        [1]
    );
    assert_eq!(made.next_item(w2), Some(w2));
}

#[test]
fn a_socket_that_iterates_alone_keeps_its_place_inside_its_circle() {
    let made = graph(&json!({
        "sockets": {
            "start": {"materia": "Quiet", "edges": [{"to": "each"}]},
            "each": {"materia": "Quiet", "foreach": {"items": "state.list", "cursor": "i"}, "edges": [{"to": "between"}]},
            "between": {"materia": "Quiet", "edges": [{"to": "next"}]},
            "next": {"materia": "Quiet", "advance": {"cursor": "i", "items": "state.list"}, "edges": [{"to": "each"}]},
        },
    }));
    let restarts =
        |from: &str, to: &str| made.restarted(Some(at(&made, from)), at(&made, to)).count();
    assert_eq!(made.cursors().len(), 1);
    assert_eq!(restarts("start", "each"), 1);
    for (from, to) in [("each", "between"), ("between", "next"), ("next", "each")] {
        assert_eq!(restarts(from, to), 0, "{from} to {to}");
    }
    let each = made.socket(at(&made, "each")).each.as_ref().unwrap();
    assert_eq!((each.alias.as_str(), each.key(0)), ("item", "0".to_owned()));
    assert_eq!(made.exhausted(at(&made, "next"), None), RouteTarget::End);
    assert_eq!(made.next_item(at(&made, "next")), Some(at(&made, "each")));
}

#[test]
fn a_loop_over_any_list_turns_at_its_exit_unless_somebody_advances() {
    let loadout = json!({
        "sockets": {
            "a": {"materia": "A", "edges": [{"to": "b"}]},
            "b": {"materia": "A", "edges": [{"to": "a"}]},
        },
        "loops": {"l": {
            "sockets": ["a", "b"],
            "iterator": {"items": "state.tasks"},
            "exit": {"from": "b", "when": "satisfied", "to": "end"},
        }},
    });
    let derived = graph(&loadout);
    let expected = (
        "lIndex".to_owned(),
        "state.tasks".to_owned(),
        RouteGuard::Satisfied,
    );
    assert_eq!(advance_of(&derived, "b"), Some(expected));
    assert_eq!(derived.sockets()[1].contract.parse, OutputParse::Json);
    let told = graph(&with(
        loadout,
        "/sockets/a/advance",
        json!({"cursor": "lIndex", "items": "state.tasks"}),
    ));
    assert_eq!(
        (advance_of(&told, "b"), told.sockets()[1].contract.parse),
        (None, OutputParse::Text)
    );
    assert_eq!(told.cursors().len(), 1);
}

#[test]
fn a_socket_turns_one_loop() {
    let region = json!({"sockets": ["a"], "iterator": {"items": "x"}, "exit": {"from": "a", "when": "always"}});
    let made = super::compiled(&json!({
        "sockets": {"a": {"materia": "A", "edges": [{"to": "a"}]}},
        "loops": {"one": region.clone(), "two": region},
    }));
    assert_eq!(super::told(&made.findings), ["invalid-loop loops.two.exit"]);
}

#[test]
fn contracts_come_from_socket_and_materia() {
    // C8
    let made = graph(&json!({
        "sockets": {
            "gen": {"materia": "Gen", "assign": {"note": "$.context"}, "edges": [{"to": "json"}]},
            "json": {"materia": "J", "edges": [{"to": "text"}]},
            "text": {"materia": "J", "parse": "text", "edges": [{"to": "util"}]},
            "util": {"materia": "Util", "edges": [{"to": "quiet"}]},
            "quiet": {"materia": "Quiet", "parse": "json", "limits": {"maxVisits": 5}},
        },
    }));
    let parses: Vec<_> = made
        .sockets()
        .iter()
        .map(|socket| socket.contract.parse.as_str())
        .collect();
    assert_eq!(parses, ["json", "json", "text", "json", "json"]);
    let targets: Vec<_> = made.sockets()[0]
        .contract
        .assign
        .iter()
        .map(|copy| copy.target.as_str())
        .collect();
    assert_eq!(targets, ["note", "workItems"]);
    assert_eq!(made.sockets()[3].contract.assign.len(), 1);
    assert_eq!(made.sockets()[4].max_visits, Some(5));
    assert_eq!(made.entry(), at(&made, "gen"));
}
