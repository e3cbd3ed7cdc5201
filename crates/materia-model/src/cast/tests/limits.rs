//! C2: limits per item, circles without progress, and the safety net.

use serde_json::json;

use super::world::{Reply, World, config, config_with, items, no, software, text, yes};

#[test]
fn c2_an_edge_counts_for_each_item_anew() {
    let mut world = World::new(&software(Some(2)));
    world.play(&mut |q| match (q.socket, q.nth % 3) {
        ("Plan", _) => items(&["A", "B", "C"]),
        ("Check", 1 | 2) => no("not yet"),
        ("Build" | "Tell", _) => text("x"),
        _ => yes(),
    });
    assert_eq!(world.end(), "complete");
    assert_eq!((world.visits("Build"), world.visits("Tell")), (9, 1));
    assert_eq!(world.state.traversals["Check->Build"], 6);
}

#[test]
fn c2_an_edge_over_its_limit_fails_and_recasting_gives_it_a_fresh_start() {
    let mut world = World::new(&software(Some(1)));
    let answer = |item: &'static str| {
        move |q: &super::world::Question<'_>| match q.socket {
            "Plan" => items(&["A", "B"]),
            "Check" if q.item == Some(item) => no("never"),
            "Build" | "Tell" => text("x"),
            _ => yes(),
        }
    };
    world.play(&mut answer("WI-2"));
    assert_eq!(world.end(), "edge_limit");
    let failure = world.state.failure.clone().unwrap();
    assert!(
        failure.message.contains("Check->Build for WI-2 (2/1)"),
        "{failure:?}"
    );
    assert!(failure.hint.unwrap().contains("maxTraversals"));
    assert_eq!(
        (
            world.visits("Build"),
            world.visits("Check"),
            world.visits("Ship")
        ),
        (3, 3, 1)
    );
    let recast = world.state.recast().unwrap();
    world.record(&recast);
    world.play(&mut answer("none"));
    assert_eq!(
        (
            world.end().as_str(),
            world.visits("Tell"),
            world.count("cast_end")
        ),
        ("complete", 1, 2)
    );
}

#[test]
fn c2_the_back_edge_after_an_advance_counts_for_the_new_item() {
    let sockets = json!({
        "Gen": {"materia": "UG", "edges": [{"to": "Do"}]},
        "Do": {"materia": "UJ", "edges": [{"when": "always", "to": "Do", "maxTraversals": 1}]}
    });
    let loops = json!({"l": {"sockets": ["Do"], "consumes": {"from": "Gen", "output": "workItems"},
                             "exit": {"from": "Do", "when": "satisfied", "to": "end"}}});
    let mut world = World::new(&config(&sockets, &loops));
    world.play(&mut |q| {
        if q.socket == "Gen" {
            items(&["a", "b", "c"])
        } else {
            yes()
        }
    });
    assert_eq!((world.end().as_str(), world.visits("Do")), ("complete", 3));
}

#[test]
fn c2_circles_without_progress_end_an_item() {
    let mut world = World::new(&software(None));
    world.play(&mut |q| match q.socket {
        "Plan" => items(&["A", "B"]),
        "Check" if q.item == Some("WI-2") => no("never"),
        "Build" | "Tell" => text("x"),
        _ => yes(),
    });
    assert_eq!(world.end(), "stalled");
    assert_eq!((world.visits("Build"), world.visits("Ship")), (12, 1));
    let hint = world.state.failure.clone().unwrap().hint.unwrap();
    assert!(hint.contains("limits.maxNoAdvanceCycles"), "{hint}");
}

#[test]
fn c2_the_stall_limit_can_be_raised_and_capped_edges_do_not_count() {
    let circle = |edge| json!({"S1": {"materia": "UJ", "edges": [edge]}});
    let raised = config_with(
        &circle(json!({"when": "satisfied", "to": "S1"})),
        &json!({}),
        &json!({"limits": {"maxNoAdvanceCycles": 20}}),
    );
    let capped = config(
        &circle(json!({"when": "satisfied", "to": "S1", "maxTraversals": 20})),
        &json!({}),
    );
    for config in [raised, capped] {
        let mut world = World::new(&config);
        world.play(&mut |q| if q.nth <= 20 { yes() } else { no("enough") });
        assert_eq!((world.end().as_str(), world.visits("S1")), ("complete", 21));
    }
}

#[test]
fn the_safety_net_names_its_knob() {
    let sockets = json!({"S1": {"materia": "UJ", "edges": [{"to": "S1", "maxTraversals": 999}]}});
    let cases = [
        (
            json!({"limits": {"maxSocketVisits": 5}}),
            "`limits.maxSocketVisits`",
            5,
        ),
        (
            json!({"limits": {"maxEdgeTraversals": 5}}),
            "`limits.maxEdgeTraversals`",
            6,
        ),
    ];
    for (limits, knob, visits) in cases {
        let mut world = World::new(&config_with(&sockets, &json!({}), &limits));
        world.play(&mut |_| Reply::Json(json!({})));
        assert_eq!(
            (world.end().as_str(), world.visits("S1")),
            ("visit_limit", visits)
        );
        assert!(
            world
                .state
                .failure
                .clone()
                .unwrap()
                .hint
                .unwrap()
                .contains(knob)
        );
    }
    let own = json!({"S1": {"materia": "U", "limits": {"maxVisits": 5}, "edges": [{"to": "S1"}]}});
    let mut world = World::new(&config(&own, &json!({})));
    world.play(&mut |_| text("tick"));
    assert_eq!(
        (world.end().as_str(), world.visits("S1")),
        ("visit_limit", 5)
    );
}

#[test]
fn c2_a_thousand_items_pass() {
    let sockets = json!({
        "Gen": {"materia": "UG", "edges": [{"to": "Do"}]},
        "Do": {"materia": "UJ", "edges": [{"to": "Do"}]}
    });
    let loops = json!({"l": {"sockets": ["Do"], "consumes": {"from": "Gen", "output": "workItems"},
                             "exit": {"from": "Do", "when": "satisfied", "to": "end"}}});
    let titles: Vec<String> = (0..1000).map(|n| format!("Item {n}")).collect();
    let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
    let mut world = World::new(&config(&sockets, &loops));
    world.play(&mut |q| {
        if q.socket == "Gen" {
            items(&titles)
        } else {
            yes()
        }
    });
    assert_eq!(
        (world.end().as_str(), world.visits("Do")),
        ("complete", 1000)
    );
    assert!(world.state.item_edges.len() <= 2 && world.state.since_advance.len() <= 2);
}
