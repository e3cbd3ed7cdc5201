//! Guards: the values of `when` (T9).
//!
//! Owns the five forms of a guard. Anything else is an error here, so that no guard is ever
//! silently false. Never evaluates one.

use super::super::node::NodeGuard;
use super::super::syntax::{TextPiece, is_name};
use super::TemplateReader;
use super::field::{NodeField, named};
use crate::document::JsonContent;

impl TemplateReader<'_> {
    pub(super) fn guard(&mut self, field: NodeField<'_>) -> Option<NodeGuard> {
        match &field.value.content {
            JsonContent::Bool(yes) => Some(NodeGuard::Always(*yes)),
            JsonContent::String(text) => self.guard_text(field, text),
            _ => self.wrong_guard(field),
        }
    }

    fn guard_text(&mut self, field: NodeField<'_>, text: &str) -> Option<NodeGuard> {
        let text = text.trim();
        let bare = text.strip_prefix('!').map_or(text, str::trim_start);
        let negated = text.starts_with('!');
        match bare {
            "true" if !negated => Some(NodeGuard::Always(true)),
            "false" if !negated => Some(NodeGuard::Always(false)),
            name if is_name(name) => {
                Some(NodeGuard::Value(named(name, self.origin(field)), negated))
            }
            braces if braces.starts_with('{') => self.guard_braces(field, negated),
            _ => self.wrong_guard(field),
        }
    }

    fn guard_braces(&mut self, field: NodeField<'_>, negated: bool) -> Option<NodeGuard> {
        let mut located = self.located(field)?;
        let around_ok = located
            .text
            .pieces
            .iter()
            .enumerate()
            .all(|(index, piece)| match piece {
                TextPiece::Literal(text) => {
                    text.trim().is_empty() || (index == 0 && text.trim() == "!")
                }
                TextPiece::Placeholder(_) => true,
            });
        let mut braces: Vec<_> = located.text.placeholders().cloned().collect();
        if around_ok && braces.len() == 1 {
            located.text.pieces = braces.drain(..).map(TextPiece::Placeholder).collect();
            return Some(NodeGuard::Value(located, negated));
        }
        self.wrong_guard(field)
    }

    fn wrong_guard(&mut self, field: NodeField<'_>) -> Option<NodeGuard> {
        self.wrong_kind(field, "true, false, `name`, `!name`, `{…}` or `!{…}`");
        None
    }
}
