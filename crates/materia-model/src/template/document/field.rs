//! Control fields: the numbers, texts and flags of an object node.
//!
//! Owns what each field may hold and which fields have no effect where they stand. Never reads
//! `when`, `args`, `defaults` or `values`: they have rooms of their own.

use super::super::node::{Amount, Body, Failure, Located, Node};
use super::super::origin::Origin;
use super::super::syntax::{Form, Piece, Placeholder, Text, Word, is_name};
use super::{FIELDS, Reader};
use crate::document::{self, Content, path_member};
use crate::finding::Finding;
use crate::text;

/// What a numeric field may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Range {
    /// Milliseconds: any number from 0.
    Milliseconds,
    /// A whole number from 0.
    Count,
    /// A whole number from 1.
    Positive,
}

impl Range {
    /// The field as a whole number, where it is in range.
    pub(crate) fn check(self, number: f64) -> Option<u64> {
        let least = if self == Self::Positive { 1.0 } else { 0.0 };
        let whole = self == Self::Milliseconds || number.fract() == 0.0;
        // The cast saturates, so an absurd number is a very long time or a count that fails its own
        // limit.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturating is meant"
        )]
        (number.is_finite() && number >= least && whole).then(|| number.ceil() as u64)
    }

    /// What to write.
    pub(crate) fn described(self) -> &'static str {
        match self {
            Self::Milliseconds => "a number of milliseconds from 0",
            Self::Count => "a whole number from 0",
            Self::Positive => "a whole number from 1",
        }
    }
}

impl Reader<'_> {
    pub(super) fn check_fields(&mut self, node: &document::Node, path: &str, root: bool) {
        let import = node.get("template").is_none();
        for member in node.members() {
            let name = member.name.as_str();
            let host = (root && self.root_fields.contains(&name)) || (import && name == "name");
            if FIELDS.contains(&name) || host || self.no_room_for_warnings() {
                continue;
            }
            let message = format!("a template node has no field {}", text::quoted(name));
            let own = self.root_fields.iter().filter(|_| root);
            let hint = match text::closest(name, FIELDS.iter().chain(own).copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("fields are {}", text::list(FIELDS, "and")),
            };
            let finding = Finding::warning("unknown-field", message).hint(hint);
            self.push(
                finding.at(self.source, &member.name_span),
                &path_member(path, name),
            );
        }
    }

    /// A node with everything but its body.
    pub(super) fn controls(&mut self, node: &document::Node, path: &str, root: bool) -> Node {
        let mut read = Node::plain(
            Body::Children(Vec::new()),
            Origin::json(self.source, &node.span, path),
        );
        for member in node.members() {
            let path = path_member(path, &member.name);
            let (value, name) = (&member.value, member.name.as_str());
            match name {
                "label" => read.label = self.located(value, &path, name),
                "input" => read.input = self.located(value, &path, name),
                "output" => read.output = self.output(value, &path),
                "parallel" => read.parallel = self.flag(value, &path),
                "failure" => read.failure = self.failure(value, &path),
                "when" => read.when = self.guard(value, &path),
                "repeat" => read.repeat = self.amount(value, &path, name, Range::Count),
                "timeout" | "delay" => {
                    let amount = self.amount(value, &path, name, Range::Milliseconds);
                    *(if name == "delay" {
                        &mut read.delay
                    } else {
                        &mut read.timeout
                    }) = amount;
                }
                "retry" => read.retry = self.amount(value, &path, name, Range::Positive),
                "concurrency" => {
                    read.concurrency = self.amount(value, &path, name, Range::Positive);
                }
                "min_successful" => {
                    read.min_successful = self.amount(value, &path, name, Range::Count);
                }
                "recover" => read.recover = self.template(value, &path).map(Box::new),
                "args" => read.args = self.arguments(value, &path, root),
                "stage" => read.stage = self.stage(value, &path),
                "defaults" => read.defaults.extend(self.settings(value, &path, name)),
                // On the root of a document there is nobody to bind them for: they are its last
                // resort.
                "values" if root && self.unit.is_some() => {
                    for (name, setting) in self.settings(value, &path, name) {
                        read.defaults.entry(name).or_insert(setting);
                    }
                }
                "values" => read.values = self.settings(value, &path, name),
                _ => {}
            }
        }
        if read.stage.is_none() {
            let label = read.label.as_ref().and_then(|label| label.text.literal());
            read.stage = label.filter(|label| is_name(label)).map(str::to_owned);
        }
        read
    }

    /// Warns about fields that change nothing where they stand.
    pub(super) fn check_effects(
        &mut self,
        node: &document::Node,
        path: &str,
        read: &Node,
        body: Option<&Body>,
    ) {
        let joins =
            read.parallel && (read.repeat.is_some() || !matches!(body, Some(Body::Command { .. })));
        let idle = [
            (
                "concurrency",
                read.concurrency.is_some() && !joins,
                "on a node with \"parallel\": true",
            ),
            (
                "min_successful",
                read.min_successful.is_some() && !joins,
                "on a node with \"parallel\": true",
            ),
            (
                "recover",
                read.recover.is_some() && read.retry.is_none(),
                "together with `retry`",
            ),
        ];
        for (field, _, only) in idle.into_iter().filter(|(_, idle, _)| *idle) {
            let message = format!("`{field}` has no effect here");
            let finding = Finding::warning("no-effect", message).hint(format!("it works {only}"));
            self.push(
                finding.at(self.source, &node.span),
                &path_member(path, field),
            );
        }
    }

    /// A text with placeholders that is not split into words.
    pub(super) fn located(
        &mut self,
        node: &document::Node,
        path: &str,
        field: &str,
    ) -> Option<Located> {
        let Some(text) = node.as_str() else {
            self.wrong_kind(node, path, field, "a text");
            return None;
        };
        let origin = Origin::json(self.source, &node.span, path);
        let text = self.text(&Word::whole(text), text, &origin)?;
        Some(Located { text, origin })
    }

    /// `stdout`, the name of a value, or a text with placeholders (T15).
    fn output(&mut self, node: &document::Node, path: &str) -> Option<Located> {
        let name = node.as_str().map(str::trim).filter(|name| is_name(name));
        match name {
            Some("stdout") => None,
            Some(name) => Some(named(name, Origin::json(self.source, &node.span, path))),
            None => self.located(node, path, "output"),
        }
    }

    fn flag(&mut self, node: &document::Node, path: &str) -> bool {
        if let Content::Bool(yes) = node.content {
            return yes;
        }
        self.wrong_kind(node, path, "parallel", "true or false");
        false
    }

    fn failure(&mut self, node: &document::Node, path: &str) -> Option<Failure> {
        match node.as_str() {
            Some("continue") => Some(Failure::Continue),
            Some("branch") => Some(Failure::Branch),
            Some("root") => Some(Failure::Root),
            _ => {
                self.wrong_kind(node, path, "failure", "`continue`, `branch` or `root`");
                None
            }
        }
    }

    fn amount(
        &mut self,
        node: &document::Node,
        path: &str,
        field: &str,
        range: Range,
    ) -> Option<Amount> {
        let fixed = match &node.content {
            Content::Number(number) => number.as_f64(),
            Content::String(text) if text.trim().is_empty() => return None,
            Content::String(text) => {
                let length = text
                    .trim()
                    .strip_suffix(".length")
                    .filter(|name| is_name(name));
                if let Some(name) = length.filter(|_| field == "repeat") {
                    let form = Form::Length {
                        name: name.to_owned(),
                    };
                    return Some(Amount::Computed(placeholder(
                        form,
                        text,
                        Origin::json(self.source, &node.span, path),
                    )));
                }
                let located = self.located(node, path, field)?;
                match located.text.literal() {
                    Some(text) => text.trim().parse().ok(),
                    None => return Some(Amount::Computed(located)),
                }
            }
            _ => None,
        };
        let checked = fixed.and_then(|number| range.check(number));
        if checked.is_none() {
            self.wrong_kind(node, path, field, range.described());
        }
        checked.map(Amount::Fixed)
    }

    pub(super) fn wrong_kind(
        &mut self,
        node: &document::Node,
        path: &str,
        field: &str,
        wanted: &str,
    ) {
        let given = match &node.content {
            Content::Array(_) | Content::Object(_) => node.kind().to_owned(),
            _ => text::quoted(&node.to_value().to_string()),
        };
        let message = format!("`{field}` is {given}, and it must be {wanted}");
        self.error(
            node,
            path,
            "invalid-field",
            message,
            format!("write {wanted}"),
        );
    }
}

/// The text `{name}`, where only the name was written.
pub(super) fn named(name: &str, origin: Origin) -> Located {
    let form = Form::Value {
        name: name.to_owned(),
        declared: None,
        default: None,
        difference: None,
    };
    placeholder(form, name, origin)
}

fn placeholder(form: Form, content: &str, origin: Origin) -> Located {
    let placeholder = Placeholder {
        form,
        content: content.to_owned(),
        at: 0,
    };
    Located {
        text: Text {
            pieces: vec![Piece::Placeholder(placeholder)],
            vanishes: true,
        },
        origin,
    }
}
