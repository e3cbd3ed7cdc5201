//! The fields of an object node: their table, and reading its numbers, texts and flags.
//!
//! Owns the values of each field and which fields have no effect in a position. Other files read
//! `when`, `args`, `defaults` and `values`.

use serde_json::json;

use super::super::node::{FailurePolicy, LocatedText, NodeBody, NumberField, TemplateNode};
use super::super::origin::TextOrigin;
use super::super::syntax::{
    CommandWord, Placeholder, PlaceholderForm, TemplateText, TextPiece, is_name,
};
use super::TemplateReader;
use crate::document::{self, Field, FieldTable, JsonContent, Schema, field, path_member};
use crate::finding::Finding;
use crate::text;

/// Reads a field of a node.
pub(crate) type ReadField = fn(&mut TemplateReader<'_>, &mut TemplateNode, NodeField<'_>);

/// The value of a field, with its name and path.
#[derive(Clone, Copy)]
pub(crate) struct NodeField<'n> {
    pub(super) name: &'n str,
    pub(super) value: &'n document::JsonNode,
    pub(super) path: &'n str,
    /// Whether the node is the root of its document.
    pub(super) on_root: bool,
}

/// The fields of a node.
pub(crate) const NODE: FieldTable<ReadField> = FieldTable {
    owner: "a template node",
    about: "",
    fields: &[
        // `TemplateReader::body` reads it after the other fields.
        field("template", "").read(Schema::Ref("template"), |_, _, _| {}),
        field("label", "what people call this node; may contain placeholders")
            .read(Schema::String, |reader, node, field| node.label = reader.located(field)),
        field("parallel", "run the list side by side")
            .read(Schema::Boolean, |reader, node, field| node.parallel = reader.flag(field)),
        field("when", "true, false, `name`, `!name`, `{…}` or `!{…}`").read(
            Schema::Json(|| json!({"type": ["boolean", "string"]})),
            |reader, node, field| node.when = reader.guard(field),
        ),
        field("args", "name, name:type, name:type=default; types: string path int number bool array enum(a,b)").read(
            Schema::Json(|| json!({"type": ["array", "string"], "items": {"type": "string"}})),
            |reader, node, field| node.args = Some(reader.arguments(field)),
        ),
        field("defaults", "values by name, where the caller gives none").read(
            Schema::Object,
            |reader, node, field| node.defaults.extend(reader.settings(field)),
        ),
        field("values", "values by name that win inside this node")
            .read(Schema::Object, read_values),
        field("timeout", "milliseconds one attempt may take").read(AMOUNT, |reader, node, field| {
            node.timeout = reader.amount(field, Range::Milliseconds);
        }),
        field("delay", "milliseconds to wait before it starts").read(AMOUNT, |reader, node, field| {
            node.delay = reader.amount(field, Range::Milliseconds);
        }),
        field("output", "`stdout`, or the name of a value")
            .read(Schema::String, |reader, node, field| node.output = reader.output(field)),
        field("input", "what it reads instead of the output before it; placeholders are filled in, nothing is split")
            .read(Schema::String, |reader, node, field| node.input = reader.located(field)),
        field("retry", "attempts, the first included").read(AMOUNT, |reader, node, field| {
            node.retry = reader.amount(field, Range::Positive);
        }),
        field("failure", "how far a failure reaches").read(
            Schema::Enum(&["continue", "branch", "root"]),
            |reader, node, field| node.failure = reader.failure(field),
        ),
        field("recover", "").read(Schema::Ref("template"), |reader, node, field| {
            node.recover = reader.template(field.value, field.path).map(Box::new);
        }),
        field("repeat", "how many copies: a number or {items.length}")
            .read(AMOUNT, |reader, node, field| node.repeat = reader.amount(field, Range::Count)),
        field("concurrency", "how many branches run at the same time")
            .read(AMOUNT, |reader, node, field| {
                node.concurrency = reader.amount(field, Range::Positive);
            }),
        field("min_successful", "how many branches must succeed")
            .read(AMOUNT, |reader, node, field| {
                node.min_successful = reader.amount(field, Range::Count);
            }),
        field("stage", "what later steps call its output: {stages.NAME} is the file with it")
            .read(Schema::String, |reader, node, field| node.stage = reader.stage(field)),
    ],
};

/// The field of a node without a template: the alias of an import. `import` reads it.
pub(crate) const IMPORT_NODE: FieldTable<()> = FieldTable {
    owner: NODE.owner,
    about: "",
    fields: &[field("name", "an import's alias: this node is that recipe").read(Schema::String, ())],
};

/// A number, or a text with placeholders that evaluates to one.
const AMOUNT: Schema = Schema::Json(|| json!({"type": ["number", "string"]}));

/// The range of a numeric field.
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
    /// The field as a whole number, if it is in range.
    pub(crate) fn check(self, number: f64) -> Option<u64> {
        let least = if self == Self::Positive { 1.0 } else { 0.0 };
        let whole = self == Self::Milliseconds || number.fract() == 0.0;
        // The cast saturates: an absurd number is a very long time, or a count that exceeds its own
        // limit.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "saturating is meant"
        )]
        (number.is_finite() && number >= least && whole).then(|| number.ceil() as u64)
    }

    /// A description of the range.
    pub(crate) fn described(self) -> &'static str {
        match self {
            Self::Milliseconds => "a number of milliseconds from 0",
            Self::Count => "a whole number from 0",
            Self::Positive => "a whole number from 1",
        }
    }
}

impl TemplateReader<'_> {
    pub(super) fn check_fields(&mut self, node: &document::JsonNode, path: &str, root: bool) {
        let import = node.get("template").is_none();
        for member in node.members() {
            let name = member.name.as_str();
            let host = root && self.root_fields.contains(&name);
            let known = NODE.has(name) || host || (import && IMPORT_NODE.has(name));
            if known || self.no_room_for_warnings() {
                continue;
            }
            let message = format!("{} has no field {}", NODE.owner, text::quoted(name));
            let own = self.root_fields.iter().filter(|_| root).copied();
            let hint = match text::closest(name, NODE.names().chain(own)) {
                Some(near) => format!("did you mean `{near}`?"),
                None => {
                    let names: Vec<&str> = NODE.names().collect();
                    format!("fields are {}", text::list(&names, "and"))
                }
            };
            let finding = Finding::warning("unknown-field", message).hint(hint);
            self.push(
                finding.at(self.source, &member.name_span),
                &path_member(path, name),
            );
        }
    }

    /// Reads a node without its body.
    pub(super) fn controls(
        &mut self,
        node: &document::JsonNode,
        path: &str,
        root: bool,
    ) -> TemplateNode {
        let mut read = TemplateNode::plain(
            NodeBody::Children(Vec::new()),
            TextOrigin::json(self.source, &node.span, path),
        );
        for member in node.members() {
            if let Some(Field {
                name,
                read: read_field,
                ..
            }) = NODE.get(&member.name)
            {
                let field = NodeField {
                    name,
                    value: &member.value,
                    path: &path_member(path, name),
                    on_root: root,
                };
                read_field(self, &mut read, field);
            }
        }
        if read.stage.is_none() {
            let label = read.label.as_ref().and_then(|label| label.text.literal());
            read.stage = label.filter(|label| is_name(label)).map(str::to_owned);
        }
        read
    }

    /// Warns about fields that have no effect in their position.
    pub(super) fn check_effects(
        &mut self,
        node: &document::JsonNode,
        path: &str,
        read: &TemplateNode,
        body: Option<&NodeBody>,
    ) {
        let joins = read.parallel
            && (read.repeat.is_some() || !matches!(body, Some(NodeBody::Command { .. })));
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
    pub(super) fn located(&mut self, field: NodeField<'_>) -> Option<LocatedText> {
        let Some(text) = field.value.as_str() else {
            self.wrong_kind(field, "a text");
            return None;
        };
        let origin = self.origin(field);
        let text = self.text(&CommandWord::whole(text), text, &origin)?;
        Some(LocatedText { text, origin })
    }

    pub(super) fn origin(&self, field: NodeField<'_>) -> TextOrigin {
        TextOrigin::json(self.source, &field.value.span, field.path)
    }

    /// `stdout`, the name of a value, or a text with placeholders (T15).
    fn output(&mut self, field: NodeField<'_>) -> Option<LocatedText> {
        let name = field.value.as_str().map(str::trim);
        match name.filter(|name| is_name(name)) {
            Some("stdout") => None,
            Some(name) => Some(named(name, self.origin(field))),
            None => self.located(field),
        }
    }

    fn flag(&mut self, field: NodeField<'_>) -> bool {
        if let JsonContent::Bool(yes) = field.value.content {
            return yes;
        }
        self.wrong_kind(field, "true or false");
        false
    }

    fn failure(&mut self, field: NodeField<'_>) -> Option<FailurePolicy> {
        match field.value.as_str() {
            Some("continue") => Some(FailurePolicy::Continue),
            Some("branch") => Some(FailurePolicy::Branch),
            Some("root") => Some(FailurePolicy::Root),
            _ => {
                self.wrong_kind(field, "`continue`, `branch` or `root`");
                None
            }
        }
    }

    fn amount(&mut self, field: NodeField<'_>, range: Range) -> Option<NumberField> {
        let fixed = match &field.value.content {
            JsonContent::Number(number) => number.as_f64(),
            JsonContent::String(text) if text.trim().is_empty() => return None,
            JsonContent::String(text) => {
                let length = text
                    .trim()
                    .strip_suffix(".length")
                    .filter(|name| is_name(name));
                if let Some(name) = length.filter(|_| field.name == "repeat") {
                    let form = PlaceholderForm::Length {
                        name: name.to_owned(),
                    };
                    let located = placeholder(form, text, self.origin(field));
                    return Some(NumberField::Computed(located));
                }
                let located = self.located(field)?;
                match located.text.literal() {
                    Some(text) => text.trim().parse().ok(),
                    None => return Some(NumberField::Computed(located)),
                }
            }
            _ => None,
        };
        let checked = fixed.and_then(|number| range.check(number));
        if checked.is_none() {
            self.wrong_kind(field, range.described());
        }
        checked.map(NumberField::Fixed)
    }

    /// `stage`: a name for later steps (R7).
    fn stage(&mut self, field: NodeField<'_>) -> Option<String> {
        let name = field.value.as_str().map(str::trim);
        let name = name.filter(|name| is_name(name));
        if name.is_none() {
            self.wrong_kind(field, "a name of letters, digits, `_` and `-`");
        }
        name.map(str::to_owned)
    }

    pub(super) fn wrong_kind(&mut self, field: NodeField<'_>, expected: &str) {
        let NodeField {
            name, value, path, ..
        } = field;
        let given = match &value.content {
            JsonContent::Array(_) | JsonContent::Object(_) => value.kind().to_owned(),
            _ => text::quoted(&value.to_value().to_string()),
        };
        let message = format!("`{name}` is {given}, and it must be {expected}");
        let hint = format!("write {expected}");
        self.error(value, path, "invalid-field", message, hint);
    }
}

/// The root of a recipe has no caller to bind values for, so its values become its last defaults.
fn read_values(reader: &mut TemplateReader<'_>, node: &mut TemplateNode, field: NodeField<'_>) {
    let values = reader.settings(field);
    if field.on_root && reader.unit.is_some() {
        for (name, setting) in values {
            node.defaults.entry(name).or_insert(setting);
        }
    } else {
        node.values = values;
    }
}

/// The text `{name}`, if only the name was written.
pub(super) fn named(name: &str, origin: TextOrigin) -> LocatedText {
    let form = PlaceholderForm::Value {
        name: name.to_owned(),
        declared: None,
        default: None,
        difference: None,
    };
    placeholder(form, name, origin)
}

fn placeholder(form: PlaceholderForm, content: &str, origin: TextOrigin) -> LocatedText {
    let placeholder = Placeholder {
        form,
        content: content.to_owned(),
        at: 0,
    };
    LocatedText {
        text: TemplateText {
            pieces: vec![TextPiece::Placeholder(placeholder)],
            vanishes: true,
        },
        origin,
    }
}
