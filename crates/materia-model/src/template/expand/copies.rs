//! Copies: `repeat` turns one node into many (T12).
//!
//! Owns the count, its limit, and which fields belong to a copy and which to the join around the
//! copies. Evaluates nothing but the count itself.

use super::super::fault::PlaceholderFault;
use super::super::node::{NodeBody as Written, NumberField, TemplateNode};
use super::super::plan::{FailurePolicy, Plan, PlanBody, PlanControls, PlanKind, PlanStdin};
use super::super::scope::{NameFrame, RepeatIndex};
use super::{Expander, passes_through, shared};

/// The maximum number of copies of all repeats of a plan together (T17).
pub const MAX_COPIES: usize = 100_000;

impl<'t> Expander<'t> {
    pub(super) fn repeated(
        &mut self,
        node: &'t TemplateNode,
        repeat: &'t NumberField,
        outer: &NameFrame<'_, 't>,
        stdin: PlanStdin,
        failure: FailurePolicy,
    ) -> Option<Plan> {
        let scope = node.failure.unwrap_or(failure);
        let skipped = Plan {
            body: PlanBody::Skipped(join_kind(node)),
            controls: PlanControls::plain(scope),
        };
        let count = match outer.within(node, None, |frame| self.count(repeat, frame)) {
            Ok(count) => count,
            Err(fault) => {
                // If the guard is false, the count is not needed.
                let missing = matches!(fault, PlaceholderFault::Missing(_));
                let off = missing
                    && outer.within(node, None, |frame| self.guard(node, frame)) == Some(false);
                return if off {
                    Some(skipped)
                } else {
                    self.count_fault(repeat, node, &fault)
                };
            }
        };
        if !self.admit(count, repeat, node) {
            return None;
        }
        let copies = self.copies(node, count, outer, stdin, failure)?;
        if copies
            .iter()
            .all(|copy| matches!(copy.body, PlanBody::Skipped(_)))
        {
            return Some(skipped);
        }
        let body = if node.parallel {
            outer.within(node, None, |frame| self.join(node, copies, frame))?
        } else {
            PlanBody::Sequence(copies)
        };
        Some(Plan {
            body,
            controls: PlanControls::plain(scope),
        })
    }

    fn copies(
        &mut self,
        node: &'t TemplateNode,
        count: usize,
        outer: &NameFrame<'_, 't>,
        stdin: PlanStdin,
        failure: FailurePolicy,
    ) -> Option<Vec<Plan>> {
        let mut flow = if node.parallel { shared(stdin) } else { stdin };
        let mut copies = Vec::new();
        let mut whole = true;
        let mut hidden = Vec::new();
        for index in 0..count {
            if self.halted || !self.count_node(node) {
                return None;
            }
            // A repeated parallel list makes lanes: each copy is a sequence.
            let turn = Some(RepeatIndex { index, count });
            let mark = self.evaluator.stages.borrow().mark();
            let copy = outer.within(node, turn, |frame| {
                self.single(node, frame, flow, failure, false)
            });
            if node.parallel && self.evaluator.template.uses_stages {
                hidden.push(self.evaluator.stages.borrow_mut().hide(mark));
            }
            if !node.parallel && !copy.as_ref().is_some_and(passes_through) {
                flow = PlanStdin::Previous;
            }
            whole &= copy.is_some();
            copies.extend(copy);
        }
        self.evaluator.stages.borrow_mut().join(hidden);
        whole.then_some(copies)
    }

    fn count(
        &self,
        repeat: &NumberField,
        frame: &NameFrame<'_, 't>,
    ) -> Result<usize, PlaceholderFault> {
        let count = self.evaluate_amount("repeat", repeat, frame, super::control::REPEAT)?;
        Ok(usize::try_from(count.unwrap_or(0)).unwrap_or(usize::MAX))
    }

    fn count_fault(
        &mut self,
        repeat: &NumberField,
        node: &TemplateNode,
        fault: &PlaceholderFault,
    ) -> Option<Plan> {
        match repeat {
            NumberField::Computed(located) => self.fault(fault, &located.origin, 0),
            NumberField::Fixed(_) => self.fault(fault, &node.origin, 0),
        }
        None
    }

    fn admit(&mut self, count: usize, repeat: &NumberField, node: &TemplateNode) -> bool {
        self.copies = self.copies.saturating_add(count);
        if self.copies <= MAX_COPIES {
            return true;
        }
        let message = if count > MAX_COPIES {
            format!("`repeat` is {count}, and at most {MAX_COPIES} copies are made")
        } else {
            format!("repeats inside repeats make more than {MAX_COPIES} copies")
        };
        let hint = "repeat less, or run it in several goes".to_owned();
        self.count_fault(
            repeat,
            node,
            &PlaceholderFault::Wrong {
                code: "too-many-copies",
                message,
                hint,
            },
        );
        self.halted = true;
        false
    }
}

fn join_kind(node: &TemplateNode) -> PlanKind {
    match (&node.body, node.parallel) {
        (Written::Command { .. } | Written::Children(_) | Written::Nested(_), true) => {
            PlanKind::Parallel
        }
        _ => PlanKind::Sequence,
    }
}
