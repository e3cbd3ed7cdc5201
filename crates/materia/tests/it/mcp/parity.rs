//! Every surface gives the same answers: one table of requests, sent through each of them.

use serde_json::{Value, json};

use super::Client;
use super::http::{Http, Served};
use crate::test_env::TestEnv;

/// What differs between any two calls, taken out.
fn settled(mut report: Value) -> Value {
    if let Some(fields) = report.as_object_mut() {
        for name in ["generation", "id", "pid", "ageMs"] {
            if fields.get(name).is_some_and(|value| !value.is_null()) {
                fields.insert(name.to_owned(), "…".into());
            }
        }
        fields
            .values_mut()
            .for_each(|value| *value = settled(value.take()));
    } else if let Some(things) = report.as_array_mut() {
        things
            .iter_mut()
            .for_each(|value| *value = settled(value.take()));
    }
    report
}

#[test]
fn the_command_line_mcp_by_lines_and_http_and_the_bridge_report_the_same() {
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
    // Each surface in a env of its own, so that all of them begin with nothing.
    let by_words = TestEnv::new();
    let surfaces = [TestEnv::new(), TestEnv::new(), TestEnv::new()];
    let served = Served::new(&surfaces[2]);
    let mut http = Http::open(&served, "/mcp/s");
    let redacted = |env: &TestEnv, report: &Value| {
        let root = env.home().parent().unwrap().to_string_lossy().into_owned();
        settled(serde_json::from_str(&report.to_string().replace(&root, "[ROOT]")).unwrap())
    };
    let mut clients = [
        Client::open(&surfaces[0], &["mcp", "--session", "s"]),
        Client::open(&surfaces[1], &["bridge", "--session", "s"]),
    ];
    for (args, tool, arguments) in &table {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let outcome = by_words.materia(&args).env("MATERIA_SESSION", "s").run();
        let said = settled(outcome.json());
        // Models get less of it where nobody asks for the whole.
        let call =
            json!({"name": tool, "arguments": arguments, "_meta": {"materia/verbose": true}});
        let mut results: Vec<Value> = clients
            .iter_mut()
            .map(|client| client.request("tools/call", call.clone()))
            .collect();
        results.push(http.request("tools/call", call));
        for (result, env) in results.iter().zip(&surfaces) {
            let report = redacted(env, &result["structuredContent"]);
            assert_eq!(report, said, "{args:?}");
            let waited = args[0] == "wait";
            assert_eq!(
                result["isError"],
                json!(outcome.code() != 0 && !waited),
                "{args:?}"
            );
        }
    }
    clients.into_iter().for_each(Client::close);
}
