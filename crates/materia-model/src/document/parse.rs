//! Text to tree: the strict parser behind [`parse`].
//!
//! Owns the limits and the wording of syntax findings. Accepts nothing but plain JSON with comments
//! and trailing commas.

use std::collections::HashMap;
use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions};

use super::{JsonContent, JsonMember, JsonNode, path_index, path_member};
use crate::finding::{Finding, Source};
use crate::text;

/// The maximum size of a document, in bytes.
pub const MAX_BYTES: usize = 8 << 20;

/// The maximum nesting depth of values.
pub const MAX_DEPTH: usize = 200;

/// Parses a document, or reports everything that is wrong with it.
pub fn parse(source: &Source) -> Result<JsonNode, Vec<Finding>> {
    let (node, findings) = parse_parts(source)?;
    if findings.is_empty() {
        Ok(node)
    } else {
        Err(findings)
    }
}

/// Parses a document whose parts are independent: a duplicate name or an unusable value is a
/// finding with its path, and the rest is still usable. Keeps both of two members with the same
/// name.
pub fn parse_parts(source: &Source) -> Result<(JsonNode, Vec<Finding>), Vec<Finding>> {
    check_size(source)?;
    let start = source.text().len() - source.text().trim_start_matches('\u{feff}').len();
    let text = &source.text()[start..];
    let parsed = jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &strict()).map_err(
        |error| {
            let at = error.range();
            vec![
                Finding::error("invalid-json", sentence(&error.kind().to_string()))
                    .at(source, &(at.start + start..at.end + start))
                    .hint("write plain JSON; comments and trailing commas are allowed"),
            ]
        },
    )?;
    let Some(value) = parsed.value else {
        return Err(vec![
            Finding::error("invalid-json", "the document is empty")
                .at(source, &(0..0))
                .hint("write a JSON object, at least `{}`"),
        ]);
    };
    let mut reader = Reader {
        source,
        start,
        findings: Vec::new(),
    };
    let node = reader.node(value, "", 0);
    Ok((node, reader.findings))
}

fn check_size(source: &Source) -> Result<(), Vec<Finding>> {
    let size = source.text().len();
    if size <= MAX_BYTES {
        return Ok(());
    }
    let message = format!("the document has {size} bytes, at most {MAX_BYTES} are read");
    Err(vec![
        Finding::error("too-large", message)
            .at(source, &(0..0))
            .hint("split it into several files"),
    ])
}

fn strict() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: false,
        allow_trailing_commas: true,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn sentence(message: &str) -> String {
    let mut chars = message.trim_end_matches('.').chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_lowercase().chain(chars).collect()
    })
}

struct Reader<'a> {
    source: &'a Source,
    start: usize,
    findings: Vec<Finding>,
}

impl Reader<'_> {
    fn node(&mut self, value: ast::Value<'_>, path: &str, depth: usize) -> JsonNode {
        let span = self.span(&value);
        if depth > MAX_DEPTH {
            self.find(
                "too-deep",
                format!("values nest deeper than {MAX_DEPTH}"),
                path,
                &span,
                "flatten it",
            );
            return JsonNode {
                content: JsonContent::Null,
                span,
            };
        }
        let content = match value {
            ast::Value::NullKeyword(_) => JsonContent::Null,
            ast::Value::BooleanLit(literal) => JsonContent::Bool(literal.value),
            ast::Value::StringLit(literal) => JsonContent::String(literal.value.into_owned()),
            ast::Value::NumberLit(literal) => self.number(literal.value, path, &span),
            ast::Value::Array(array) => JsonContent::Array(
                array
                    .elements
                    .into_iter()
                    .enumerate()
                    .map(|(index, element)| self.node(element, &path_index(path, index), depth + 1))
                    .collect(),
            ),
            ast::Value::Object(object) => JsonContent::Object(self.members(object, path, depth)),
        };
        JsonNode { content, span }
    }

    fn number(&mut self, literal: &str, path: &str, span: &Range<usize>) -> JsonContent {
        if let Ok(number) = serde_json::from_str(literal) {
            return JsonContent::Number(number);
        }
        let message = format!("the number {} is out of range", text::quoted(literal));
        self.find(
            "invalid-json",
            message,
            path,
            span,
            "write a smaller number, or a string",
        );
        JsonContent::Null
    }

    fn members(&mut self, object: ast::Object<'_>, path: &str, depth: usize) -> Vec<JsonMember> {
        let mut seen: HashMap<String, usize> = HashMap::new();
        let mut members: Vec<JsonMember> = Vec::with_capacity(object.properties.len());
        for property in object.properties {
            let name_span = self.span(&property.name);
            let name = property.name.into_string();
            let inner = path_member(path, &name);
            if let Some(first) = seen.insert(name.clone(), name_span.start) {
                let earlier = self.source.place(first);
                let message = format!(
                    "{} stands twice in this object, first at line {}, column {}",
                    text::quoted(&name),
                    earlier.line,
                    earlier.column
                );
                self.find(
                    "duplicate-key",
                    message,
                    &inner,
                    &name_span,
                    "keep one of them",
                );
            }
            let value = self.node(property.value, &inner, depth + 1);
            members.push(JsonMember {
                name,
                name_span,
                value,
            });
        }
        members
    }

    fn span(&self, ranged: &impl Ranged) -> Range<usize> {
        let range = ranged.range();
        range.start + self.start..range.end + self.start
    }

    fn find(
        &mut self,
        code: &'static str,
        message: String,
        path: &str,
        span: &Range<usize>,
        hint: &str,
    ) {
        if self.findings.len() < 100 {
            self.findings.push(
                Finding::error(code, message)
                    .at(self.source, span)
                    .path(path)
                    .hint(hint),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn findings(text: &str) -> Vec<String> {
        let found = parse(&Source::new("x.json", text)).unwrap_err();
        found
            .iter()
            .map(|f| format!("{} {} {}", f.place.as_ref().unwrap(), f.code, f.message))
            .collect()
    }

    #[test]
    fn comments_and_trailing_commas_are_the_only_freedom() {
        let source = Source::new(
            "x.json",
            "\u{feff}// why\n{\"a\": [1, 2.5e3,], /* b */ \"b\": null,}",
        );
        let node = parse(&source).unwrap();
        assert_eq!(
            node.to_value(),
            serde_json::json!({"a": [1, 2.5e3], "b": null})
        );
        assert_eq!(
            source.place(node.get("b").unwrap().span.start).to_string(),
            "x.json:2:33"
        );
        for bad in [
            "{a:1}",
            "{'a':1}",
            "[0x1]",
            "[+1]",
            "[.5]",
            "[NaN]",
            "[1 2]",
            "{\"a\":1",
            "\"\\x41\"",
            "",
            "[1]x",
        ] {
            assert!(
                parse(&Source::new("x.json", bad)).is_err(),
                "{bad} was accepted"
            );
        }
    }

    #[test]
    fn every_duplicate_key_is_found_with_both_places() {
        let found = findings("{\"a\": 1,\n \"a\": 2,\n \"b c\": {\"x\": 1, \"x\": 2}}");
        assert_eq!(
            found,
            [
                "x.json:2:2 duplicate-key `a` stands twice in this object, first at line 1, column 2",
                "x.json:3:18 duplicate-key `x` stands twice in this object, first at line 3, column 10",
            ]
        );
    }

    #[test]
    fn depth_size_and_range_are_limited() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(!findings(&deep).is_empty());
        let nested = format!("{}{}", "[".repeat(300), "]".repeat(300));
        assert!(findings(&nested)[0].contains("too-deep"));
        assert!(findings("[1e400]")[0].contains("out of range"));
        assert!(findings(&" ".repeat(MAX_BYTES + 1))[0].contains("too-large"));
    }

    proptest! {
        #[test]
        fn arbitrary_text_never_panics_and_errors_have_a_place(text in "[\\[\\]{}\",:0-9a-z\\\\/*\\n \u{e9}.+-]{0,80}") {
            if let Err(found) = parse(&Source::new("x.json", &text)) {
                prop_assert!(!found.is_empty() && found.iter().all(|f| f.place.is_some() && f.hint.is_some()));
            }
        }

        #[test]
        fn plain_json_reads_as_serde_reads_it(number: f64, text in ".{0,20}", yes: bool) {
            let value = serde_json::json!({"n": number, "t": [text.clone(), yes], text: null});
            let written = value.to_string();
            let node = parse(&Source::new("x.json", &written)).unwrap();
            prop_assert_eq!(node.to_value(), serde_json::from_str::<Value>(&written).unwrap());
        }
    }
}
