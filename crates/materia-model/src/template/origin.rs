//! The origin of a piece of template text, and problems in it.
//!
//! Owns the mapping from an offset inside a template text back to the file: through the quotes and
//! escapes of a JSON string, or directly if the text is the whole source. Never reads documents and
//! never words a problem.

use std::ops::Range;
use std::sync::Arc;

use crate::finding::{Finding, Source};

/// A problem at one offset of a template text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TextProblem {
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) hint: String,
    /// Bytes from the start of the template text.
    pub(crate) at: usize,
}

/// A text in its source, with the path of the value that holds it.
#[derive(Debug, Clone)]
pub(crate) struct TextOrigin {
    source: Source,
    span: Range<usize>,
    quoted: bool,
    path: Arc<str>,
}

impl TextOrigin {
    /// The whole source is the text.
    pub(crate) fn whole(source: &Source) -> Self {
        Self {
            source: source.clone(),
            span: 0..source.text().len(),
            quoted: false,
            path: "".into(),
        }
    }

    /// The text is the value at this span of a document: a quoted string, or unquoted text.
    pub(crate) fn json(source: &Source, span: &Range<usize>, path: &str) -> Self {
        let quoted = !source.text().is_char_boundary(span.start)
            || source.text()[span.start..].starts_with(['"', '[', '{']);
        Self {
            source: source.clone(),
            span: span.clone(),
            quoted,
            path: path.into(),
        }
    }

    /// A finding about the byte `at` of the text.
    pub(crate) fn locate(&self, finding: Finding, at: usize) -> Finding {
        let plain = (self.span.start + at).min(self.span.end);
        let offset = if self.quoted {
            self.json_offset(self.source.text(), at)
        } else {
            plain
        };
        let finding = finding.at(&self.source, &(offset..offset));
        if self.path.is_empty() {
            finding
        } else {
            finding.path(&*self.path)
        }
    }

    /// Converts a problem to an error of the document.
    pub(crate) fn error(&self, problem: TextProblem) -> Finding {
        let finding = Finding::error(problem.code, problem.message).hint(problem.hint);
        self.locate(finding, problem.at)
    }

    fn json_offset(&self, document: &str, at: usize) -> usize {
        let Some(raw) = document
            .get(self.span.clone())
            .and_then(|raw| raw.strip_prefix('"'))
        else {
            return self.span.start;
        };
        let mut decoded = 0;
        let mut rest = raw;
        while decoded < at {
            let Some((width, written)) = json_char(rest) else {
                break;
            };
            decoded += width;
            rest = rest.get(written..).unwrap_or("");
        }
        self.span.start + 1 + raw.len() - rest.len()
    }
}

/// The next character of a JSON string: its decoded length and its written length, in bytes.
fn json_char(raw: &str) -> Option<(usize, usize)> {
    let first = raw.chars().next()?;
    if first != '\\' {
        return Some((first.len_utf8(), first.len_utf8()));
    }
    let Some(unit) = raw.strip_prefix("\\u").and_then(hex_unit) else {
        return Some((1, 2));
    };
    if (0xd800..0xdc00).contains(&unit) {
        Some((4, 12))
    } else {
        Some((utf8_width(unit), 6))
    }
}

fn hex_unit(digits: &str) -> Option<u32> {
    u32::from_str_radix(digits.get(..4)?, 16).ok()
}

fn utf8_width(unit: u32) -> usize {
    char::from_u32(unit).map_or(3, char::len_utf8)
}

/// The column of a byte offset in a text: characters from the start of its line, from 1.
pub(crate) fn column(text: &str, at: usize) -> usize {
    let before = &text[..text.floor_char_boundary(at.min(text.len()))];
    before.rsplit('\n').next().unwrap_or("").chars().count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_in_a_json_string_lead_back_to_the_file() {
        let source = Source::new("x.json", "[\n  \"a \\\"\\u00e9\\ud83d\\ude00 {x\"]");
        let start = source.text().find('"').unwrap();
        let origin = TextOrigin::json(&source, &(start..source.text().len() - 1), "[0]");
        let decoded = "a \"é😀 {x";
        let found = origin
            .locate(Finding::error("x", "x"), decoded.find('{').unwrap())
            .place
            .unwrap();
        let brace = source.text().rfind('{').unwrap();
        assert_eq!(found, source.place(brace));
    }

    #[test]
    fn columns_count_characters_of_the_line() {
        assert_eq!(column("é b", "é b".find('b').unwrap()), 3);
        assert_eq!(column("a\nbc", 3), 2);
        assert_eq!(column("a", 99), 2);
    }
}
