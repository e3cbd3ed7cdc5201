//! Serializes a plan for another process, as a flat list of nodes: a plan may nest deeper than the
//! JSON parser allows.
//!
//! Owns that format and nothing else. The first node is the root. A node names its children by
//! their index in the list, which is always greater than its own, so that reading terminates.

use serde::{Deserialize, Serialize};

use super::plan::{
    FailurePolicy, OutputChannel, Plan, PlanBody, PlanControls, PlanKind, PlanStdin,
};

/// A plan as a list.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PackedPlan(Vec<Node>);

/// A list that is not a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("node {0} of the plan does not fit")]
pub struct PackedPlanError(usize);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Node {
    #[serde(flatten)]
    shape: Shape,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    delay: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    timeout: Option<u64>,
    retry: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    recover: Option<usize>,
    failure: FailurePolicy,
    #[serde(default, skip_serializing_if = "is_stdout")]
    output: OutputChannel,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    input: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    keep: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Shape {
    Command {
        argv: Vec<String>,
        stdin: PlanStdin,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        part: Option<String>,
    },
    Sequence {
        below: Vec<usize>,
    },
    Parallel {
        below: Vec<usize>,
        concurrency: usize,
        min_successful: usize,
    },
    Nested {
        below: usize,
    },
    Skipped {
        was: PlanKind,
    },
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn is_stdout(output: &OutputChannel) -> bool {
    *output == OutputChannel::Stdout
}

/// Serializes a plan to a list.
pub fn pack(plan: Plan) -> PackedPlan {
    let mut list = Vec::new();
    pack_into(&mut list, plan);
    PackedPlan(list.into_iter().flatten().collect())
}

/// Adds a plan to the list and returns its index. Every reserved index is filled on the way back.
fn pack_into(list: &mut Vec<Option<Node>>, plan: Plan) -> usize {
    let place = list.len();
    list.push(None);
    let PlanControls {
        label,
        delay,
        timeout,
        retry,
        recover,
        failure,
        output,
        input,
        keep,
    } = plan.controls;
    let mut all = |below: Vec<Plan>| {
        below
            .into_iter()
            .map(|plan| pack_into(list, plan))
            .collect()
    };
    let shape = match plan.body {
        PlanBody::Command { argv, stdin, part } => Shape::Command {
            argv,
            stdin,
            part: part.map(|part| part.to_string()),
        },
        PlanBody::Sequence(steps) => Shape::Sequence { below: all(steps) },
        PlanBody::Parallel {
            branches,
            concurrency,
            min_successful,
        } => Shape::Parallel {
            below: all(branches),
            concurrency,
            min_successful,
        },
        PlanBody::Nested(inner) => Shape::Nested {
            below: pack_into(list, *inner),
        },
        PlanBody::Skipped(was) => Shape::Skipped { was },
    };
    let recover = recover.map(|recover| pack_into(list, *recover));
    list[place] = Some(Node {
        shape,
        label,
        delay,
        timeout,
        retry,
        recover,
        failure,
        output,
        input,
        keep,
    });
    place
}

/// Rebuilds the plan.
pub fn unpack(PackedPlan(list): PackedPlan) -> Result<Plan, PackedPlanError> {
    let mut nodes: Vec<Option<Node>> = list.into_iter().map(Some).collect();
    let mut plans: Vec<Option<Plan>> = Vec::new();
    plans.resize_with(nodes.len(), || None);
    // In reverse order: the children of a node are read before it.
    for place in (0..nodes.len()).rev() {
        let node = nodes[place].take().ok_or(PackedPlanError(place))?;
        plans[place] = Some(unpack_one(node, &mut plans).ok_or(PackedPlanError(place))?);
    }
    plans.into_iter().next().flatten().ok_or(PackedPlanError(0))
}

fn unpack_one(node: Node, plans: &mut [Option<Plan>]) -> Option<Plan> {
    let mut one = |place: usize| plans.get_mut(place)?.take();
    let body = match node.shape {
        Shape::Command { argv, stdin, part } if !argv.is_empty() => PlanBody::Command {
            argv,
            stdin,
            part: part.map(Into::into),
        },
        Shape::Command { .. } => return None,
        Shape::Sequence { below } => {
            PlanBody::Sequence(below.into_iter().map(&mut one).collect::<Option<_>>()?)
        }
        Shape::Parallel {
            below,
            concurrency,
            min_successful,
        } => PlanBody::Parallel {
            branches: below.into_iter().map(&mut one).collect::<Option<_>>()?,
            concurrency: concurrency.max(1),
            min_successful,
        },
        Shape::Nested { below } => PlanBody::Nested(Box::new(one(below)?)),
        Shape::Skipped { was } => PlanBody::Skipped(was),
    };
    let recover = match node.recover {
        Some(place) => Some(Box::new(one(place)?)),
        None => None,
    };
    let Node {
        label,
        delay,
        timeout,
        retry,
        failure,
        output,
        input,
        keep,
        ..
    } = node;
    Some(Plan {
        body,
        controls: PlanControls {
            label,
            delay,
            timeout,
            retry,
            recover,
            failure,
            output,
            input,
            keep,
        },
    })
}

#[cfg(test)]
mod tests {
    use crate::finding::Source;
    use crate::template::{HostFacts, expand, parse};

    use super::*;

    fn plan(template: &str) -> Plan {
        let template = parse(&Source::new("--template", template)).unwrap();
        expand(&template, &serde_json::Map::new(), HostFacts::default())
            .unwrap()
            .plan
    }

    fn there_and_back(plan: &Plan) -> Plan {
        let text = serde_json::to_string(&pack(plan.clone())).unwrap();
        unpack(serde_json::from_str(&text).unwrap()).unwrap()
    }

    #[test]
    fn every_kind_of_node_comes_back_as_it_was() {
        let all = plan(
            r#"[{"label": "a", "retry": 3, "recover": ["b", "c"], "timeout": 9, "delay": 1, "input": "a\nb ", "template": "x 'y z'"},
                {"parallel": true, "concurrency": 2, "min_successful": 1, "failure": "branch", "template":
                    ["one", {"when": false, "template": "two"}, {"template": {"template": "three"}}]},
                {"repeat": 3, "template": "lane {index}"}]"#,
        );
        assert_eq!(there_and_back(&all), all);
    }

    #[test]
    fn a_plan_may_nest_deeper_than_json_is_read() {
        let deep = (0..300).fold(plan("true"), |inner, _| Plan {
            body: PlanBody::Nested(Box::new(inner)),
            controls: PlanControls::plain(FailurePolicy::Continue),
        });
        assert_eq!(there_and_back(&deep), deep);
    }

    #[test]
    fn a_list_that_names_what_is_not_below_it_is_no_plan() {
        for text in [
            "[]",
            r#"[{"kind":"nested","below":0,"retry":1,"failure":"continue"}]"#,
            r#"[{"kind":"nested","below":7,"retry":1,"failure":"continue"}]"#,
            r#"[{"kind":"command","argv":[],"stdin":"none","retry":1,"failure":"continue"}]"#,
        ] {
            assert!(
                unpack(serde_json::from_str(text).unwrap()).is_err(),
                "{text}"
            );
        }
    }
}
