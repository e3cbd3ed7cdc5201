//! Calls and the command lines that they become.

use serde_json::json;

use super::*;

fn words(tool: &str, arguments: Value) -> String {
    let Value::Object(arguments) = arguments else {
        panic!("no object")
    };
    match request(tool, arguments).unwrap() {
        Ok(request) => {
            let stdin = request
                .stdin
                .map(|stdin| format!(" < {stdin}"))
                .unwrap_or_default();
            format!("{}{stdin}", request.words.join(" "))
        }
        Err(misfit) => format!("! {}", misfit.message),
    }
}

#[test]
fn both_spellings_are_one_request() {
    let older = json!({"to": "run:a", "type": "control.kill"});
    let newer = json!({"target": "run:a", "action": "kill"});
    assert_eq!(
        words("message", older.clone()),
        "message -- run:a control.kill"
    );
    assert_eq!(words("message", older), words("message", newer));
    assert_eq!(
        words(
            "message",
            json!({"to": "run:a", "type": "task.run", "body": "42"})
        ),
        "message --body-file - -- run:a task.run < \"42\"",
        "a text that looks like a number stays a text"
    );
    assert_eq!(
        words("inspect", json!({"target": "runtime", "view": "runs"})),
        "inspect -- coordinator"
    );
    assert_eq!(
        words(
            "inspect",
            json!({"target": "run:a", "view": "trace", "lines": "5"})
        ),
        "inspect --view=tail --lines=5 -- run:a"
    );
    assert_eq!(
        words("inspect", json!({"target": "tool:greet", "view": "schema"})),
        "tool show -- greet"
    );
}

#[test]
fn values_cannot_become_options_and_nothing_is_ignored() {
    assert_eq!(
        words("spawn", json!({"recipe": "--template", "values": {"a": 1}})),
        "spawn --values - -- --template < {\"a\":1}"
    );
    assert_eq!(
        words("spawn", json!({"template": ["a", "b"], "as": "run:x"})),
        "spawn --as=run:x --template [\"a\",\"b\"]"
    );
    assert_eq!(
        words("spawn", json!({"file": "./x.json"})),
        "spawn --file ./x.json"
    );
    assert_eq!(words("spawn", json!({})), "! nothing to run");
    assert_eq!(
        words("spawn", json!({"template": "a", "oops": 1})),
        "! spawn has no parameter `oops`"
    );
    assert_eq!(
        words(
            "cast",
            json!({"request": "x", "loadout": "L", "as": "run:c"})
        ),
        "spawn --as=run:c --loadout=L -- x"
    );
    assert_eq!(
        words("cast", json!({"request": "-x", "loadout": "L"})),
        "cast --detach --loadout=L -- -x"
    );
    assert_eq!(
        words(
            "wait",
            json!({"runs": ["run:a"], "timeout": 1, "any": true})
        ),
        "wait --timeout=1 --any -- run:a"
    );
    assert_eq!(
        words("wait", json!({"runs": "run:a", "timeout": -1})),
        "! `timeout` is no number of seconds up to 3600"
    );
}

#[test]
fn a_tool_is_listed_registered_changed_promoted_and_removed() {
    assert_eq!(words("register_tool", json!({})), "tool list");
    assert_eq!(
        words(
            "register_tool",
            json!({"name": "g", "template": "echo {a}", "args": "a:enum(x,y), b=1"})
        ),
        "tool register --file /dev/stdin -- g < {\"args\":[\"a:enum(x,y)\",\"b=1\"],\"template\":\"echo {a}\"}"
    );
    assert_eq!(
        words("register_tool", json!({"name": "g", "template": null})),
        "tool remove -- g"
    );
    assert_eq!(
        words(
            "register_tool",
            json!({"name": "g", "draft": "d", "update": true})
        ),
        "tool promote --name g --update -- d"
    );
}
