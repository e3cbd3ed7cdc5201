//! What is refused, where (C1, C7, C8, C13, C21).

use serde_json::{Value, json};

use super::{compiled, told, with, work};

fn base() -> Value {
    json!({
        "entry": "S1",
        "sockets": {
            "S1": {"materia": "A", "edges": [{"when": "always", "to": "S2"}]},
            "S2": {"materia": "J", "edges": [{"when": "satisfied", "to": "S4"}, {"when": "not_satisfied", "to": "S3"}]},
            "S3": {"materia": "A", "edges": [{"to": "S4"}]},
            "S4": {"materia": "A"},
        },
    })
}

fn issues(loadout: &Value) -> Vec<String> {
    told(&compiled(loadout).findings)
}

#[test]
fn the_base_graph_is_fine() {
    let good = [
        base(),
        with(base(), "/sockets/S4/edges", json!([{"to": "S3"}])),
        with(
            base(),
            "/sockets/S2/edges",
            json!([{"when": "satisfied", "to": "S4"}, {"when": "satisfied", "to": "S3"}, {"when": "not_satisfied", "to": "S3"}, {"when": "not_satisfied", "to": "end"}]),
        ),
        with(base(), "/sockets/S2/edges/0/to", json!("end")),
    ];
    for loadout in good {
        let compiled = compiled(&loadout);
        assert!(compiled.graph.is_some(), "{:?}", compiled.findings);
    }
}

#[test]
fn endpoints_guards_and_order_are_checked() {
    let edges = |edges: Value| with(base(), "/sockets/S2/edges", edges);
    let table = [
        // Socket ids (C1)
        (
            with(base(), "/sockets/9lives", json!({"materia": "A"})),
            vec!["invalid-socket-id sockets[\"9lives\"]"],
        ),
        (
            with(base(), "/sockets/end", json!({"materia": "A"})),
            vec!["invalid-socket-id sockets.end"],
        ),
        (
            edges(json!([{"to": "has space"}])),
            vec![
                "invalid-socket-id sockets.S2.edges[0].to",
                "~unreachable-socket sockets.S3",
                "~unreachable-socket sockets.S4",
            ],
        ),
        // Entry and targets
        (
            with(base(), "/entry", json!("end")),
            vec!["invalid-socket-id entry"],
        ),
        (
            with(base(), "/entry", json!("Nobody")),
            vec!["unknown-endpoint entry"],
        ),
        (
            edges(json!([{"when": "satisfied", "to": "S4"}, {"when": "not_satisfied"}])),
            vec![
                "missing-endpoint sockets.S2.edges[1].to",
                "~unreachable-socket sockets.S3",
            ],
        ),
        (
            edges(json!([{"to": ""}, 3])),
            vec![
                "missing-endpoint sockets.S2.edges[0].to",
                "invalid-loadout sockets.S2.edges[1]",
                "~unreachable-socket sockets.S3",
                "~unreachable-socket sockets.S4",
            ],
        ),
        // Conditions (C21)
        (
            edges(
                json!([{"when": " ", "to": "S3"}, {"when": "exists($.x)", "to": "S4"}, {"when": 1, "to": "S4"}]),
            ),
            vec![
                "invalid-edge-condition sockets.S2.edges[0].when",
                "invalid-edge-condition sockets.S2.edges[1].when",
                "invalid-edge-condition sockets.S2.edges[2].when",
            ],
        ),
        // Edges behind `always`
        (
            edges(json!([{"to": "S4"}, {"when": "satisfied", "to": "S3"}])),
            vec!["unreachable-edge sockets.S2.edges[1]"],
        ),
        // Targets of `foreach` and `advance`
        (
            with(
                base(),
                "/sockets/S3/foreach",
                json!({"items": "state.x", "done": "S 3"}),
            ),
            vec!["invalid-socket-id sockets.S3.foreach.done"],
        ),
        (
            with(
                base(),
                "/sockets/S3/advance",
                json!({"cursor": "c", "items": "x", "done": "S9"}),
            ),
            vec!["unknown-endpoint sockets.S3.advance.done"],
        ),
        (
            with(base(), "/sockets/S3/advance", json!({"when": "always"})),
            vec!["invalid-loadout sockets.S3.advance"],
        ),
        (json!({}), vec!["missing-endpoint sockets"]),
        (json!({"sockets": {}}), vec!["missing-endpoint sockets"]),
        (json!([]), vec!["invalid-loadout loadouts.T"]),
        // C7
        (
            with(base(), "/sockets/S2/parse", json!("text")),
            vec![
                "guarded-text-socket sockets.S2.edges[0].when",
                "guarded-text-socket sockets.S2.edges[1].when",
            ],
        ),
        (
            with(
                base(),
                "/sockets/S3/advance",
                json!({"cursor": "c", "items": "x", "when": "satisfied"}),
            ),
            vec!["guarded-text-socket sockets.S3.advance.when"],
        ),
    ];
    for (loadout, expected) in table {
        assert_eq!(issues(&loadout), expected, "{loadout}");
    }
}

#[test]
fn behaviour_belongs_on_the_materia() {
    let socket = |field: &str, value: Value| with(base(), &format!("/sockets/S3/{field}"), value);
    let util = |field: &str, value: Value| {
        with(
            with(base(), "/sockets/S3/materia", json!("Util")),
            &format!("/sockets/S3/{field}"),
            value,
        )
    };
    let table = [
        // Fields of older configs
        (socket("role", json!("x")), "obsolete-field sockets.S3.role"),
        (
            socket("type", json!("agent")),
            "obsolete-field sockets.S3.type",
        ),
        (
            socket("prompt", json!("x")),
            "obsolete-field sockets.S3.prompt",
        ),
        (
            with(base(), "/systemPrompt", json!("x")),
            "obsolete-field systemPrompt",
        ),
        // C8
        (
            socket("command", json!(["x"])),
            "misplaced-field sockets.S3.command",
        ),
        (
            socket("params", json!({})),
            "misplaced-field sockets.S3.params",
        ),
        (
            socket("multiTurn", json!(true)),
            "misplaced-field sockets.S3.multiTurn",
        ),
        (
            util("parse", json!("text")),
            "misplaced-field sockets.S3.parse",
        ),
        (
            util("assign", json!({"y": "$.y"})),
            "misplaced-field sockets.S3.assign",
        ),
        // Fields that are unknown
        (
            socket("edgse", json!([])),
            "~unknown-field sockets.S3.edgse",
        ),
        (
            socket("next", json!("S4")),
            "~unknown-field sockets.S3.next",
        ),
        (with(base(), "/enrty", json!("S1")), "~unknown-field enrty"),
        // Contracts of generators and utilities
        (
            with(
                with(base(), "/sockets/S1/materia", json!("Gen")),
                "/sockets/S1/parse",
                json!("text"),
            ),
            "misplaced-field sockets.S1.parse",
        ),
        (
            with(
                with(base(), "/sockets/S1/materia", json!("Gen")),
                "/sockets/S1/assign",
                json!({"workItems": "$.tasks"}),
            ),
            "misplaced-field sockets.S1.assign.workItems",
        ),
        (
            socket("materia", json!("Nope")),
            "unknown-materia sockets.S3.materia",
        ),
        (
            with(base(), "/sockets/S3", json!({})),
            "unknown-materia sockets.S3.materia",
        ),
        (
            socket("limits", json!({"maxVisits": 0})),
            "invalid-loadout sockets.S3.limits.maxVisits",
        ),
        (
            socket("assign", json!({"": "$"})),
            "invalid-loadout sockets.S3.assign[\"\"]",
        ),
    ];
    for (loadout, expected) in table {
        let told: Vec<String> = issues(&loadout)
            .into_iter()
            .filter(|one| !one.contains("unreachable"))
            .collect();
        assert_eq!(told, [expected], "{loadout}");
    }
    assert_eq!(issues(&util("parse", json!("json"))), [""; 0]);
    assert_eq!(issues(&util("assign", json!({"x": "$.x"}))), [""; 0]);
}

#[test]
fn loops_are_checked() {
    let base = || with(base(), "/loops", json!({"l": {"sockets": ["S3", "S4"]}}));
    let in_loop = |field: &str, value: Value| with(base(), &format!("/loops/l/{field}"), value);
    let in_work = |at: &str, value: Value| with(work(), at, value);
    let table = [
        // Members of a loop
        (
            in_loop("sockets", json!(["S3", "end", "Nobody"])),
            vec![
                "invalid-socket-id loops.l.sockets[1]",
                "unknown-endpoint loops.l.sockets[2]",
            ],
        ),
        // A loop without members; its exit
        (
            in_loop("sockets", json!([])),
            vec!["invalid-loop loops.l.sockets"],
        ),
        (
            in_loop("exit", json!({"from": "S1", "when": "done", "to": "end"})),
            vec![
                "invalid-edge-condition loops.l.exit.when",
                "invalid-loop loops.l.exit.from",
            ],
        ),
        (
            in_loop("label", json!("x")),
            vec!["obsolete-field loops.l.label"],
        ),
        // Exit routes
        (
            in_loop(
                "exits",
                json!([
                    {"id": " ", "from": "S4", "condition": "always", "targetSocketId": "S1"},
                    {"id": "a", "from": "S4", "condition": "done", "targetSocketId": "S1"},
                    {"id": "a", "from": "S3", "condition": "always", "targetSocketId": "end"},
                    {"id": "c", "from": "S1", "condition": "always", "targetSocketId": "S2"},
                    {"id": "d", "from": "S3", "condition": "always", "targetSocketId": "Nobody"},
                    {"id": "e"},
                ]),
            ),
            vec![
                "invalid-loop loops.l.exits[0].id",
                "invalid-edge-condition loops.l.exits[1].condition",
                "invalid-loop loops.l.exits[2].id",
                "invalid-loop loops.l.exits[3].from",
                "unknown-endpoint loops.l.exits[4].targetSocketId",
                "invalid-loop loops.l.exits[4].condition",
                "missing-endpoint loops.l.exits[5].from",
                "missing-endpoint loops.l.exits[5].targetSocketId",
                "invalid-edge-condition loops.l.exits[5].condition",
            ],
        ),
        // The contract of an exit source
        (
            in_work("/sockets/S4/parse", json!("text")),
            vec!["invalid-loop sockets.S4.parse"],
        ),
        (
            in_work(
                "/sockets/S4/advance",
                json!({"cursor": "taskIndex", "items": "state.tasks", "when": "not_satisfied", "done": "end"}),
            ),
            vec![
                "invalid-loop sockets.S4.advance.cursor",
                "invalid-loop sockets.S4.advance.items",
                "invalid-loop sockets.S4.advance.when",
            ],
        ),
        (
            in_work(
                "/sockets/S4/edges",
                json!([{"when": "satisfied", "to": "S3"}]),
            ),
            vec!["invalid-loop sockets.S4.edges"],
        ),
        // Cycles and generators
        (
            in_work("/sockets/S4/edges", json!([])),
            vec![
                "invalid-loop loops.l.sockets",
                "invalid-loop sockets.S4.edges",
            ],
        ),
        (
            in_work("/sockets/S1/edges", json!([{"to": "S5"}])),
            vec!["invalid-loop loops.l.consumes.from"],
        ),
        (
            in_work(
                "/sockets/S5",
                json!({"materia": "Gen", "edges": [{"to": "S4"}]}),
            ),
            vec!["invalid-loop loops.l.consumes"],
        ),
        (
            in_work("/loops/l/consumes/from", json!("S5")),
            vec!["~invalid-loop loops.l.consumes.from"],
        ),
        (
            in_work("/sockets/S1/materia", json!("A")),
            vec!["invalid-loop loops.l.consumes.from"],
        ),
        (
            in_work("/loops/l/consumes/output", json!("tasks")),
            vec!["invalid-loop loops.l.consumes.output"],
        ),
        (
            in_work("/loops/l/iterator", json!({"as": "x"})),
            vec!["invalid-loop loops.l.iterator.items"],
        ),
    ];
    for (loadout, expected) in table {
        let told: Vec<String> = issues(&loadout)
            .into_iter()
            .filter(|one| !one.contains("unreachable-socket"))
            .collect();
        let told: Vec<&str> = told.iter().map(String::as_str).collect();
        for one in &expected {
            assert!(told.contains(one), "{loadout}: {told:?} lacks {one}");
        }
        assert_eq!(told.len(), expected.len(), "{loadout}: {told:?}");
    }
}
