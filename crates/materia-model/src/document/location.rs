//! The locations of values, and the findings about a document.
//!
//! Owns the bounded list of findings that one reading of a document fills, and the locations that
//! add findings to it. A location outlives the document, so later checks can still report at the
//! right position. Never decides what is wrong.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use super::{DocValue, SourceMember, ValuePath};
use crate::finding::{Finding, Severity, Source};

/// The maximum number of errors, and of warnings, that one reading keeps.
const MAX_FINDINGS: usize = 100;

/// The findings of one reading of a document, shared by the locations of its values.
#[derive(Debug, Clone, Default)]
pub(crate) struct Findings(Rc<RefCell<FindingList>>);

#[derive(Debug, Default)]
struct FindingList {
    kept: Vec<Finding>,
    errors: usize,
    warnings: usize,
}

impl Findings {
    /// The number of errors, including those that were dropped.
    pub(crate) fn errors(&self) -> usize {
        self.0.borrow().errors
    }

    /// Whether the list would keep another error. If not, the caller need not compute its hint.
    pub(crate) fn has_room(&self) -> bool {
        self.errors() < MAX_FINDINGS
    }

    /// Adds a finding of another reader.
    pub(crate) fn adopt(&self, finding: Finding) {
        self.add(finding.severity, || finding);
    }

    /// Takes the findings so far and empties the list.
    pub(crate) fn take(&self) -> Vec<Finding> {
        std::mem::take(&mut self.0.borrow_mut().kept)
    }

    fn add(&self, severity: Severity, finding: impl FnOnce() -> Finding) {
        let mut list = self.0.borrow_mut();
        let count = match severity {
            Severity::Error => &mut list.errors,
            Severity::Warning => &mut list.warnings,
        };
        *count += 1;
        if *count <= MAX_FINDINGS {
            list.kept.push(finding());
        }
    }
}

/// The location of a value: its source and span, its path, and the code of findings about its
/// shape.
#[derive(Debug, Clone)]
pub(crate) struct Location {
    pub(crate) source: Source,
    pub(super) span: Range<usize>,
    /// The span of the member's name; that of the value if it is not a member.
    pub(super) name_span: Range<usize>,
    pub(crate) path: ValuePath,
    pub(super) code: &'static str,
    pub(crate) findings: Findings,
}

impl Location {
    /// The location of the member's name instead of its value.
    pub(crate) fn at_name(&self) -> Self {
        self.with_span(self.name_span.clone())
    }

    /// The path of a member that is missing or defined elsewhere; the span stays.
    pub(crate) fn member(&self, name: &str) -> Self {
        self.with_path(self.path.member(name))
    }

    /// The same as [`Self::member`], for findings with another code.
    pub(crate) fn member_as(&self, name: &str, code: &'static str) -> Self {
        self.member(name).with_code(code)
    }

    /// The same as [`Self::at_name`], for findings with another code.
    pub(crate) fn at_name_as(&self, code: &'static str) -> Self {
        self.at_name().with_code(code)
    }

    /// The value of a member that was merged into the object here.
    pub(crate) fn value_of<'a>(&self, member: SourceMember<'a>) -> DocValue<'a> {
        member.value(&self.path, self.code, &self.findings)
    }

    pub(crate) fn with_code(&self, code: &'static str) -> Self {
        Self {
            code,
            ..self.clone()
        }
    }

    pub(crate) fn with_path(&self, path: ValuePath) -> Self {
        Self {
            path,
            ..self.clone()
        }
    }

    pub(super) fn with_span(&self, span: Range<usize>) -> Self {
        Self {
            span,
            ..self.clone()
        }
    }

    /// Reports an error, which rejects the document.
    pub(crate) fn error(&self, message: impl Into<String>, hint: impl Into<String>) {
        self.report(Severity::Error, message.into(), hint.into());
    }

    /// Reports a warning, which does not reject the document.
    pub(crate) fn warn(&self, message: impl Into<String>, hint: impl Into<String>) {
        self.report(Severity::Warning, message.into(), hint.into());
    }

    fn report(&self, severity: Severity, message: String, hint: String) {
        self.findings.add(severity, || {
            let finding = Finding {
                severity,
                ..Finding::error(self.code, message)
            };
            finding
                .at(&self.source, &self.span)
                .path(self.path.render())
                .hint(hint)
        });
    }
}
