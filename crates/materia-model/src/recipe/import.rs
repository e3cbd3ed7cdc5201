//! Import declarations: `"alias": "reference"` or `"alias": {from, defaults, values}`.
//!
//! Owns their syntax and references to imports outside of templates. Never loads one.

use super::metadata::RecipeMetadata;
use crate::document::{DocValue, FieldTable, Findings, JsonContent, JsonNode, Schema, field};
use crate::finding::{Finding, Source};
use crate::template::{TemplateUnit, value};

const CODE: &str = "invalid-import";

/// One declared import.
#[derive(Debug)]
pub(super) struct ImportBinding<'a> {
    pub(super) alias: String,
    pub(super) from: &'a str,
    pub(super) defaults: Option<&'a JsonNode>,
    pub(super) values: Option<&'a JsonNode>,
    /// The declaration, for findings about it.
    pub(super) node: &'a JsonNode,
}

/// The fields of an import in object form.
pub(super) const IMPORT: FieldTable<()> = FieldTable {
    owner: "an import",
    about: "",
    fields: &[
        field("from", "a name, or a path seen from this file")
            .required()
            .read(Schema::String, ()),
        field("defaults", "defaults inside the import").read(Schema::Object, ()),
        field("values", "values that win inside the import").read(Schema::Object, ()),
    ],
};

/// Reads the `imports` of a recipe.
pub(super) fn read<'a>(
    source: &Source,
    root: &'a JsonNode,
    findings: &mut Vec<Finding>,
) -> Vec<ImportBinding<'a>> {
    let found = Findings::default();
    let root = DocValue::root(source, root, CODE, &found);
    let imports = root.get("imports").filter(DocValue::object);
    let mut bindings = Vec::new();
    for value in imports.iter().flat_map(DocValue::fields) {
        if value.name().is_empty() || !value.name().chars().all(is_alias) {
            let message = format!("{} is no alias", crate::text::quoted(value.name()));
            let hint = "an alias has letters, digits, `_`, `.` and `-`";
            value.at.at_name().error(message, hint);
        } else {
            bindings.extend(binding(&value));
        }
    }
    findings.extend(found.take());
    bindings
}

fn is_alias(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-')
}

fn binding<'a>(value: &DocValue<'a>) -> Option<ImportBinding<'a>> {
    let (alias, node) = (value.name().to_owned(), value.node);
    if matches!(node.content, JsonContent::String(_)) {
        let from = value.text()?.trim();
        return Some(ImportBinding {
            alias,
            from,
            defaults: None,
            values: None,
            node,
        });
    }
    if !matches!(node.content, JsonContent::Object(_)) {
        let hint = "write \"recipe\" or {\"from\": \"recipe\", \"values\": {…}}";
        value.error("an import is a text or an object", hint);
        return None;
    }
    for field in value.fields().filter(|field| !IMPORT.has(field.name())) {
        field.unknown(IMPORT.owner, IMPORT.names());
    }
    let Some(from) = value.get("from") else {
        value.error("the import has no `from`", "add \"from\": the recipe");
        return None;
    };
    let from = from.text()?.trim();
    let [defaults, values] =
        ["defaults", "values"].map(|name| value.get(name).map(|value| value.node));
    Some(ImportBinding {
        alias,
        from,
        defaults,
        values,
        node,
    })
}

/// Replaces every text that is exactly one reference by the referenced value, with its type.
pub(super) fn exact(unit: &TemplateUnit, node: &JsonNode, findings: &mut Vec<Finding>) -> JsonNode {
    let content = match &node.content {
        JsonContent::String(text) => match unit.exact(text) {
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
        JsonContent::Array(items) => JsonContent::Array(
            items
                .iter()
                .map(|item| exact(unit, item, findings))
                .collect(),
        ),
        JsonContent::Object(members) => JsonContent::Object(
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
    JsonNode {
        content,
        span: node.span.clone(),
    }
}

/// Converts a value to a node at the position of another node.
fn from_value(value: &serde_json::Value, at: &JsonNode) -> JsonNode {
    use serde_json::Value;
    let content = match value {
        Value::Null => JsonContent::Null,
        Value::Bool(yes) => JsonContent::Bool(*yes),
        Value::Number(number) => JsonContent::Number(number.clone()),
        Value::String(text) => JsonContent::String(text.clone()),
        Value::Array(items) => {
            JsonContent::Array(items.iter().map(|item| from_value(item, at)).collect())
        }
        Value::Object(members) => JsonContent::Object(
            members
                .iter()
                .map(|(name, value)| crate::document::JsonMember {
                    name: name.clone(),
                    name_span: at.span.clone(),
                    value: from_value(value, at),
                })
                .collect(),
        ),
    };
    JsonNode {
        content,
        span: at.span.clone(),
    }
}

/// Fills in references inside the metadata of a recipe. Braces that name no import stay.
pub(super) fn fill(unit: &TemplateUnit, recipe: &mut RecipeMetadata) {
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

fn filled(unit: &TemplateUnit, text: &str) -> String {
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
