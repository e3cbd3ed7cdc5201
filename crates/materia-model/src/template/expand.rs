//! Expansion: a template and its values become a plan, before anything starts (T21).
//!
//! Owns the order of steps inside one node: scope, repeat, guard, body, controls. Collects problems
//! over the whole tree instead of stopping at the first. Bounded in copies, nodes and bytes, so a
//! hostile template gets an error and never a hang. Never accesses the machine: the caller passes
//! home and directory as facts.

mod copies;
mod control;
mod leaf;

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::HostFacts;
use super::evaluate::Evaluator;
use super::fault::{PlaceholderFault, unfit};
use super::interface::{self, TemplateInterface};
use super::node::{self, NodeGuard, Template, TemplateNode};
use super::origin::TextOrigin;
use super::plan::{FailurePolicy, Plan, PlanBody, PlanControls, PlanKind, PlanStdin};
use super::scope::NameFrame;
use super::syntax::{CommandWord, TemplateText};
use crate::finding::Finding;

pub use copies::MAX_COPIES;

/// The maximum number of nodes of a plan.
pub const MAX_PLAN_NODES: usize = 500_000;
/// The default number of branches of one node that run at the same time (T17).
pub const DEFAULT_CONCURRENCY: usize = 64;
/// The maximum number of findings before expansion stops.
const MAX_FINDINGS: usize = 20;

/// A plan, with the warnings of its expansion.
#[derive(Debug, Clone)]
pub struct Expansion {
    /// The plan to run.
    pub plan: Plan,
    /// Warnings about the values, such as names that nothing declares.
    pub warnings: Vec<Finding>,
}

/// Expands a template with a caller's values, or reports everything that is wrong with them.
pub fn expand(
    template: &Template,
    values: &Map<String, Value>,
    facts: HostFacts<'_>,
) -> Result<Expansion, Vec<Finding>> {
    let interface = template.interface();
    let mut warnings = interface.undeclared(values);
    let caller = fit_caller(template, values, interface)?;
    let evaluator = Evaluator::new(template, &caller, facts);
    let mut expander = Expander {
        evaluator,
        interface,
        findings: Vec::new(),
        warnings: Vec::new(),
        copies: 0,
        nodes: 0,
        halted: false,
    };
    expander.demand_unused(&caller);
    let stdin = if facts.has_stdin {
        PlanStdin::Previous
    } else {
        PlanStdin::None
    };
    let mut plan = expander.node(
        &template.root,
        &NameFrame::outside(&template.realm),
        stdin,
        FailurePolicy::Continue,
    );
    if let Some(plan) = plan.as_mut().filter(|_| template.uses_stages) {
        expander.evaluator.stages.borrow().settle(plan);
    }
    match plan {
        Some(plan) if expander.findings.is_empty() => {
            warnings.append(&mut expander.warnings);
            Ok(Expansion { plan, warnings })
        }
        _ => Err(expander.findings),
    }
}

/// Fills the template's values into a text of the host, such as the path of an artifact.
pub fn fill(
    template: &Template,
    text: &str,
    values: &Map<String, Value>,
    facts: HostFacts<'_>,
) -> Result<String, Vec<Finding>> {
    let interface = template.interface();
    let caller = fit_caller(template, values, interface)?;
    let word = CommandWord::whole(text);
    let read = TemplateText::parse(&word, text, None).map_err(|problem| {
        vec![Finding::error(problem.code, problem.message).hint(problem.hint)]
    })?;
    let evaluator = Evaluator::new(template, &caller, facts);
    let filled = NameFrame::outside(&template.realm)
        .within(&template.root, None, |frame| evaluator.text(&read, frame));
    filled.map_err(|fault| vec![finding(&fault, interface)])
}

/// Converts the caller's values to their declared types (T6).
fn fit_caller(
    template: &Template,
    values: &Map<String, Value>,
    interface: &TemplateInterface,
) -> Result<Map<String, Value>, Vec<Finding>> {
    let mut fitted = Map::new();
    let mut findings = Vec::new();
    for (name, value) in values {
        let Some(declared) = template.realm.types.get(name) else {
            fitted.insert(name.clone(), value.clone());
            continue;
        };
        if let Some(value) = declared.ty.fit(Cow::Borrowed(value)) {
            fitted.insert(name.clone(), value.into_owned());
        } else if findings.len() < MAX_FINDINGS {
            let mut finding = finding(&unfit(name, &declared.ty, value), interface);
            let shape = interface::call_shape(interface.args());
            finding.hint = finding
                .hint
                .map(|hint| format!("{hint}; expected: {shape}"));
            findings.push(declared.origin.locate(finding, declared.at));
        }
    }
    if findings.is_empty() {
        Ok(fitted)
    } else {
        Err(findings)
    }
}

fn finding(fault: &PlaceholderFault, interface: &TemplateInterface) -> Finding {
    match fault {
        PlaceholderFault::Wrong {
            code,
            message,
            hint,
        } if hint.is_empty() => Finding::error(code, message),
        PlaceholderFault::Wrong {
            code,
            message,
            hint,
        } => Finding::error(code, message).hint(hint),
        PlaceholderFault::Missing(name) if super::syntax::reserved(name).is_some() => {
            Finding::error(
                "missing-value",
                format!("`{name}` has no value outside of a `repeat`"),
            )
            .hint(format!("add \"repeat\", or pass {name}=…"))
        }
        PlaceholderFault::Missing(name) => {
            Finding::error("missing-value", format!("`{name}` has no value")).hint(format!(
                "pass {name}=…; expected: {}",
                interface::call_shape(interface.args())
            ))
        }
    }
}

struct Expander<'t> {
    evaluator: Evaluator<'t>,
    interface: &'t TemplateInterface,
    findings: Vec<Finding>,
    warnings: Vec<Finding>,
    copies: usize,
    nodes: usize,
    halted: bool,
}

impl<'t> Expander<'t> {
    /// Expands a node in its outer scope. `None` if a problem was recorded.
    fn node(
        &mut self,
        node: &'t TemplateNode,
        outer: &NameFrame<'_, 't>,
        stdin: PlanStdin,
        failure: FailurePolicy,
    ) -> Option<Plan> {
        if self.halted || !self.count_node(node) {
            return None;
        }
        let mut plan = match &node.repeat {
            Some(repeat) => self.repeated(node, repeat, outer, stdin, failure),
            None => outer.within(node, None, |frame| {
                self.single(node, frame, stdin, failure, node.parallel)
            }),
        };
        if let (Some(stage), Some(plan)) = (&node.stage, &mut plan)
            && self.evaluator.template.uses_stages
        {
            self.stage(plan, stage, outer);
        }
        plan
    }

    /// Assigns a file to the output of a plan, which later steps may name (R7).
    fn stage(&mut self, plan: &mut Plan, stage: &str, outer: &NameFrame<'_, 't>) {
        let dir = self.evaluator.facts.stages;
        let path = self
            .evaluator
            .stages
            .borrow_mut()
            .add(stage, outer.realm(), dir);
        if plan.controls.keep.is_some() {
            let outer = Plan {
                body: PlanBody::Sequence(Vec::new()),
                controls: PlanControls::plain(plan.controls.failure),
            };
            let inner = std::mem::replace(plan, outer);
            plan.body = PlanBody::Nested(Box::new(inner));
        }
        plan.controls.keep = Some(path);
    }

    /// Expands branches. No branch sees the stages of another.
    fn branches<T>(
        &mut self,
        count: usize,
        mut expand: impl FnMut(&mut Self, usize) -> T,
    ) -> Vec<T> {
        let mark = self.evaluator.stages.borrow().mark();
        let mut hidden = Vec::new();
        let branches = (0..count)
            .map(|index| {
                let branch = expand(self, index);
                hidden.push(self.evaluator.stages.borrow_mut().hide(mark));
                branch
            })
            .collect();
        if self.evaluator.template.uses_stages {
            self.evaluator.stages.borrow_mut().join(hidden);
        }
        branches
    }

    /// Expands one execution of a node, in its own scope.
    fn single(
        &mut self,
        node: &'t TemplateNode,
        frame: &NameFrame<'_, 't>,
        stdin: PlanStdin,
        failure: FailurePolicy,
        parallel: bool,
    ) -> Option<Plan> {
        if !self.guard(node, frame)? {
            // A skipped node needs no values, so its label may remain unresolved.
            let label = node
                .label
                .as_ref()
                .and_then(|label| self.evaluator.text(&label.text, frame).ok());
            let controls = PlanControls {
                label,
                ..PlanControls::plain(failure)
            };
            return Some(Plan {
                body: PlanBody::Skipped(kind(node, parallel)),
                controls,
            });
        }
        let controls = self.controls(node, frame, failure);
        let stdin = if node.input.is_some() {
            PlanStdin::Input
        } else {
            stdin
        };
        let body = match &node.body {
            node::NodeBody::Command { words, .. } => self.command(node, words, frame, stdin),
            node::NodeBody::Children(children) if parallel => {
                self.parallel(node, children, frame, stdin, failure)
            }
            node::NodeBody::Children(children) => self.sequence(children, frame, stdin, failure),
            node::NodeBody::Nested(inner) => {
                let inner = self.node(inner, frame, stdin, failure);
                return Some(nested(inner?, controls?, failure));
            }
        };
        Some(Plan {
            body: body?,
            controls: controls?,
        })
    }

    fn sequence(
        &mut self,
        children: &'t [TemplateNode],
        frame: &NameFrame<'_, 't>,
        mut stdin: PlanStdin,
        failure: FailurePolicy,
    ) -> Option<PlanBody> {
        let mut steps = Vec::with_capacity(children.len());
        for child in children {
            let step = self.node(child, frame, stdin, failure);
            if !step.as_ref().is_some_and(passes_through) {
                stdin = PlanStdin::Previous;
            }
            steps.push(step);
        }
        steps
            .into_iter()
            .collect::<Option<_>>()
            .map(PlanBody::Sequence)
    }

    fn parallel(
        &mut self,
        node: &'t TemplateNode,
        children: &'t [TemplateNode],
        frame: &NameFrame<'_, 't>,
        stdin: PlanStdin,
        failure: FailurePolicy,
    ) -> Option<PlanBody> {
        let branches = self.branches(children.len(), |this, index| {
            children
                .get(index)
                .and_then(|child| this.node(child, frame, shared(stdin), failure))
        });
        let branches = branches.into_iter().collect::<Option<Vec<_>>>();
        self.join(node, branches?, frame)
    }

    /// Whether the node runs (T9). A name without a value is false.
    fn guard(&mut self, node: &'t TemplateNode, frame: &NameFrame<'_, 't>) -> Option<bool> {
        let (located, negated) = match &node.when {
            None => return Some(true),
            Some(NodeGuard::Always(yes)) => return Some(*yes),
            Some(NodeGuard::Value(located, negated)) => (located, negated),
        };
        let Some(placeholder) = located.text.single() else {
            return Some(false);
        };
        match self.evaluator.value(placeholder, frame) {
            Ok(value) => Some(super::value::is_truthy(&value) != *negated),
            Err(PlaceholderFault::Missing(_)) => Some(*negated),
            Err(fault) => {
                self.fault(&fault, &located.origin, placeholder.at);
                None
            }
        }
    }

    fn count_node(&mut self, node: &TemplateNode) -> bool {
        self.nodes += 1;
        if self.nodes > MAX_PLAN_NODES {
            let message = format!("the expanded template has more than {MAX_PLAN_NODES} nodes");
            let fault = PlaceholderFault::Wrong {
                code: "too-large",
                message,
                hint: "repeat less".to_owned(),
            };
            self.fault(&fault, &node.origin, 0);
            self.halted = true;
        }
        !self.halted
    }

    /// Declared arguments are required even if no text uses them (T6).
    fn demand_unused(&mut self, caller: &Map<String, Value>) {
        let template = self.evaluator.template;
        for argument in &template.declared {
            let host = self
                .evaluator
                .facts
                .host
                .is_some_and(|host| host.contains_key(&argument.name));
            let given = caller.contains_key(&argument.name) || host;
            if !given && self.interface.is_unused(&argument.name) {
                self.fault(
                    &PlaceholderFault::Missing(argument.name.clone()),
                    &template.root.origin,
                    0,
                );
            }
        }
    }

    /// Records a problem with its first position. Drops repetitions.
    fn fault(&mut self, fault: &PlaceholderFault, origin: &TextOrigin, at: usize) {
        let finding = finding(fault, self.interface);
        if self
            .findings
            .iter()
            .any(|before| before.code == finding.code && before.message == finding.message)
        {
            return;
        }
        self.findings.push(origin.locate(finding, at));
        // An exhausted budget stays exhausted.
        let spent = self
            .findings
            .last()
            .is_some_and(|finding| finding.code == "too-large");
        self.halted |= spent || self.findings.len() >= MAX_FINDINGS;
    }
}

fn kind(node: &TemplateNode, parallel: bool) -> PlanKind {
    match &node.body {
        node::NodeBody::Command { .. } => PlanKind::Command,
        node::NodeBody::Children(_) if parallel => PlanKind::Parallel,
        node::NodeBody::Children(_) => PlanKind::Sequence,
        node::NodeBody::Nested(inner) => kind(inner, inner.parallel),
    }
}

fn shared(stdin: PlanStdin) -> PlanStdin {
    if stdin == PlanStdin::None {
        PlanStdin::None
    } else {
        PlanStdin::Shared
    }
}

/// Whether the next step reads the input of this one (T10).
fn passes_through(plan: &Plan) -> bool {
    match &plan.body {
        _ if plan.controls.input.is_some() => false,
        PlanBody::Skipped(_) => true,
        PlanBody::Sequence(steps) => steps.iter().all(passes_through),
        PlanBody::Nested(inner) => passes_through(inner),
        PlanBody::Command { .. } | PlanBody::Parallel { .. } => false,
    }
}

/// Nests a node in a node. Merges them if one of them has no controls.
fn nested(inner: Plan, outer: PlanControls, failure: FailurePolicy) -> Plan {
    let plain = PlanControls::plain(failure);
    if outer == plain {
        inner
    } else if let PlanBody::Skipped(kind) = inner.body {
        // A skipped node has no input of its own.
        Plan {
            body: PlanBody::Skipped(kind),
            controls: PlanControls {
                input: None,
                ..outer
            },
        }
    } else if inner.controls == plain {
        Plan {
            body: inner.body,
            controls: outer,
        }
    } else {
        Plan {
            body: PlanBody::Nested(Box::new(inner)),
            controls: outer,
        }
    }
}

#[cfg(test)]
mod tests;
