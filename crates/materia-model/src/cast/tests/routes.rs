//! The routes of a cast: edges in order, writes of an output, input of utilities.

use serde_json::json;

use super::world::{Reply, World, config, no, text, yes};

#[test]
fn the_first_edge_that_matches_is_taken() {
    let route = |edges, reply: fn() -> Reply| {
        let sockets = json!({
            "S1": {"materia": "A", "parse": "json", "edges": edges},
            "S2": {"materia": "U"}, "S3": {"materia": "U"}
        });
        let mut world = World::new(&config(&sockets, &json!({})));
        world.play(&mut |q| {
            if q.socket == "S1" {
                reply()
            } else {
                text("leaf")
            }
        });
        assert_eq!(world.end(), "complete");
        assert_eq!(world.count("cast_end"), 1);
        world.trace()
    };
    let both = json!([{"when": "satisfied", "to": "S2"}, {"when": "not_satisfied", "to": "S3"}]);
    let cases = [
        (both.clone(), yes as fn() -> Reply, "S1 S2"),
        (both, || no("x"), "S1 S3"),
        (
            json!([{"when": "satisfied", "to": "S2"}, {"when": "always", "to": "S3"}]),
            || no("x"),
            "S1 S3",
        ),
        (
            json!([{"when": "satisfied", "to": "S3"}, {"when": "satisfied", "to": "S2"}]),
            yes,
            "S1 S3",
        ),
        (json!([{"when": "satisfied", "to": "S2"}]), || no("x"), "S1"),
        (
            json!([{"when": "satisfied", "to": "S2"}, {"to": "S3"}]),
            || Reply::Json(json!({})),
            "S1 S3",
        ),
        (json!([{"when": "always", "to": "end"}]), yes, "S1"),
    ];
    for (edges, reply, expected) in cases {
        assert_eq!(route(edges.clone(), reply), expected, "{edges}");
    }
}

#[test]
fn seed_000_hello_utility_patches_and_assigns() {
    let hello = json!({
        "activeLoadout": "Hello Utility",
        "loadouts": {"Hello Utility": {"entry": "hello", "sockets": {
            "hello": {"materia": "helloUtility", "edges": [{"when": "always", "to": "end"}]}
        }}},
        "materia": {"helloUtility": {
            "type": "utility", "label": "Hello Utility", "command": ["x"],
            "params": {"message": "HELLO WORLD"}, "parse": "json", "assign": {"hello": "$.state.hello"}
        }}
    });
    let mut world = World::new(&hello);
    world.play(&mut |q| {
        let input: serde_json::Value = serde_json::from_str(q.prompt).unwrap();
        assert_eq!(input["params"]["message"], "HELLO WORLD");
        assert_eq!(input["socketId"], "hello");
        assert_eq!(input["materiaLabel"], "Hello Utility");
        assert_eq!(
            (&input["item"], &input["cursor"], &input["cursors"]),
            (&json!(null), &json!(null), &json!({}))
        );
        Reply::Json(json!({"state": {"hello": {"ok": true}}}))
    });
    assert_eq!(world.end(), "complete");
    assert_eq!(world.state.data["hello"], json!({"ok": true}));
}

#[test]
fn a_failing_utility_ends_the_cast_at_once() {
    let sockets = json!({"S1": {"materia": "UJ", "edges": [{"to": "S2"}]}, "S2": {"materia": "U"}});
    let cases = [
        (Reply::Exit(7), "utility_failed", "exit code 7"),
        (text("not json"), "invalid_output", "write logs to stderr"),
        (Reply::Json(json!(["x"])), "invalid_output", "not a list"),
        (
            Reply::Json(json!({"satisfied": null})),
            "invalid_output",
            "`satisfied` must be true or false",
        ),
    ];
    for (reply, code, message) in cases {
        let mut world = World::new(&config(&sockets, &json!({})));
        let mut reply = Some(reply);
        world.play(&mut |_| reply.take().unwrap());
        assert_eq!((world.end().as_str(), world.trace().as_str()), (code, "S1"));
        let failure = world.state.failure.clone().unwrap();
        assert!(failure.message.contains(message), "{failure:?}");
        assert_eq!(
            (failure.socket.as_deref(), world.count("cast_end")),
            (Some("S1"), 1)
        );
    }
}

#[test]
fn a_definition_that_lost_its_socket_is_named() {
    let mut world = World::new(&config(&json!({"S1": {"materia": "U"}}), &json!({})));
    world.state.step = crate::cast::CastPhase::Enter {
        socket: "Gone".to_owned(),
    };
    world.play(&mut |_| text("never"));
    assert_eq!(world.end(), "definition");
    assert!(
        world
            .state
            .failure
            .as_ref()
            .unwrap()
            .message
            .contains("no socket `Gone`")
    );
}
