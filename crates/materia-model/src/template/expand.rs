//! Expansion: a template and its values become a plan, before anything starts (T21).
//!
//! Owns the order of things inside one node: scope, repeat, guard, body, controls. Problems are
//! collected over the whole tree, not first-error-wins. Bounded in copies, nodes and bytes, so a
//! hostile template gets an error and never a hang. Never touches the machine: home and directory
//! are facts handed in.

mod copies;
mod control;
mod leaf;

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::Facts;
use super::evaluate::Evaluator;
use super::fault::{Fault, unfit};
use super::interface::{self, Interface};
use super::node::{self, Guard, Node, Template};
use super::origin::Origin;
use super::plan::{Body, Controls, Failure, Kind, Plan, Stdin};
use super::scope::Frame;
use super::syntax::{Text, Word};
use crate::finding::Finding;

pub use copies::MAX_COPIES;

/// How many nodes a plan may have.
pub const MAX_PLAN_NODES: usize = 500_000;
/// How many branches of one node run at the same time where nothing says otherwise (T17).
pub const DEFAULT_CONCURRENCY: usize = 64;
/// How many findings are collected before expansion gives up.
const MAX_FINDINGS: usize = 20;

/// A plan, with what was strange on the way to it.
#[derive(Debug, Clone)]
pub struct Expansion {
    /// What would run.
    pub plan: Plan,
    /// Warnings about the values, such as names that nothing declares.
    pub warnings: Vec<Finding>,
}

/// Expands a template with a caller's values, or says everything that is wrong with them.
pub fn expand(
    template: &Template,
    values: &Map<String, Value>,
    facts: Facts<'_>,
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
        Stdin::Previous
    } else {
        Stdin::None
    };
    let mut plan = expander.node(
        &template.root,
        &Frame::outside(&template.realm),
        stdin,
        Failure::Continue,
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

/// A text of the host, such as the path of an artifact, with the template's values in it.
pub fn fill(
    template: &Template,
    text: &str,
    values: &Map<String, Value>,
    facts: Facts<'_>,
) -> Result<String, Vec<Finding>> {
    let interface = template.interface();
    let caller = fit_caller(template, values, interface)?;
    let word = Word::whole(text);
    let read = Text::parse(&word, text, None).map_err(|problem| {
        vec![Finding::error(problem.code, problem.message).hint(problem.hint)]
    })?;
    let evaluator = Evaluator::new(template, &caller, facts);
    let filled = Frame::outside(&template.realm)
        .within(&template.root, None, |frame| evaluator.text(&read, frame));
    filled.map_err(|fault| vec![finding(&fault, interface)])
}

/// The caller's values, each made to fit its declared type (T6).
fn fit_caller(
    template: &Template,
    values: &Map<String, Value>,
    interface: &Interface,
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

fn finding(fault: &Fault, interface: &Interface) -> Finding {
    match fault {
        Fault::Wrong {
            code,
            message,
            hint,
        } if hint.is_empty() => Finding::error(code, message),
        Fault::Wrong {
            code,
            message,
            hint,
        } => Finding::error(code, message).hint(hint),
        Fault::Missing(name) if super::syntax::reserved(name).is_some() => Finding::error(
            "missing-value",
            format!("`{name}` has no value outside of a `repeat`"),
        )
        .hint(format!("add \"repeat\", or pass {name}=…")),
        Fault::Missing(name) => Finding::error("missing-value", format!("`{name}` has no value"))
            .hint(format!(
                "pass {name}=…; expected: {}",
                interface::call_shape(interface.args())
            )),
    }
}

struct Expander<'t> {
    evaluator: Evaluator<'t>,
    interface: &'t Interface,
    findings: Vec<Finding>,
    warnings: Vec<Finding>,
    copies: usize,
    nodes: usize,
    halted: bool,
}

impl<'t> Expander<'t> {
    /// A node in the scope around it; `None` where a problem was recorded.
    fn node(
        &mut self,
        node: &'t Node,
        outer: &Frame<'_, 't>,
        stdin: Stdin,
        failure: Failure,
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

    /// Gives a plan a file for its output, which whatever comes later may name (R7).
    fn stage(&mut self, plan: &mut Plan, stage: &str, outer: &Frame<'_, 't>) {
        let dir = self.evaluator.facts.stages;
        let path = self
            .evaluator
            .stages
            .borrow_mut()
            .add(stage, outer.realm(), dir);
        if plan.controls.keep.is_some() {
            let outer = Plan {
                body: Body::Sequence(Vec::new()),
                controls: Controls::plain(plan.controls.failure),
            };
            let inner = std::mem::replace(plan, outer);
            plan.body = Body::Nested(Box::new(inner));
        }
        plan.controls.keep = Some(path);
    }

    /// Expands branches, none of which sees the stages of another.
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

    /// One execution of a node, in its own scope.
    fn single(
        &mut self,
        node: &'t Node,
        frame: &Frame<'_, 't>,
        stdin: Stdin,
        failure: Failure,
        parallel: bool,
    ) -> Option<Plan> {
        if !self.guard(node, frame)? {
            // A node that does not run asks for nothing, so its label may stay without a value.
            let label = node
                .label
                .as_ref()
                .and_then(|label| self.evaluator.text(&label.text, frame).ok());
            let controls = Controls {
                label,
                ..Controls::plain(failure)
            };
            return Some(Plan {
                body: Body::Skipped(kind(node, parallel)),
                controls,
            });
        }
        let controls = self.controls(node, frame, failure);
        let stdin = if node.input.is_some() {
            Stdin::Input
        } else {
            stdin
        };
        let body = match &node.body {
            node::Body::Command { words, .. } => self.command(node, words, frame, stdin),
            node::Body::Children(children) if parallel => {
                self.parallel(node, children, frame, stdin, failure)
            }
            node::Body::Children(children) => self.sequence(children, frame, stdin, failure),
            node::Body::Nested(inner) => {
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
        children: &'t [Node],
        frame: &Frame<'_, 't>,
        mut stdin: Stdin,
        failure: Failure,
    ) -> Option<Body> {
        let mut steps = Vec::with_capacity(children.len());
        for child in children {
            let step = self.node(child, frame, stdin, failure);
            if !step.as_ref().is_some_and(passes_through) {
                stdin = Stdin::Previous;
            }
            steps.push(step);
        }
        steps.into_iter().collect::<Option<_>>().map(Body::Sequence)
    }

    fn parallel(
        &mut self,
        node: &'t Node,
        children: &'t [Node],
        frame: &Frame<'_, 't>,
        stdin: Stdin,
        failure: Failure,
    ) -> Option<Body> {
        let branches = self.branches(children.len(), |this, index| {
            children
                .get(index)
                .and_then(|child| this.node(child, frame, shared(stdin), failure))
        });
        let branches = branches.into_iter().collect::<Option<Vec<_>>>();
        self.join(node, branches?, frame)
    }

    /// Whether the node runs (T9); a name without a value is false.
    fn guard(&mut self, node: &'t Node, frame: &Frame<'_, 't>) -> Option<bool> {
        let (located, negated) = match &node.when {
            None => return Some(true),
            Some(Guard::Always(yes)) => return Some(*yes),
            Some(Guard::Value(located, negated)) => (located, negated),
        };
        let Some(placeholder) = located.text.single() else {
            return Some(false);
        };
        match self.evaluator.value(placeholder, frame) {
            Ok(value) => Some(super::value::is_truthy(&value) != *negated),
            Err(Fault::Missing(_)) => Some(*negated),
            Err(fault) => {
                self.fault(&fault, &located.origin, placeholder.at);
                None
            }
        }
    }

    fn count_node(&mut self, node: &Node) -> bool {
        self.nodes += 1;
        if self.nodes > MAX_PLAN_NODES {
            let message = format!("the expanded template has more than {MAX_PLAN_NODES} nodes");
            let fault = Fault::Wrong {
                code: "too-large",
                message,
                hint: "repeat less".to_owned(),
            };
            self.fault(&fault, &node.origin, 0);
            self.halted = true;
        }
        !self.halted
    }

    /// Declared arguments that no text mentions are still demanded (T6).
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
                    &Fault::Missing(argument.name.clone()),
                    &template.root.origin,
                    0,
                );
            }
        }
    }

    /// Keeps a problem with its first place; the same problem elsewhere adds nothing.
    fn fault(&mut self, fault: &Fault, origin: &Origin, at: usize) {
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

fn kind(node: &Node, parallel: bool) -> Kind {
    match &node.body {
        node::Body::Command { .. } => Kind::Command,
        node::Body::Children(_) if parallel => Kind::Parallel,
        node::Body::Children(_) => Kind::Sequence,
        node::Body::Nested(inner) => kind(inner, inner.parallel),
    }
}

fn shared(stdin: Stdin) -> Stdin {
    if stdin == Stdin::None {
        Stdin::None
    } else {
        Stdin::Shared
    }
}

/// Whether the next step reads what this one would have read (T10).
fn passes_through(plan: &Plan) -> bool {
    match &plan.body {
        _ if plan.controls.input.is_some() => false,
        Body::Skipped(_) => true,
        Body::Sequence(steps) => steps.iter().all(passes_through),
        Body::Nested(inner) => passes_through(inner),
        Body::Command { .. } | Body::Parallel { .. } => false,
    }
}

/// A node inside a node; where one of them has no controls, they are one.
fn nested(inner: Plan, outer: Controls, failure: Failure) -> Plan {
    let plain = Controls::plain(failure);
    if outer == plain {
        inner
    } else if let Body::Skipped(kind) = inner.body {
        // What does not run reads nothing of its own either.
        Plan {
            body: Body::Skipped(kind),
            controls: Controls {
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
            body: Body::Nested(Box::new(inner)),
            controls: outer,
        }
    }
}

#[cfg(test)]
mod tests;
