//! C6 as a table: what is accepted, what is refused and which paths are named.

use serde_json::json;

use super::*;

fn contract(author: OutputAuthor, assign: &[(&str, &str)]) -> OutputContract {
    let assign = assign
        .iter()
        .map(|(target, source)| StateAssign {
            target: (*target).to_owned(),
            source: (*source).to_owned(),
        })
        .collect();
    OutputContract {
        author,
        generator: false,
        needs_satisfied: false,
        assign,
    }
}

fn agent() -> OutputContract {
    contract(OutputAuthor::Agent, &[])
}

fn paths(contract: &OutputContract, payload: Value) -> Vec<String> {
    let Value::Object(payload) = payload else {
        panic!("an object")
    };
    contract
        .check(payload)
        .err()
        .map_or_else(Vec::new, |invalid| {
            assert_eq!(invalid.kind, OutputStage::HandoffValidation);
            invalid.issues.into_iter().map(|issue| issue.path).collect()
        })
}

#[test]
fn the_three_fields_are_optional_and_typed() {
    assert!(paths(&agent(), json!({})).is_empty());
    assert!(
        paths(
            &agent(),
            json!({"satisfied": false, "context": "", "workItems": []})
        )
        .is_empty()
    );
    let wrong = json!({"satisfied": "yes", "context": {}, "workItems": {}});
    assert_eq!(
        paths(&agent(), wrong),
        ["$.satisfied", "$.context", "$.workItems"]
    );
}

#[test]
fn unknown_fields_of_an_agent_are_named_unless_consumed() {
    let payload = json!({"score": 9, "risks": []});
    assert_eq!(paths(&agent(), payload.clone()), ["$.score", "$.risks"]);
    let score = contract(OutputAuthor::Agent, &[("score", "$.score")]);
    assert_eq!(paths(&score, payload.clone()), ["$.risks"]);
    let last = contract(
        OutputAuthor::Agent,
        &[("score", "lastJson.score"), ("r", "$.risks")],
    );
    assert!(paths(&last, payload.clone()).is_empty());
    let all = contract(OutputAuthor::Agent, &[("all", "$")]);
    assert!(paths(&all, payload.clone()).is_empty());
    assert!(paths(&contract(OutputAuthor::Utility, &[]), payload).is_empty());
}

#[test]
fn obsolete_and_alias_fields_say_what_to_write() {
    let cases = [
        ("passed", "write `satisfied`"),
        ("tasks", "write `workItems`"),
        ("summary", "write it into `context`"),
        ("state", "only programs"),
        ("architecture", "`context` of the work items"),
        ("zebra", "only `workItems`, `satisfied` and `context`"),
    ];
    for (field, advice) in cases {
        let mut payload = Map::new();
        payload.insert(field.to_owned(), json!(1));
        let message = agent().check(payload).unwrap_err().to_string();
        assert!(
            message.contains(&format!("`{field}`")) && message.contains(advice),
            "{message}"
        );
    }
}

#[test]
fn satisfied_is_required_where_the_route_needs_it_and_the_alias_is_named() {
    let guarded = OutputContract {
        needs_satisfied: true,
        ..agent()
    };
    assert_eq!(
        paths(&guarded, json!({"context": "forgot"})),
        ["$.satisfied"]
    );
    let Value::Object(passed) = json!({"passed": true}) else {
        panic!("an object")
    };
    let message = guarded.check(passed).unwrap_err().to_string();
    assert!(message.contains("`passed` is not read"), "{message}");
    let utility = contract(OutputAuthor::Utility, &[]);
    assert_eq!(paths(&utility, json!({"satisfied": null})), ["$.satisfied"]);
    assert_eq!(
        paths(&utility, json!({"satisfied": "true"})),
        ["$.satisfied"]
    );
}

#[test]
fn work_items_have_a_title_and_a_context_and_lose_their_id() {
    for author in [OutputAuthor::Agent, OutputAuthor::Utility] {
        let generator = OutputContract {
            generator: true,
            ..contract(author, &[("workItems", "$.workItems")])
        };
        assert_eq!(
            paths(&generator, json!({"context": "none"})),
            ["$.workItems"]
        );
        let bad = json!({"workItems": [
            {"id": 1, "title": "T", "description": "d", "acceptance": [], "context": {}},
            "text",
            {"title": " ", "context": "c"},
        ]});
        let expected = [
            "$.workItems.0.context",
            "$.workItems.0.description",
            "$.workItems.0.acceptance",
            "$.workItems.1",
            "$.workItems.2.title",
        ];
        assert_eq!(paths(&generator, bad), expected);
        let Value::Object(good) = json!({"workItems": [{"id": "x", "title": "T", "context": "c"}]})
        else {
            panic!("an object")
        };
        let accepted = generator.check(good).unwrap();
        assert_eq!(
            accepted.payload["workItems"],
            json!([{"title": "T", "context": "c"}])
        );
        assert_eq!(accepted.warnings.len(), 1);
    }
    let utility = contract(OutputAuthor::Utility, &[]);
    assert!(
        paths(
            &utility,
            json!({"workItems": [{"id": 1, "context": {"nested": true}}]})
        )
        .is_empty()
    );
}

#[test]
fn what_assign_reads_must_exist_except_the_optional_fields() {
    let copies = contract(
        OutputAuthor::Utility,
        &[
            ("vcs", "$.vcs"),
            ("label", "$.list.0.label"),
            ("note", "$.context"),
            ("s", "state.x"),
        ],
    );
    assert_eq!(
        paths(&copies, json!({"list": []})),
        ["$.vcs", "$.list.0.label"]
    );
    assert!(paths(&copies, json!({"vcs": null, "list": [{"label": 1}]})).is_empty());
    let list = contract(OutputAuthor::Utility, &[("workItems", "$.workItems")]);
    assert_eq!(paths(&list, json!({})), ["$.workItems"]);
}

#[test]
fn issues_are_bounded() {
    let items: Vec<Value> = (0..500).map(|_| json!(1)).collect();
    let generator = OutputContract {
        generator: true,
        ..agent()
    };
    let found = paths(&generator, json!({"workItems": items}));
    assert_eq!(found.len(), MAX_ISSUES + 1);
}
