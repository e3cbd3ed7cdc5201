//! Controls: the fields around a body, resolved.
//!
//! Owns how labels, numbers, outputs and recoveries become plain data. Resolves every field even
//! after one has failed, so that all problems are reported together. Never decides whether a node
//! runs.

use super::super::document::Range;
use super::super::evaluate::is_path;
use super::super::fault::PlaceholderFault;
use super::super::node::{LocatedText, NumberField, TemplateNode};
use super::super::plan::{FailurePolicy, OutputChannel, Plan, PlanBody, PlanControls, PlanStdin};
use super::super::scope::NameFrame;
use super::super::syntax::PlaceholderForm;
use super::{DEFAULT_CONCURRENCY, Expander};
use crate::finding::Finding;
use crate::text;

/// The range of `repeat`.
pub(super) const REPEAT: Range = Range::Count;

impl<'t> Expander<'t> {
    pub(super) fn controls(
        &mut self,
        node: &'t TemplateNode,
        frame: &NameFrame<'_, 't>,
        failure: FailurePolicy,
    ) -> Option<PlanControls> {
        let before = self.findings.len();
        let controls = PlanControls {
            label: self.label(node, frame),
            delay: self
                .amount("delay", node.delay.as_ref(), frame, Range::Milliseconds)
                .unwrap_or(0),
            timeout: self
                .amount("timeout", node.timeout.as_ref(), frame, Range::Milliseconds)
                .filter(|timeout| *timeout > 0),
            retry: self
                .amount("retry", node.retry.as_ref(), frame, Range::Positive)
                .unwrap_or(1),
            recover: self.recover(node, frame),
            failure: node.failure.unwrap_or(failure),
            output: self.output(node, frame),
            input: node
                .input
                .as_ref()
                .and_then(|input| self.text(&input.text, &input.origin, frame)),
            keep: None,
        };
        (self.findings.len() == before).then_some(controls)
    }

    pub(super) fn label(
        &mut self,
        node: &'t TemplateNode,
        frame: &NameFrame<'_, 't>,
    ) -> Option<String> {
        node.label
            .as_ref()
            .and_then(|label| self.located(label, frame))
    }

    /// The join of parallel branches.
    pub(super) fn join(
        &mut self,
        node: &'t TemplateNode,
        branches: Vec<Plan>,
        frame: &NameFrame<'_, 't>,
    ) -> Option<PlanBody> {
        let before = self.findings.len();
        let concurrency = self.amount(
            "concurrency",
            node.concurrency.as_ref(),
            frame,
            Range::Positive,
        );
        let quorum = self.amount(
            "min_successful",
            node.min_successful.as_ref(),
            frame,
            Range::Count,
        );
        self.warn_quorum(node, quorum, branches.len());
        let size = |amount: u64| usize::try_from(amount).unwrap_or(usize::MAX);
        let body = PlanBody::Parallel {
            branches,
            concurrency: concurrency.map_or(DEFAULT_CONCURRENCY, size),
            min_successful: quorum.map_or(0, size),
        };
        (self.findings.len() == before).then_some(body)
    }

    /// An unreachable quorum is not an error of the values, but the author should know.
    fn warn_quorum(&mut self, node: &TemplateNode, quorum: Option<u64>, branches: usize) {
        let Some(quorum) = quorum.filter(|quorum| *quorum > branches as u64) else {
            return;
        };
        let have = text::count(branches, "branch").replace("branchs", "branches");
        let message = format!("`min_successful` is {quorum}, and there are only {have}");
        if self.warnings.iter().all(|before| before.message != message) && self.warnings.len() < 20
        {
            let finding = Finding::warning("unreachable-quorum", message).hint("ask for fewer");
            self.warnings.push(node.origin.locate(finding, 0));
        }
    }

    /// The plan between attempts. It is fail-closed unless it sets its own policy (T11).
    fn recover(&mut self, node: &'t TemplateNode, frame: &NameFrame<'_, 't>) -> Option<Box<Plan>> {
        let recover = node.recover.as_deref()?;
        self.node(recover, frame, PlanStdin::Previous, FailurePolicy::Branch)
            .map(Box::new)
    }

    /// The result of the node (T15).
    fn output(&mut self, node: &'t TemplateNode, frame: &NameFrame<'_, 't>) -> OutputChannel {
        let Some(located) = &node.output else {
            return OutputChannel::Stdout;
        };
        let must_exist = located
            .text
            .placeholders()
            .any(|placeholder| match &placeholder.form {
                PlaceholderForm::Value { name, .. } => is_path(name, frame),
                _ => false,
            });
        match self.located(located, frame) {
            Some(text) if !text.contains('\0') => OutputChannel::Value { text, must_exist },
            _ => OutputChannel::Stdout,
        }
    }

    fn located(&mut self, located: &LocatedText, frame: &NameFrame<'_, 't>) -> Option<String> {
        let text = self.evaluator.text(&located.text, frame);
        text.map_err(|fault| self.fault(&fault, &located.origin, first_brace(located)))
            .ok()
    }

    fn amount(
        &mut self,
        field: &'static str,
        amount: Option<&NumberField>,
        frame: &NameFrame<'_, 't>,
        range: Range,
    ) -> Option<u64> {
        let amount = amount?;
        match self.evaluate_amount(field, amount, frame, range) {
            Ok(number) => number,
            Err(fault) => {
                if let NumberField::Computed(located) = amount {
                    self.fault(&fault, &located.origin, first_brace(located));
                }
                None
            }
        }
    }

    /// A numeric field. An empty text means that it is not set.
    pub(super) fn evaluate_amount(
        &self,
        field: &'static str,
        amount: &NumberField,
        frame: &NameFrame<'_, 't>,
        range: Range,
    ) -> Result<Option<u64>, PlaceholderFault> {
        let located = match amount {
            NumberField::Fixed(number) => return Ok(Some(*number)),
            NumberField::Computed(located) => located,
        };
        let written = self.evaluator.text(&located.text, frame)?;
        if written.trim().is_empty() {
            return Ok(None);
        }
        let number = written
            .trim()
            .parse()
            .ok()
            .and_then(|number| range.check(number));
        number.map(Some).ok_or_else(|| PlaceholderFault::Wrong {
            code: "invalid-value",
            message: format!(
                "`{field}` is {}, and it must be {}",
                text::quoted(&written),
                range.described()
            ),
            hint: format!("pass {}", range.described()),
        })
    }
}

fn first_brace(located: &LocatedText) -> usize {
    located
        .text
        .placeholders()
        .next()
        .map_or(0, |placeholder| placeholder.at)
}
