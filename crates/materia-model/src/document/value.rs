//! Typed reads of a document's values, and the findings about values of the wrong kind.
//!
//! Owns the typed reads (text, numbers, lists …). A failed read reports the reason at the value's
//! location and returns `None`; the reader continues. Knows no document, no field and no default.

use std::ops::Range;

use super::{Findings, JsonContent, JsonMember, JsonNode, Location, ValuePath};
use crate::finding::Source;
use crate::text;

/// A member of an object, with its source and the config layer of that source.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceMember<'a> {
    pub(crate) layer: usize,
    pub(crate) source: &'a Source,
    pub(crate) member: &'a JsonMember,
}

impl<'a> SourceMember<'a> {
    pub(crate) fn name(self) -> &'a str {
        &self.member.name
    }

    pub(crate) fn node(self) -> &'a JsonNode {
        &self.member.value
    }

    /// The members of its value that are not null.
    pub(crate) fn members(self) -> impl Iterator<Item = Self> {
        let members = self.node().members().iter();
        members
            .filter(|member| member.value.content != JsonContent::Null)
            .map(move |member| Self { member, ..self })
    }

    /// Its value, as a member of the object at `parent`.
    pub(crate) fn value(
        self,
        parent: &ValuePath,
        code: &'static str,
        findings: &Findings,
    ) -> DocValue<'a> {
        let mut value = DocValue::root(self.source, self.node(), code, findings);
        value.at.path = parent.member(self.name());
        value.at.name_span = self.member.name_span.clone();
        value
    }
}

/// A value of a document, with its location.
#[derive(Debug, Clone)]
pub(crate) struct DocValue<'a> {
    pub(crate) node: &'a JsonNode,
    pub(crate) at: Location,
}

impl<'a> DocValue<'a> {
    /// The root of a document.
    pub(crate) fn root(
        source: &Source,
        node: &'a JsonNode,
        code: &'static str,
        findings: &Findings,
    ) -> Self {
        let at = Location {
            source: source.clone(),
            span: node.span.clone(),
            name_span: node.span.clone(),
            path: ValuePath::Root,
            code,
            findings: findings.clone(),
        };
        Self { node, at }
    }

    /// Its name in its object.
    pub(crate) fn name(&self) -> &str {
        self.at.path.last()
    }

    pub(crate) fn with_code(&self, code: &'static str) -> Self {
        let at = self.at.with_code(code);
        Self { at, ..*self }
    }

    /// The members that are not null; none if this is not an object.
    pub(crate) fn fields(&self) -> impl Iterator<Item = Self> {
        self.members().map(|member| self.child(member))
    }

    /// A member that exists and is not null.
    pub(crate) fn get(&self, name: &str) -> Option<Self> {
        let mut members = self.members();
        let member = members.find(|member| member.name == name)?;
        Some(self.child(member))
    }

    /// The items; none if this is not a list.
    pub(crate) fn items(&self) -> impl Iterator<Item = Self> {
        let items = self.node.items().iter().enumerate();
        items.map(|(index, node)| {
            let path = self.at.path.index(index);
            self.part(node, path, &node.span)
        })
    }

    fn members(&self) -> impl Iterator<Item = &'a JsonMember> + use<'a> {
        let members = self.node.members().iter();
        members.filter(|member| member.value.content != JsonContent::Null)
    }

    fn child(&self, member: &'a JsonMember) -> Self {
        let path = self.at.path.member(&member.name);
        self.part(&member.value, path, &member.name_span)
    }

    fn part(&self, node: &'a JsonNode, path: ValuePath, name_span: &Range<usize>) -> Self {
        let mut at = self.at.with_path(path);
        at.span = node.span.clone();
        at.name_span = name_span.clone();
        Self { node, at }
    }

    /// Reports an error, which rejects the document.
    pub(crate) fn error(&self, message: impl Into<String>, hint: impl Into<String>) {
        self.at.error(message, hint);
    }

    /// Reports that the value is not of the expected kind.
    pub(crate) fn expected(&self, what: &str) {
        let (name, kind) = (text::quoted(self.name()), self.node.kind());
        self.error(
            format!("{name} is {kind}, not {what}"),
            format!("write {what}"),
        );
    }

    pub(crate) fn string(&self) -> Option<&'a str> {
        let text = self.node.as_str();
        if text.is_none() {
            self.expected("a string");
        }
        text
    }

    /// A string that is not blank.
    pub(crate) fn text(&self) -> Option<&'a str> {
        let text = self.string()?;
        if text.trim().is_empty() {
            let message = format!("{} is blank", text::quoted(self.name()));
            self.error(message, "write some text");
            return None;
        }
        Some(text)
    }

    pub(crate) fn boolean(&self) -> Option<bool> {
        if let JsonContent::Bool(yes) = self.node.content {
            return Some(yes);
        }
        self.expected("true or false");
        None
    }

    /// A number from 0.
    pub(crate) fn amount(&self) -> Option<f64> {
        let JsonContent::Number(number) = &self.node.content else {
            self.expected("a number");
            return None;
        };
        let number = number.as_f64().unwrap_or(f64::MAX);
        if number < 0.0 {
            self.wrong_number(number, "write a number from 0");
            return None;
        }
        Some(number)
    }

    /// A number from 0 to 100.
    pub(crate) fn percent(&self) -> Option<f64> {
        let percent = self.amount()?;
        if percent > 100.0 {
            let message = format!("{percent} percent are more than everything");
            self.error(message, "write a number from 0 to 100");
            return None;
        }
        Some(percent)
    }

    /// A whole number of at least `least`.
    pub(crate) fn count(&self, least: u64) -> Option<u64> {
        let number = self.amount()?;
        // Beyond 2^53 a count means "unlimited"; the cast saturates there.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "checked, or saturating"
        )]
        let whole = (number.fract() == 0.0)
            .then_some(number as u64)
            .filter(|whole| *whole >= least);
        if whole.is_none() {
            self.wrong_number(number, &format!("write a whole number from {least}"));
        }
        whole
    }

    fn wrong_number(&self, number: f64, hint: &str) {
        let message = format!("{} is {number}", text::quoted(self.name()));
        self.error(message, hint);
    }

    /// One of some words.
    pub(crate) fn choice<T: Copy>(&self, words: &[(&str, T)]) -> Option<T> {
        let given = self.string()?;
        let found = words.iter().find(|(word, _)| *word == given);
        if found.is_none() {
            let message = format!("{} is no {}", text::quoted(given), self.name());
            self.error(
                message,
                did_you_mean(given, words.iter().map(|(word, _)| *word)),
            );
        }
        found.map(|(_, meaning)| *meaning)
    }

    /// Whether this is an object, so that its fields can be read.
    pub(crate) fn object(&self) -> bool {
        let good = matches!(self.node.content, JsonContent::Object(_));
        if !good {
            self.expected("an object");
        }
        good
    }

    /// Whether this is a list, so that its items can be read.
    pub(crate) fn list(&self) -> bool {
        let good = matches!(self.node.content, JsonContent::Array(_));
        if !good {
            self.expected("a list");
        }
        good
    }

    /// The texts of a list, without unreadable ones.
    pub(crate) fn texts(&self) -> Vec<String> {
        if !self.list() {
            return Vec::new();
        }
        self.items()
            .filter_map(|item| item.text().map(str::to_owned))
            .collect()
    }

    /// Warns about a field that `owner` does not have.
    pub(crate) fn unknown<'n>(&self, owner: &str, known: impl Iterator<Item = &'n str> + Clone) {
        let message = format!("{owner} has no field {}", text::quoted(self.name()));
        let hint = did_you_mean(self.name(), known);
        self.at.at_name_as("unknown-field").warn(message, hint);
    }
}

/// `did you mean …` if a word is similar, else all words.
fn did_you_mean<'n>(given: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    if let Some(near) = text::closest(given.trim(), known.clone()) {
        return format!("did you mean `{near}`?");
    }
    let known: Vec<String> = known.map(|word| format!("`{word}`")).collect();
    format!("write {}", text::list(&known, "or"))
}
