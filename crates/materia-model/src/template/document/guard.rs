//! Guards: what `when` accepts (T9).
//!
//! Owns the five spellings of a guard. Anything else is an error here, so that no guard is ever
//! silently false. Never evaluates one.

use super::super::node::Guard;
use super::super::origin::Origin;
use super::super::syntax::{Piece, is_name};
use super::Reader;
use super::field::named;
use crate::document::{self, Content};

impl Reader<'_> {
    pub(super) fn guard(&mut self, node: &document::Node, path: &str) -> Option<Guard> {
        match &node.content {
            Content::Bool(yes) => Some(Guard::Always(*yes)),
            Content::String(text) => self.guard_text(node, text, path),
            _ => {
                self.wrong_guard(node, path);
                None
            }
        }
    }

    fn guard_text(&mut self, node: &document::Node, text: &str, path: &str) -> Option<Guard> {
        let text = text.trim();
        let bare = text.strip_prefix('!').map_or(text, str::trim_start);
        let negated = text.starts_with('!');
        match bare {
            "true" if !negated => Some(Guard::Always(true)),
            "false" if !negated => Some(Guard::Always(false)),
            name if is_name(name) => Some(Guard::Value(
                named(name, Origin::json(self.source, &node.span, path)),
                negated,
            )),
            braces if braces.starts_with('{') => self.guard_braces(node, path, negated),
            _ => {
                self.wrong_guard(node, path);
                None
            }
        }
    }

    fn guard_braces(&mut self, node: &document::Node, path: &str, negated: bool) -> Option<Guard> {
        let mut located = self.located(node, path, "when")?;
        let around_ok = located
            .text
            .pieces
            .iter()
            .enumerate()
            .all(|(index, piece)| match piece {
                Piece::Literal(text) => {
                    text.trim().is_empty() || (index == 0 && text.trim() == "!")
                }
                Piece::Placeholder(_) => true,
            });
        let mut braces: Vec<_> = located.text.placeholders().cloned().collect();
        if around_ok && braces.len() == 1 {
            located.text.pieces = braces.drain(..).map(Piece::Placeholder).collect();
            return Some(Guard::Value(located, negated));
        }
        self.wrong_guard(node, path);
        None
    }

    fn wrong_guard(&mut self, node: &document::Node, path: &str) {
        self.wrong_kind(
            node,
            path,
            "when",
            "true, false, `name`, `!name`, `{…}` or `!{…}`",
        );
    }
}
