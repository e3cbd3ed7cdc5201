//! Agents that come over HTTP, through the server of `materia ui`: who gets in, and that
//! connections are sessions.

mod client;

pub use client::{Http, Served, chunk};

use serde_json::{Value, json};

use super::text;
use crate::test_env::TestEnv;

#[test]
fn nobody_comes_in_without_the_token_under_another_name_or_from_another_site() {
    let env = TestEnv::new();
    let served = Served::new(&env);
    let ask =
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25",
        "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}})
        .to_string();
    let with = |name: &str, value: Option<&str>| -> Vec<(&'static str, String)> {
        let mut headers = served.headers();
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
    let wrong = "x".repeat(served.token.len());
    let basic = format!("Basic {}", served.token);
    for (name, value, status) in [
        ("authorization", None, 401),
        ("authorization", Some("Bearer"), 401),
        ("authorization", Some(&*format!("Bearer {wrong}")), 401),
        ("authorization", Some(&*basic), 401),
        ("host", Some("evil.example"), 403),
        ("host", Some(&*format!("evil.example:{}", served.port)), 403),
        ("origin", Some("https://evil.example"), 403),
        ("origin", Some("null"), 403),
        ("sec-fetch-site", Some("cross-site"), 403),
        ("content-type", Some("text/plain"), 415),
        (
            "origin",
            Some(&*format!("http://127.0.0.1:{}", served.port)),
            200,
        ),
        (
            "authorization",
            Some(&*format!("bearer {}", served.token)),
            200,
        ),
    ] {
        for path in ["/mcp", "/mcp/mine"] {
            let answer = served.raw("POST", path, &with(name, value), &ask);
            assert_eq!(
                answer.status, status,
                "{path} {name}: {value:?}: {answer:?}"
            );
            assert!(!answer.body.contains(&served.token), "{answer:?}");
        }
    }
    for method in ["GET", "DELETE", "PUT", "OPTIONS"] {
        assert_eq!(
            served
                .raw(method, "/mcp", &with("authorization", None), "")
                .status,
            401,
            "{method}"
        );
    }
    // What opens one door opens no other.
    let answer = served.raw("GET", "/api/about", &served.headers(), "");
    assert_eq!(answer.status, 401, "the token is no browser's");
    let unauthorized = served.raw("POST", "/mcp", &with("authorization", None), &ask);
    assert_eq!(unauthorized.header("www-authenticate"), Some("bearer"));
}

#[test]
fn an_agent_works_over_http_as_over_lines() {
    let env = TestEnv::new();
    let served = Served::new(&env);
    let mut agent = Http::open(&served, "/mcp");
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
fn connections_are_sessions_and_a_name_in_the_address_is_one_for_good() {
    let env = TestEnv::new();
    let served = Served::new(&env);
    let (mut one, mut two) = (Http::open(&served, "/mcp"), Http::open(&served, "/mcp"));
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
    Http::open(&served, "/mcp/work").call("spawn", json!({"template": "true", "as": "run:named"}));
    let mut again = Http::open(&served, "/mcp/work");
    assert_eq!(
        again.call("wait", json!({"runs": ["run:named"]}))["structuredContent"]["ok"],
        true
    );
    assert_eq!(
        served
            .raw("POST", "/mcp/..%2Fx", &served.headers(), "{}")
            .status,
        400
    );
}

#[test]
fn the_revision_without_connections_is_spoken_too() {
    let env = TestEnv::new();
    let served = Served::new(&env);
    let ask = |path: &str, method: &str, mut params: Value| {
        params["_meta"] = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}});
        let mut headers = served.headers();
        headers.push(("mcp-protocol-version", "2026-07-28".to_owned()));
        headers.push(("mcp-method", method.to_owned()));
        if let Some(name) = params["name"].as_str() {
            headers.push(("mcp-name", name.to_owned()));
        }
        let body =
            json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        let answer = served.raw("POST", path, &headers, &body);
        let answered = answer
            .messages()
            .into_iter()
            .find(|message| message["id"] == 1);
        answered.unwrap_or_else(|| panic!("{answer:?}"))
    };
    let call = |path: &str, tool: &str, arguments: Value| {
        ask(
            path,
            "tools/call",
            json!({"name": tool, "arguments": arguments}),
        )["result"]["structuredContent"]
            .clone()
    };
    assert_eq!(
        ask("/mcp", "tools/list", json!({}))["result"]["tools"][0]["name"],
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
fn whoever_is_gone_leaves_nothing_and_connections_are_bounded() {
    let env = TestEnv::new();
    let served = Served::new(&env);
    let mut first = Http::open(&served, "/mcp/s");
    first.call("spawn", json!({"template": "sleep 600", "as": "run:a"}));
    let call = json!({"jsonrpc": "2.0", "id": 77, "method": "tools/call",
        "params": {"name": "wait", "arguments": {"runs": ["run:a"]}}});
    let waiting = served.begin("POST", "/mcp/s", &first.headers(), &call.to_string());
    let waits = || {
        env.live_processes()
            .iter()
            .any(|one| format!("{one:?}").contains("--timeout"))
    };
    until(&env, waits);
    // One that was cancelled ends, and one whose connection ends.
    let cancelled =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 77}});
    assert_eq!(first.post(&cancelled).status, 202);
    until(&env, || !waits());
    drop(waiting);
    let again = served.begin("POST", "/mcp/s", &first.headers(), &call.to_string());
    until(&env, waits);
    assert_eq!(first.close().status, 202);
    until(&env, || !waits());
    drop(again);
    let opened: Vec<Http<'_>> = (0..65).map(|_| Http::open(&served, "/mcp")).collect();
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    assert_eq!(
        opened[0].post(&list).status,
        404,
        "the oldest one made place"
    );
    assert_eq!(opened[64].post(&list).status, 200);
    // A call that waits ends with the server; the run does not.
    let _last = served.begin(
        "POST",
        "/mcp/s",
        &Http::open(&served, "/mcp/s").headers(),
        &call.to_string(),
    );
    until(&env, waits);
    assert_eq!(served.end(), 0);
    assert!(!waits(), "{:?}", env.live_processes());
    env.kill("a");
}

fn until(env: &TestEnv, so: impl Fn() -> bool) {
    for _ in 0..400 {
        if so() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    panic!("it never happened; alive: {:?}", env.live_processes());
}

#[test]
fn agents_without_manners_get_errors_and_others_are_served_on() {
    let env = TestEnv::new();
    let served = Served::new(&env);
    let mut agent = Http::open(&served, "/mcp");
    let headers = agent.headers();
    for body in ["{not json", "", "[1, 2", "null", "{\"hello\": 1}", "[]"] {
        let answer = served.raw("POST", "/mcp", &headers, body);
        assert!((400..500).contains(&answer.status), "{body}: {answer:?}");
    }
    let large = format!(
        "{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"{}\"}}",
        "x".repeat(5 << 20)
    );
    assert_eq!(served.raw("POST", "/mcp", &headers, &large).status, 413);
    assert_eq!(
        agent.answer("no/such/method", &json!({}))["error"]["code"],
        -32601
    );
    assert_eq!(
        agent.answer("materia/command", &json!({"words": ["doctor"]}))["error"]["code"],
        -32601
    );
    assert_eq!(
        agent.answer("resources/read", &json!({"uri": "file:///etc/passwd"}))["error"]["code"],
        -32002
    );
    let mut other = served.headers();
    other.push((
        "mcp-session-id",
        "00000000-0000-0000-0000-000000000000".to_owned(),
    ));
    let list = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    assert_eq!(served.raw("POST", "/mcp", &other, &list).status, 404);
    assert!(
        (400..500).contains(&served.raw("POST", "/mcp", &served.headers(), &list).status),
        "no connection"
    );
    assert_eq!(served.raw("PUT", "/mcp", &headers, "").status, 405);
    let mut plain = headers.clone();
    plain.retain(|(name, _)| *name != "accept");
    assert_eq!(served.raw("POST", "/mcp", &plain, &list).status, 406);
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
        "it still answers"
    );
}

#[test]
fn whoever_listens_is_told_of_new_tools() {
    let env = TestEnv::new();
    let served = Served::new(&env);
    let agent = Http::open(&served, "/mcp");
    let (head, mut stream) = served.begin("GET", "/mcp", &agent.headers(), "");
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
    let mut heard = String::new();
    while !heard.contains("notifications/tools/list_changed") {
        let part = chunk(&mut stream).unwrap_or_else(|| panic!("the stream ended: {heard}"));
        heard.push_str(&String::from_utf8_lossy(&part));
    }
}
