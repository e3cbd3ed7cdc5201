//! Real clients: the MCP inspector, and agents with a scripted model.

mod session_turns;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use serde_json::{Value, json};

use super::http::UiServer;
use crate::agent::harness::{AgentHarness, Program};
use crate::test_env::{TestEnv, TestProcess};
use crate::tools;

/// A config with one role that asks a question, and an agent that always gives the same answer.
fn write_config(env: &TestEnv) -> String {
    let talk = json!({"tools": "none", "prompt": "plan it", "multiTurn": true});
    let loadout = json!({"entry": "Socket-1", "sockets": {"Socket-1": {"materia": "Talk"}}});
    let agents = json!({"parrot": {"command": ["sh", "-c", "cat >/dev/null; echo which one"]}});
    let config = json!({"activeLoadout": "T", "agent": "parrot", "agents": agents, "loadouts": {"T": loadout}, "materia": {"Talk": talk}});
    env.write("flow.json", config.to_string())
        .to_str()
        .unwrap()
        .to_owned()
}

/// The replies of the model; `named` returns a tool call with the name that the
/// client uses. A client that gets events of its runs does not wait for them.
fn rules(named: impl Fn(&str) -> Value, gets_events: bool) -> Value {
    let call = |tool: &str, arguments: Value| {
        let mut call = named(tool);
        call["arguments"] = arguments;
        json!({"tool_calls": [call]})
    };
    let text = |text: &str| json!({"text": text});
    let rule = |match_: &str, steps: Vec<Value>| json!({"match": match_, "replies": steps});
    let steer = vec![
        call("inspect", json!({"target": "run:w", "view": "status"})),
        call(
            "message",
            json!({"to": "run:w", "type": "task.run", "body": {"n": 1}}),
        ),
        call("message", json!({"target": "run:w", "action": "kill"})),
        text("it is killed"),
    ];
    let spawn = call("spawn", json!({"template": "sh ask.sh", "as": "run:w"}));
    let mut start = vec![spawn];
    start.extend(if gets_events {
        vec![text("I continue.")]
    } else {
        steer.clone()
    });
    let answer = |body: Option<&str>| {
        let mut message = json!({"to": "run:c", "type": "control.continue"});
        message
            .as_object_mut()
            .unwrap()
            .extend(body.map(|body| ("body".to_owned(), body.into())));
        call("message", message)
    };
    let mut cast = vec![call(
        "cast",
        json!({"request": "build it", "loadout": "T", "as": "run:c"}),
    )];
    let when_paused = vec![
        answer(Some("the second")),
        text("answered"),
        answer(None),
        text("that was all"),
    ];
    if gets_events {
        cast.push(text("I continue."));
    } else {
        let wait = || call("wait", json!({"runs": ["run:c"], "timeout": 60}));
        cast.extend([
            wait(),
            answer(Some("the second")),
            wait(),
            answer(None),
            wait(),
            text("that was all"),
        ]);
    }
    json!([
        rule("start the work", start),
        rule("Run w: which file?", steer),
        rule("Run w was killed", vec![text("so it is over")]),
        rule(
            "save a tool",
            vec![
                call(
                    "register_tool",
                    json!({"name": "greet", "description": "Greets", "template": "echo hello {who}"})
                ),
                call("greet", json!({"who": "you"})),
                text("the tool said {{last_tool}}"),
            ]
        ),
        // Some clients offer new tools only in their next session.
        rule(
            "use it",
            vec![call("greet", json!({"who": "you"})), text("done")]
        ),
        rule("cast it", cast),
        rule("Run c rests", when_paused),
        rule("Run c completed", vec![text("the cast is complete")]),
    ])
}

/// Tool names without a prefix.
fn plain(tool: &str) -> Value {
    json!({"name": tool})
}

/// Tool names with the name of the server as prefix.
fn prefixed(tool: &str) -> Value {
    json!({"name": format!("mcp__materia__{tool}")})
}

/// Tool names in a namespace.
fn namespaced(tool: &str) -> Value {
    json!({"namespace": "mcp__materia", "name": tool})
}

const ASK: &str = "materia message coordinator file.ask '{}' --summary 'which file?' \
    --metadata '{\"requires_response\": true}' && exec sleep 600";

/// Pi in its RPC mode.
struct Pi<'a> {
    running: TestProcess<'a>,
    stdin: std::process::ChildStdin,
}

impl<'a> Pi<'a> {
    fn start(harness: &'a AgentHarness, more: &str, config: &str) -> Self {
        let extension = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations/pi");
        let line = format!(
            "pi install '{}' >/dev/null && exec pi --mode rpc --session-dir sessions {more}",
            extension.display()
        );
        let call = harness
            .shell(&line)
            .env("MATERIA_CONFIG", config)
            .env("MATERIA_BIN", env!("CARGO_BIN_EXE_materia"));
        let mut running = call.start();
        let (stdin, stdout) = (running.stdin(), running.stdout());
        // Read all output, because a full pipe would block Pi.
        let log = harness.env.home().join("pi.jsonl");
        std::thread::spawn(move || {
            let mut log = std::fs::File::create(log).unwrap();
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                writeln!(log, "{line}").unwrap();
            }
        });
        Self { running, stdin }
    }

    fn prompt(&mut self, text: &str) {
        let line = json!({"type": "prompt", "message": text, "streamingBehavior": "followUp"});
        writeln!(self.stdin, "{line}").unwrap();
    }

    /// Kills Pi with SIGKILL and waits until the bridge has exited.
    fn kill(self, harness: &AgentHarness) {
        self.running.signal(rustix::process::Signal::KILL);
        drop(self.stdin);
        self.running.wait();
        harness.wait_until(|| harness.processes("bridge").is_empty());
    }

    /// Closes stdin and waits until the bridge has exited.
    fn close(self, harness: &AgentHarness) {
        drop(self.stdin);
        self.running.wait();
        harness.wait_until(|| harness.processes("bridge").is_empty());
    }
}

/// How many requests to the model have this text in the last message of the user or of a tool.
fn count_requests_with(harness: &AgentHarness, part: &str) -> usize {
    let matches = |request: &Value| {
        let has_part = |name: &str| {
            request[name]
                .as_str()
                .is_some_and(|text| text.contains(part))
        };
        has_part("last_user") || has_part("last_tool")
    };
    harness
        .requests()
        .iter()
        .filter(|request| matches(request))
        .count()
}

#[track_caller]
fn wait_for_request_with(harness: &AgentHarness, part: &str) {
    let waited = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        harness.wait_until(|| count_requests_with(harness, part) > 0);
    }));
    if waited.is_err() {
        let printed =
            std::fs::read_to_string(harness.env.home().join("pi.jsonl")).unwrap_or_default();
        let last_lines: Vec<&str> = printed
            .lines()
            .rev()
            .take(12)
            .map(|line| &line[..line.floor_char_boundary(600)])
            .collect();
        panic!(
            "the model never got {part:?}; last output of Pi, newest first:\n{}",
            last_lines.join("\n")
        );
    }
}

#[test]
fn pi_gets_events_of_its_runs_once() {
    let harness = AgentHarness::new(&[Program::PiNew], &rules(plain, true));
    let config = write_config(&harness.env);
    harness.env.write("ask.sh", ASK);
    let mut pi = Pi::start(&harness, "--session-id s1", &config);
    pi.prompt("start the work");
    wait_for_request_with(&harness, "Run w: which file?");
    wait_for_request_with(&harness, "run=w status=running");
    wait_for_request_with(&harness, "queued_mailbox");
    wait_for_request_with(&harness, "status=killed");
    // After the end of the bridge, the next call starts another one.
    harness
        .processes("bridge")
        .into_iter()
        .for_each(|pid| harness.kill(pid));
    let printed =
        || std::fs::read_to_string(harness.env.home().join("pi.jsonl")).unwrap_or_default();
    harness.wait_until(|| printed().contains("materia ended"));
    pi.prompt("save a tool");
    wait_for_request_with(&harness, "hello you");
    pi.prompt("cast it");
    wait_for_request_with(
        &harness,
        "Run c rests. Its cast is paused and waits for an answer",
    );
    wait_for_request_with(&harness, "Run c completed successfully");
    let casts = harness
        .materia(&["casts", "--json"])
        .env("MATERIA_CONFIG", &config)
        .run()
        .json();
    assert_eq!(casts["casts"][0]["status"], "complete", "{casts}");
    pi.prompt("/materia casts");
    harness.wait_until(|| {
        printed()
            .lines()
            .any(|line| line.contains("\"notify\"") && line.contains("complete"))
    });
    pi.close(&harness);
    assert_eq!(
        count_requests_with(&harness, "Run c completed successfully"),
        1
    );
    assert_eq!(
        count_requests_with(&harness, "Run w was killed"),
        0,
        "the session requested this end itself"
    );
    // The same session in a new process gets no event again.
    let before = harness.requests().len();
    let mut pi = Pi::start(&harness, "--session-id s1", &config);
    pi.prompt("still there?");
    harness.wait_until(|| harness.requests().len() > before);
    pi.close(&harness);
    assert_eq!(
        harness.requests().len(),
        before + 1,
        "expected only the prompt"
    );
}

#[test]
fn the_older_pi_gets_events_once() {
    let harness = AgentHarness::new(&[Program::PiOld], &rules(plain, true));
    let config = write_config(&harness.env);
    harness.env.write("ask.sh", ASK);
    let mut pi = Pi::start(&harness, "--session sessions/one.jsonl", &config);
    pi.prompt("start the work");
    wait_for_request_with(&harness, "Run w: which file?");
    wait_for_request_with(&harness, "status=killed");
    pi.close(&harness);
    let before = harness.requests().len();
    let count = count_requests_with(&harness, "Run w: which file?");
    let mut pi = Pi::start(&harness, "--session sessions/one.jsonl", &config);
    pi.prompt("still there?");
    harness.wait_until(|| harness.requests().len() > before);
    pi.close(&harness);
    assert_eq!(
        count_requests_with(&harness, "Run w: which file?"),
        count,
        "an event was repeated after a restart"
    );
    assert_eq!(
        count_requests_with(&harness, "Run w was killed"),
        0,
        "the session requested this end itself"
    );
}

#[test]
fn pi_in_print_mode_waits_for_its_runs() {
    let spawn = json!({"tool_calls": [{"name": "spawn", "arguments": {"template": "false", "as": "run:p"}}]});
    let rules = json!([
        {"match": "start it", "replies": [spawn, {"text": "started"}]},
        {"match": "Run p failed", "reply": {"text": "the run failed"}},
    ]);
    let harness = AgentHarness::new(&[Program::PiNew], &rules);
    let extension = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../integrations/pi/materia.ts");
    let line = format!(
        "exec pi -e '{}' -p 'start it' </dev/null",
        extension.display()
    );
    let output = harness
        .shell(&line)
        .env("MATERIA_BIN", env!("CARGO_BIN_EXE_materia"))
        .run()
        .ok();
    assert!(
        output.stdout.contains("the run failed"),
        "{}",
        output.transcript()
    );
}

#[test]
fn claude_uses_the_server() {
    let harness = AgentHarness::new(&[Program::Claude], &rules(prefixed, false));
    let config = write_config(&harness.env);
    harness.env.write("ask.sh", ASK);
    let server =
        json!({"command": env!("CARGO_BIN_EXE_materia"), "args": ["mcp", "--session", "claude"]});
    harness.env.write(
        "mcp.json",
        json!({"mcpServers": {"materia": server}}).to_string(),
    );
    for (prompt, expected) in [
        ("start the work", "\"status\":\"killed\""),
        ("cast it", "\"status\":\"complete\""),
        ("save a tool", "\"action\":\"registered\""),
        ("use it", "hello you"),
    ] {
        let line = format!(
            "exec claude -p '{prompt}' --mcp-config mcp.json --strict-mcp-config --dangerously-skip-permissions --output-format json </dev/null"
        );
        // Otherwise, on a busy machine, it asks its model before the server has answered.
        let output = harness
            .shell(&line)
            .env("IS_SANDBOX", "1")
            .env("MCP_CONNECTION_NONBLOCKING", "0")
            .env("MATERIA_CONFIG", &config)
            .run();
        assert!(
            count_requests_with(&harness, expected) > 0,
            "{prompt}: {}\n{:?}",
            output.transcript(),
            last_tool_results(&harness)
        );
    }
    let wait = harness
        .materia(&["inspect", "session:claude", "--json"])
        .run()
        .ok()
        .json();
    for run in wait["runs"].as_array().unwrap() {
        let address = format!("run:{}", run["run"].as_str().unwrap());
        harness.materia(&["wait", &address]).run();
    }
}

#[test]
fn codex_uses_the_server() {
    let harness = AgentHarness::new(&[Program::Codex], &rules(namespaced, false));
    harness.env.write("ask.sh", ASK);
    let materia = env!("CARGO_BIN_EXE_materia");
    let options = format!(
        "-c 'mcp_servers.materia.command=\"{materia}\"' -c 'mcp_servers.materia.args=[\"mcp\"]' \
         -c mcp_servers.materia.required=true -c mcp_servers.materia.startup_timeout_sec=60 \
         --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox --json"
    );
    for (prompt, expected) in [
        ("start the work", "killed"),
        ("save a tool", "registered"),
        ("use it", "hello you"),
    ] {
        let output = harness
            .shell(&format!("exec codex exec {options} '{prompt}' </dev/null"))
            .run();
        assert!(
            count_requests_with(&harness, expected) > 0,
            "{prompt}: {}",
            output.transcript()
        );
    }
}

#[test]
fn pi_uses_the_server_without_the_extension() {
    let harness = AgentHarness::new(&[Program::PiNew], &rules(prefixed, false));
    let config = write_config(&harness.env);
    harness.env.write("ask.sh", ASK);
    let server = json!({"command": env!("CARGO_BIN_EXE_materia"), "args": ["mcp", "--session", "pi"], "exposure": "direct"});
    let path = harness.env.home().join(".pi/agent/mcp.json");
    std::fs::write(path, json!({"mcpServers": {"materia": server}}).to_string()).unwrap();
    for (prompt, expected) in [
        ("start the work", "status=killed"),
        ("cast it", "run:c done"),
        ("save a tool", "registered"),
        ("use it", "hello you"),
    ] {
        let line = format!("exec pi -p '{prompt}' </dev/null");
        let output = harness.shell(&line).env("MATERIA_CONFIG", &config).run();
        assert!(
            count_requests_with(&harness, expected) > 0,
            "{prompt}: {}\n{:?}",
            output.transcript(),
            last_tool_results(&harness)
        );
    }
    let casts = harness
        .materia(&["casts", "--json"])
        .env("MATERIA_CONFIG", &config)
        .run()
        .json();
    assert_eq!(casts["casts"][0]["status"], "complete", "{casts}");
}

/// The last tool results that the model got.
fn last_tool_results(harness: &AgentHarness) -> Vec<Value> {
    harness
        .requests()
        .iter()
        .rev()
        .take(12)
        .map(|request| request["last_tool"].clone())
        .collect()
}

#[test]
fn the_mcp_inspector_works_with_the_server() {
    let env = TestEnv::new();
    let materia = env!("CARGO_BIN_EXE_materia");
    inspect(&env, &format!("'{materia}' mcp --session i"), "");
    let env = TestEnv::new();
    let server = UiServer::new(&env);
    let to = format!("http://127.0.0.1:{}/mcp/i", server.port);
    inspect(
        &env,
        &to,
        &format!(
            "--transport http --header 'Authorization: Bearer {}'",
            server.token
        ),
    );
}

/// Calls every method with the inspector over this transport.
fn inspect(env: &TestEnv, transport: &str, more: &str) {
    let inspector = tools::agents().join("inspector-2.12.0/node_modules/.bin/mcp-inspector");
    let node = tools::agents().join("node-22.23.3/bin");
    let ask = |args: &str| {
        let line = format!(
            "exec '{}' --cli {transport} {more} {args}",
            inspector.display()
        );
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", node.display());
        let outcome = env.shell(&line).env("PATH", path).run().ok();
        serde_json::from_str::<Value>(&outcome.stdout)
            .unwrap_or_else(|error| panic!("{error}: {}", outcome.transcript()))
    };
    let tools = ask("--method tools/list");
    assert_eq!(tools["tools"][0]["name"], "spawn", "{tools}");
    let spawned = ask(
        "--method tools/call --tool-name spawn --tool-arg template='echo hi' --tool-arg as=run:i",
    );
    assert_eq!(spawned["structuredContent"]["run"], "i", "{spawned}");
    let waited = ask("--method tools/call --tool-name wait --tool-arg 'runs=[\"run:i\"]'");
    assert_eq!(
        waited["structuredContent"]["runs"][0]["status"], "done",
        "{waited}"
    );
    assert_eq!(
        ask("--method resources/list")["resources"]
            .as_array()
            .unwrap()
            .len(),
        4
    );
    assert!(
        !ask("--method prompts/list")["prompts"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn the_mcp_conformance_suite_passes() {
    let env = TestEnv::new();
    // The suite calls tools by these names.
    for (name, template) in [
        (
            "test_simple_text",
            "echo 'This is a simple text response for testing.'",
        ),
        ("test_error_handling", "false"),
    ] {
        env.materia(&[
            "tool",
            "register",
            name,
            "--template",
            template,
            "--description",
            name,
        ])
        .run()
        .ok();
    }
    let server = UiServer::new(&env);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/agents");
    let suite = "conformance-0.1.16/node_modules/@modelcontextprotocol/conformance/dist/index.js";
    let line = format!(
        "exec '{}' --import '{}' '{}' server --url http://127.0.0.1:{}/mcp --expected-failures '{}'",
        tools::agents().join("node-22.23.3/bin/node").display(),
        folder.join("token.mjs").display(),
        tools::agents().join(suite).display(),
        server.port,
        folder.join("conformance.yml").display(),
    );
    let outcome = env
        .shell(&line)
        .env("MATERIA_TOKEN", &server.token)
        .run()
        .ok();
    for scenario in [
        "server-initialize",
        "ping",
        "tools-list",
        "tools-call-simple-text",
        "tools-call-error",
        "server-sse-multiple-streams",
        "resources-list",
        "prompts-list",
        "dns-rebinding-protection",
    ] {
        assert!(
            outcome.stdout.contains(&format!("✓ {scenario}: ")),
            "{}",
            outcome.transcript()
        );
    }
}
