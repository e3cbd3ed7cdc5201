//! Typed fields of a document whose values may come from several files.
//!
//! Owns the bounded list of findings and the wording for values of the wrong kind. Whoever reads a
//! kind of document hands in the code of its findings and goes on after each of them. Knows no
//! document, no field and no default.

use std::ops::Range;

use super::{Content, Member, Node, Path};
use crate::finding::{Finding, Severity, Source};
use crate::text;

/// How many findings one reader keeps.
const MAX_FINDINGS: usize = 100;

/// A place in a source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spot<'a> {
    pub(crate) source: &'a Source,
    pub(crate) span: &'a Range<usize>,
}

/// A part of a document, with the source it stands in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part<'a> {
    pub(crate) source: &'a Source,
    pub(crate) node: &'a Node,
}

impl<'a> Part<'a> {
    pub(crate) fn spot(self) -> Spot<'a> {
        Spot {
            source: self.source,
            span: &self.node.span,
        }
    }

    /// A member that is there and not null.
    pub(crate) fn get(self, name: &str) -> Option<Self> {
        let node = self
            .node
            .get(name)
            .filter(|node| node.content != Content::Null)?;
        Some(Self {
            source: self.source,
            node,
        })
    }

    /// The members that are not null.
    pub(crate) fn fields(self) -> impl Iterator<Item = Field<'a>> {
        let Self { source, node } = self;
        let members = node
            .members()
            .iter()
            .filter(|member| member.value.content != Content::Null);
        members.map(move |member| Field {
            owner: 0,
            source,
            member,
        })
    }

    /// The items, none where this is no list.
    pub(crate) fn items(self) -> impl Iterator<Item = Self> {
        let Self { source, node } = self;
        node.items().iter().map(move |node| Self { source, node })
    }
}

/// A member with the source it stands in, and the layer that source is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field<'a> {
    pub(crate) owner: usize,
    pub(crate) source: &'a Source,
    pub(crate) member: &'a Member,
}

impl<'a> Field<'a> {
    pub(crate) fn name(self) -> &'a str {
        &self.member.name
    }

    /// Where the name stands.
    pub(crate) fn spot(self) -> Spot<'a> {
        Spot {
            source: self.source,
            span: &self.member.name_span,
        }
    }

    pub(crate) fn value(self) -> Part<'a> {
        Part {
            source: self.source,
            node: &self.member.value,
        }
    }
}

/// What reading finds.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    findings: Vec<Finding>,
    errors: usize,
    warnings: usize,
}

impl Reader {
    /// How many errors there were, those that were not kept among them.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// Whether another error would still be kept; if not, a hint need not be looked for.
    pub(crate) fn has_room(&self) -> bool {
        self.errors < MAX_FINDINGS
    }

    pub(crate) fn into_findings(self) -> Vec<Finding> {
        self.findings
    }

    pub(crate) fn error(
        &mut self,
        at: Spot<'_>,
        path: &Path<'_>,
        code: &'static str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.errors += 1;
        if self.errors <= MAX_FINDINGS {
            self.keep(Finding::error(code, message), at, path, hint);
        }
    }

    pub(crate) fn warn(
        &mut self,
        at: Spot<'_>,
        path: &Path<'_>,
        code: &'static str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.warnings += 1;
        if self.warnings <= MAX_FINDINGS {
            self.keep(Finding::warning(code, message), at, path, hint);
        }
    }

    fn keep(&mut self, finding: Finding, at: Spot<'_>, path: &Path<'_>, hint: impl Into<String>) {
        self.findings.push(
            finding
                .at(at.source, at.span)
                .path(path.render())
                .hint(hint),
        );
    }

    /// Takes over what another reader found.
    pub(crate) fn adopt(&mut self, finding: Finding) {
        let count = match finding.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= MAX_FINDINGS {
            self.findings.push(finding);
        }
    }

    /// Says that a value is not what is expected here.
    pub(crate) fn expected(
        &mut self,
        value: Part<'_>,
        path: &Path<'_>,
        code: &'static str,
        what: &str,
    ) {
        let message = format!(
            "{} is {}, not {what}",
            text::quoted(path.last()),
            value.node.kind()
        );
        self.error(value.spot(), path, code, message, format!("write {what}"));
    }

    pub(crate) fn string<'a>(
        &mut self,
        value: Part<'a>,
        path: &Path<'_>,
        code: &'static str,
    ) -> Option<&'a str> {
        let text = value.node.as_str();
        if text.is_none() {
            self.expected(value, path, code, "a string");
        }
        text
    }

    /// A string with something in it besides blanks.
    pub(crate) fn words<'a>(
        &mut self,
        value: Part<'a>,
        path: &Path<'_>,
        code: &'static str,
    ) -> Option<&'a str> {
        let text = self.string(value, path, code)?;
        if text.trim().is_empty() {
            let message = format!("{} is blank", text::quoted(path.last()));
            self.error(value.spot(), path, code, message, "write some text");
            return None;
        }
        Some(text)
    }

    pub(crate) fn boolean(
        &mut self,
        value: Part<'_>,
        path: &Path<'_>,
        code: &'static str,
    ) -> Option<bool> {
        if let Content::Bool(yes) = value.node.content {
            return Some(yes);
        }
        self.expected(value, path, code, "true or false");
        None
    }

    /// A whole number from `least`.
    pub(crate) fn count(
        &mut self,
        value: Part<'_>,
        path: &Path<'_>,
        code: &'static str,
        least: u64,
    ) -> Option<u64> {
        let number = self.amount(value, path, code)?;
        // Beyond 2^53 a count is as good as none; the cast saturates there.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked, or saturating"
        )]
        let whole = (number.fract() == 0.0)
            .then_some(number as u64)
            .filter(|whole| *whole >= least);
        if whole.is_none() {
            let message = format!("{} is {number}", text::quoted(path.last()));
            self.error(
                value.spot(),
                path,
                code,
                message,
                format!("write a whole number from {least}"),
            );
        }
        whole
    }

    /// A number from 0.
    pub(crate) fn amount(
        &mut self,
        value: Part<'_>,
        path: &Path<'_>,
        code: &'static str,
    ) -> Option<f64> {
        let Content::Number(number) = &value.node.content else {
            self.expected(value, path, code, "a number");
            return None;
        };
        let number = number.as_f64().unwrap_or(f64::MAX);
        if number < 0.0 {
            let message = format!("{} is {number}", text::quoted(path.last()));
            self.error(value.spot(), path, code, message, "write a number from 0");
            return None;
        }
        Some(number)
    }

    /// One of some words.
    pub(crate) fn word<T: Copy>(
        &mut self,
        value: Part<'_>,
        path: &Path<'_>,
        code: &'static str,
        words: &[(&str, T)],
    ) -> Option<T> {
        let given = self.string(value, path, code)?;
        let found = words
            .iter()
            .find(|(word, _)| *word == given)
            .map(|(_, meaning)| *meaning);
        if found.is_none() {
            let message = format!("{} is no {}", text::quoted(given), path.last());
            self.error(
                value.spot(),
                path,
                code,
                message,
                choose(given, words.iter().map(|(word, _)| *word)),
            );
        }
        found
    }

    /// An object, so that its fields can be read.
    pub(crate) fn object(&mut self, value: Part<'_>, path: &Path<'_>, code: &'static str) -> bool {
        let good = matches!(value.node.content, Content::Object(_));
        if !good {
            self.expected(value, path, code, "an object");
        }
        good
    }

    /// A list, so that its items can be read.
    pub(crate) fn list(&mut self, value: Part<'_>, path: &Path<'_>, code: &'static str) -> bool {
        let good = matches!(value.node.content, Content::Array(_));
        if !good {
            self.expected(value, path, code, "a list");
        }
        good
    }

    /// Warns about a field that nobody reads.
    pub(crate) fn unknown(
        &mut self,
        field: Field<'_>,
        path: &Path<'_>,
        owner: &str,
        known: &[&str],
    ) {
        let message = format!("{owner} has no field {}", text::quoted(field.name()));
        let hint = choose(field.name(), known.iter().copied());
        self.warn(field.spot(), path, "unknown-field", message, hint);
    }
}

/// `did you mean …` where something is near, else everything there is.
fn choose<'a>(given: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    if let Some(near) = text::closest(given.trim(), known.clone()) {
        return format!("did you mean `{near}`?");
    }
    let known: Vec<String> = known.map(|word| format!("`{word}`")).collect();
    format!("write {}", text::list(&known, "or"))
}
