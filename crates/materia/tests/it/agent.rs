//! `materia agent`, and casts with real agents.
//!
//! The tests in this file need no agent program. `needs_agents` drives the real programs against a
//! scripted model server on the loopback interface, so nothing leaves the machine.

pub mod harness;
mod needs_agents;

use std::os::unix::fs::PermissionsExt;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::test_env::{TestCommand, TestEnv};

/// Limits the `PATH` of a command to these programs and the few system programs they need.
fn with_programs<'a>(
    env: &'a TestEnv,
    command: TestCommand<'a>,
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
    command.env("PATH", bin)
}

/// Writes a config with these agents.
fn write_config(env: &TestEnv, agents: &Value, more: &Value) {
    let mut document = json!({"agents": agents});
    document
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    env.write("flow.json", document.to_string());
}

fn agent_run<'a>(env: &'a TestEnv, args: &[&str]) -> TestCommand<'a> {
    let args = [&["agent", "run", "--config", "flow.json"], args].concat();
    env.materia(&args).stdin("what is up?")
}

#[test]
fn without_an_agent_the_error_names_what_to_install() {
    let env = TestEnv::new();
    let missing = with_programs(&env, env.materia(&["agent", "run"]).stdin("x"), &[]).run();
    assert_snapshot!(missing.transcript(), @r"
    $ materia agent run
    --- stderr
    error: no agent was found on this machine
      hint: install one, such as `npm install -g @earendil-works/pi-coding-agent`; see `materia doctor`
    --- exit 6
    ");
    let command = env
        .materia(&["agent", "run", "--agent", "codex", "--json"])
        .stdin("x");
    let missing = with_programs(&env, command, &[]).run();
    missing.assert_error(6, "no_agent");
    assert!(
        missing.json()["error"]["hint"]
            .as_str()
            .unwrap()
            .contains("npm install -g @openai/codex")
    );
    let command = env
        .materia(&["agent", "run", "--agent", "clade", "--json"])
        .stdin("x");
    let near = with_programs(&env, command, &[]).run();
    assert_eq!(near.code(), 6);
    assert_eq!(near.json()["error"]["hint"], "did you mean `claude`?");
}

#[test]
fn a_cast_without_its_agent_starts_nothing() {
    let env = TestEnv::new();
    let socket = json!({"a": {"materia": "Talk"}});
    let role = json!({"Talk": {"tools": "none", "prompt": "say it", "agent": "claude"}});
    let loadouts = json!({"T": {"entry": "a", "sockets": socket}});
    env.write(
        "flow.json",
        json!({"activeLoadout": "T", "loadouts": loadouts, "materia": role}).to_string(),
    );
    let command = env.materia(&["cast", "--config", "flow.json", "x", "--agent", "echo"]);
    let outcome = with_programs(&env, command, &[]).run();
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
fn the_list_shows_the_default_agent_and_the_reason() {
    let env = TestEnv::new();
    write_config(
        &env,
        &json!({"mine": {"command": ["cat"]}}),
        &json!({"agent": "codex"}),
    );
    let command = env.materia(&["agent", "list", "--config", "flow.json"]);
    let list = with_programs(&env, command, &[("codex", "exit 0"), ("pi", "exit 0")])
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
    let command = env.materia(&["agent", "list", "--json"]);
    let found = with_programs(&env, command, &[]).run().json();
    assert_eq!(
        found["chosen"],
        json!({"name": "pi", "why": "found", "reason": "the first one found"})
    );
}

#[test]
fn any_command_can_be_an_agent() {
    let env = TestEnv::new();
    let agents = json!({
        "echo": {"command": ["sh", "-c", "printf 'model=%s ' \"$1\"; cat", "sh", "{model}"]},
        "json": {"command": ["sh", "-c", "cat >/dev/null; printf %s \"$1\"", "sh",
            json!({"out": {"text": "hi"}, "used": {"input": 7, "output": 3}}).to_string()],
            "text": "$.out.text", "usage": "$.used"},
        "broken": {"command": ["sh", "-c", "echo 'rate limit, try again in 2s' >&2; exit 3"]},
        "mute": {"command": ["sh", "-c", "cat >/dev/null"]},
    });
    write_config(&env, &agents, &json!({"agent": "echo"}));
    let plain = agent_run(&env, &["--model", "m1"]).run().ok();
    assert_eq!(plain.stdout, "model=m1 what is up?\n");
    let read = agent_run(&env, &["--agent", "json", "--json"])
        .run()
        .ok()
        .json();
    assert_has!(read, {"text": "hi", "usage": {"total": 10}});
    let broken = agent_run(&env, &["--agent", "broken", "--json"]).run();
    assert_eq!(broken.code(), 1);
    assert_eq!(broken.json()["outcome"], "rate_limit");
    let mute = agent_run(&env, &["--agent", "mute", "--json"]).run();
    assert_eq!(mute.code(), 1);
    assert_eq!(mute.json()["outcome"], "empty");
    let notice = agent_run(&env, &["--tools", "none"]).run().ok();
    assert_eq!(
        notice.stderr,
        "notice: echo: this agent is a command: which tools it uses is its own choice\n"
    );
}

#[test]
fn a_cast_warns_once_if_the_agent_cannot_limit_its_tools() {
    let env = TestEnv::new();
    let more = json!({"agent": "echo", "activeLoadout": "T", "materia": {"Talk": {"tools": "readOnly", "prompt": "say it"}},
        "loadouts": {"T": {"entry": "a", "sockets": {"a": {"materia": "Talk", "edges": [{"to": "b"}]}, "b": {"materia": "Talk"}}}}});
    write_config(&env, &json!({"echo": {"command": ["cat"]}}), &more);
    let output = env
        .materia(&["cast", "--config", "flow.json", "x"])
        .run()
        .ok();
    let notices = output
        .stderr
        .matches("echo: this agent is a command: which tools it uses is its own choice")
        .count();
    assert_eq!(notices, 1, "expected one notice: {}", output.stderr);
    let activity = env
        .shell("cat .pi/pi-materia/*/sockets/a/*.activity.jsonl")
        .run()
        .ok()
        .stdout;
    assert!(
        activity.contains("its own choice"),
        "the notice is not in the activity log: {activity}"
    );
}

#[test]
fn a_continued_cast_uses_the_agent_it_was_started_with() {
    let env = TestEnv::new();
    let more = json!({"agent": "one", "activeLoadout": "T",
        "materia": {"Talk": {"multiTurn": true, "prompt": "say it", "tools": "none"}},
        "loadouts": {"T": {"entry": "a", "sockets": {"a": {"materia": "Talk"}}}}});
    let echo_agent = |word: &str| json!({"command": ["echo", word]});
    write_config(
        &env,
        &json!({"one": echo_agent("one"), "two": echo_agent("two")}),
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
fn a_turn_that_times_out_leaves_no_process() {
    let env = TestEnv::new();
    let script =
        "setsid sh -c 'sleep 600 & sleep 600' >/dev/null 2>&1 & trap '' TERM; sleep 600; sleep 600";
    write_config(
        &env,
        &json!({"slow": {"command": ["sh", "-c", script]}}),
        &json!({"agent": "slow"}),
    );
    let late = agent_run(&env, &["--timeout", "0.2", "--json"]).run();
    assert_eq!(late.code(), 1);
    assert_eq!(late.json()["outcome"], "timeout");
    assert_eq!(env.live_processes().len(), 0);
}

#[test]
fn background_processes_of_an_agent_end_with_its_turn() {
    let env = TestEnv::new();
    let script = "cat; setsid sh -c 'sleep 600 & sleep 600' >/dev/null 2>&1 &";
    write_config(
        &env,
        &json!({"untidy": {"command": ["sh", "-c", script]}}),
        &json!({"agent": "untidy"}),
    );
    assert_eq!(agent_run(&env, &[]).run().ok().stdout, "what is up?\n");
    assert_eq!(env.live_processes().len(), 0);
}

#[test]
fn an_untrusted_project_cannot_define_an_agent() {
    let env = TestEnv::new();
    let agents = json!({"pi": {"command": ["sh", "-c", "touch ran; cat"]}});
    env.write(
        ".pi/pi-materia.json",
        json!({"agents": agents, "agent": "pi"}).to_string(),
    );
    let command = env.materia(&["agent", "run", "--json"]).stdin("x");
    let refused = with_programs(&env, command, &[]).run();
    refused.assert_error(4, "untrusted");
    assert!(!env.work_dir().join("ran").exists());
    let command = env.materia(&["spawn", "--agent", "pi", "--as", "run:a", "--json"]);
    assert_eq!(with_programs(&env, command, &[]).run().code(), 4);
    let doctor = with_programs(&env, env.materia(&["doctor", "--json"]), &[])
        .run()
        .json();
    assert_has!(doctor, {"agent": null, "agentUntrusted": "[ROOT]/project/.pi/pi-materia.json"});
    assert!(
        with_programs(&env, env.materia(&["doctor"]), &[])
            .run()
            .stdout
            .contains("is not trusted, so it has no say")
    );
    crate::trust::trust(&env);
    let doctor = with_programs(&env, env.materia(&["doctor", "--json"]), &[])
        .run()
        .json();
    assert_has!(doctor["agent"], {"name": "pi", "why": "config"});
    assert_eq!(
        doctor["agent"]["file"],
        "[ROOT]/project/.pi/pi-materia.json"
    );
    assert!(doctor.get("agentUntrusted").is_none());
    env.shell("cp /usr/bin/touch bin/touch").run().ok();
    let command = env.materia(&["agent", "run"]).stdin("x");
    with_programs(&env, command, &[]).run().ok();
    assert!(env.work_dir().join("ran").exists());
}
