//! Casts whose turns run in the session of their host: the real Pi with a scripted model.

use serde_json::{Value, json};

use super::{Pi, count_requests_with, wait_for_request_with};
use crate::agent::harness::{AgentHarness, Program};

/// A config with two roles in sequence: one without tools, one with read-only tools.
fn write_config(harness: &AgentHarness) -> String {
    let loadout = json!({"entry": "Socket-1", "sockets": {
        "Socket-1": {"materia": "Plan", "edges": [{"to": "Socket-2"}]},
        "Socket-2": {"materia": "Look"}}});
    let materia = json!({
        "Plan": {"tools": "none", "prompt": "You are the planner."},
        "Look": {"tools": "readOnly", "prompt": "You are the one who looks."}});
    let config = json!({"activeLoadout": "H", "loadouts": {"H": loadout}, "materia": materia});
    harness
        .env
        .write("flow.json", config.to_string())
        .to_str()
        .unwrap()
        .to_owned()
}

fn rules(plan: &Value) -> Value {
    let cast = json!({"request": "mend it", "loadout": "H", "agent": "session", "as": "run:h"});
    json!([
        {"match": "cast it here", "replies": [{"tool_calls": [{"name": "cast", "arguments": cast}]}, {"text": "I continue."}]},
        {"match": "You are the planner", "replies": plan},
        {"match": "You are the one who looks", "reply": {"text": "it looks well", "usage": {"input": 7, "output": 3}}},
        {"match": "Run h completed", "reply": {"text": "so it is done"}},
    ])
}

/// The requests to the model whose last user message has this text.
fn requests_with(harness: &AgentHarness, part: &str) -> Vec<Value> {
    let asks = |request: &Value| {
        request["last_user"]
            .as_str()
            .is_some_and(|output| output.contains(part))
    };
    harness.requests().into_iter().filter(asks).collect()
}

#[track_caller]
fn assert_completed(harness: &AgentHarness, config: &str) {
    wait_for_request_with(harness, "Run h completed successfully");
    let (plan, look) = (
        requests_with(harness, "You are the planner"),
        requests_with(harness, "You are the one who looks"),
    );
    assert_eq!(
        plan.last().unwrap()["tools"],
        json!([]),
        "the first role has no tools"
    );
    assert_eq!(
        look[0]["tools"].as_array().unwrap().len(),
        4,
        "the second role has read-only tools: {}",
        look[0]["tools"]
    );
    assert_eq!(
        look[0]["turns"], 2,
        "expected only the instructions and the prompt of the role"
    );
    let woken = requests_with(harness, "Run h completed");
    let tools = woken[0]["tools"].as_array().unwrap();
    assert!(
        tools.contains(&json!("spawn")) && tools.contains(&json!("bash")),
        "the tools of the session must be restored: {tools:?}"
    );
    let casts = harness
        .materia(&["casts", "--json"])
        .env("MATERIA_CONFIG", config)
        .run()
        .ok()
        .json();
    assert_eq!(casts["casts"][0]["status"], "complete", "{casts}");
    let id = casts["casts"][0]["castId"].as_str().unwrap();
    let shown = harness
        .materia(&["cast-show", id, "--json"])
        .env("MATERIA_CONFIG", config)
        .run()
        .ok()
        .json();
    assert_eq!(
        shown["usage"]["bySocket"]["Socket-2"]["tokens"]["total"], 10,
        "{shown}"
    );
    let folder = harness.env.work_dir().join(".pi/pi-materia").join(id);
    let output = std::fs::read_to_string(folder.join("sockets/Socket-2/1.output.md")).unwrap();
    assert_eq!(output.trim(), "it looks well");
}

#[test]
fn pi_runs_the_turns_of_a_cast_in_its_session() {
    for (program, session) in [
        (Program::PiNew, "--session-id s1"),
        (Program::PiOld, "--session sessions/one.jsonl"),
    ] {
        let harness = AgentHarness::new(
            &[program],
            &rules(&json!([{"text": "first this, then that"}])),
        );
        let config = write_config(&harness);
        let mut pi = Pi::start(&harness, session, &config);
        pi.prompt("cast it here");
        assert_completed(&harness, &config);
        pi.close(&harness);
    }
}

#[test]
fn pi_in_print_mode_runs_the_turns_of_a_cast() {
    let harness = AgentHarness::new(
        &[Program::PiNew],
        &rules(&json!([{"text": "first this, then that"}])),
    );
    let config = write_config(&harness);
    let extension =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations/pi/materia.ts");
    let line = format!(
        "exec pi -e '{}' -p 'cast it here' </dev/null",
        extension.display()
    );
    let command = harness.shell(&line).env("MATERIA_CONFIG", &config);
    let output = command
        .env("MATERIA_BIN", env!("CARGO_BIN_EXE_materia"))
        .run()
        .ok();
    assert!(
        output.stdout.contains("so it is done"),
        "{}",
        output.transcript()
    );
    assert_completed(&harness, &config);
}

#[test]
fn a_cast_of_a_killed_host_continues_in_the_next_one() {
    let slow = json!([{"text": "never heard", "first_delay_ms": 60_000}, {"text": "first this, then that"}]);
    let harness = AgentHarness::new(&[Program::PiNew], &rules(&slow));
    let config = write_config(&harness);
    let mut pi = Pi::start(&harness, "--session-id s1", &config);
    pi.prompt("cast it here");
    wait_for_request_with(&harness, "You are the planner");
    pi.kill(&harness);
    harness
        .materia(&["wait", "run:h"])
        .env("MATERIA_CONFIG", &config)
        .run();
    let casts = harness
        .materia(&["casts", "--json"])
        .env("MATERIA_CONFIG", &config)
        .run()
        .ok()
        .json();
    assert_eq!(casts["casts"][0]["status"], "failed", "{casts}");
    let id = casts["casts"][0]["castId"].as_str().unwrap();
    let log = harness
        .env
        .read(&format!(".pi/pi-materia/{id}/events.jsonl"));
    assert!(log.contains("the host went away during the turn"), "{log}");
    assert!(
        log.contains("the host of this session is not there"),
        "{log}"
    );
    let mut pi = Pi::start(&harness, "--session-id s1", &config);
    pi.prompt(&format!("/materia recast {id} --agent session"));
    let status = || {
        let casts = harness
            .materia(&["casts", "--json"])
            .env("MATERIA_CONFIG", &config)
            .run()
            .ok()
            .json();
        casts["casts"][0]["status"].as_str().unwrap().to_owned()
    };
    harness.wait_until(|| status() == "complete");
    assert_eq!(
        requests_with(&harness, "You are the one who looks").len(),
        1
    );
    assert!(
        count_requests_with(&harness, "You are the planner") >= 2,
        "the lost turn must run again"
    );
    pi.close(&harness);
}
