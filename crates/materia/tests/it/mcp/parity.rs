//! All interfaces give the same reports: one table of requests is sent through each of them.

use serde_json::{Value, json};

use super::Client;
use super::http::{HttpClient, UiServer};
use crate::test_env::TestEnv;

/// Replaces the fields that differ between any two calls.
fn redact_ids(mut report: Value) -> Value {
    if let Some(fields) = report.as_object_mut() {
        for name in ["generation", "id", "pid", "ageMs"] {
            if fields.get(name).is_some_and(|value| !value.is_null()) {
                fields.insert(name.to_owned(), "…".into());
            }
        }
        fields
            .values_mut()
            .for_each(|value| *value = redact_ids(value.take()));
    } else if let Some(items) = report.as_array_mut() {
        items
            .iter_mut()
            .for_each(|value| *value = redact_ids(value.take()));
    }
    report
}

#[test]
fn cli_mcp_http_and_bridge_report_the_same() {
    let table: Vec<(Vec<&str>, &str, Value)> = vec![
        (
            vec!["spawn", "--template", "sleep 600", "--as", "run:a"],
            "spawn",
            json!({"template": "sleep 600", "as": "run:a"}),
        ),
        (
            vec!["spawn", "--template", "echo 'x"],
            "spawn",
            json!({"template": "echo 'x"}),
        ),
        (
            vec!["spawn", "no-such-recipe"],
            "spawn",
            json!({"recipe": "no-such-recipe"}),
        ),
        (
            vec!["inspect", "run:a"],
            "inspect",
            json!({"target": "run:a", "view": "status"}),
        ),
        (
            vec!["inspect", "run:a", "--view", "tail"],
            "inspect",
            json!({"target": "run:a", "view": "tail"}),
        ),
        (
            vec!["inspect", "run:a", "--view", "artifacts"],
            "inspect",
            json!({"target": "run:a", "view": "artifacts"}),
        ),
        (
            vec!["inspect", "run:a", "--view", "nonsense"],
            "inspect",
            json!({"target": "run:a", "view": "nonsense"}),
        ),
        (
            vec!["inspect", "coordinator"],
            "inspect",
            json!({"target": "coordinator"}),
        ),
        (
            vec!["inspect", "run:none"],
            "inspect",
            json!({"target": "run:none"}),
        ),
        (
            vec!["message", "run:a", "task.run", "{\"n\": 1}"],
            "message",
            json!({"to": "run:a", "type": "task.run", "body": {"n": 1}}),
        ),
        (
            vec!["message", "run:a", "no type"],
            "message",
            json!({"to": "run:a", "type": "no type"}),
        ),
        (
            vec!["message", "run:none", "a.b"],
            "message",
            json!({"to": "run:none", "type": "a.b"}),
        ),
        (
            vec!["inspect", "run:a", "--view", "mailbox"],
            "inspect",
            json!({"target": "run:a", "view": "mailbox"}),
        ),
        (
            vec!["wait", "run:a", "--timeout", "0"],
            "wait",
            json!({"runs": ["run:a"], "timeout": 0}),
        ),
        (
            vec!["message", "run:a", "control.kill"],
            "message",
            json!({"to": "run:a", "type": "control.kill"}),
        ),
        (vec!["wait", "run:a"], "wait", json!({"runs": ["run:a"]})),
        (vec!["tool", "list"], "register_tool", json!({})),
        (
            vec![
                "tool",
                "register",
                "hi",
                "--template",
                "echo {who}",
                "--description",
                "Greets",
            ],
            "register_tool",
            json!({"name": "hi", "template": "echo {who}", "description": "Greets"}),
        ),
        (
            vec!["tool", "call", "hi", "who=you"],
            "hi",
            json!({"who": "you"}),
        ),
        (vec!["tool", "call", "hi"], "hi", json!({})),
        (
            vec!["tool", "remove", "hi"],
            "register_tool",
            json!({"name": "hi", "template": null}),
        ),
        (vec!["plan"], "plan", json!({})),
        (
            vec!["plan", "No-Such"],
            "plan",
            json!({"loadout": "No-Such"}),
        ),
        (
            vec!["recipe", "list"],
            "inspect",
            json!({"target": "recipes", "view": "status"}),
        ),
    ];
    // Each interface has its own test environment, so that all of them start empty.
    let cli_env = TestEnv::new();
    let envs = [TestEnv::new(), TestEnv::new(), TestEnv::new()];
    let server = UiServer::new(&envs[2]);
    let mut http = HttpClient::open(&server, "/mcp/s");
    let redact = |env: &TestEnv, report: &Value| {
        let root = env.home().parent().unwrap().to_string_lossy().into_owned();
        redact_ids(serde_json::from_str(&report.to_string().replace(&root, "[ROOT]")).unwrap())
    };
    let mut clients = [
        Client::open(&envs[0], &["mcp", "--session", "s"]),
        Client::open(&envs[1], &["bridge", "--session", "s"]),
    ];
    for (args, tool, arguments) in &table {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let outcome = cli_env.materia(&args).env("MATERIA_SESSION", "s").run();
        let expected = redact_ids(outcome.json());
        // By default models get a shorter report, so ask for the whole one.
        let call =
            json!({"name": tool, "arguments": arguments, "_meta": {"materia/verbose": true}});
        let mut results: Vec<Value> = clients
            .iter_mut()
            .map(|client| client.request("tools/call", call.clone()))
            .collect();
        results.push(http.request("tools/call", call));
        for (result, env) in results.iter().zip(&envs) {
            let report = redact(env, &result["structuredContent"]);
            assert_eq!(report, expected, "{args:?}");
            let is_wait = args[0] == "wait";
            assert_eq!(
                result["isError"],
                json!(outcome.code() != 0 && !is_wait),
                "{args:?}"
            );
        }
    }
    clients.into_iter().for_each(Client::close);
}
