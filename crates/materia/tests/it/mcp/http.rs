//! MCP over HTTP, through the server of `materia ui`: authorization, and one session per connection.

mod client;

pub use client::{HttpClient, UiServer, read_chunk};

use serde_json::{Value, json};

use super::text;
use crate::test_env::TestEnv;

#[test]
fn requests_without_token_or_from_another_site_are_refused() {
    let env = TestEnv::new();
    let server = UiServer::new(&env);
    let request =
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
        .to_string();
    let with = |name: &str, value: Option<&str>| -> Vec<(&'static str, String)> {
        let mut headers = server.headers();
        headers.retain(|(known, _)| *known != name);
        let name = [
            "host",
            "authorization",
            "origin",
            "sec-fetch-site",
            "content-type",
            "cookie",
        ]
        .into_iter()
        .find(|known| *known == name)
        .unwrap();
        headers.extend(value.map(|value| (name, value.to_owned())));
        headers
    };
    let wrong = "x".repeat(server.token.len());
    let basic = format!("Basic {}", server.token);
    for (name, value, status) in [
        ("authorization", None, 401),
        ("authorization", Some("Bearer"), 401),
        ("authorization", Some(&*format!("Bearer {wrong}")), 401),
        ("authorization", Some(&*basic), 401),
        ("host", Some("evil.example"), 403),
        ("host", Some(&*format!("evil.example:{}", server.port)), 403),
        ("origin", Some("https://evil.example"), 403),
        ("origin", Some("null"), 403),
        ("sec-fetch-site", Some("cross-site"), 403),
        ("content-type", Some("text/plain"), 415),
        (
            "origin",
            Some(&*format!("http://127.0.0.1:{}", server.port)),
            200,
        ),
        (
            "authorization",
            Some(&*format!("bearer {}", server.token)),
            200,
        ),
    ] {
        for path in ["/mcp", "/mcp/mine"] {
            let response = server.send("POST", path, &with(name, value), &request);
            assert_eq!(
                response.status, status,
                "{path} {name}: {value:?}: {response:?}"
            );
            assert!(!response.body.contains(&server.token), "{response:?}");
        }
    }
    for method in ["GET", "DELETE", "PUT", "OPTIONS"] {
        assert_eq!(
            server
                .send(method, "/mcp", &with("authorization", None), "")
                .status,
            401,
            "{method}"
        );
    }
    // The token of agents does not work for the browser API.
    let response = server.send("GET", "/api/about", &server.headers(), "");
    assert_eq!(
        response.status, 401,
        "the token must not work for the browser API"
    );
    let unauthorized = server.send("POST", "/mcp", &with("authorization", None), &request);
    assert_eq!(unauthorized.header("www-authenticate"), Some("bearer"));
}

#[test]
fn an_agent_works_over_http_as_over_stdio() {
    let env = TestEnv::new();
    let server = UiServer::new(&env);
    let mut agent = HttpClient::open(&server, "/mcp");
    let tools = agent.request("tools/list", json!({}));
    assert_eq!(tools["tools"][0]["name"], "spawn");
    let spawned = agent.call("spawn", json!({"template": "sleep 600", "as": "run:a"}));
    assert_eq!(
        text(&spawned),
        "run:a is running. `wait` when you need its end.\nnext: inspect run:a tail | message run:a control.kill"
    );
    let killed = agent.call("message", json!({"target": "run:a", "action": "kill"}));
    assert_eq!(killed["structuredContent"]["status"], "killed", "{killed}");
    assert_eq!(
        text(&agent.call("wait", json!({"runs": ["run:a"]}))),
        "run:a killed"
    );
    assert_eq!(agent.close().status, 202);
    assert_eq!(
        agent
            .post(&json!({"jsonrpc": "2.0", "id": 9, "method": "tools/list"}))
            .status,
        404
    );
}

#[test]
fn each_connection_is_a_session_unless_the_path_names_one() {
    let env = TestEnv::new();
    let server = UiServer::new(&env);
    let (mut one, mut two) = (
        HttpClient::open(&server, "/mcp"),
        HttpClient::open(&server, "/mcp"),
    );
    one.call("spawn", json!({"template": "sleep 600", "as": "run:mine"}));
    for (tool, arguments) in [
        ("inspect", json!({"target": "run:mine"})),
        ("message", json!({"to": "run:mine", "type": "control.kill"})),
        ("wait", json!({"runs": ["run:mine"], "timeout": 0})),
    ] {
        let refused = two.call(tool, arguments);
        assert_eq!(
            refused["structuredContent"]["error"]["code"], "session_mismatch",
            "{refused}"
        );
    }
    assert_eq!(
        two.call("inspect", json!({"target": "coordinator"}))["structuredContent"]["runs"],
        json!([])
    );
    assert_eq!(
        one.call("inspect", json!({"target": "run:mine"}))["structuredContent"]["status"],
        "running"
    );
    one.call("message", json!({"to": "run:mine", "type": "control.kill"}));
    HttpClient::open(&server, "/mcp/work")
        .call("spawn", json!({"template": "true", "as": "run:named"}));
    let mut again = HttpClient::open(&server, "/mcp/work");
    assert_eq!(
        again.call("wait", json!({"runs": ["run:named"]}))["structuredContent"]["ok"],
        true
    );
    assert_eq!(
        server
            .send("POST", "/mcp/..%2Fx", &server.headers(), "{}")
            .status,
        400
    );
}

#[test]
fn the_revision_without_connections_is_supported() {
    let env = TestEnv::new();
    let server = UiServer::new(&env);
    let request = |path: &str, method: &str, mut params: Value| {
        params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}});
        let mut headers = server.headers();
        headers.push(("mcp-protocol-version", "2026-07-28".to_owned()));
        headers.push(("mcp-method", method.to_owned()));
        if let Some(name) = params["name"].as_str() {
            headers.push(("mcp-name", name.to_owned()));
        }
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let response = server.send("POST", path, &headers, &body);
        let message = response
            .messages()
            .into_iter()
            .find(|message| message["id"] == 1);
        message.unwrap_or_else(|| panic!("{response:?}"))
    };
    let call = |path: &str, tool: &str, arguments: Value| {
        request(
            path,
            "tools/call",
            json!({"name": tool, "arguments": arguments}),
        )["result"]["structuredContent"]
            .clone()
    };
    assert_eq!(
        request("/mcp", "tools/list", json!({}))["result"]["tools"][0]["name"],
        "spawn"
    );
    assert_eq!(
        call(
            "/mcp/a",
            "spawn",
            json!({"template": "sleep 600", "as": "run:a"})
        )["run"],
        "a"
    );
    assert_eq!(
        call("/mcp/a", "inspect", json!({"target": "run:a"}))["status"],
        "running"
    );
    for path in ["/mcp/b", "/mcp"] {
        let refused = call(path, "inspect", json!({"target": "run:a"}));
        assert_eq!(
            refused["error"]["code"], "session_mismatch",
            "{path}: {refused}"
        );
    }
    call(
        "/mcp/a",
        "message",
        json!({"to": "run:a", "type": "control.kill"}),
    );
}

#[test]
fn closed_connections_end_their_calls_and_are_bounded() {
    let env = TestEnv::new();
    let server = UiServer::new(&env);
    let mut first = HttpClient::open(&server, "/mcp/s");
    first.call("spawn", json!({"template": "sleep 600", "as": "run:a"}));
    let call = json!({"jsonrpc": "2.0", "id": 77, "method": "tools/call",
        "params": {"name": "wait", "arguments": {"runs": ["run:a"]}}});
    let waiting = server.start_request("POST", "/mcp/s", &first.headers(), &call.to_string());
    // A waiting call has its waiter pipe open.
    let waits = || {
        server
            .open_files()
            .iter()
            .any(|file| file.contains("/ear."))
    };
    wait_until(&env, waits);
    // A call ends when it is cancelled, and when its connection is closed.
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}});
    assert_eq!(first.post(&cancelled).status, 202);
    wait_until(&env, || !waits());
    drop(waiting);
    let again = server.start_request("POST", "/mcp/s", &first.headers(), &call.to_string());
    wait_until(&env, waits);
    assert_eq!(first.close().status, 202);
    wait_until(&env, || !waits());
    drop(again);
    let opened: Vec<HttpClient<'_>> = (0..65).map(|_| HttpClient::open(&server, "/mcp")).collect();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    assert_eq!(
        opened[0].post(&list).status,
        404,
        "the oldest connection must be closed"
    );
    assert_eq!(opened[64].post(&list).status, 200);
    // A waiting call ends with the server; the run does not.
    let _last = server.start_request(
        "POST",
        "/mcp/s",
        &HttpClient::open(&server, "/mcp/s").headers(),
        &call.to_string(),
    );
    wait_until(&env, waits);
    assert_eq!(server.stop(), 0);
    env.kill("a");
}

fn wait_until(env: &TestEnv, condition: impl Fn() -> bool) {
    for _ in 0..400 {
        if condition() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    panic!("timed out; alive: {:?}", env.live_processes());
}

#[test]
fn invalid_requests_get_errors_and_others_are_served() {
    let env = TestEnv::new();
    let server = UiServer::new(&env);
    let mut agent = HttpClient::open(&server, "/mcp");
    let headers = agent.headers();
    for body in ["{not json", "", "[1, 2", "null", "{\"hello\": 1}", "[]"] {
        let response = server.send("POST", "/mcp", &headers, body);
        assert!(
            (400..500).contains(&response.status),
            "{body}: {response:?}"
        );
    }
    let large = format!(
        "{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"{}\"}}",
        "x".repeat(5 << 20)
    );
    assert_eq!(server.send("POST", "/mcp", &headers, &large).status, 413);
    assert_eq!(
        agent.response("no/such/method", &json!({}))["error"]["code"],
        -32601
    );
    assert_eq!(
        agent.response("materia/command", &json!({"words": ["doctor"]}))["error"]["code"],
        -32601
    );
    assert_eq!(
        agent.response("resources/read", &json!({"uri": "file:///etc/passwd"}))["error"]["code"],
        -32002
    );
    let mut other = server.headers();
    other.push((
        "mcp-session-id",
        "00000000-0000-0000-0000-000000000000".to_owned(),
    ));
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    assert_eq!(server.send("POST", "/mcp", &other, &list).status, 404);
    assert!(
        (400..500).contains(&server.send("POST", "/mcp", &server.headers(), &list).status),
        "a request without a connection must fail"
    );
    assert_eq!(server.send("PUT", "/mcp", &headers, "").status, 405);
    let mut plain = headers.clone();
    plain.retain(|(name, _)| *name != "accept");
    assert_eq!(server.send("POST", "/mcp", &plain, &list).status, 406);
    agent.call("spawn", json!({"template": "true", "as": "run:t"}));
    agent.call("wait", json!({"runs": ["run:t"]}));
    for kind in ["control.approve", "control.budget", "control.trust"] {
        let refused = agent.call("message", json!({"to": "run:t", "type": kind}));
        assert_eq!(
            refused["structuredContent"]["error"]["code"], "operator_only",
            "{refused}"
        );
    }
    assert_eq!(
        agent.call("inspect", json!({"target": "coordinator"}))["isError"],
        false,
        "the server must still answer"
    );
}

#[test]
fn a_subscriber_is_notified_of_new_tools() {
    let env = TestEnv::new();
    let server = UiServer::new(&env);
    let agent = HttpClient::open(&server, "/mcp");
    let (head, mut stream) = server.start_request("GET", "/mcp", &agent.headers(), "");
    assert!(head.contains("text/event-stream"), "{head}");
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
    let mut received = String::new();
    while !received.contains("notifications/tools/list_changed") {
        let part =
            read_chunk(&mut stream).unwrap_or_else(|| panic!("the stream ended: {received}"));
        received.push_str(&String::from_utf8_lossy(&part));
    }
}
