//! Lists: cursors that belong to their loop (C3), ways out (C4), items that leave no trace (C15).

use serde_json::{Value, json};

use super::world::{Question, Reply, World, config, items, no, software, text, yes};

fn happy(q: &Question<'_>) -> Reply {
    match q.socket {
        "Plan" => items(&["A", "B"]),
        "Build" | "Tell" => text("done"),
        _ => yes(),
    }
}

#[test]
fn every_item_walks_the_loop_and_the_exit_is_taken_once() {
    let mut world = World::new(&software(Some(3)));
    world.play(&mut happy);
    assert_eq!(world.end(), "complete");
    assert_eq!(
        world.trace(),
        "Plan Build/WI-1 Check/WI-1 Ship/WI-1 Build/WI-2 Check/WI-2 Ship/WI-2 Tell"
    );
    assert_eq!(world.state.traversals["Ship->Build"], 1);
    assert!(
        !world.state.traversals.contains_key("Ship->Tell"),
        "exits are no edges"
    );
}

#[test]
fn an_item_that_is_not_satisfied_stays() {
    let mut world = World::new(&software(Some(3)));
    world.play(&mut |q| match (q.socket, q.nth) {
        ("Ship", 1) => no("not yet"),
        _ => happy(q),
    });
    assert_eq!(world.end(), "complete");
    let trace = "Plan Build/WI-1 Check/WI-1 Ship/WI-1 Build/WI-1 Check/WI-1 Ship/WI-1 Build/WI-2 Check/WI-2 Ship/WI-2 Tell";
    assert_eq!(world.trace(), trace);
}

#[test]
fn c4_an_empty_list_leaves_by_the_always_route() {
    let mut world = World::new(&software(None));
    world.play(&mut |q| {
        if q.socket == "Plan" {
            items(&[])
        } else {
            happy(q)
        }
    });
    assert_eq!(
        (world.end().as_str(), world.trace().as_str()),
        ("complete", "Plan Tell")
    );
}

#[test]
fn c3_two_loops_in_a_row_both_run_although_their_cursors_have_one_name() {
    let sockets = json!({
        "G1": {"materia": "UG", "edges": [{"to": "L1"}]},
        "L1": {"materia": "UJ", "edges": [{"to": "L1"}]},
        "G2": {"materia": "UG", "edges": [{"to": "L2"}]},
        "L2": {"materia": "UJ", "edges": [{"to": "L2"}]},
        "End": {"materia": "U"}
    });
    let one = |member: &str, from: &str, to: &str| {
        json!({"sockets": [member], "consumes": {"from": from, "output": "workItems"},
               "exit": {"from": member, "when": "satisfied", "to": to}})
    };
    let loops = json!({"first": one("L1", "G1", "G2"), "second": one("L2", "G2", "End")});
    let mut world = World::new(&config(&sockets, &loops));
    let mut cursors = Vec::new();
    world.play(&mut |q| match q.socket {
        "G1" => items(&["a", "b"]),
        "G2" => items(&["x", "y", "z"]),
        "End" => {
            let input: Value = serde_json::from_str(q.prompt).unwrap();
            assert_eq!(
                (&input["item"], &input["itemKey"], &input["cursor"]),
                (&json!(null), &json!(null), &json!(null))
            );
            for stale in ["item", "currentWorkItem", "workItem"] {
                assert!(input["state"].get(stale).is_none(), "C15: {stale} is stale");
            }
            text("leaf")
        }
        _ => {
            let input: Value = serde_json::from_str(q.prompt).unwrap();
            cursors.push(input["cursor"].clone());
            assert_eq!(input["state"]["workItem"], input["item"]);
            yes()
        }
    });
    assert_eq!(
        world.trace(),
        "G1 L1/WI-1 L1/WI-2 G2 L2/WI-1 L2/WI-2 L2/WI-3 End"
    );
    let index = |n: u64| json!({"name": "workItemIndex", "index": n});
    assert_eq!(cursors, [index(0), index(1), index(0), index(1), index(2)]);
}

#[test]
fn c3_a_loop_that_is_entered_again_starts_over_with_the_new_or_the_same_list() {
    for back in ["Plan", "Work"] {
        let sockets = json!({
            "Plan": {"materia": "G", "edges": [{"to": "Work"}]},
            "Work": {"materia": "A", "parse": "json", "edges": [{"to": "Work"}]},
            "Gate": {"materia": "A", "parse": "json", "edges": [{"when": "satisfied", "to": "end"}, {"when": "not_satisfied", "to": back}]}
        });
        let loops = json!({"l": {"sockets": ["Work"], "consumes": {"from": "Plan", "output": "workItems"},
                                 "exit": {"from": "Work", "when": "satisfied", "to": "Gate"}}});
        let mut world = World::new(&config(&sockets, &loops));
        world.play(&mut |q| match (q.socket, q.nth) {
            ("Plan", 1) => items(&["a", "b"]),
            ("Plan", _) => items(&["c"]),
            ("Gate", 1) => no("again"),
            _ => yes(),
        });
        let expected = match back {
            "Plan" => "Plan Work/WI-1 Work/WI-2 Gate Plan Work/WI-1 Gate",
            _ => "Plan Work/WI-1 Work/WI-2 Gate Work/WI-1 Work/WI-2 Gate",
        };
        assert_eq!(
            (world.end().as_str(), world.trace().as_str()),
            ("complete", expected)
        );
    }
}

#[test]
fn c3_items_are_never_left_when_no_edge_matches_after_an_advance() {
    let sockets = json!({
        "Src": {"materia": "UJ", "edges": [{"to": "In"}]},
        "In": {"materia": "U", "edges": [{"to": "Out"}]},
        "Out": {"materia": "UJ", "advance": {"cursor": "i", "items": "state.list"},
                "edges": [{"when": "not_satisfied", "to": "In"}]}
    });
    let loops = json!({"l": {"sockets": ["In", "Out"], "iterator": {"items": "state.list", "cursor": "i"}}});
    let mut world = World::new(&config(&sockets, &loops));
    world.play(&mut |q| match q.socket {
        "Src" => Reply::Json(json!({"state": {"list": [1, 2]}})),
        "In" => text("x"),
        _ => yes(),
    });
    assert_eq!(
        (world.end().as_str(), world.trace().as_str()),
        ("complete", "Src In/0 Out/0 In/1 Out/1")
    );
}

#[test]
fn empty_lists_that_lead_into_each_other_end() {
    let sockets = json!({
        "A": {"materia": "U", "foreach": {"items": "state.none", "cursor": "a"}, "edges": [{"to": "A"}]},
        "B": {"materia": "U", "foreach": {"items": "state.none", "cursor": "b"}, "edges": [{"to": "B"}]}
    });
    let exit = |from: &str, to: &str| json!({"sockets": [from], "exits": [{"id": "x", "from": from, "condition": "always", "targetSocketId": to}]});
    let loops = json!({"a": exit("A", "B"), "b": exit("B", "A")});
    let mut world = World::new(&config(&sockets, &loops));
    world.play(&mut |_| text("never"));
    assert_eq!(
        (world.end().as_str(), world.trace().as_str()),
        ("stalled", "")
    );
}

#[test]
fn foreach_names_the_item_and_its_key() {
    let sockets = json!({
        "Src": {"materia": "UJ", "edges": [{"to": "Do"}]},
        "Do": {"materia": "UJ", "foreach": {"items": "state.items", "as": "work.now", "cursor": "c"},
               "advance": {"cursor": "c", "items": "state.items"}, "edges": [{"to": "Do"}]}
    });
    let mut world = World::new(&config(&sockets, &json!({})));
    let mut seen = Vec::new();
    world.play(&mut |q| match q.socket {
        "Src" => Reply::Json(
            json!({"state": {"items": [{"title": "Alpha"}, {"name": "Beta"}, {"n": 3}]}}),
        ),
        _ => {
            let input: Value = serde_json::from_str(q.prompt).unwrap();
            assert_eq!(input["state"]["work"]["now"], input["item"]);
            seen.push(json!([
                input["itemKey"],
                input["itemLabel"],
                input["cursors"]["c"]
            ]));
            Reply::Json(json!({}))
        }
    });
    assert_eq!(
        seen,
        [
            json!(["0", "Alpha", 0]),
            json!(["1", "Beta", 1]),
            json!(["2", "2", 2])
        ]
    );
    assert_eq!(world.state.data["work"], json!({}));
}

#[test]
fn seed_003_the_default_workflow_runs_with_its_routes_alone() {
    let sockets = json!({
        "Socket-3": {"materia": "G", "edges": [{"when": "always", "to": "Socket-4"}]},
        "Socket-4": {"materia": "A", "edges": [{"when": "always", "to": "Socket-5"}]},
        "Socket-5": {"materia": "A", "parse": "json", "edges": [
            {"when": "satisfied", "to": "Socket-6"}, {"when": "not_satisfied", "to": "Socket-4"}]},
        "Socket-6": {"materia": "A", "parse": "json", "edges": [{"when": "always", "to": "Socket-4"}]},
        "Socket-7": {"materia": "A"}, "Socket-8": {"materia": "A"}, "Socket-9": {"materia": "A"}
    });
    let exit = |condition: &str, to: &str| {
        let id = format!("exit:Socket-6:{condition}");
        json!({"id": id, "from": "Socket-6", "condition": condition, "targetSocketId": to})
    };
    let cases = [
        (vec![exit("satisfied", "Socket-7")], "Socket-7"),
        (
            vec![
                exit("always", "Socket-7"),
                exit("satisfied", "Socket-8"),
                exit("not_satisfied", "Socket-9"),
            ],
            "Socket-8",
        ),
    ];
    for (exits, last) in cases {
        let loops = json!({"workItemIteration": {
            "sockets": ["Socket-4", "Socket-5", "Socket-6"],
            "consumes": {"from": "Socket-3", "output": "workItems"}, "exits": exits
        }});
        let mut world = World::new(&config(&sockets, &loops));
        world.play(&mut |q| match (q.socket, q.nth) {
            ("Socket-3", _) => items(&["a", "b"]),
            ("Socket-5", 1) => no("once more"),
            ("Socket-5" | "Socket-6", _) => yes(),
            _ => text("done"),
        });
        let rounds = "Socket-3 Socket-4/WI-1 Socket-5/WI-1 Socket-4/WI-1 Socket-5/WI-1 Socket-6/WI-1 \
                      Socket-4/WI-2 Socket-5/WI-2 Socket-6/WI-2";
        assert_eq!(
            (world.end(), world.trace()),
            ("complete".to_owned(), format!("{rounds} {last}"))
        );
    }
}

#[test]
fn c3_an_inner_loop_starts_over_for_every_item_of_the_outer_one() {
    let sockets = json!({
        "Src": {"materia": "UJ", "edges": [{"to": "Out"}]},
        "Out": {"materia": "U", "foreach": {"items": "state.outer", "cursor": "o"}, "edges": [{"to": "In"}]},
        "In": {"materia": "UJ", "edges": [{"to": "In"}]},
        "Next": {"materia": "UJ", "advance": {"cursor": "o", "items": "state.outer"}, "edges": [{"to": "Out"}]}
    });
    let loops = json!({
        "inner": {"sockets": ["In"], "iterator": {"items": "state.inner", "cursor": "i"},
                  "exits": [{"id": "x", "from": "In", "condition": "always", "targetSocketId": "Next"}]},
        "outer": {"sockets": ["Out", "In", "Next"]}
    });
    let mut world = World::new(&config(&sockets, &loops));
    world.play(&mut |q| match q.socket {
        "Src" => Reply::Json(json!({"state": {"outer": [1, 2], "inner": ["x", "y"]}})),
        "Out" => text("x"),
        _ => Reply::Json(json!({})),
    });
    assert_eq!(
        (world.end().as_str(), world.trace().as_str()),
        ("complete", "Src Out/0 In/0 In/1 Next Out/1 In/0 In/1 Next")
    );
}
