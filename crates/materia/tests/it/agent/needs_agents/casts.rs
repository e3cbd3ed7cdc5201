//! Whole casts with real agents in a real repository.

use serde_json::{Value, json};

use crate::agent::harness::{AgentHarness, Program};

/// Rules for the shipped loadout with two items, the first of which needs rework.
///
/// The rules match the prompt of each role. The tool calls use the tool names of the program.
fn full_auto_rules(builder: Program, keeper: Program) -> Value {
    let items = json!({"workItems": [{"title": "first part", "context": "write one.txt"},
        {"title": "second part", "context": "write two.txt"}]});
    let answer = |document: &Value| json!({"text": document.to_string()});
    let build = |item: &str, line: &str| {
        let request_rule = json!({"match": format!("of 2: {item}"), "after_tool": false, "match_tool_name": tool(builder),
            "reply": {"text": "Working.", "tool_calls": [builder.shell(line)]}});
        let done = json!({"match": format!("of 2: {item}"), "match_tool": "made", "reply": {"text": "I made it."}});
        (request_rule, done)
    };
    let (first, first_done) = build("first part", "echo 1 >> one.txt; echo made one");
    let (second, second_done) = build("second part", "echo 2 > two.txt; echo made two");
    let commit =
        "git add -A && git -c user.name=t -c user.email=t@t commit -qm work && echo committed";
    json!([
        {"match": "Plan the request as an ordered list", "reply": answer(&items)},
        {"match": "Refine the planned work items", "reply": answer(&items)},
        {"match": "Judge whether the current work item", "replies": [
            answer(&json!({"satisfied": false, "context": "one.txt needs a second line"})),
            answer(&json!({"satisfied": true, "context": "good"})),
            answer(&json!({"satisfied": true, "context": "good"})),
        ]},
        {"match": "Record the finished work item", "match_tool": "committed", "reply": answer(&json!({"satisfied": true, "context": "kept"}))},
        {"match": "Record the finished work item", "after_tool": false, "match_tool_name": tool(keeper),
            "reply": {"text": "Keeping.", "tool_calls": [keeper.shell(commit)]}},
        first_done, second_done, first, second,
        {"match": "Tell the person what this cast did", "reply": {"text": "Two files were made."}},
    ])
}

fn tool(program: Program) -> &'static str {
    match program {
        Program::PiNew | Program::PiOld => "bash",
        Program::Claude | Program::Acp => "Bash",
        Program::Codex => "exec_command",
    }
}

fn cast(harness: &AgentHarness, more: &[&str]) -> Value {
    harness
        .env
        .shell(
            "git init -q . && echo a > a && git add a && git -c user.name=t -c user.email=t@t commit -qm a",
        )
        .run()
        .ok();
    let outcome = harness
        .materia(&[&["cast", "make two files", "--json"], more].concat())
        .run();
    assert!(
        outcome.status.success(),
        "{}\n{:#?}",
        outcome.transcript(),
        request_summaries(harness)
    );
    let report = outcome.json();
    assert_has!(report, {"status": "complete", "error": null});
    assert_eq!(
        report["visits"]["Socket-4"], 3,
        "two items, one of them twice: {report}"
    );
    assert_has!(report["visits"], {"Socket-5": 3, "Socket-6": 2});
    assert_eq!(harness.env.read("one.txt"), "1\n1\n");
    assert_eq!(harness.env.read("two.txt"), "2\n");
    let log = harness.env.shell("git log --oneline | wc -l").run().ok();
    assert_eq!(log.stdout.trim(), "3", "{}", log.transcript());
    let (input, output) = harness.token_counts();
    let tokens = &report["usage"]["tokens"];
    assert_has!(tokens, {"input": input, "output": output}, "{report}");
    assert_eq!(
        report["usage"]["byModel"]["scripted-1"]["tokens"]["total"],
        input + output
    );
    let items: Vec<&String> = report["usage"]["byItem"]
        .as_object()
        .unwrap()
        .keys()
        .collect();
    assert_eq!(items.len(), 2, "{items:?}");
    report
}

/// The requests to the model, for the message of a failed test.
fn request_summaries(harness: &AgentHarness) -> Vec<String> {
    let summaries = harness.requests().into_iter().map(|request| {
        let text = request["last_user"].as_str().unwrap_or_default();
        format!(
            "{} {}: {}",
            request["pick"],
            request["tools"],
            &text[..text.floor_char_boundary(300)]
        )
    });
    summaries.collect()
}

#[test]
fn full_auto_with_pi() {
    let harness = AgentHarness::new(
        &[Program::PiNew],
        &full_auto_rules(Program::PiNew, Program::PiNew),
    );
    let report = cast(&harness, &[]);
    let dir = std::path::Path::new(report["runDir"].as_str().unwrap());
    let dir = harness
        .env
        .work_dir()
        .join(dir.strip_prefix("[ROOT]/project").unwrap());
    let built = std::fs::read_dir(dir.join("sockets/Socket-4")).unwrap();
    let activity = built
        .map(|entry| entry.unwrap().path())
        .find(|path| path.to_string_lossy().contains("activity"))
        .unwrap();
    let activity = std::fs::read_to_string(activity).unwrap();
    assert!(
        activity.contains("\"type\":\"tool_start\"") && activity.contains("\"type\":\"text\""),
        "{activity}"
    );
}

#[test]
fn full_auto_with_claude() {
    let harness = AgentHarness::new(
        &[Program::Claude],
        &full_auto_rules(Program::Claude, Program::Claude),
    );
    cast(&harness, &["--agent", "claude"]);
}

#[test]
fn one_cast_uses_two_agents() {
    let programs = [Program::PiNew, Program::Claude];
    let harness = AgentHarness::new(&programs, &full_auto_rules(Program::Claude, Program::PiNew));
    harness.env.write(
        "mix.json",
        json!({"materia": {"Build": {"agent": "claude"}}}).to_string(),
    );
    cast(&harness, &["--config", "mix.json"]);
    let apis: std::collections::BTreeSet<String> = harness
        .requests()
        .iter()
        .map(|request| request["api"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(apis.into_iter().collect::<Vec<_>>(), ["anthropic", "chat"]);
}

/// A config with one role.
fn one_role(role: &Value, more: &Value) -> Value {
    let mut document = json!({"activeLoadout": "T", "materia": {"R": role},
        "loadouts": {"T": {"entry": "a", "sockets": {"a": {"materia": "R"}}}}});
    document
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    document
}

#[test]
fn a_budget_ends_a_turn_that_exceeds_it() {
    let rules = json!([{"match": "go on", "reply": {"tool_calls": [Program::PiNew.shell("echo more")],
        "usage": {"input": 400, "output": 100}}}]);
    let harness = AgentHarness::new(&[Program::PiNew], &rules);
    let role = json!({"tools": "coding", "prompt": "go on for ever"});
    harness.env.write(
        "flow.json",
        one_role(&role, &json!({"budget": {"maxTokens": 1400}})).to_string(),
    );
    let outcome = harness
        .materia(&["cast", "--config", "flow.json", "x", "--json"])
        .run();
    let report = outcome.json();
    assert_eq!(outcome.code(), 7, "{}", outcome.transcript());
    assert_eq!(
        report["error"]["code"],
        "budget_limit",
        "{}",
        outcome.transcript()
    );
    let spent = report["usage"]["tokens"]["total"].as_u64().unwrap();
    assert!(
        (1500..=2500).contains(&spent),
        "the cast must stop soon after the limit: {spent}"
    );
    assert!(
        harness.requests().len() <= 5,
        "{}",
        harness.requests().len()
    );
}

#[test]
fn a_conversation_continues_in_its_session_after_a_crash() {
    for program in [Program::PiNew, Program::Claude] {
        let rules = json!([{"match": "hold on", "replies": [
            {"text": "word ".repeat(400), "chunk_delay_ms": 100}, {"text": "still with you"}]}]);
        let harness = AgentHarness::new(&[program], &rules);
        let role = json!({"tools": "none", "prompt": "talk about the request", "multiTurn": true});
        harness
            .env
            .write("flow.json", one_role(&role, &json!({})).to_string());
        let first = harness
            .materia(&["cast", "--config", "flow.json", "x", "--json"])
            .run()
            .ok();
        let id = first.json()["castId"].as_str().unwrap().to_owned();
        let running = harness
            .materia(&["continue", &id, "hold on", "--json"])
            .start();
        harness.wait_for_requests(2);
        running.signal(rustix::process::Signal::KILL);
        running.wait();
        harness.wait_until(|| {
            harness.env.live_processes().is_empty() || {
                kill_all(&harness);
                true
            }
        });
        let again = harness.materia(&["resume", &id, "--json"]).run().ok();
        assert_eq!(again.json()["status"], "paused", "{}", again.transcript());
        let last = harness.materia(&["continue", &id, "--json"]).run().ok();
        assert_eq!(last.json()["status"], "complete");
        let turns: Vec<u64> = harness
            .requests()
            .iter()
            .map(|request| request["turns"].as_u64().unwrap())
            .collect();
        // The repeated turn begins with the same history as the lost one: no message is doubled.
        assert_eq!((turns.len(), turns[1]), (4, turns[2]), "{turns:?}");
        assert!(turns[1] > turns[0] && turns[3] > turns[2], "{turns:?}");
        let text = harness.requests()[3]["last_user"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(!text.contains("Conversation so far"), "{text}");
    }
}

/// Kills what a killed `materia` left running.
fn kill_all(harness: &AgentHarness) {
    harness
        .env
        .live_processes()
        .iter()
        .for_each(|one| harness.kill(one.pid));
}
