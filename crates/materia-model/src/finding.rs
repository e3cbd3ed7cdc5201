//! Findings: what is wrong with a document, where, and what to write instead.
//!
//! Owns findings, source positions and the translation of byte offsets to lines and columns. Checks
//! run to the end of a document and report all findings, not only the first. The view renders them.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Severity {
    /// The document is used as it is.
    Warning,
    /// The document is refused.
    Error,
}

/// One thing that is wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(as = "FindingShape"))]
pub struct Finding {
    /// Whether the document is refused for it.
    pub severity: Severity,
    /// A stable kebab-case name, such as `duplicate-key`.
    pub code: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// The path of the value inside the document, such as `loadouts.X.entry`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Where it stands.
    #[serde(flatten)]
    pub place: Option<SourcePos>,
    /// What to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A finding in TypeScript. The derive cannot flatten an option, so the place is spelled out here.
#[cfg(feature = "typescript")]
#[derive(ts_rs::TS)]
#[ts(rename = "Finding", optional_fields)]
#[expect(dead_code, reason = "only its shape is used")]
struct FindingShape {
    /// Whether the document is refused for it.
    severity: Severity,
    /// A stable kebab-case name, such as `duplicate-key`.
    code: String,
    /// One sentence without a full stop.
    message: String,
    /// The path of the value inside the document, such as `loadouts.X.entry`.
    path: Option<String>,
    /// The file as the person named it.
    file: Option<String>,
    /// The line, from 1.
    line: Option<usize>,
    /// The column in characters, from 1.
    column: Option<usize>,
    /// What to write instead.
    hint: Option<String>,
}

/// A place a person can jump to: `file:line:column`, both counted from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "SourcePos"))]
pub struct SourcePos {
    /// The file as the person named it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl fmt::Display for SourcePos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}:{}",
            crate::text::printable(&self.file),
            self.line,
            self.column
        )
    }
}

impl Finding {
    /// Creates an error, which rejects the document.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            code,
            message: message.into(),
            path: None,
            place: None,
            hint: None,
        }
    }

    /// Creates a warning, which does not reject the document.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, message)
        }
    }

    /// Adds a hint what to write instead.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Sets the span of the finding in a source.
    #[must_use]
    pub fn at(mut self, source: &Source, span: &Range<usize>) -> Self {
        self.place = Some(source.place(span.start));
        self
    }

    /// Sets the document path of the finding.
    #[must_use]
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = Some(path.into());
        self
    }
}

/// A document's text with its name; maps offsets to positions.
#[derive(Debug, Clone)]
pub struct Source(Arc<Text>);

#[derive(Debug)]
struct Text {
    name: Arc<str>,
    text: Box<str>,
    line_starts: Box<[usize]>,
}

impl Source {
    /// Creates a source from its name and text.
    pub fn new(name: &str, text: &str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        Self(Arc::new(Text {
            name: name.into(),
            text: text.into(),
            line_starts: starts.collect(),
        }))
    }

    /// The name it was given.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The position of a byte offset. An offset past the end maps to the end.
    pub fn place(&self, offset: usize) -> SourcePos {
        let (text, starts) = (&self.0.text, &self.0.line_starts);
        let offset = text.floor_char_boundary(offset.min(text.len()));
        let line = starts.partition_point(|start| *start <= offset);
        let start = starts.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let column = text[start..offset].chars().count() + 1;
        SourcePos {
            file: Arc::clone(&self.0.name),
            line,
            column,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_become_lines_and_columns_in_characters() {
        let source = Source::new("a.json", "{\n  \"ü\": 1\n}");
        assert_eq!(source.place(0).to_string(), "a.json:1:1");
        assert_eq!(
            source.place(source.text().find('1').unwrap()).to_string(),
            "a.json:2:8"
        );
        assert_eq!(source.place(9999).to_string(), "a.json:3:2");
    }
}
