//! Tool calls and the requests that they become.

use serde_json::json;

use super::*;

/// The request of a call, as `Debug` shows it, or the message of its error.
fn shown(tool: &str, arguments: Value) -> String {
    let Value::Object(arguments) = arguments else {
        panic!("no object")
    };
    match own_tool(tool, arguments).unwrap() {
        Ok(call) => format!("{:?}", call.request),
        Err(error) => format!("! {}", error.message),
    }
}

fn message_of(arguments: Value) -> MessageDraft {
    let Value::Object(arguments) = arguments else {
        panic!("no object")
    };
    match own_tool("message", arguments).unwrap().unwrap().request {
        CallRequest::Message(request) => request.draft,
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_forms_of_the_reference_are_one_request() {
    let older = json!({"to": "run:a", "type": "control.kill"});
    let newer = json!({"target": "run:a", "action": "kill"});
    assert_eq!(shown("message", older.clone()), shown("message", newer));
    let draft = message_of(older);
    assert_eq!(
        (draft.to.as_str(), draft.kind.as_str()),
        ("run:a", "control.kill")
    );
    let draft = message_of(json!({"to": "run:a", "type": "task.run", "body": "42"}));
    assert_eq!(draft.body, Some(json!("42")), "a text stays a text");
}

#[test]
fn views_of_the_reference_are_views_of_ours() {
    let inspected = |arguments: Value| {
        let Value::Object(arguments) = arguments else {
            panic!("no object")
        };
        match own_tool("inspect", arguments).unwrap().unwrap().request {
            CallRequest::Inspect(request) => (request.target, request.view, request.lines),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        inspected(json!({"target": "runtime", "view": "runs"})),
        ("coordinator".to_owned(), None, None)
    );
    assert_eq!(
        inspected(json!({"target": "run:a", "view": "trace", "lines": "5"})),
        ("run:a".to_owned(), Some("tail".to_owned()), Some(5))
    );
    assert_eq!(
        inspected(json!({"target": "run:a", "view": "mailbox"})).2,
        Some(INSPECT_LINES)
    );
    assert_eq!(
        shown("inspect", json!({"target": "tool:greet", "view": "schema"})),
        "RecipeShow(\"greet\")"
    );
    assert_eq!(
        shown("inspect", json!({"target": "run:a", "lines": -1})),
        "! `lines` is no whole number from 0 to 1000000000"
    );
}

#[test]
fn a_run_is_spawned_from_one_source() {
    let source = |arguments: Value| {
        let Value::Object(arguments) = arguments else {
            panic!("no object")
        };
        match own_tool("spawn", arguments).unwrap().unwrap().request {
            CallRequest::Spawn(request) => format!("{:?}", request.template.source),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        source(json!({"recipe": "--template", "values": {"a": 1}})),
        "Recipe(\"--template\")"
    );
    assert_eq!(
        source(json!({"template": ["a", "b"]})),
        "Inline(\"[\\\"a\\\",\\\"b\\\"]\")"
    );
    assert_eq!(source(json!({"file": "./x.json"})), "File(\"./x.json\")");
    assert_eq!(source(json!({"file": "x"})), "Recipe(\"x\")");
    assert_eq!(shown("spawn", json!({})), "! nothing to run");
    assert_eq!(
        shown("spawn", json!({"template": "a", "recipe": "b"})),
        "! both a template and a recipe"
    );
    assert_eq!(
        shown("spawn", json!({"template": "a", "oops": 1})),
        "! spawn has no parameter `oops`"
    );
    assert_eq!(
        shown("spawn", json!({"template": "a", "on_session_end": "x"})),
        "! `on_session_end` is neither `keep` nor `kill`"
    );
}

#[test]
fn a_cast_with_an_address_is_spawned() {
    let named = shown(
        "cast",
        json!({"request": "x", "loadout": "L", "as": "run:c"}),
    );
    assert!(
        named.starts_with("SpawnCast(") && named.contains("\"run:c\""),
        "{named}"
    );
    let plain = shown("cast", json!({"request": "-x", "loadout": "L"}));
    assert!(
        plain.starts_with("Cast(") && plain.contains("detach: true"),
        "{plain}"
    );
    assert_eq!(
        shown("cast", json!({"request": "x", "as": "run:c"})),
        "! `as` needs a `loadout`"
    );
    assert_eq!(
        shown("cast", json!({"request": " "})),
        "! `request` is missing"
    );
}

#[test]
fn a_wait_is_bounded() {
    let wait = shown(
        "wait",
        json!({"runs": ["run:a"], "timeout": 1, "any": true}),
    );
    assert!(
        wait.contains("timeout: Some(1s)") && wait.contains("any: true"),
        "{wait}"
    );
    let default = shown("wait", json!({"runs": "run:a"}));
    assert!(default.contains("timeout: Some(240s)"), "{default}");
    assert_eq!(
        shown("wait", json!({"runs": "run:a", "timeout": -1})),
        "! `timeout` is no number of seconds up to 3600"
    );
    assert_eq!(shown("wait", json!({"runs": []})), "! `runs` is missing");
}

#[test]
fn a_tool_is_listed_registered_changed_promoted_and_removed() {
    assert_eq!(shown("register_tool", json!({})), "ToolList");
    let registered = own_tool(
        "register_tool",
        json!({"name": "g", "template": "echo {a}", "args": "a:enum(x,y), b=1"})
            .as_object()
            .cloned()
            .unwrap(),
    );
    let CallRequest::ToolRegister(request) = registered.unwrap().unwrap().request else {
        panic!("no registration")
    };
    assert_eq!(
        Value::Object(request.fields),
        json!({"args": ["a:enum(x,y)", "b=1"], "template": "echo {a}"})
    );
    assert_eq!(
        shown("register_tool", json!({"name": "g", "template": null})),
        "ToolRemove(\"g\")"
    );
    let promoted = shown(
        "register_tool",
        json!({"name": "g", "draft": "d", "update": true}),
    );
    assert!(promoted.starts_with("ToolPromote("), "{promoted}");
}
