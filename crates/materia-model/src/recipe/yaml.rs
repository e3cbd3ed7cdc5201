//! Frontmatter: YAML as a tree of values with positions.
//!
//! Owns the conversion of the parser's events to a [`JsonNode`], and its limits (S5). Rejects
//! anchors, aliases and tags: a recipe needs none, and they let a small text expand to a large one.
//! Knows no field.

use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use crate::document::{JsonContent, JsonMember, JsonNode};
use crate::finding::{Finding, Source};
use crate::text;

/// The maximum nesting depth of values.
const MAX_DEPTH: usize = 100;
/// The maximum number of values.
const MAX_VALUES: usize = 100_000;

/// Parses the part of a source that is YAML. An empty part is an empty object.
pub(crate) fn parse(source: &Source, part: Range<usize>) -> Result<JsonNode, Vec<Finding>> {
    let text = source.text().get(part.clone()).unwrap_or("");
    let mut offsets: Vec<usize> = text.char_indices().map(|(at, _)| part.start + at).collect();
    offsets.push(part.end);
    let mut builder = Builder {
        source,
        offsets,
        open: Vec::new(),
        done: None,
        count: 0,
    };
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| {
            let at = builder.offset(error.marker().index());
            let hint = "write YAML; text with `: `, `#`, `{` or a quote in it stands in quotes";
            vec![
                Finding::error("invalid-yaml", error.info().to_owned())
                    .at(source, &(at..at))
                    .hint(hint),
            ]
        })?;
        builder
            .event(event, span)
            .map_err(|finding| vec![*finding])?;
    }
    Ok(builder.done.unwrap_or(JsonNode {
        content: JsonContent::Object(Vec::new()),
        span: part,
    }))
}

struct Builder<'a> {
    source: &'a Source,
    /// The byte offset of every character.
    offsets: Vec<usize>,
    open: Vec<Open>,
    done: Option<JsonNode>,
    count: usize,
}

/// A list or an object that is still open.
enum Open {
    List(usize, Vec<JsonNode>),
    Object(usize, Vec<JsonMember>, Option<(String, Range<usize>)>),
}

type Step<T> = Result<T, Box<Finding>>;

impl Builder<'_> {
    fn event(&mut self, event: Event<'_>, span: Span) -> Step<()> {
        let range = self.offset(span.start.index())..self.offset(span.end.index());
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.plain(anchor > 0 || tag.is_some(), &range)?;
                let content = scalar(&text, style);
                // Single-quoted text starts after its quote and has no escapes.
                let quote = usize::from(style == ScalarStyle::SingleQuoted);
                let range = range.start + quote..range.end;
                self.scalar(content, &text, range)
            }
            Event::SequenceStart(anchor, tag) => {
                self.plain(anchor > 0 || tag.is_some(), &range)?;
                self.enter(Open::List(range.start, Vec::new()), &range)
            }
            Event::MappingStart(anchor, tag) => {
                self.plain(anchor > 0 || tag.is_some(), &range)?;
                self.enter(Open::Object(range.start, Vec::new(), None), &range)
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(Open::List(start, items)) => {
                    self.close(JsonContent::Array(items), start..range.end)
                }
                Some(Open::Object(start, members, _)) => {
                    self.close(JsonContent::Object(members), start..range.end)
                }
                None => Ok(()),
            },
            Event::Alias(_) => self.plain(true, &range),
            Event::DocumentStart(_) if self.done.is_some() => {
                Err(self.wrong("there are two documents", &range, "keep one"))
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => Ok(()),
        }
    }

    fn scalar(&mut self, content: JsonContent, text: &str, range: Range<usize>) -> Step<()> {
        if let Some(Open::Object(_, members, key @ None)) = self.open.last_mut() {
            if members.iter().any(|member| member.name == text) {
                let message = format!("{} stands twice in this object", text::quoted(text));
                return Err(self.wrong(message, &range, "keep one of them"));
            }
            *key = Some((text.to_owned(), range));
            return Ok(());
        }
        self.close(content, range)
    }

    /// Adds a complete value to the innermost open list or object.
    fn close(&mut self, content: JsonContent, span: Range<usize>) -> Step<()> {
        self.count += 1;
        if self.count > MAX_VALUES {
            return Err(self.wrong("there are too many values", &span, "split the recipe"));
        }
        let node = JsonNode { content, span };
        match self.open.last_mut() {
            None => self.done = Some(node),
            Some(Open::List(_, items)) => items.push(node),
            Some(Open::Object(_, members, key)) => match key.take() {
                Some((name, name_span)) => members.push(JsonMember {
                    name,
                    name_span,
                    value: node,
                }),
                None => {
                    return Err(self.wrong("a key must be text", &node.span, "write `key: value`"));
                }
            },
        }
        Ok(())
    }

    fn enter(&mut self, open: Open, range: &Range<usize>) -> Step<()> {
        if self.open.len() >= MAX_DEPTH {
            return Err(self.wrong(
                format!("values nest deeper than {MAX_DEPTH}"),
                range,
                "flatten it",
            ));
        }
        self.open.push(open);
        Ok(())
    }

    fn plain(&self, fancy: bool, range: &Range<usize>) -> Step<()> {
        if !fancy {
            return Ok(());
        }
        Err(self.wrong(
            "anchors, aliases and tags are not read here",
            range,
            "write the value itself",
        ))
    }

    fn wrong(&self, message: impl Into<String>, range: &Range<usize>, hint: &str) -> Box<Finding> {
        Box::new(
            Finding::error("invalid-yaml", message)
                .at(self.source, range)
                .hint(hint),
        )
    }

    fn offset(&self, index: usize) -> usize {
        self.offsets
            .get(index)
            .or(self.offsets.last())
            .copied()
            .unwrap_or(0)
    }
}

/// The value of a scalar: quoted ones are text, plain ones follow the core schema.
fn scalar(text: &str, style: ScalarStyle) -> JsonContent {
    if style != ScalarStyle::Plain {
        return JsonContent::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => JsonContent::Null,
        "true" | "True" | "TRUE" => JsonContent::Bool(true),
        "false" | "False" | "FALSE" => JsonContent::Bool(false),
        _ => {
            let digits = text.starts_with(|c: char| c.is_ascii_digit() || c == '-');
            let number = digits.then(|| serde_json::from_str(text).ok()).flatten();
            number.map_or_else(|| JsonContent::String(text.to_owned()), JsonContent::Number)
        }
    }
}
