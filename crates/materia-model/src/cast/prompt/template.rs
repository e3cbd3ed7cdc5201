//! The placeholder language of prompts: `{{ request }}`, `{{ state.x }}`, `{{ item.title }}` and so
//! on.
//!
//! Owns its parsing. Values are data: braces in them have no meaning. A missing value becomes the
//! empty string, and `\{{` is a literal `{{`. Has no conditions and no loops.

use serde_json::Value;

use crate::cast::state::CastState;
use crate::handoff::path::PathSources;
use crate::text;

/// The maximum size of an inserted value, in bytes.
const MAX_VALUE: usize = 64 << 10;

/// Fills the values into a prompt.
pub fn render(template: &str, state: &CastState) -> String {
    let last = state.last_output();
    let sources = PathSources {
        last_output: last.as_deref(),
        ..state.sources()
    };
    let mut out = String::with_capacity(template.len());
    for part in parts(template) {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Expression(expression) => {
                out.push_str(&text::bounded(
                    &value(expression, state, &sources),
                    MAX_VALUE,
                ));
            }
        }
    }
    out
}

/// Whether a prompt already shows a value: the whole word, or something below it.
pub fn mentions(template: &str, word: &str) -> bool {
    parts(template).any(|part| matches!(part, Part::Expression(expression) if expression == word))
}

enum Part<'a> {
    Text(&'a str),
    Expression(&'a str),
}

fn parts(template: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = template;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let Some(open) = rest.find("{{") else {
            return Some(Part::Text(std::mem::take(&mut rest)));
        };
        if open > 0 {
            let escaped = rest[..open].ends_with('\\');
            let text = &rest[..open - usize::from(escaped)];
            rest = &rest[open..];
            if escaped {
                // Literal braces are a piece of their own, after the text before them.
                if text.is_empty() {
                    let literal = &rest[..2];
                    rest = &rest[2..];
                    return Some(Part::Text(literal));
                }
                let cut = template.len() - rest.len() - 1;
                rest = &template[cut..];
                return Some(Part::Text(text));
            }
            return Some(Part::Text(text));
        }
        match rest[2..].find("}}") {
            Some(close) => {
                let expression = rest[2..2 + close].trim();
                rest = &rest[close + 4..];
                Some(Part::Expression(expression))
            }
            None => Some(Part::Text(std::mem::take(&mut rest))),
        }
    })
}

fn value(expression: &str, state: &CastState, sources: &PathSources<'_>) -> String {
    match expression {
        "request" => state.request.clone(),
        "stateJson" => pretty(&Value::Object(state.data.clone())),
        "itemJson" => sources.item.map(pretty).unwrap_or_default(),
        _ => match expression.strip_prefix("cursor.") {
            Some(name) => cursor(state, name),
            None => sources
                .get(expression)
                .map(|value| shown(&value))
                .unwrap_or_default(),
        },
    }
}

fn cursor(state: &CastState, name: &str) -> String {
    let current = state
        .item
        .as_ref()
        .filter(|item| item.bound.cursor.name == name)
        .map(|item| item.bound.index);
    let any = || {
        state
            .cursors
            .values()
            .find(|cursor| cursor.name == name)
            .map(|cursor| cursor.index)
    };
    current
        .or_else(any)
        .map(|index| index.to_string())
        .unwrap_or_default()
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => pretty(other),
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::cast::state::{CursorState, LastOutput};

    fn state() -> CastState {
        let Value::Object(data) =
            json!({"tool": {"name": "wrench"}, "n": null, "list": [1], "brace": "{{request}}"})
        else {
            panic!("an object")
        };
        let mut state = CastState {
            request: "stop the leak".to_owned(),
            data,
            ..CastState::default()
        };
        state.last_json = Some(json!({"k": true}));
        state.last = Some(LastOutput {
            speaker: "S A".to_owned(),
            item: String::new(),
            text: None,
        });
        state.cursors.insert(
            "i@S".to_owned(),
            CursorState {
                name: "i".to_owned(),
                index: 3,
                epoch: 0,
            },
        );
        state
    }

    #[test]
    fn every_word_has_its_value_and_missing_ones_are_nothing() {
        let cases = [
            ("REQ={{request}};", "REQ=stop the leak;"),
            (
                "{{state.tool.name}} {{ tool.name }} [{{state.nope}}] [{{n}}]",
                "wrench wrench [] []",
            ),
            ("{{list}}", "[\n  1\n]"),
            (
                "{{lastJson.k}} {{lastOutput}} {{cursor.i}} {{cursor.j}}",
                "true {\"k\":true} 3 ",
            ),
            ("{{brace}}", "{{request}}"),
            (
                "\\{{request}} and {{request}}",
                "{{request}} and stop the leak",
            ),
            ("a \\{{x}} b", "a {{x}} b"),
            ("open {{request", "open {{request"),
            ("{single} }} {{}}", "{single} }} "),
        ];
        for (template, expected) in cases {
            assert_eq!(render(template, &state()), expected, "{template}");
        }
    }

    #[test]
    fn mentions_are_expressions_and_not_words() {
        assert!(mentions("do {{ request }}", "request"));
        assert!(!mentions("the request, \\{{request}}", "request"));
    }

    proptest! {
        #[test]
        fn no_template_panics(template in "[\\\\{} a.é]{0,40}") {
            let _ = render(&template, &state());
        }
    }
}
