//! Turns that fail, are repaired or cost too much (C10, C11, C23), and rework (C15).

use serde_json::{Value, json};

use super::world::{Reply, World, config, config_with, items, no, text, yes};
use crate::agent::AgentFailureKind;

fn judge() -> Value {
    let sockets = json!({
        "S1": {"materia": "A", "parse": "json", "assign": {"got": "$.context"},
               "edges": [{"when": "satisfied", "to": "S2"}, {"when": "not_satisfied", "to": "S2"}]},
        "S2": {"materia": "U"}
    });
    config(&sockets, &json!({}))
}

/// The end and the visits after these replies of `S1`.
fn judged(replies: Vec<Reply>) -> World {
    let mut world = World::new(&judge());
    let mut replies = replies.into_iter();
    world.play(&mut |q| {
        if q.socket == "S1" {
            replies.next().unwrap()
        } else {
            text("leaf")
        }
    });
    world
}

#[test]
fn an_invalid_answer_is_repaired_once_and_leaves_nothing_behind() {
    let bad = || Reply::Json(json!({"satisfied": "maybe", "context": "FIRST"}));
    let world = judged(vec![
        bad(),
        Reply::Json(json!({"satisfied": true, "context": "SECOND"})),
    ]);
    assert_eq!(
        (world.end().as_str(), world.visits("S1"), world.visits("S2")),
        ("complete", 1, 1)
    );
    assert_eq!(world.state.data["got"], "SECOND");
    assert!(
        !Value::Object(world.state.data.clone())
            .to_string()
            .contains("FIRST")
    );
    let world = judged(vec![text("nope"), text("still nope")]);
    assert_eq!(
        (world.end().as_str(), world.visits("S1"), world.visits("S2")),
        ("invalid_output", 1, 0)
    );
    assert_eq!(
        (
            world.count("same_socket_recovery_exhausted"),
            world.count("cast_end")
        ),
        (1, 1)
    );
}

#[test]
fn c10_failures_are_retried_by_their_kind() {
    use AgentFailureKind::{Auth, ContextWindow, Crash, RateLimit, Timeout};
    let fail = Reply::Fail;
    let cases = [
        (vec![fail(RateLimit), yes()], "complete"),
        (vec![fail(RateLimit), text("not json"), yes()], "complete"),
        (
            vec![text("not json"), fail(RateLimit), fail(Crash), yes()],
            "complete",
        ),
        (vec![fail(Auth)], "agent_auth"),
        (vec![fail(ContextWindow), yes()], "complete"),
        (
            vec![fail(ContextWindow), fail(ContextWindow)],
            "agent_failed",
        ),
        (vec![fail(Timeout), yes()], "complete"),
        (vec![text("  \n"), yes()], "complete"),
        (vec![fail(Crash), text(""), yes()], "complete"),
        (vec![fail(Crash), text(""), fail(Crash)], "agent_failed"),
        (vec![fail(Crash), fail(Crash), fail(Crash)], "breaker"),
    ];
    for (index, (replies, end)) in cases.into_iter().enumerate() {
        let world = judged(replies);
        assert_eq!(
            (world.end().as_str(), world.visits("S1")),
            (end, 1),
            "case {index}"
        );
    }
}

#[test]
fn c10_a_repair_that_crashes_is_still_a_repair() {
    let mut world = World::new(&judge());
    let mut prompts = Vec::new();
    world.play(&mut |q| {
        prompts.push(q.prompt.to_owned());
        match (q.socket, q.nth) {
            ("S1", 1) => text("ZORK-91"),
            ("S1", 2) => Reply::Fail(AgentFailureKind::Crash),
            ("S1", _) => yes(),
            _ => text("leaf"),
        }
    });
    assert!(prompts[1].contains("ZORK-91") && prompts[2].contains("ZORK-91"));
    assert_eq!(world.end(), "complete");
}

#[test]
fn the_repair_allowance_is_per_visit() {
    let sockets = json!({
        "Plan": {"materia": "G", "edges": [{"to": "Work"}]},
        "Work": {"materia": "A", "parse": "json", "edges": [{"to": "Work"}]}
    });
    let loops = json!({"l": {"sockets": ["Work"], "consumes": {"from": "Plan", "output": "workItems"},
                             "exit": {"from": "Work", "when": "satisfied", "to": "end"}}});
    let mut world = World::new(&config(&sockets, &loops));
    world.play(&mut |q| match (q.socket, q.nth) {
        ("Plan", _) => items(&["a", "b"]),
        (_, 1 | 3) => text("bad"),
        _ => yes(),
    });
    assert_eq!(
        (world.end().as_str(), world.visits("Work")),
        ("complete", 2)
    );
}

#[test]
fn c11_a_finished_socket_stays_finished_when_the_budget_stops_the_cast() {
    let sockets = json!({
        "S1": {"materia": "A", "parse": "json", "assign": {"note": "$.context"}, "edges": [{"to": "S2"}]},
        "S2": {"materia": "A"}
    });
    let budget = |more: Value| config_with(&sockets, &json!({}), &json!({"budget": more}));
    let reply = |q: &super::world::Question<'_>| match q.socket {
        "S1" => Reply::Spent(json!({"context": "kept"}), 1200),
        _ => text("more"),
    };
    let mut world = World::new(&budget(json!({"maxTokens": 1000})));
    world.play(&mut { reply });
    assert_eq!(
        (world.end().as_str(), world.visits("S2")),
        ("budget_limit", 0)
    );
    assert_eq!(
        (world.count("budget_limit"), world.count("cast_end")),
        (1, 1)
    );
    assert_eq!(world.state.data["note"], "kept");
    let raise = crate::cast::event::BudgetRaise {
        max_tokens: Some(5000),
        ..Default::default()
    };
    let bodies = [
        world.state.raise_budget(raise).unwrap(),
        world.state.recast().unwrap(),
    ];
    bodies.into_iter().for_each(|body| world.record(&body));
    world.play(&mut { reply });
    assert_eq!(
        (world.end().as_str(), world.trace().as_str()),
        ("complete", "S1 S2")
    );
    let mut open = World::new(&budget(json!({"maxTokens": 1000, "stopAtLimit": false})));
    open.play(&mut { reply });
    assert_eq!(
        (open.end().as_str(), open.count("budget_limit")),
        ("complete", 1)
    );
    let mut warned = World::new(&budget(json!({"maxTokens": 3000, "warnAtPercent": 30})));
    warned.play(&mut { reply });
    assert_eq!(
        (warned.end().as_str(), warned.count("budget_warning")),
        ("complete", 1)
    );
}

#[test]
fn c23_a_turn_that_does_not_fit_is_not_started() {
    let sockets = json!({"S1": {"materia": "A", "parse": "json", "edges": [{"when": "satisfied", "to": "S1"}]}});
    let mut world = World::new(&config_with(
        &sockets,
        &json!({}),
        &json!({"budget": {"maxTokens": 100}}),
    ));
    world.play(&mut |_| Reply::Spent(json!({"satisfied": true}), 30));
    assert_eq!(
        (
            world.end().as_str(),
            world.visits("S1"),
            world.state.usage().total
        ),
        ("budget_limit", 3, 90)
    );
    let mut turns = World::new(&config_with(
        &sockets,
        &json!({}),
        &json!({"budget": {"maxTurns": 2}}),
    ));
    turns.play(&mut |_| yes());
    assert_eq!(
        (turns.end().as_str(), turns.visits("S1")),
        ("budget_limit", 2)
    );
}

#[test]
fn c15_a_reason_reaches_its_target_and_is_forgotten_when_its_source_is_satisfied() {
    let sockets = json!({
        "S1": {"materia": "A", "edges": [{"to": "S2"}]},
        "S2": {"materia": "UJ", "edges": [{"when": "satisfied", "to": "S3"}, {"when": "not_satisfied", "to": "S1"}]},
        "S3": {"materia": "A", "parse": "json", "edges": [{"when": "satisfied", "to": "end"}, {"when": "not_satisfied", "to": "S1"}]}
    });
    let mut world = World::new(&config(&sockets, &json!({})));
    let mut built = Vec::new();
    world.play(&mut |q| match (q.socket, q.nth) {
        ("S1", _) => {
            built.push(q.prompt.to_owned());
            text("draft")
        }
        ("S2", 1) => Reply::Json(json!({"satisfied": false, "log": "MARK-A"})),
        ("S3", 1) => no("GATE-B wants docs"),
        _ => yes(),
    });
    let seen: Vec<(bool, bool)> = built
        .iter()
        .map(|p| (p.contains("MARK-A"), p.contains("GATE-B")))
        .collect();
    assert_eq!(seen, [(false, false), (true, false), (false, true)]);
    assert!(world.state.rework.is_empty());
}

#[test]
fn c15_a_reason_stays_with_its_item() {
    let sockets = json!({
        "Plan": {"materia": "G", "edges": [{"to": "Build"}]},
        "Build": {"materia": "A", "edges": [{"to": "Check"}]},
        "Check": {"materia": "A", "parse": "json", "edges": [{"when": "not_satisfied", "to": "Build"}, {"to": "Build"}]}
    });
    let loops = json!({"l": {"sockets": ["Build", "Check"], "consumes": {"from": "Plan", "output": "workItems"},
                             "exit": {"from": "Check", "when": "satisfied", "to": "end"}}});
    let mut world = World::new(&config(&sockets, &loops));
    let mut seen = Vec::new();
    world.play(&mut |q| match (q.socket, q.nth) {
        ("Plan", _) => items(&["One", "Two"]),
        ("Build", _) => {
            seen.push((q.item.unwrap().to_owned(), q.prompt.contains("MARK-1")));
            text("built")
        }
        ("Check", 1) => no("MARK-1"),
        _ => yes(),
    });
    let expected = [("WI-1", false), ("WI-1", true), ("WI-2", false)]
        .map(|(item, mark)| (item.to_owned(), mark));
    assert_eq!(seen, expected);
}
