//! Misbehaving clients, and sessions that compete.

use serde_json::json;

use super::{Client, text};
use crate::test_env::TestEnv;

#[test]
fn an_invalid_message_gets_an_error_and_the_connection_continues() {
    let env = TestEnv::new();
    let mut client = Client::open(&env, &["mcp"]);
    client.send_line("{not json");
    let broken = client.read_message();
    assert_has!(broken, {"error": {"code": -32700}, "id": null});
    client.send_line("[1, 2");
    assert_eq!(client.read_message()["error"]["code"], -32700);
    client.send_line("{\"hello\": 1}");
    assert_eq!(client.read_message()["error"]["code"], -32600);
    client.send_line("");
    client.send_line(&format!(
        "{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"{}\"}}",
        "x".repeat(5 << 20)
    ));
    let long = client.read_message();
    assert_eq!(long["error"]["code"], -32600);
    assert!(
        long["error"]["message"]
            .as_str()
            .unwrap()
            .contains("at most"),
        "{long}"
    );
    assert_eq!(
        client.request_error("no/such/method", json!({}))["code"],
        -32601
    );
    assert_eq!(
        client.request_error("materia/command", json!({"words": ["doctor"]}))["code"],
        -32601,
        "only hosts may send commands"
    );
    assert_eq!(
        client.request_error("resources/read", json!({"uri": "file:///etc/passwd"}))["code"],
        -32002
    );
    assert_eq!(
        client.request_error("prompts/get", json!({"name": "nobody"}))["code"],
        -32602
    );
    let unknown = client.call("rm_rf", json!({}));
    assert_has!(
        unknown,
        {"isError": true, "structuredContent": {"error": {"code": "tool_not_found"}}}
    );
    assert_eq!(
        client.call("inspect", json!({"target": "coordinator"}))["isError"],
        false,
        "the server must still answer"
    );
    client.close();
}

#[test]
fn messages_before_initialize_are_ignored() {
    let env = TestEnv::new();
    let mut client = Client::open_raw(&env, &["mcp"], &[]);
    client.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
    );
    client.send_line("garbage");
    assert_eq!(client.read_message()["error"]["code"], -32700);
    assert_eq!(client.initialize()["serverInfo"]["name"], "materia");
    client.close();
}

#[test]
fn wrong_arguments_are_reported_and_start_nothing() {
    let env = TestEnv::new();
    let mut client = Client::open(&env, &["mcp"]);
    for (tool, arguments, part) in [
        ("spawn", json!({}), "nothing to run"),
        ("spawn", json!({"template": "a", "bogus": true}), "bogus"),
        ("spawn", json!({"template": "echo 'x"}), "error"),
        ("spawn", json!({"recipe": "../../../etc/passwd"}), "error"),
        ("message", json!({"to": "run:x"}), "`type` is missing"),
        (
            "message",
            json!({"to": "run:none", "type": "a.b"}),
            "run_not_found",
        ),
        (
            "inspect",
            json!({"target": "run:../x", "view": "status"}),
            "error",
        ),
        ("wait", json!({"runs": []}), "`runs` is missing"),
        ("cast", json!({"request": ""}), "`request` is missing"),
        (
            "message",
            json!({"to": "run:x", "type": "a.b", "body": "x".repeat(1 << 20)}),
            "error",
        ),
    ] {
        let refused = client.call(tool, arguments.clone());
        assert_eq!(refused["isError"], true, "{tool} {arguments}: {refused}");
        assert!(
            text(&refused).contains(part),
            "{tool} {arguments}: {}",
            text(&refused)
        );
        assert_eq!(refused["structuredContent"]["ok"], false);
    }
    assert_eq!(
        client.call("inspect", json!({"target": "coordinator"}))["structuredContent"]["runs"],
        json!([])
    );
    client.close();
}

#[test]
fn a_session_sees_and_controls_only_its_own_runs() {
    let env = TestEnv::new();
    let mut one = Client::open(&env, &["mcp"]);
    let mut two = Client::open(&env, &["mcp"]);
    one.call("spawn", json!({"template": "sleep 600", "as": "run:mine"}));
    for (tool, arguments) in [
        ("inspect", json!({"target": "run:mine", "view": "status"})),
        ("inspect", json!({"target": "run:mine", "view": "tail"})),
        ("message", json!({"to": "run:mine", "type": "control.kill"})),
        ("message", json!({"to": "run:mine", "type": "task.run"})),
        ("wait", json!({"runs": ["run:mine"], "timeout": 0})),
    ] {
        let refused = two.call(tool, arguments.clone());
        assert_eq!(
            refused["structuredContent"]["error"]["code"], "session_mismatch",
            "{tool} {arguments}: {refused}"
        );
    }
    let taken = two.call("spawn", json!({"template": "true", "as": "run:mine"}));
    assert_eq!(taken["isError"], true, "{taken}");
    let others = two.call("inspect", json!({"target": "coordinator"}));
    assert_eq!(others["structuredContent"]["runs"], json!([]));
    assert_eq!(two.read("materia://runs")["runs"], json!([]));
    let hidden = two.request_error("resources/read", json!({"uri": "materia://runs/mine"}));
    assert!(
        hidden["data"]["error"]["code"] == "session_mismatch",
        "{hidden}"
    );
    let alive = one.call("inspect", json!({"target": "run:mine", "view": "status"}));
    assert_eq!(alive["structuredContent"]["status"], "running");
    one.call("message", json!({"to": "run:mine", "type": "control.kill"}));
    one.close();
    two.close();
}

#[test]
fn an_agent_cannot_send_operator_only_controls() {
    let env = TestEnv::new();
    let mut client = Client::open(&env, &["mcp"]);
    client.call("spawn", json!({"template": "sleep 600", "as": "run:a"}));
    for kind in ["control.approve", "control.budget", "control.trust"] {
        let refused = client.call("message", json!({"to": "run:a", "type": kind}));
        assert_eq!(
            refused["structuredContent"]["error"]["code"], "operator_only",
            "{refused}"
        );
    }
    client.call("message", json!({"to": "run:a", "type": "control.kill"}));
    client.close();
}

#[test]
fn a_cancelled_call_ends_and_others_continue() {
    let env = TestEnv::new();
    let mut client = Client::open(&env, &["mcp"]);
    client.call("spawn", json!({"template": "sleep 600", "as": "run:a"}));
    let waiting = client.send_request(
        "tools/call",
        json!({"name": "wait", "arguments": {"runs": ["run:a"]}}),
    );
    let other = client.call("inspect", json!({"target": "run:a", "view": "status"}));
    assert_eq!(
        other["structuredContent"]["status"], "running",
        "a waiting call must not block others"
    );
    client.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": waiting}}),
    );
    let gone = || {
        !env.live_processes()
            .iter()
            .any(|one| format!("{one:?}").contains("--timeout"))
    };
    for _ in 0..400 {
        if gone() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(25));
    }
    assert!(gone(), "{:?}", env.live_processes());
    client.call("message", json!({"to": "run:a", "type": "control.kill"}));
    client.close();
}

#[test]
fn sigterm_ends_requests_but_not_runs() {
    let env = TestEnv::new();
    let mut client = Client::open(&env, &["mcp", "--session", "s"]);
    client.call("spawn", json!({"template": "sleep 600", "as": "run:a"}));
    client.send_request(
        "tools/call",
        json!({"name": "wait", "arguments": {"runs": ["run:a"]}}),
    );
    client.call("inspect", json!({"target": "run:a"}));
    assert_eq!(client.interrupt(), 130);
    assert!(
        !env.live_processes()
            .iter()
            .any(|one| format!("{one:?}").contains("--timeout")),
        "{:?}",
        env.live_processes()
    );
    env.kill("a");
}

#[test]
fn closing_the_connection_ends_requests_but_not_runs() {
    let env = TestEnv::new();
    let mut client = Client::open(&env, &["mcp", "--session", "s"]);
    client.call("spawn", json!({"template": "sleep 600", "as": "run:a"}));
    client.send_request(
        "tools/call",
        json!({"name": "wait", "arguments": {"runs": ["run:a"]}}),
    );
    client.close();
    assert!(
        !env.live_processes()
            .iter()
            .any(|one| format!("{one:?}").contains("--timeout")),
        "{:?}",
        env.live_processes()
    );
    let mut again = Client::open(&env, &["mcp", "--session", "s"]);
    let seen = again.call("inspect", json!({"target": "run:a", "view": "status"}));
    assert_eq!(seen["structuredContent"]["status"], "running");
    again.call("message", json!({"to": "run:a", "type": "control.kill"}));
    again.close();
}
