//! `materia mcp` and `materia bridge`, used as agents and hosts use them.
//!
//! `client` is a small JSON-RPC client. The other modules test the work of agents, the equality of
//! all interfaces, and misbehaving clients.

pub mod client;
mod hostile;
mod http;
mod needs_agents;
mod notifications;
mod parity;
mod slow;
mod tasks;

use serde_json::{Value, json};

use crate::test_env::TestEnv;
pub use client::Client;

/// The text of a result, as a model reads it.
pub fn text(result: &Value) -> &str {
    result["content"][0]["text"]
        .as_str()
        .unwrap_or_else(|| panic!("no text: {result}"))
}

#[test]
fn a_run_is_spawned_messaged_and_inspected() {
    let env = TestEnv::new();
    let mut client = Client::open(&env, &["mcp"]);
    let spawned = client.call("spawn", json!({"template": "sleep 600", "as": "run:a"}));
    assert_has!(spawned, {"structuredContent": {"run": "a"}, "isError": false});
    assert_eq!(
        text(&spawned),
        "run:a is running. `wait` when you need its end.\nnext: inspect run:a tail | message run:a control.kill"
    );
    let inspected = client.call("inspect", json!({"target": "run:a", "view": "status"}));
    assert_eq!(inspected["structuredContent"]["status"], "running");
    let sent = client.call(
        "message",
        json!({"to": "run:a", "type": "task.run", "body": {"n": 1}}),
    );
    assert_eq!(
        sent["structuredContent"]["reason"], "queued_mailbox",
        "{sent}"
    );
    let killed = client.call("message", json!({"target": "run:a", "action": "kill"}));
    assert_eq!(killed["structuredContent"]["status"], "killed", "{killed}");
    let waited = client.call("wait", json!({"runs": ["run:a"]}));
    assert_eq!(text(&waited), "run:a killed");
    assert_eq!(waited["isError"], false);
    let listed = client.call(
        "inspect",
        json!({"target": "coordinator", "view": "status"}),
    );
    assert_eq!(listed["structuredContent"]["runs"][0]["run"], "a");
    for reply in [&spawned, &inspected, &sent, &killed, &waited, &listed] {
        assert!(
            text(reply).len() < 400,
            "{} bytes: {}",
            text(reply).len(),
            text(reply)
        );
        // Many clients give the structured content to their model instead.
        let report = reply["structuredContent"].to_string();
        assert!(report.len() < 400, "{} bytes: {report}", report.len());
    }
    client.close();
}

#[test]
fn a_tool_is_registered_listed_called_and_removed() {
    let env = TestEnv::new();
    let mut client = Client::open(&env, &["mcp"]);
    let arguments = json!({"name": "greet", "description": "Greets", "template": "echo hello {who}", "args": "who"});
    let registered = client.call("register_tool", arguments);
    assert_eq!(
        registered["structuredContent"]["callable"], true,
        "{registered}"
    );
    client.wait_for_notification("notifications/tools/list_changed");
    let tools = client.request("tools/list", json!({}))["tools"].clone();
    let greet = tools
        .as_array()
        .unwrap()
        .iter()
        .find(|tool| tool["name"] == "greet")
        .unwrap();
    assert_eq!(greet["inputSchema"]["required"], json!(["who"]));
    let called = client.call("greet", json!({"who": "you"}));
    assert_eq!(text(&called), "hello you");
    assert_eq!(called["isError"], false);
    let wrong = client.call("greet", json!({}));
    assert_eq!(wrong["isError"], true);
    assert!(text(&wrong).contains("who"), "{}", text(&wrong));
    let removed = client.call("register_tool", json!({"name": "greet", "template": null}));
    assert_eq!(
        removed["structuredContent"]["action"], "removed",
        "{removed}"
    );
    client.wait_for_notification("notifications/tools/list_changed");
    let gone = client.call("greet", json!({"who": "you"}));
    assert_eq!(gone["structuredContent"]["error"]["code"], "tool_not_found");
    client.close();
}

#[test]
fn an_async_tool_returns_its_run() {
    let env = TestEnv::new();
    let mut client = Client::open(&env, &["mcp"]);
    let arguments =
        json!({"name": "nap", "description": "Sleeps", "template": "sleep 600", "async": true});
    client.call("register_tool", arguments);
    let called = client.call("nap", json!({"run_id": "n1"}));
    assert_eq!(called["structuredContent"]["run"], "n1", "{called}");
    client.call("message", json!({"to": "run:n1", "type": "control.kill"}));
    client.close();
}

#[test]
fn a_cast_is_continued_and_completed_by_messages() {
    let env = TestEnv::new();
    let talk = json!({"tools": "none", "prompt": "plan", "multiTurn": true});
    let loadout = json!({"entry": "Socket-1", "sockets": {"Socket-1": {"materia": "Talk"}}});
    let config =
        json!({"activeLoadout": "T", "loadouts": {"T": loadout}, "materia": {"Talk": talk}});
    let config = env.write("flow.json", config.to_string());
    let script = env.write(
        "replies.json",
        json!({"replies": [{"text": "which one?"}]}).to_string(),
    );
    let config = config.to_str().unwrap();
    // Agents cannot choose an agent script over MCP, so the command line spawns the cast.
    let args = [
        "spawn",
        "--loadout",
        "T",
        "--agent-script",
        script.to_str().unwrap(),
        "--as",
        "run:c",
        "do it",
        "--json",
    ];
    env.materia(&args)
        .env("MATERIA_CONFIG", config)
        .env("MATERIA_SESSION", "s")
        .run()
        .ok();
    let mut client = Client::open_with(
        &env,
        &["mcp", "--session", "s"],
        &[("MATERIA_CONFIG", config)],
    );
    let wait = |client: &mut Client<'_>| client.call("wait", json!({"runs": ["run:c"]}));
    let waited = wait(&mut client);
    assert!(
        text(&waited)
            .contains("Its cast is paused and waits for an answer: message run:c control.continue"),
        "{waited}"
    );
    let casts = client.read("materia://casts");
    assert_eq!(casts["casts"][0]["status"], "paused", "{casts}");
    let reply_text = client.call(
        "message",
        json!({"to": "run:c", "type": "control.continue", "body": "the second"}),
    );
    assert_eq!(
        reply_text["structuredContent"]["consumer"], "cast-driver",
        "{reply_text}"
    );
    wait(&mut client);
    assert_eq!(
        client.read("materia://casts")["casts"][0]["status"],
        "paused"
    );
    client.call(
        "message",
        json!({"to": "run:c", "type": "control.continue"}),
    );
    wait(&mut client);
    assert_eq!(
        client.read("materia://casts")["casts"][0]["status"],
        "complete"
    );
    let late = client.call(
        "message",
        json!({"to": "run:c", "type": "chat.message", "body": "more"}),
    );
    assert_eq!(
        late["structuredContent"]["error"]["code"], "cast_not_waiting",
        "{late}"
    );
    client.close();
}

#[test]
fn resources_can_be_read_and_roles_are_prompts() {
    let env = TestEnv::new();
    let mut client = Client::open(&env, &["mcp"]);
    let resources = client.request("resources/list", json!({}));
    assert_eq!(resources["resources"].as_array().unwrap().len(), 4);
    assert_eq!(client.read("materia://runs")["runs"], json!([]));
    assert!(client.read("materia://recipes")["recipes"].is_array());
    let loadouts = client.read("materia://loadouts");
    let name = loadouts["loadouts"][0]["name"]
        .as_str()
        .unwrap()
        .replace(' ', "%20");
    assert_eq!(
        client.read(&format!("materia://loadouts/{name}"))["ok"],
        true
    );
    let prompts = client.request("prompts/list", json!({}))["prompts"].clone();
    let first = prompts[0]["name"]
        .as_str()
        .expect("a shipped role")
        .to_owned();
    let prompt = client.request(
        "prompts/get",
        json!({"name": first, "arguments": {"request": "fix it"}}),
    );
    let reply_text = prompt["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(
        reply_text.ends_with("fix it") && reply_text.len() > 20,
        "{reply_text}"
    );
    let plan = client.call("plan", json!({}));
    assert_eq!(plan["structuredContent"]["ok"], true, "{plan}");
    client.close();
}

#[test]
fn all_revisions_of_the_protocol_are_supported() {
    let env = TestEnv::new();
    for version in ["2025-06-18", "2025-11-25"] {
        let mut client = Client::open_raw(&env, &["mcp"], &[]);
        let initialized = client.request(
            "initialize",
            json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}),
        );
        assert_eq!(initialized["protocolVersion"], version);
        client.close();
    }
    let mut client = Client::open_raw(&env, &["mcp"], &[]);
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    let found = client.request("server/discover", json!({"_meta": meta}));
    assert!(
        found["supportedVersions"]
            .as_array()
            .unwrap()
            .contains(&json!("2026-07-28")),
        "{found}"
    );
    let tools = client.request("tools/list", json!({"_meta": meta}));
    assert_eq!(tools["tools"][0]["name"], "spawn", "{tools}");
    assert!(tools["ttlMs"].is_number(), "{tools}");
    // A subscriber is notified of new tools.
    client.send_request(
        "subscriptions/listen",
        json!({"_meta": meta, "notifications": {"toolsListChanged": true}}),
    );
    client.wait_for_notification("notifications/subscriptions/acknowledged");
    env.materia(&[
        "tool",
        "register",
        "hi",
        "--template",
        "echo hi",
        "--description",
        "Says hi",
    ])
    .run()
    .ok();
    client.wait_for_notification("notifications/tools/list_changed");
    client.close();
}

#[test]
fn tools_and_instructions_stay_small() {
    let env = TestEnv::new();
    let mut client = Client::open_raw(&env, &["mcp"], &[]);
    let initialized = client.initialize();
    let tools = client.request("tools/list", json!({}))["tools"].to_string();
    let prompt = initialized["instructions"].as_str().unwrap();
    let all = tools.len() + prompt.len();
    assert!(all < 6 * 1024, "{all} bytes");
    for word in ["poll", "check again", "keep checking"] {
        assert!(
            !tools.contains(word) && !prompt.contains(word),
            "no advice to {word}"
        );
    }
    client.close();
}
