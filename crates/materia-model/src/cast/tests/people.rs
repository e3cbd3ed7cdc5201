//! Commands of the user: continue, recast, revive, abort; and interrupted visits (C22).

use serde_json::json;

use super::world::{Question, Reply, World, config, config_with, items, text, yes};
use crate::cast::{CastRefusal, CastStatus};

fn talk() -> World {
    let sockets = json!({
        "Talk": {"materia": "TG", "edges": [{"to": "Work"}]},
        "Work": {"materia": "A", "parse": "json", "edges": [{"to": "Work"}]}
    });
    let loops = json!({"l": {"sockets": ["Work"], "consumes": {"from": "Talk", "output": "workItems"},
                             "exit": {"from": "Work", "when": "satisfied", "to": "end"}}});
    let talker = json!({"materia": {"TG": {"tools": "none", "prompt": "plan together", "generator": true, "multiTurn": true}}});
    World::new(&config_with(&sockets, &loops, &talker))
}

fn go_on(world: &mut World, words: Option<&str>) {
    let body = world.state.go_on_with(words).unwrap();
    world.record(&body);
}

#[test]
fn a_conversation_pauses_after_every_reply_and_only_continue_ends_it() {
    let mut world = talk();
    world.play(&mut |_| items(&["Early"]));
    assert_eq!(
        (world.end().as_str(), world.count("cast_end")),
        ("paused", 0)
    );
    assert!(
        world.state.data.get("workItems").is_none(),
        "nothing is read before the end"
    );
    go_on(&mut world, Some("finalize now, continue"));
    let mut prompt = String::new();
    world.play(&mut |q: &Question<'_>| {
        prompt = q.prompt.to_owned();
        text("What else?")
    });
    assert_eq!(world.end(), "paused");
    assert!(
        prompt.contains("Person: finalize now, continue") && prompt.contains("You: {\"workItems\"")
    );
    go_on(&mut world, None);
    world.play(&mut |q| match (q.socket, q.nth) {
        ("Talk", 3) => text("not json"),
        ("Talk", _) => items(&["Final"]),
        _ => yes(),
    });
    assert_eq!(
        (world.end().as_str(), world.trace().as_str()),
        ("complete", "Talk Work/WI-1")
    );
    assert_eq!(world.state.data["workItems"][0]["title"], "Final");
    assert_eq!(
        (world.count("socket_refinement"), world.visits("Talk")),
        (2, 1)
    );
    assert!(world.state.conversation.lines.is_empty());
}

#[test]
fn revive_asks_once_more_and_recast_alone_does_not_repair() {
    let sockets = json!({
        "S1": {"materia": "A", "parse": "json", "edges": [{"when": "satisfied", "to": "S2"}, {"when": "not_satisfied", "to": "S2"}]},
        "S2": {"materia": "U"}
    });
    let mut world = World::new(&config(&sockets, &json!({})));
    world.play(&mut |_| text("bad"));
    assert_eq!(world.end(), "invalid_output");
    let body = world.state.recast().unwrap();
    world.record(&body);
    world.play(&mut |_| text("bad"));
    assert_eq!(
        (
            world.end().as_str(),
            world.count("same_socket_recovery_start")
        ),
        ("invalid_output", 1)
    );
    let body = world.state.revive().unwrap();
    world.record(&body);
    world.play(&mut |q| match (q.socket, q.nth) {
        ("S1", 4) => text("bad again"),
        ("S1", _) => yes(),
        _ => text("leaf"),
    });
    assert_eq!(
        (world.end().as_str(), world.visits("S1"), world.visits("S2")),
        ("complete", 1, 1)
    );
}

#[test]
fn commands_are_refused_with_a_hint_where_they_make_no_sense() {
    let mut world = World::new(&config(&json!({"S1": {"materia": "U"}}), &json!({})));
    assert_eq!(
        world.state.go_on_with(None),
        Err(CastRefusal::NotPaused("running"))
    );
    assert_eq!(world.state.recast(), Err(CastRefusal::NotFailed("running")));
    world.play(&mut |_| text("done"));
    assert_eq!(world.state.recast(), Err(CastRefusal::Ended("complete")));
    assert_eq!(world.state.abort(), Err(CastRefusal::Ended("complete")));
    assert_eq!(
        world.state.go_on_with(Some("x")),
        Err(CastRefusal::Ended("complete"))
    );
    let mut failed = World::new(&config(&json!({"S1": {"materia": "U"}}), &json!({})));
    failed.play(&mut |_| Reply::Exit(1));
    assert_eq!(failed.state.revive(), Err(CastRefusal::NothingToRevive));
    assert!(!CastRefusal::NothingToRevive.hint().is_empty());
}

#[test]
fn an_aborted_cast_has_one_end_and_can_be_recast_where_it_was() {
    let mut world = talk();
    world.play(&mut |_| text("Thoughts?"));
    let body = world.state.abort().unwrap();
    world.record(&body);
    assert_eq!(
        (world.state.status, world.count("cast_end")),
        (CastStatus::Aborted, 1)
    );
    assert!(world.state.go_on_with(None).is_err());
    let body = world.state.recast().unwrap();
    world.record(&body);
    assert_eq!(world.state.status, CastStatus::Paused);
}

#[test]
fn a_failed_utility_runs_again_on_the_same_visit_and_nothing_finished_does() {
    let sockets = json!({"S1": {"materia": "UJ", "edges": [{"to": "S2"}]}, "S2": {"materia": "U"}});
    let mut world = World::new(&config(&sockets, &json!({})));
    world.play(&mut |q| {
        if q.socket == "S1" {
            Reply::Json(json!({"state": {"made": 1}}))
        } else {
            Reply::Exit(1)
        }
    });
    assert_eq!(world.end(), "utility_failed");
    let body = world.state.recast().unwrap();
    world.record(&body);
    let mut asked = Vec::new();
    world.play(&mut |q| {
        asked.push(q.socket.to_owned());
        text("here")
    });
    assert_eq!(
        (world.end().as_str(), asked),
        ("complete", vec!["S2".to_owned()])
    );
    assert_eq!(world.visits("S2"), 1);
}

#[test]
fn c22_an_interrupted_visit_follows_the_policy_of_its_materia() {
    let run = |policy: &str| {
        let materia = json!({"materia": {"Slow": {"type": "utility", "command": ["u"], "interrupted": policy}}});
        let mut world = World::new(&config_with(
            &json!({"S1": {"materia": "Slow"}}),
            &json!({}),
            &materia,
        ));
        world.play(&mut |_| Reply::Killed);
        world
    };
    let mut rerun = run("rerun");
    rerun.play(&mut |_| text("done"));
    assert_eq!(
        (
            rerun.end().as_str(),
            rerun.visits("S1"),
            rerun.count("utility_input")
        ),
        ("complete", 1, 2)
    );
    let mut ask = run("ask");
    ask.play(&mut |_| text("never"));
    assert_eq!(
        (ask.end().as_str(), ask.count("utility_input")),
        ("paused", 1)
    );
    go_on(&mut ask, None);
    ask.play(&mut |_| text("done"));
    assert_eq!(ask.end(), "complete");
    let mut fail = run("fail");
    fail.play(&mut |_| text("never"));
    assert_eq!(
        (fail.end().as_str(), fail.count("cast_end")),
        ("interrupted", 1)
    );
}
