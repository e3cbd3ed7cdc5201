//! Import declarations: `"alias": "reference"` or `"alias": {from, defaults, values}`.
//!
//! Owns their shapes and the texts of references to imports outside of templates. Never loads one.

use super::metadata::Recipe;
use crate::document::{Content, Node, Part, Path, Reader};
use crate::finding::{Finding, Source};
use crate::template::{Unit, value};

const CODE: &str = "invalid-import";

/// One declared import.
#[derive(Debug)]
pub(super) struct Binding<'a> {
    pub(super) alias: &'a str,
    pub(super) from: &'a str,
    pub(super) defaults: Option<&'a Node>,
    pub(super) values: Option<&'a Node>,
    /// What the declaration is, for findings about it.
    pub(super) node: &'a Node,
}

/// Reads the `imports` of a recipe.
pub(super) fn read<'a>(
    source: &'a Source,
    root: &'a Node,
    findings: &mut Vec<Finding>,
) -> Vec<Binding<'a>> {
    let mut reader = Reader::default();
    let path = Path::Root.member("imports");
    let imports = Part { source, node: root }.get("imports");
    let Some(imports) = imports.filter(|imports| reader.object(*imports, &path, CODE)) else {
        findings.extend(reader.into_findings());
        return Vec::new();
    };
    let mut bindings = Vec::new();
    for field in imports.fields() {
        let path = path.member(field.name());
        if field.name().is_empty() || !field.name().chars().all(is_alias) {
            let hint = "an alias has letters, digits, `_`, `.` and `-`";
            let message = format!("{} is no alias", crate::text::quoted(field.name()));
            reader.error(field.spot(), &path, CODE, message, hint);
        } else if let Some(binding) = binding(&mut reader, field.name(), field.value(), &path) {
            bindings.push(binding);
        }
    }
    findings.extend(reader.into_findings());
    bindings
}

fn is_alias(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

fn binding<'a>(
    reader: &mut Reader,
    alias: &'a str,
    value: Part<'a>,
    path: &Path<'_>,
) -> Option<Binding<'a>> {
    let node = value.node;
    if matches!(node.content, Content::String(_)) {
        let from = reader.words(value, path, CODE)?.trim();
        return Some(Binding {
            alias,
            from,
            defaults: None,
            values: None,
            node,
        });
    }
    if !matches!(node.content, Content::Object(_)) {
        let hint = "write \"recipe\" or {\"from\": \"recipe\", \"values\": {…}}";
        reader.error(
            value.spot(),
            path,
            CODE,
            "an import is a text or an object",
            hint,
        );
        return None;
    }
    for field in value
        .fields()
        .filter(|field| !matches!(field.name(), "from" | "defaults" | "values"))
    {
        reader.unknown(
            field,
            &path.member(field.name()),
            "an import",
            &["from", "defaults", "values"],
        );
    }
    let Some(from) = value.get("from") else {
        reader.error(
            value.spot(),
            path,
            CODE,
            "the import has no `from`",
            "add \"from\": the recipe",
        );
        return None;
    };
    let from = reader.words(from, &path.member("from"), CODE)?.trim();
    let [defaults, values] =
        ["defaults", "values"].map(|name| value.get(name).map(|part| part.node));
    Some(Binding {
        alias,
        from,
        defaults,
        values,
        node,
    })
}

/// The same tree with every text that is one reference replaced by what it stands for, its type
/// kept.
pub(super) fn exact(unit: &Unit, node: &Node, findings: &mut Vec<Finding>) -> Node {
    let content = match &node.content {
        Content::String(text) => match unit.exact(text) {
            Some(Ok(value)) => return from_value(&value, node),
            Some(Err(message)) => {
                let hint = "write {alias.defaults.key=fallback}, or add the key to the import";
                findings.push(
                    Finding::error("unknown-reference", message)
                        .at(&unit.source, &node.span)
                        .hint(hint),
                );
                node.content.clone()
            }
            None => node.content.clone(),
        },
        Content::Array(items) => Content::Array(
            items
                .iter()
                .map(|item| exact(unit, item, findings))
                .collect(),
        ),
        Content::Object(members) => Content::Object(
            members
                .iter()
                .map(|member| {
                    let mut member = member.clone();
                    if member.name != "imports" {
                        member.value = exact(unit, &member.value, findings);
                    }
                    member
                })
                .collect(),
        ),
        plain => plain.clone(),
    };
    Node {
        content,
        span: node.span.clone(),
    }
}

/// A value in the place of a node.
fn from_value(value: &serde_json::Value, at: &Node) -> Node {
    use serde_json::Value;
    let content = match value {
        Value::Null => Content::Null,
        Value::Bool(yes) => Content::Bool(*yes),
        Value::Number(number) => Content::Number(number.clone()),
        Value::String(text) => Content::String(text.clone()),
        Value::Array(items) => {
            Content::Array(items.iter().map(|item| from_value(item, at)).collect())
        }
        Value::Object(members) => Content::Object(
            members
                .iter()
                .map(|(name, value)| crate::document::Member {
                    name: name.clone(),
                    name_span: at.span.clone(),
                    value: from_value(value, at),
                })
                .collect(),
        ),
    };
    Node {
        content,
        span: at.span.clone(),
    }
}

/// Fills references inside the texts that a recipe says about itself; braces that name no import
/// stay.
pub(super) fn fill(unit: &Unit, recipe: &mut Recipe) {
    let texts = [&mut recipe.description, &mut recipe.state_dir]
        .into_iter()
        .flatten();
    for text in texts.chain(
        recipe
            .artifacts
            .values_mut()
            .map(|artifact| &mut artifact.path),
    ) {
        *text = filled(unit, text);
    }
}

fn filled(unit: &Unit, text: &str) -> String {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once('{') {
        let Some((content, after)) = inside.split_once('}') else {
            break;
        };
        whole.push_str(before);
        match unit.refer(content) {
            Some(Ok(value)) => whole.push_str(&value::render(&value)),
            _ => whole.push_str(&format!("{{{content}}}")),
        }
        rest = after;
    }
    whole + rest
}
