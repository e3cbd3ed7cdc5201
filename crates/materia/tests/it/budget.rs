//! `materia budget`: shows the limits and raises them during and after a cast. Agents may not raise
//! them (S2).

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::test_env::TestEnv;

/// A utility that waits for a file, then two agents that use 100 tokens each.
fn flow() -> Value {
    let wait = json!({"type": "utility", "timeoutMs": 600_000, "command":
        ["sh", "-c", "cat >/dev/null; echo started >new; mv new started; while [ ! -e go ]; do sleep 0.02; done"]});
    let agent = json!({"tools": "none", "prompt": "x"});
    json!({"activeLoadout": "T", "budget": {"maxTokens": 50}, "materia": {"Wait": wait, "Agent": agent},
        "loadouts": {"T": {"entry": "a", "sockets": {
            "a": {"materia": "Wait", "edges": [{"to": "b"}]},
            "b": {"materia": "Agent", "edges": [{"to": "c"}]},
            "c": {"materia": "Agent"}}}}})
}

fn example_env() -> TestEnv {
    let env = TestEnv::new();
    env.write("flow.json", flow().to_string());
    let reply = json!({"text": "ok", "usage": {"input": 60, "output": 40, "cost": {"total": 0.5}}, "times": 9});
    env.write("script.json", json!({"replies": [reply]}).to_string());
    env
}

const CAST: [&str; 6] = [
    "cast",
    "--config",
    "flow.json",
    "--agent-script",
    "script.json",
    "x",
];

#[test]
fn c11_a_running_cast_uses_a_raised_limit() {
    let env = example_env();
    let detached = env
        .materia(&[&CAST[..], &["--detach", "--json"]].concat())
        .run()
        .ok()
        .json();
    while !env.work_dir().join("started").exists() {
        std::thread::yield_now();
    }
    let raised = env.materia(&["budget", "1k", "--json"]).run().ok().json();
    assert_has!(raised, {"raised": "ordered", "status": "running"});
    assert_eq!(
        raised["budget"][0],
        json!({"what": "tokens", "used": 0.0, "limit": 1000.0})
    );
    env.write("go", "");
    let dir = detached["runDir"]
        .as_str()
        .unwrap()
        .replace("[ROOT]/project/", "");
    loop {
        let now = env.materia(&["status", "--json"]).run().ok().json();
        if now["status"] == "complete" {
            assert_eq!(
                now["budget"][0],
                json!({"what": "tokens", "used": 200.0, "limit": 1000.0})
            );
            break;
        }
        assert_eq!(now["status"], "running", "{now}");
        std::thread::yield_now();
    }
    assert_eq!(
        env.read(&format!("{dir}/events.jsonl"))
            .matches("\"budget_raised\"")
            .count(),
        1
    );
    assert_eq!(
        env.shell(&format!("ls {dir}/orders")).run().stdout,
        "",
        "the order must be consumed"
    );
    while !env.live_processes().is_empty() {
        std::thread::yield_now();
    }
    let late = env.materia(&["budget", "2k", "--json"]).run();
    late.assert_error(4, "refused");
}

#[test]
fn recast_with_a_raised_limit_continues_after_finished_steps() {
    let env = example_env();
    env.write("go", "");
    let stopped = env.materia(&[&CAST[..], &["--json"]].concat()).run();
    stopped.assert_error(7, "budget_limit");
    let shown = env.materia(&["budget"]).run().ok();
    let raised = env.materia(&["budget", "+500"]).run().ok();
    assert_snapshot!(format!("{}\n{}", shown.transcript(), raised.transcript()));
    let done = env
        .materia(&["recast", "--agent-script", "script.json", "--json"])
        .run()
        .ok()
        .json();
    assert_eq!(
        done["visits"],
        json!({"a": 1, "b": 1, "c": 1}),
        "a finished step never runs again"
    );
}

#[test]
fn s2_agents_cannot_raise_a_budget_and_arguments_are_checked() {
    let env = example_env();
    env.write("go", "");
    env.materia(&CAST).run();
    for name in ["MATERIA_RUN", "MATERIA_SESSION"] {
        let refused = env
            .materia(&["budget", "1M", "--json"])
            .env(name, "x")
            .run();
        refused.assert_error(4, "operator_only");
        env.materia(&["budget", "--json"]).env(name, "x").run().ok();
    }
    let inside = env
        .materia(&["run", "--template", "materia budget 1M --json"])
        .run();
    assert!(
        inside.stdout.contains("operator_only"),
        "{}",
        inside.transcript()
    );
    let before = env.materia(&["budget", "--json"]).run().ok().json();
    assert_eq!(before["budget"][0]["limit"], 50.0);
    assert_eq!(env.materia(&["budget", "2026", "much"]).run().code(), 2);
    assert_eq!(env.materia(&["budget", "--cost", "-1"]).run().code(), 2);
    assert_eq!(env.materia(&["budget", "nope"]).run().code(), 3);
}

/// An agent that uses 60 tokens, waits for a file, and uses 60 more.
const SPENDER: &str = r#"read -r prompt
use() { echo '{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"'$1'"}],"stopReason":"'$2'","usage":{"input":60,"output":0,"totalTokens":60}}}'; }
use working toolUse; echo spent >new; mv new spent
while [ ! -e go ]; do sleep 0.02; done
use done stop; echo '{"type":"agent_settled"}'
"#;

fn spender_env() -> TestEnv {
    let env = TestEnv::new();
    env.write("spender.sh", SPENDER);
    let agents = json!({"spender": {"kind": "pi", "command": ["sh", "spender.sh"]}});
    let flow = json!({"activeLoadout": "T", "budget": {"maxTokens": 100}, "agents": agents, "agent": "spender",
        "materia": {"Agent": {"tools": "none", "prompt": "x"}},
        "loadouts": {"T": {"entry": "a", "sockets": {"a": {"materia": "Agent"}}}}});
    env.write("flow.json", flow.to_string());
    env
}

#[test]
fn c11_a_limit_raised_during_a_turn_applies_to_that_turn() {
    let env = spender_env();
    let cast = env
        .materia(&["cast", "--config", "flow.json", "--json", "x"])
        .start();
    env.wait_for_file_text(env.work_dir().join("spent"), "spent");
    let raised = env.materia(&["budget", "1k", "--json"]).run().ok().json();
    assert_eq!(raised["raised"], "ordered");
    env.write("go", "");
    let report = cast.wait().ok().json();
    assert_has!(report, {"status": "complete", "usage": {"tokens": {"total": 120}}});
    let dir = report["runDir"]
        .as_str()
        .unwrap()
        .replace("[ROOT]/project/", "");
    let events = env.read(&format!("{dir}/events.jsonl"));
    let at = |kind: &str| {
        events
            .find(&format!("\"{kind}\""))
            .unwrap_or_else(|| panic!("no {kind}: {events}"))
    };
    assert!(
        at("budget_raised") < at("socket_complete"),
        "the new limit must be recorded before the usage"
    );
}

#[test]
fn c11_a_turn_that_exceeds_the_limit_is_ended() {
    let env = spender_env();
    env.write("go", "");
    let ended = env
        .materia(&["cast", "--config", "flow.json", "--json", "x"])
        .run();
    ended.assert_error(7, "budget_limit");
}
