//! Single turns: the request, the report, and the processes that are left.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::agent::harness::{AgentHarness, Program};

/// Rules that make the program run a shell command line when the prompt contains `asked`.
fn shell_rules(program: Program, asked: &str, line: &str) -> Value {
    json!([
        {"match": asked, "after_tool": false, "reply": {"text": "I will.", "tool_calls": [program.shell(line)],
            "usage": {"input": 200, "output": 30}}},
        {"match": asked, "after_tool": true, "reply": {"text": "It said: {{last_tool}}"}},
    ])
}

pub(super) fn text(program: Program) {
    let harness = AgentHarness::new(&[program], &json!([]));
    harness.env.write("system.md", "Speak like a pirate.");
    let outcome = harness
        .turn(
            program,
            "hello there",
            &["--system", "system.md", "--tools", "none"],
        )
        .run()
        .ok();
    let report = outcome.json();
    assert_has!(report, {"ok": true, "outcome": "ok"});
    assert!(
        report["text"].as_str().unwrap().contains("hello there"),
        "{report}"
    );
    assert_has!(report["usage"], {"input": 100, "output": 20});
    assert_eq!(report["models"]["scripted-1"]["total"], 120, "{report}");
    let raw = std::fs::read_to_string(harness.env.home().join("requests.jsonl")).unwrap();
    assert!(raw.contains("Speak like a pirate."));
}

pub(super) fn tool(program: Program) {
    let harness = AgentHarness::new(
        &[program],
        &shell_rules(
            program,
            "write it",
            "echo hi > made.txt; echo real-$((40+2))",
        ),
    );
    let report = harness
        .turn(program, "please write it", &[])
        .run()
        .ok()
        .json();
    assert_eq!(harness.env.read("made.txt"), "hi\n");
    assert!(
        report["text"].as_str().unwrap().contains("real-42"),
        "{report}"
    );
    let (input, output) = harness.token_counts();
    assert_eq!((input, output), (300, 50));
    assert_has!(report["usage"], {"input": input, "output": output});
    assert_eq!(report["session"], Value::Null);
    harness.save_transcript(program, "tool");
}

pub(super) fn session(program: Program) {
    let harness = AgentHarness::new(&[program], &json!([]));
    let ask = |prompt: &str| {
        harness
            .turn(program, prompt, &["--session", "talk", "--tools", "none"])
            .run()
            .ok()
            .json()
    };
    let first = ask("my name is Ada");
    let second = ask("what is my name?");
    assert_ne!(
        first["session"], second["session"],
        "a turn is continued in a copy"
    );
    let requests = harness.requests();
    let turns = |at: usize| requests[at]["turns"].as_u64().unwrap();
    assert_eq!(requests.len(), 2);
    assert!(turns(1) >= turns(0) + 2, "{} then {}", turns(0), turns(1));
    assert_has!(second["usage"], {"input": 100, "output": 20});
}

pub(super) fn refusals(program: Program) {
    let fault = |asked: &str, status: u16, message: &str, kind: &str| {
        let fault = json!({"kind": "http", "status": status, "message": message, "type": kind});
        json!({"match": asked, "reply": {"fault": fault}})
    };
    let rules = json!([
        fault("bad", 400, "scripted bad request", "invalid_request_error"),
        fault("login", 401, "invalid x-api-key", "authentication_error"),
        fault(
            "window",
            400,
            "prompt is too long: 250000 tokens > 200000 maximum",
            "invalid_request_error"
        ),
    ]);
    let harness = AgentHarness::new(&[program], &rules);
    for (asked, outcome, exit) in [
        ("bad", "invalid_request", 1),
        ("login", "auth", 6),
        ("window", "context_window", 1),
    ] {
        let ended = harness.turn(program, asked, &["--tools", "none"]).run();
        let report = ended.json();
        harness.save_transcript(program, asked);
        assert_eq!(report["outcome"], json!(outcome), "{report}");
        assert_eq!(ended.code(), exit, "{report}");
        assert_has!(report, {"ok": false, "usage": {"total": 0}});
    }
}

pub(super) fn passing_faults(program: Program) {
    let rules = json!([
        {"match": "slow down", "replies": [{"fault": {"kind": "http", "status": 429, "retry_after": 1}},
            {"text": "recovered"}]},
        {"match": "hang up", "replies": [{"text": "a part of a text", "fault": {"kind": "drop", "after_chunks": 2}},
            {"text": "recovered"}]},
    ]);
    let harness = AgentHarness::new(&[program], &rules);
    for asked in ["slow down", "hang up"] {
        let report = harness
            .turn(program, asked, &["--tools", "none"])
            .run()
            .ok()
            .json();
        harness.save_transcript(program, &asked.replace(' ', "-"));
        assert_eq!(report["text"], "recovered", "{report}");
    }
}

pub(super) fn stall(program: Program) {
    let rules = json!([{"match": "stall", "reply": {"text": "some words and then nothing",
        "fault": {"kind": "stall", "after_chunks": 2, "seconds": 60}}}]);
    let harness = AgentHarness::new(&[program], &rules);
    // On a busy machine, the program may not have started before the shortest timeout.
    for seconds in ["5", "15", "45"] {
        let ended = harness
            .turn(program, "stall", &["--tools", "none", "--timeout", seconds])
            .run();
        assert_eq!(ended.json()["outcome"], "timeout", "{}", ended.transcript());
        assert_eq!(ended.code(), 1, "{}", ended.transcript());
        assert_eq!(harness.env.live_processes().len(), 0);
        if !harness.requests().is_empty() {
            return;
        }
    }
    panic!("the model got no request");
}

/// Interrupts a turn during a stream, and another one during a tool.
pub(super) fn interrupts(program: Program) {
    let mut rules = shell_rules(program, "use a tool", "sleep 600; echo never");
    let slow =
        json!({"match": "talk", "reply": {"text": "word ".repeat(500), "chunk_delay_ms": 100}});
    rules.as_array_mut().unwrap().push(slow);
    let harness = AgentHarness::new(&[program], &rules);
    let talking = harness.turn(program, "talk", &["--tools", "none"]).start();
    harness.wait_for_requests(1);
    talking.signal(Signal::INT);
    assert_eq!(talking.wait().code(), 130);
    assert_eq!(harness.env.live_processes().len(), 0);
    let working = harness.turn(program, "use a tool", &[]).start();
    harness.wait_until(|| !harness.processes("sleep 600").is_empty());
    working.signal(Signal::INT);
    assert_eq!(working.wait().code(), 130);
    assert_eq!(harness.env.live_processes().len(), 0);
}

pub(super) fn killed(program: Program) {
    let harness = AgentHarness::new(
        &[program],
        &shell_rules(program, "use a tool", "sleep 600; echo never"),
    );
    let running = harness.turn(program, "use a tool", &[]).start();
    harness.wait_until(|| !harness.processes("sleep 600").is_empty());
    let agents = harness.children(running.pid());
    assert_eq!(agents.len(), 1, "{:?}", harness.env.live_processes());
    agents.iter().for_each(|pid| harness.kill(*pid));
    let ended = running.wait();
    let report = ended.json();
    assert_eq!(report["outcome"], "crash", "{}", ended.transcript());
    assert_eq!(ended.code(), 1, "{}", ended.transcript());
    assert_eq!(harness.env.live_processes().len(), 0);
    // Codex reports its usage only after the tool, the ACP adapter only at the end of the turn.
    if !matches!(program, Program::Codex | Program::Acp) {
        assert_eq!(
            report["usage"]["input"], 200,
            "the usage before the kill must be known: {report}"
        );
    }
}

pub(super) fn scopes(program: Program) {
    let harness = AgentHarness::new(&[program], &json!([]));
    let mut offered = Vec::new();
    let mut notices = Vec::new();
    // The ACP adapter takes seconds to start, so one scope is enough.
    let scopes = if program == Program::Acp {
        &["none"][..]
    } else {
        &["none", "readOnly", "read,bash"]
    };
    for scope in scopes {
        let output = harness
            .turn(program, "hello", &["--tools", scope])
            .run()
            .ok();
        let request = harness.requests().pop().unwrap();
        let names = request["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap().to_lowercase());
        let mut names: Vec<String> = names.collect();
        names.sort();
        offered.push(names);
        notices.push(
            output
                .stderr
                .lines()
                .filter(|line| line.starts_with("notice:"))
                .count(),
        );
    }
    if program == Program::Codex {
        assert_eq!(notices, [1, 0, 1]);
        return;
    }
    if program == Program::Acp {
        // The adapter offers all tools. A notice says that the scope holds only where it asks.
        assert_eq!(notices, [1]);
        return;
    }
    assert_eq!(notices, [0, 0, 0]);
    assert!(offered[0].is_empty(), "{offered:?}");
    assert!(offered[1].contains(&"read".to_owned()), "{offered:?}");
    let writing = ["bash", "write", "edit"];
    assert!(
        !offered[1]
            .iter()
            .any(|name| writing.contains(&name.as_str())),
        "{offered:?}"
    );
    assert_eq!(offered[2], ["bash", "read"]);
}
