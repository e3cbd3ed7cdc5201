//! `materia agent`, and casts that are played by real agents.
//!
//! What needs no agent program is here. `needs_agents` drives the real programs, each against a scripted
//! model server on the loopback, so that nothing leaves the machine.

pub mod harness;
mod needs_agents;

use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::test_env::{TestCommand, TestEnv};

/// A call with nothing in `PATH` but these programs and the few of the system's that they need.
fn sealed<'a>(
    env: &'a TestEnv,
    call: TestCommand<'a>,
    programs: &[(&str, &str)],
) -> TestCommand<'a> {
    for (name, script) in programs {
        let path = env.write(&format!("bin/{name}"), format!("#!/bin/sh\n{script}\n"));
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    let bin = env.work_dir().join("bin");
    std::fs::create_dir_all(&bin).unwrap();
    for tool in ["sh", "cat", "sleep", "setsid"] {
        if !bin.join(tool).exists() {
            std::os::unix::fs::symlink(format!("/usr/bin/{tool}"), bin.join(tool)).unwrap();
        }
    }
    call.env("PATH", bin)
}

/// A config with agents of its own.
fn config(env: &TestEnv, agents: &Value, more: &Value) {
    let mut document = json!({"agents": agents});
    document
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    env.write("flow.json", document.to_string());
}

fn ask<'a>(env: &'a TestEnv, args: &[&str]) -> TestCommand<'a> {
    let args = [&["agent", "run", "--config", "flow.json"], args].concat();
    env.materia(&args).stdin("what is up?")
}

#[test]
fn without_an_agent_it_says_what_to_install() {
    let env = TestEnv::new();
    let nobody = sealed(&env, env.materia(&["agent", "run"]).stdin("x"), &[]).run();
    assert_snapshot!(nobody.transcript(), @r"
    $ materia agent run
    --- stderr
    error: no agent was found on this machine
      hint: install one, such as `npm install -g @earendil-works/pi-coding-agent`; see `materia doctor`
    --- exit 6
    ");
    let call = env
        .materia(&["agent", "run", "--agent", "codex", "--json"])
        .stdin("x");
    let missing = sealed(&env, call, &[]).run();
    missing.assert_error(6, "no_agent");
    assert!(
        missing.json()["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("npm install -g @openai/codex")
    );
    let call = env
        .materia(&["agent", "run", "--agent", "clade", "--json"])
        .stdin("x");
    let near = sealed(&env, call, &[]).run();
    assert_eq!(near.code(), 6);
    assert_eq!(near.json()["error"]["hint"], "did you mean `claude`?");
}

#[test]
fn a_cast_without_its_agent_starts_nothing_and_says_what_to_install() {
    let env = TestEnv::new();
    let socket = json!({"a": {"materia": "Talk"}});
    let role = json!({"Talk": {"tools": "none", "prompt": "say it", "agent": "claude"}});
    let loadouts = json!({"T": {"entry": "a", "sockets": socket}});
    env.write(
        "flow.json",
        json!({"activeLoadout": "T", "loadouts": loadouts, "materia": role}).to_string(),
    );
    let call = env.materia(&["cast", "--config", "flow.json", "x", "--agent", "echo"]);
    let outcome = sealed(&env, call, &[]).run();
    assert_snapshot!(outcome.transcript(), @r"
    $ materia cast --config flow.json x --agent echo
    --- stderr
    error: socket `a` holds `Talk`, and the agent Claude Code is not installed: there is no `claude` in PATH
      hint: `npm install -g @anthropic-ai/claude-code`, or choose another with --agent
    --- exit 6
    ");
    assert!(!env.work_dir().join(".pi").exists());
}

#[test]
fn the_list_says_who_plays_and_why() {
    let env = TestEnv::new();
    config(
        &env,
        &json!({"mine": {"command": ["cat"]}}),
        &json!({"agent": "codex"}),
    );
    let call = env.materia(&["agent", "list", "--config", "flow.json"]);
    let list = sealed(&env, call, &[("codex", "exit 0"), ("pi", "exit 0")])
        .run()
        .ok();
    assert_snapshot!(list.transcript(), @r"
    $ materia agent list --config flow.json
    mine        command  tools as its kind does; [ROOT]/project/bin/cat
    pi          pi       tools by name; [ROOT]/project/bin/pi
    claude      the agent Claude Code is not installed: there is no `claude` in PATH; `npm install -g @anthropic-ai/claude-code`, or choose another with --agent
    codex       codex    tools by its sandbox; [ROOT]/project/bin/codex
    gemini      the agent Gemini CLI is not installed: there is no `gemini` in PATH; `npm install -g @google/gemini-cli`, or choose another with --agent
    opencode    the agent OpenCode is not installed: there is no `opencode` in PATH; `npm install -g opencode-ai`, or choose another with --agent

    plays: codex, flow.json names it
    ");
    let call = env.materia(&["agent", "list", "--json"]);
    let found = sealed(&env, call, &[]).run().json();
    assert_eq!(
        found["chosen"],
        json!({"name": "pi", "why": "found", "reason": "the first one found"})
    );
}

#[test]
fn any_command_is_an_agent() {
    let env = TestEnv::new();
    let agents = json!({
        "echo": {"command": ["sh", "-c", "printf 'model=%s ' \"$1\"; cat", "sh", "{model}"]},
        "json": {"command": ["sh", "-c", "cat >/dev/null; printf %s \"$1\"", "sh",
            json!({"out": {"text": "hi"}, "used": {"input": 7, "output": 3}}).to_string()],
            "text": "$.out.text", "usage": "$.used"},
        "broken": {"command": ["sh", "-c", "echo 'rate limit, try again in 2s' >&2; exit 3"]},
        "mute": {"command": ["sh", "-c", "cat >/dev/null"]},
    });
    config(&env, &agents, &json!({"agent": "echo"}));
    let plain = ask(&env, &["--model", "m1"]).run().ok();
    assert_eq!(plain.stdout, "model=m1 what is up?\n");
    let read = ask(&env, &["--agent", "json", "--json"]).run().ok().json();
    assert_has!(read, {"text": "hi", "usage": {"total": 10}});
    let broken = ask(&env, &["--agent", "broken", "--json"]).run();
    assert_eq!(broken.code(), 1);
    assert_eq!(broken.json()["outcome"], "rate_limit");
    let mute = ask(&env, &["--agent", "mute", "--json"]).run();
    assert_eq!(mute.code(), 1);
    assert_eq!(mute.json()["outcome"], "empty");
    let told = ask(&env, &["--tools", "none"]).run().ok();
    assert_eq!(
        told.stderr,
        "notice: echo: this agent is a command: which tools it uses is its own choice\n"
    );
}

#[test]
fn a_cast_says_where_its_agent_cannot_keep_to_its_tools() {
    let env = TestEnv::new();
    let more = json!({"agent": "echo", "activeLoadout": "T", "materia": {"Talk": {"tools": "readOnly", "prompt": "say it"}},
        "loadouts": {"T": {"entry": "a", "sockets": {"a": {"materia": "Talk", "edges": [{"to": "b"}]}, "b": {"materia": "Talk"}}}}});
    config(&env, &json!({"echo": {"command": ["cat"]}}), &more);
    let said = env
        .materia(&["cast", "--config", "flow.json", "x"])
        .run()
        .ok();
    let told = said
        .stderr
        .matches("echo: this agent is a command: which tools it uses is its own choice")
        .count();
    assert_eq!(told, 1, "it is told once: {}", said.stderr);
    let kept = env
        .shell("cat .pi/pi-materia/*/sockets/a/*.activity.jsonl")
        .run()
        .ok()
        .stdout;
    assert!(
        kept.contains("its own choice"),
        "every surface can read it: {kept}"
    );
}

#[test]
fn a_cast_that_is_taken_up_is_played_by_whoever_was_named() {
    let env = TestEnv::new();
    let more = json!({"agent": "one", "activeLoadout": "T",
        "materia": {"Talk": {"multiTurn": true, "prompt": "say it", "tools": "none"}},
        "loadouts": {"T": {"entry": "a", "sockets": {"a": {"materia": "Talk"}}}}});
    let says = |word: &str| json!({"command": ["echo", word]});
    config(
        &env,
        &json!({"one": says("one"), "two": says("two")}),
        &more,
    );
    env.materia(&["cast", "--config", "flow.json", "--agent", "two", "x"])
        .run()
        .ok();
    env.materia(&["continue", "2026-01-01T00-00-00-000Z", "more"])
        .run()
        .ok();
    let answers = env
        .shell("cat .pi/pi-materia/*/sockets/a/*.output.md")
        .run()
        .ok()
        .stdout;
    assert!(
        answers.contains("two") && !answers.contains("one"),
        "{answers}"
    );
    let near = env.materia(&["continue", "2026-01-01T00-00-00-00Z"]).run();
    assert!(
        near.stderr
            .contains("did you mean `2026-01-01T00-00-00-000Z`?"),
        "{}",
        near.stderr
    );
}

#[test]
fn a_turn_that_takes_too_long_leaves_nothing_behind() {
    let env = TestEnv::new();
    let tree =
        "setsid sh -c 'sleep 600 & sleep 600' >/dev/null 2>&1 & trap '' TERM; sleep 600; sleep 600";
    config(
        &env,
        &json!({"slow": {"command": ["sh", "-c", tree]}}),
        &json!({"agent": "slow"}),
    );
    let late = ask(&env, &["--timeout", "0.2", "--json"]).run();
    assert_eq!(late.code(), 1);
    assert_eq!(late.json()["outcome"], "timeout");
    assert_eq!(env.live_processes().len(), 0);
}

#[test]
fn what_an_agent_leaves_behind_ends_with_its_turn() {
    let env = TestEnv::new();
    let tree = "cat; setsid sh -c 'sleep 600 & sleep 600' >/dev/null 2>&1 &";
    config(
        &env,
        &json!({"untidy": {"command": ["sh", "-c", tree]}}),
        &json!({"agent": "untidy"}),
    );
    assert_eq!(ask(&env, &[]).run().ok().stdout, "what is up?\n");
    assert_eq!(env.live_processes().len(), 0);
}

#[test]
fn a_project_brings_no_agent_before_it_is_trusted() {
    let env = TestEnv::new();
    let agents = json!({"pi": {"command": ["sh", "-c", "touch ran; cat"]}});
    env.write(
        ".pi/pi-materia.json",
        json!({"agents": agents, "agent": "pi"}).to_string(),
    );
    let call = env.materia(&["agent", "run", "--json"]).stdin("x");
    let refused = sealed(&env, call, &[]).run();
    refused.assert_error(4, "untrusted");
    assert!(!env.work_dir().join("ran").exists());
    let call = env.materia(&["spawn", "--agent", "pi", "--as", "run:a", "--json"]);
    assert_eq!(sealed(&env, call, &[]).run().code(), 4);
    let doctor = sealed(&env, env.materia(&["doctor", "--json"]), &[])
        .run()
        .json();
    assert_has!(doctor, {"agent": null, "agentUntrusted": "[ROOT]/project/.pi/pi-materia.json"});
    assert!(
        sealed(&env, env.materia(&["doctor"]), &[])
            .run()
            .stdout
            .contains("is not trusted, so it has no say")
    );
    crate::trust::trust(&env);
    let doctor = sealed(&env, env.materia(&["doctor", "--json"]), &[])
        .run()
        .json();
    assert_has!(doctor["agent"], {"name": "pi", "why": "config"});
    assert_eq!(
        doctor["agent"]["file"],
        "[ROOT]/project/.pi/pi-materia.json"
    );
    assert!(doctor.get("agentUntrusted").is_none());
    env.shell("cp /usr/bin/touch bin/touch").run().ok();
    let call = env.materia(&["agent", "run"]).stdin("x");
    sealed(&env, call, &[]).run().ok();
    assert!(env.work_dir().join("ran").exists());
}
