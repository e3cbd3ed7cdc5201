//! The explanation of a plan: the tree that `materia explain --json` prints.
//!
//! Owns its shape, which is a contract. Built from the plan alone, so it shows exactly what would
//! run.

use serde::Serialize;
use serde_json::{Value, json};

use super::plan::{FailurePolicy, OutputChannel, Plan, PlanBody, PlanKind, PlanStdin};

/// One node of the explanation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExplainedNode<'p> {
    kind: PlanKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<&'p str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    skipped: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    argv: Option<&'p [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stdin: Option<PlanStdin>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timeout: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recover: Option<Box<ExplainedNode<'p>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<FailurePolicy>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    keep: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    concurrency: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_successful: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    children: Option<Vec<ExplainedNode<'p>>>,
}

/// Explains a plan.
pub fn explain(plan: &Plan) -> ExplainedNode<'_> {
    let controls = &plan.controls;
    let mut explained = ExplainedNode {
        kind: plan.kind(),
        label: controls.label.as_deref(),
        skipped: false,
        argv: None,
        stdin: None,
        input: controls.input.as_deref(),
        delay: Some(controls.delay).filter(|delay| *delay > 0),
        timeout: controls.timeout,
        retry: Some(controls.retry).filter(|attempts| *attempts > 1),
        recover: controls
            .recover
            .as_deref()
            .map(|recover| Box::new(explain(recover))),
        failure: Some(controls.failure).filter(|failure| *failure != FailurePolicy::Continue),
        output: output(&controls.output),
        keep: controls.keep.as_deref(),
        concurrency: None,
        min_successful: None,
        children: None,
    };
    match &plan.body {
        PlanBody::Command { argv, stdin, .. } => {
            explained.argv = Some(argv);
            explained.stdin = Some(*stdin);
        }
        PlanBody::Sequence(steps) => explained.children = Some(steps.iter().map(explain).collect()),
        PlanBody::Parallel {
            branches,
            concurrency,
            min_successful,
        } => {
            explained.concurrency = Some(*concurrency);
            explained.min_successful = Some(*min_successful).filter(|quorum| *quorum > 0);
            explained.children = Some(branches.iter().map(explain).collect());
        }
        PlanBody::Nested(inner) => explained.children = Some(vec![explain(inner)]),
        PlanBody::Skipped(_) => explained.skipped = true,
    }
    explained
}

fn output(output: &OutputChannel) -> Option<Value> {
    match output {
        OutputChannel::Stdout => None,
        OutputChannel::Value { text, must_exist } => {
            Some(json!({"value": text, "mustExist": must_exist}))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;
    use crate::finding::Source;
    use crate::template::{HostFacts, expand, parse};

    #[test]
    fn the_tree_is_the_contract_of_the_command_line() {
        let text = r#"{"parallel": true, "min_successful": 1, "template": [
            {"label": "a", "timeout": 5, "retry": 2, "recover": "clean", "template": "t {x=1}"},
            {"when": false, "template": ["u {missing}"]},
            {"retry": 2, "template": {"delay": 7, "template": "v"}},
            {"args": ["o:path"], "defaults": {"o": "out"}, "output": "o", "failure": "root", "template": ["w", "x"]}
        ]}"#;
        let template = parse(&Source::new("t", text)).unwrap();
        let plan = expand(&template, &Map::new(), HostFacts::default())
            .unwrap()
            .plan;
        let expected = json!({"kind": "parallel", "concurrency": 64, "min_successful": 1, "children": [
            {"kind": "command", "label": "a", "argv": ["t", "1"], "stdin": "none", "timeout": 5, "retry": 2,
             "recover": {"kind": "command", "argv": ["clean"], "stdin": "previous", "failure": "branch"}},
            {"kind": "sequence", "skipped": true},
            {"kind": "sequence", "retry": 2, "children": [
                {"kind": "command", "argv": ["v"], "stdin": "none", "delay": 7}]},
            {"kind": "sequence", "failure": "root", "output": {"value": "out", "mustExist": true}, "children": [
                {"kind": "command", "argv": ["w"], "stdin": "none"},
                {"kind": "command", "argv": ["x"], "stdin": "previous"}]}
        ]});
        assert_eq!(serde_json::to_value(explain(&plan)).unwrap(), expected);
    }
}
