//! Definitions as tables: what is read, what is refused and where.

use super::super::{AgentTools, UtilityCommand};
use super::*;
use crate::document::{self, Findings, ValuePath};
use crate::finding::{Finding, Source};

fn define(value: &Value) -> (Option<Materia>, Vec<Finding>) {
    let source = Source::new("m.json", &json!({"A": value}).to_string());
    let node = document::parse(&source).unwrap();
    let definition = SourceMember {
        layer: 0,
        source: &source,
        member: &node.members()[0],
    };
    let fields: Vec<_> = definition.members().collect();
    let path = ValuePath::Root.member("materia");
    let value = definition.value(&path, INVALID, &Findings::default());
    let read = read(&fields, &value.at);
    (read, value.at.findings.take())
}

fn told(value: &Value) -> Vec<String> {
    let found = define(value).1;
    found
        .iter()
        .map(|f| format!("{} {}", f.code, f.path.as_ref().unwrap()))
        .collect()
}

#[test]
fn an_agents_role_is_read_whole() {
    let (read, found) = define(&json!({
        "label": "Judge", "description": "d", "group": "g", "color": "c", "lockState": "locked",
        "parse": "json", "assign": {"a.b": "$.a", "all": "$"}, "generator": false, "interrupted": "ask",
        "secret": ["TOKEN"], "prompt": "look", "model": "p/m", "thinking": "high", "multiTurn": true,
        "agent": "mine", "tools": {"type": "custom", "tools": ["read", "grep", "read"]},
    }));
    assert_eq!(found, []);
    let read = read.unwrap();
    assert_eq!(
        (read.title(), read.parse, read.locked),
        ("Judge", Some(OutputParse::Json), true)
    );
    assert_eq!(read.interrupted, InterruptedPolicy::Ask);
    assert_eq!(read.secret, ["TOKEN"]);
    assert_eq!(
        read.assign[0],
        StateAssign {
            target: "a.b".into(),
            source: "$.a".into()
        }
    );
    let agent = read.agent().unwrap();
    assert_eq!(
        agent.tools,
        AgentTools::Custom(vec!["read".into(), "grep".into()])
    );
    assert!(agent.multi_turn && agent.agent.as_deref() == Some("mine"));
}

#[test]
fn a_utility_runs_one_of_four_things() {
    let run = |value: Value| {
        let (read, found) = define(&value);
        assert_eq!(found, [], "{value}");
        read.unwrap().utility().unwrap().run.clone()
    };
    assert!(
        matches!(run(json!({"command": ["a", "b"]})), UtilityCommand::Command(argv) if argv == ["a", "b"])
    );
    let shipped =
        |name: &str| json!({"script": {"kind": "shippedUtility", "name": name, "runtime": "node"}});
    assert!(
        matches!(run(shipped("detect-vcs.mjs")), UtilityCommand::Shipped(name) if name == "detect-vcs")
    );
    assert!(
        matches!(run(shipped("detect-vcs")), UtilityCommand::Shipped(name) if name == "detect-vcs")
    );
    assert!(matches!(
        run(json!({"template": ["echo {x=1}", "cat"]})),
        UtilityCommand::Template(_)
    ));
    assert!(
        matches!(run(json!({"type": "utility", "recipe": "review"})), UtilityCommand::Recipe(name) if name == "review")
    );
}

#[test]
fn what_is_wrong_is_named_where_it_stands() {
    let table = [
        // Agents
        (json!({"tools": "none"}), "invalid-materia materia.A.prompt"),
        (
            json!({"tools": "none", "prompt": " "}),
            "invalid-materia materia.A.prompt",
        ),
        (json!({"prompt": "p"}), "invalid-materia materia.A.tools"),
        (
            json!({"tools": "everything", "prompt": "p"}),
            "invalid-materia materia.A.tools",
        ),
        (
            json!({"tools": {"type": "custom", "tools": [""]}, "prompt": "p"}),
            "invalid-materia materia.A.tools.tools[0]",
        ),
        (
            json!({"tools": {"tools": []}, "prompt": "p"}),
            "invalid-materia materia.A.tools.type",
        ),
        (
            json!({"tools": "none", "prompt": "p", "parse": "yaml"}),
            "invalid-materia materia.A.parse",
        ),
        (
            json!({"tools": "none", "prompt": "p", "multiTurn": 1}),
            "invalid-materia materia.A.multiTurn",
        ),
        (
            json!({"tools": "none", "prompt": "p", "thinking": "hihg"}),
            "invalid-materia materia.A.thinking",
        ),
        (
            json!({"tools": "none", "prompt": "p", "interrupted": "skip"}),
            "invalid-materia materia.A.interrupted",
        ),
        (
            json!({"tools": "none", "prompt": "p", "secret": [1]}),
            "invalid-materia materia.A.secret[0]",
        ),
        // Metadata, and fields of older configs
        (
            json!({"tools": "none", "prompt": "p", "generates": {"output": "tasks"}}),
            "obsolete-field materia.A.generates",
        ),
        (
            json!({"tools": "none", "prompt": "p", "systemPrompt": "p"}),
            "obsolete-field materia.A.systemPrompt",
        ),
        (
            json!({"tools": "none", "prompt": "p", "edges": []}),
            "misplaced-field materia.A.edges",
        ),
        (
            json!({"tools": "none", "prompt": "p", "promt": "p"}),
            "unknown-field materia.A.promt",
        ),
        (
            json!({"type": "agent", "tools": "none", "prompt": "p", "command": ["x"]}),
            "misplaced-field materia.A.command",
        ),
        (
            json!({"tools": "none", "prompt": "p", "assign": {"": "$"}}),
            "invalid-materia materia.A.assign[\"\"]",
        ),
        // Utilities
        (
            json!({"type": "utility", "command": ["true"], "prompt": "p"}),
            "misplaced-field materia.A.prompt",
        ),
        (
            json!({"type": "utility", "command": ["true"], "tools": "none"}),
            "misplaced-field materia.A.tools",
        ),
        (
            json!({"type": "utility", "command": ["true"], "timeoutMs": 0}),
            "invalid-materia materia.A.timeoutMs",
        ),
        (
            json!({"type": "utility", "command": "true"}),
            "invalid-materia materia.A.command",
        ),
        (
            json!({"type": "utility", "command": []}),
            "invalid-materia materia.A.command",
        ),
        (
            json!({"type": "utility", "command": ["a", ""]}),
            "invalid-materia materia.A.command[1]",
        ),
        (
            json!({"type": "utility"}),
            "invalid-materia materia.A.command",
        ),
        (
            json!({"type": "utility", "command": ["a"], "params": []}),
            "invalid-materia materia.A.params",
        ),
        (
            json!({"command": ["a"], "recipe": "b"}),
            "invalid-materia materia.A.recipe",
        ),
        (
            json!({"script": {"kind": "shippedUtility", "name": "../x.mjs"}}),
            "invalid-materia materia.A.script.name",
        ),
        (
            json!({"script": {"kind": "other", "name": "x.mjs"}}),
            "invalid-materia materia.A.script.kind",
        ),
        (
            json!({"template": {"template": ["echo 'open"]}}),
            "open-quote materia.A.template.template[0]",
        ),
        (
            json!({"type": "spell", "prompt": "p", "tools": "none"}),
            "invalid-materia materia.A.type",
        ),
    ];
    for (given, expected) in table {
        let told = told(&given);
        assert!(
            told.len() == 1 && told[0].split(' ').nth(1) == expected.split(' ').nth(1),
            "{given}: {told:?}"
        );
        if !expected.starts_with("open-quote") {
            assert_eq!(told[0], expected, "{given}");
        }
    }
}

#[test]
fn near_misses_are_suggested() {
    let hint = |value: Value| define(&value).1[0].hint.clone().unwrap();
    assert_eq!(
        hint(json!({"tools": "readonly", "prompt": "p"})),
        "did you mean `readOnly`?"
    );
    assert_eq!(
        hint(json!({"tools": "none", "prompt": "p", "multi_turn": true})),
        "did you mean `multiTurn`?"
    );
}
