//! The complete examples of the seed documents, unchanged, through the real program.
//!
//! `tests/seed` has the texts. The loops of the graph document are parts of a loadout; the tests
//! insert them into one unchanged, with scripted agents.

use std::fs;

use serde_json::{Value, json};

use crate::test_env::TestEnv;

const HELLO: &str = include_str!("../seed/hello-utility.json");
const IGNORE: &str = include_str!("../seed/ignore-artifacts.json");
const ENSURE: &str = include_str!("../seed/scripts/ensure_ignored.py");
const ROUTING: &str = include_str!("../seed/routing.json");
const GENERATOR: &str = include_str!("../seed/generator.json.part");
const CONSUMES: &str = include_str!("../seed/loop-consumes.json.part");
const EXITS: &str = include_str!("../seed/loop-exits.json.part");

/// The number of bytes and lines of each text.
const SIZES: [(usize, usize); 7] = [
    (688, 25),
    (680, 28),
    (857, 36),
    (192, 8),
    (160, 5),
    (297, 9),
    (474, 10),
];

fn cast(env: &TestEnv, file: &str, more: &[&str]) -> Value {
    let args = ["cast", "--materia-config", file, "say hello", "--json"];
    env.materia(&[&args, more].concat()).run().ok().json()
}

#[test]
fn the_hello_world_utility_completes_without_a_model() {
    let env = TestEnv::new();
    env.write("hello-utility.json", HELLO);
    let done = cast(&env, "./hello-utility.json", &[]);
    assert_eq!(done["status"], "complete");
    assert_eq!(done["visits"], json!({"hello": 1}));
    assert_eq!(
        done["state"]["hello"],
        json!({"ok": true, "message": "HELLO WORLD"})
    );
    let dir = format!(
        ".pi/pi-materia/{}/sockets/hello",
        done["castId"].as_str().unwrap()
    );
    let input: Value = serde_json::from_str(&env.read(&format!("{dir}/1.input.json"))).unwrap();
    assert_eq!(input["params"], json!({"message": "HELLO WORLD"}));
    assert_eq!(input["request"], "say hello");
    for kind in ["stdout.txt", "stderr.txt", "command.json"] {
        assert!(
            env.work_dir().join(&dir).join(format!("1.{kind}")).exists(),
            "{kind}"
        );
    }
}

#[test]
fn the_python_example_runs_from_the_directory_of_its_config() {
    let env = TestEnv::new();
    env.write("kept/elsewhere/ignore.json", IGNORE);
    env.write("kept/elsewhere/scripts/ensure_ignored.py", ENSURE);
    env.write(".gitignore", "target");
    let done = cast(&env, "kept/elsewhere/ignore.json", &[]);
    let state = &done["state"]["artifactIgnore"];
    assert_has!(state, {"changed": true, "added": [".pi/pi-materia/"]});
    assert_eq!(env.read(".gitignore"), "target\n.pi/pi-materia/\n");
    let again = cast(&env, "kept/elsewhere/ignore.json", &[]);
    assert_eq!(again["state"]["artifactIgnore"]["changed"], false);
    assert_eq!(env.read(".gitignore"), "target\n.pi/pi-materia/\n");
}

#[test]
fn routing_takes_the_first_matching_edge() {
    let cases = [
        (Some(true), "Maintain"),
        (Some(false), "GitMaintain"),
        (None, "Socket-3"),
    ];
    for (satisfied, expected) in cases {
        let env = TestEnv::new();
        let mut output = json!({"state": {"vcs": {"kind": "git"}}});
        if let Some(satisfied) = satisfied {
            output["satisfied"] = json!(satisfied);
        }
        let print = [
            "sh",
            "-c",
            "cat >/dev/null; printf %s \"$1\"",
            "says",
            &output.to_string(),
        ];
        let detect = json!({"type": "utility", "parse": "json", "command": print});
        let no_op = json!({"type": "utility", "command": ["true"]});
        let text = format!(
            "{{\"activeLoadout\": \"R\", \"loadouts\": {{\"R\": {{\"entry\": \"S\", \"sockets\": {{\"S\": {ROUTING}, \
             \"Maintain\": {{\"materia\": \"Q\"}}, \"GitMaintain\": {{\"materia\": \"Q\"}}, \"Socket-3\": {{\"materia\": \"Q\"}}}}}}}}, \
             \"materia\": {{\"Detect-VCS\": {detect}, \"Q\": {no_op}}}}}"
        );
        env.write("flow.json", text);
        let done = cast(&env, "flow.json", &[]);
        assert_eq!(done["visits"], json!({"S": 1, expected: 1}), "{output}");
    }
}

/// Writes a loadout as the graph document describes it, with this loop.
fn write_graph(env: &TestEnv, region: &str, maintain: &Value) {
    let edges = |edges: Value| edges;
    let mut sockets = json!({
        "Socket-3": {"materia": "Auto-Plan", "edges": edges(json!([{"when": "always", "to": "Socket-4"}]))},
        "Socket-4": {"materia": "Work", "edges": edges(json!([{"when": "always", "to": "Socket-5"}]))},
        "Socket-5": {"materia": "Check", "parse": "json", "edges": edges(json!([
            {"when": "satisfied", "to": "Socket-6"}, {"when": "not_satisfied", "to": "Socket-4"}]))},
        "Socket-6": maintain,
    });
    for after in ["Socket-7", "Socket-8", "Socket-9"] {
        sockets[after] = json!({"materia": "After"});
    }
    let agent = json!({"tools": "none", "prompt": "x"});
    let after = json!({"type": "utility", "command": ["true"]});
    let text = format!(
        "{{\"activeLoadout\": \"G\", \"loadouts\": {{\"G\": {{\"entry\": \"Socket-3\", \"sockets\": {sockets},\n{region}}}}},\n\
         \"materia\": {{\"Work\": {agent}, \"Check\": {agent}, \"Keep\": {agent}, \"After\": {after},\n{GENERATOR}}}}}"
    );
    env.write("graph.json", text);
}

/// Writes an agent script for two items, of which the second one needs rework. `last` is the last
/// reply of the last step in the loop.
fn write_script(env: &TestEnv, last: &Value) {
    let items = json!([{"title": "A", "context": "a"}, {"title": "B", "context": "b"}]);
    let replies = json!({"replies": [
        {"match": {"socket": "Socket-3"}, "json": {"workItems": items}},
        {"match": {"socket": "Socket-4"}, "text": "built", "times": 3},
        {"match": {"socket": "Socket-5", "item": "WI-2"}, "json": {"satisfied": false, "context": "again"}},
        {"match": {"socket": "Socket-5"}, "json": {"satisfied": true}, "times": 2},
        {"match": {"socket": "Socket-6", "item": "WI-1"}, "json": {"satisfied": true}},
        {"match": {"socket": "Socket-6", "item": "WI-2"}, "json": last},
    ]});
    env.write("script.json", replies.to_string());
}

#[test]
fn a_loop_runs_for_every_item_and_takes_its_exit() {
    let env = TestEnv::new();
    let maintain = json!({"materia": "Keep", "parse": "json", "edges": [{"when": "always", "to": "Socket-4"}]});
    write_graph(&env, CONSUMES, &maintain);
    write_script(&env, &json!({"satisfied": true}));
    let done = cast(&env, "graph.json", &["--agent-script", "script.json"]);
    let visits = json!({"Socket-3": 1, "Socket-4": 3, "Socket-5": 3, "Socket-6": 2, "Socket-7": 1});
    assert_has!(done, {"status": "complete", "visits": visits});
    let prompt = env.read(&format!(
        ".pi/pi-materia/{}/sockets/Socket-4/3-WI-2.prompt.md",
        done["castId"].as_str().unwrap()
    ));
    assert!(
        prompt.contains("again"),
        "the reason for the rework is missing: {prompt}"
    );
}

#[test]
fn the_exit_of_a_loop_depends_on_its_last_result() {
    let cases = [
        (json!({"satisfied": true}), "Socket-8"),
        (json!({"satisfied": false}), "Socket-9"),
        (json!({}), "Socket-7"),
    ];
    for (last, expected) in cases {
        let env = TestEnv::new();
        // This loop names no generator, so the socket names the list itself.
        let advance =
            json!({"cursor": "workItemIndex", "items": "state.workItems", "when": "always"});
        let maintain = json!({"materia": "Keep", "parse": "json", "advance": advance,
            "edges": [{"when": "always", "to": "Socket-4"}]});
        write_graph(&env, EXITS, &maintain);
        write_script(&env, &last);
        // Without a generator the turns have no item key.
        let replies = env
            .read("script.json")
            .replace(",\"item\":\"WI-1\"", "")
            .replace(",\"item\":\"WI-2\"", "");
        env.write(
            "script.json",
            replies.replace(
                "\"text\":\"built\",\"times\":3",
                "\"text\":\"built\",\"times\":9",
            ),
        );
        let done = cast(&env, "graph.json", &["--agent-script", "script.json"]);
        assert_eq!(
            done["visits"].get(expected),
            Some(&json!(1)),
            "{last}: {}",
            done["visits"]
        );
        let others = ["Socket-7", "Socket-8", "Socket-9"]
            .iter()
            .filter(|other| **other != expected);
        assert!(
            others
                .clone()
                .all(|other| done["visits"].get(other).is_none()),
            "{last}: {}",
            done["visits"]
        );
    }
}

#[test]
fn the_texts_have_their_original_size() {
    // The sizes of the original texts: a reformatted copy must fail.
    let sums = [HELLO, IGNORE, ENSURE, ROUTING, GENERATOR, CONSUMES, EXITS]
        .map(|text| (text.len(), text.lines().count()));
    assert_eq!(sums, SIZES);
    assert!(
        fs::metadata(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/seed/scripts/ensure_ignored.py"
        ))
        .is_ok()
    );
}
