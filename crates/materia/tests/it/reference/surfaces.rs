//! The pages of MCP tools, as a client gets them, and of HTTP routes, from the route table.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::check;
use crate::mcp::client::Client;
use crate::test_env::TestEnv;

#[test]
fn mcp() {
    let env = TestEnv::new();
    let mut client = Client::open(&env, &["mcp"]);
    let tools = client.request("tools/list", json!({}));
    client.close();
    let mut page = String::from(
        "# MCP tools\n\nThe tools of `materia mcp` without your own recipes; see [MCP](../concept/mcp.md) for answers, resources and sessions.\n",
    );
    for tool in tools["tools"].as_array().unwrap() {
        let _ = write!(
            page,
            "\n## `{}`\n\n{}\n\n| parameter | | |\n|---|---|---|\n",
            tool["name"].as_str().unwrap(),
            cell(&tool["description"])
        );
        let schema = &tool["inputSchema"];
        let required: Vec<&str> = schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        for (name, about) in schema["properties"].as_object().into_iter().flatten() {
            let requirement = if required.contains(&name.as_str()) {
                "required"
            } else {
                ""
            };
            let _ = writeln!(
                page,
                "| `{name}` | {requirement} | {} |",
                cell(&about["description"])
            );
        }
    }
    check("mcp.md", &page);
}

fn cell(text: &Value) -> String {
    text.as_str()
        .unwrap_or_default()
        .replace('\n', " ")
        .replace('|', "\\|")
}

#[test]
fn http() {
    let table = include_str!("../../../src/web/api.rs");
    let handlers = [
        ("config", include_str!("../../../src/web/api/config.rs")),
        ("casts", include_str!("../../../src/web/api/casts.rs")),
        ("actors", include_str!("../../../src/web/api/actors.rs")),
        ("quests", include_str!("../../../src/web/api/quests.rs")),
        ("trial", include_str!("../../../src/web/api/trial.rs")),
        ("trust", include_str!("../../../src/web/api/trust.rs")),
    ];
    let mut page = String::from(
        "# HTTP routes\n\nThe routes that the browser client of `materia ui` uses, below `/api`. A request needs the cookie of a browser session, the right \
         `Host` header, and JSON; responses are the reports of `--json`, errors as in [exit codes](exit-codes.md). The API is made for that client: use the command \
         line or [MCP](mcp.md) in programs.\n\n| | | |\n|---|---|---|\n",
    );
    for line in table
        .lines()
        .map(str::trim)
        .filter(|line| line.starts_with(".route("))
    {
        let path = line.split('"').nth(1).unwrap();
        for (method, word) in [("GET", "get("), ("POST", "post(")] {
            let Some(at) = line.find(word) else { continue };
            let handler = line[at + word.len()..].split(')').next().unwrap();
            let description = handler.split_once("::").and_then(|(file, name)| {
                let source = handlers.iter().find(|(known, _)| *known == file)?.1;
                doc(source, name)
            });
            let _ = writeln!(
                page,
                "| {method} | `/api{path}` | {} |",
                description.unwrap_or_default()
            );
        }
    }
    check("http.md", &page);
}

/// The first line of the doc comment of a function.
fn doc(source: &str, name: &str) -> Option<String> {
    let at = source.find(&format!("async fn {name}("))?;
    let above: Vec<&str> = source[..at]
        .lines()
        .rev()
        .skip(1)
        .take_while(|line| line.trim_start().starts_with("///"))
        .collect();
    above.last().map(|line| {
        line.trim_start()
            .trim_start_matches("///")
            .trim()
            .to_owned()
    })
}
