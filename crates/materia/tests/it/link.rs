//! `materia link` and `materia autocast`.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::casts::{example_env, loop_config, loop_script};
use crate::test_env::TestEnv;

const ID: &str = "2026-01-01T00-00-00-000Z";

#[test]
fn any_two_shipped_loadouts_can_be_linked() {
    let env = TestEnv::new();
    let names = ["Full-Auto", "Planning-Consult", "Hojo-Consult", "Release"];
    for first in names {
        for second in names {
            let drawn = env
                .materia(&["link", first, second, "--draw", "--json"])
                .run()
                .ok()
                .json();
            let sockets = drawn["sockets"].as_array().unwrap();
            let alone = |name: &str| {
                let grid = env.materia(&["grid", name, "--json"]).run().ok().json();
                grid["sockets"].as_array().unwrap().len()
            };
            assert_eq!(
                sockets.len(),
                alone(first) + alone(second),
                "{first} {second}"
            );
            assert!(
                reachable_sockets(&drawn).len() == sockets.len(),
                "{first} {second}: {drawn:#}"
            );
        }
    }
    assert_snapshot!(
        env.materia(&["link", "Planning-Consult", "materia:Narrate", "--draw"])
            .run()
            .ok()
            .transcript()
    );
}

/// The sockets that can be reached in a graph.
fn reachable_sockets(graph: &Value) -> Vec<String> {
    let mut found = vec![graph["entry"].as_str().unwrap().to_owned()];
    let mut at = 0;
    while at < found.len() {
        let id = found[at].clone();
        let socket = graph["sockets"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["id"] == id.as_str())
            .unwrap();
        let edges = socket["edges"]
            .as_array()
            .unwrap()
            .iter()
            .map(|edge| edge["to"].as_str().unwrap().to_owned());
        let exits = graph["loops"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|region| region["exits"].as_array().unwrap());
        let exits = exits.filter(|exit| exit["from"] == id.as_str());
        let targets = |exit: &Value| {
            exit.as_object()
                .unwrap()
                .values()
                .filter_map(|value| value.as_str().map(str::to_owned))
                .collect::<Vec<_>>()
        };
        let next: Vec<String> = edges.chain(exits.flat_map(targets)).collect();
        for to in next {
            if to.starts_with("Socket-") && !found.contains(&to) {
                found.push(to);
            }
        }
        at += 1;
    }
    found
}

#[test]
fn a_link_gets_the_context_of_an_earlier_cast() {
    let env = example_env();
    env.materia(&[
        "cast",
        "--config",
        "flow.json",
        "--agent-script",
        "script.json",
        "first",
    ])
    .run()
    .ok();
    let mut flow = loop_config();
    flow["materia"]["Tell"] =
        json!({"tools": "none", "prompt": "earlier: {{state.previousCastContext}}"});
    env.write("flow.json", flow.to_string());
    let mut script = loop_script();
    for reply in script["replies"].as_array_mut().unwrap() {
        let socket = match reply["match"]["socket"].as_str().unwrap() {
            "plan" => "Socket-1",
            "work" => "Socket-2",
            _ => "Socket-3",
        };
        reply["match"]["socket"] = json!(socket);
    }
    script["replies"]
        .as_array_mut()
        .unwrap()
        .push(json!({"match": {"materia": "Tell", "contains": "did it"}, "text": "told"}));
    env.write("script.json", script.to_string());
    let args = [
        "link",
        "--from",
        ID,
        "T",
        "materia:Tell",
        "--config",
        "flow.json",
        "--agent-script",
        "script.json",
        "--json",
        "--",
        "second",
        "line",
    ];
    let done = env.materia(&args).run().ok().json();
    assert_eq!(done["loadout"], "Linked virtual loadout: T → Tell");
    assert_eq!(
        done["visits"],
        json!({"Socket-1": 1, "Socket-2": 3, "Socket-3": 3, "Socket-4": 1})
    );
    assert_eq!(
        done["state"]["link"]["sockets"]["Socket-4"],
        json!({"part": 2, "socket": "Socket-1"})
    );
    let shown = env
        .materia(&["cast-show", &format!("{ID}-2"), "--events", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(shown["request"], "second line");
    assert_eq!(
        shown["events"][0]["data"]["link"]["targets"][1]["name"],
        "Tell"
    );
    let resumed = env.materia(&["resume", &format!("{ID}-2"), "--json"]).run();
    assert_eq!(
        resumed.json()["error"]["code"],
        "refused",
        "the cast is complete"
    );
}

#[test]
fn autocast_takes_a_materia_or_a_loadout() {
    let env = example_env();
    let args = |target: &'static str| {
        [
            "autocast",
            target,
            "do it",
            "--config",
            "flow.json",
            "--agent-script",
            "script.json",
            "--json",
        ]
    };
    env.write(
        "script.json",
        json!({"replies": [{"match": {"materia": "Work"}, "text": "alone"}]}).to_string(),
    );
    let alone = env.materia(&args("materia:Work")).run().ok().json();
    assert_eq!(alone["loadout"], "Virtual loadout: Work");
    assert_eq!(alone["visits"], json!({"Socket-1": 1}));
    env.write("script.json", loop_script().to_string());
    let whole = env.materia(&args("loadout:T")).run().ok().json();
    assert_has!(whole, {"loadout": "T", "state": {"autocast": {"target": {"kind": "loadout"}}}});
}

#[test]
fn errors_of_link_and_autocast() {
    let env = example_env();
    let mut flow = loop_config();
    flow["materia"]["T"] = flow["materia"]["Work"].clone();
    env.write("flow.json", flow.to_string());
    let transcript_of = |args: &[&str]| {
        env.materia(&[args, &["--config", "flow.json"]].concat())
            .run()
            .transcript()
    };
    let cases = [
        transcript_of(&["link", "T", "Work", "--draw"]),
        transcript_of(&["link", "Wrok", "--draw"]),
        transcript_of(&["link", "loadout:Work", "--draw"]),
        transcript_of(&["link", "Work", "Check"]),
        transcript_of(&["autocast", "materia:Nobody", "x"]),
    ];
    assert_snapshot!(cases.join("\n"));
    let escaping = [
        "link",
        "--from",
        "../x",
        "Work",
        "Check",
        "--config",
        "flow.json",
        "--json",
        "--",
        "x",
    ];
    assert_eq!(env.materia(&escaping).run().code(), 3);
}

#[test]
fn detached_link_and_autocast_complete_in_the_background() {
    let env = example_env();
    let options = [
        "--config",
        "flow.json",
        "--agent-script",
        "script.json",
        "--detach",
        "--json",
    ];
    let commands: [&[&str]; 2] = [
        &["autocast", "T", "do the work"],
        &["link", "T", "--", "do the work"],
    ];
    for args in commands {
        let (head, tail) = match args.iter().position(|word| *word == "--") {
            Some(at) => args.split_at(at),
            None => (args, &[][..]),
        };
        let report = env
            .materia(&[head, &options, tail].concat())
            .run()
            .ok()
            .json();
        assert_has!(report, {"ok": true, "status": "running"});
        assert_eq!(env.wait(report["run"].as_str().unwrap())["status"], "done");
        let shown = env
            .materia(&["cast-show", report["castId"].as_str().unwrap(), "--json"])
            .run()
            .ok()
            .json();
        assert_eq!(shown["status"], "complete", "{shown}");
    }
}
