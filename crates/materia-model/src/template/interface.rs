//! The interface of a template: its public arguments.
//!
//! Owns the derivation from declarations and uses, the JSON Schema, the call shape in errors, and
//! parsing `key=value` words. Inferred types only describe; declared types are enforced elsewhere.
//! Never reads values, except to report those that the template does not use.

mod derive;
mod schema;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, Value};

use super::node::Template;
use super::syntax::{is_name, reserved};
use super::value::ValueType;
use crate::finding::Finding;
use crate::text;

pub use schema::schema;

/// One public argument.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "TemplateArg"))]
pub struct TemplateArg {
    /// Its name.
    pub name: String,
    /// Its declared type, or what its uses suggest.
    #[serde(rename = "type")]
    pub ty: ValueType,
    /// Nothing else gives it a value.
    pub required: bool,
    /// What it is when it is not passed.
    pub default: Option<Value>,
}

/// All public arguments of a template, and its other known names.
#[derive(Debug, Clone)]
pub(crate) struct TemplateInterface {
    args: Vec<TemplateArg>,
    known: BTreeSet<String>,
    unused: BTreeSet<String>,
}

impl Template {
    /// The public arguments, declared ones first.
    pub fn args(&self) -> &[TemplateArg] {
        &self.interface().args
    }

    /// The interface, derived once.
    pub(crate) fn interface(&self) -> &TemplateInterface {
        self.interface.get_or_init(|| TemplateInterface::of(self))
    }
}

impl TemplateInterface {
    pub(crate) fn args(&self) -> &[TemplateArg] {
        &self.args
    }

    /// Whether a name is declared, has no default, and is used nowhere.
    pub(crate) fn is_unused(&self, name: &str) -> bool {
        self.unused.contains(name)
    }

    /// Warnings about values that no declaration and no placeholder uses (T6).
    pub(crate) fn undeclared(&self, values: &Map<String, Value>) -> Vec<Finding> {
        let strange = values
            .keys()
            .filter(|name| !self.known.contains(name.as_str()));
        strange
            .take(20)
            .map(|name| self.undeclared_finding(name))
            .collect()
    }

    fn undeclared_finding(&self, name: &str) -> Finding {
        if reserved(name).is_some() {
            let message = format!(
                "`{name}` belongs to `repeat`: a repeated node does not see the value that was passed"
            );
            return Finding::warning("reserved-name", message).hint("choose another name");
        }
        let message = format!("{} is not an argument of this template", text::quoted(name));
        let names = self.args.iter().map(|arg| arg.name.as_str());
        let hint = match text::closest(name, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None if self.args.is_empty() => "it has no arguments".to_owned(),
            None => format!("expected: {}", call_shape(&self.args)),
        };
        Finding::warning("undeclared-value", message).hint(hint)
    }
}

/// The call syntax of a template: required arguments first, optional ones in brackets.
pub(crate) fn call_shape(args: &[TemplateArg]) -> String {
    let required = args
        .iter()
        .filter(|arg| arg.required)
        .map(|arg| format!("{}={}", arg.name, sample(arg)));
    let optional = args
        .iter()
        .filter(|arg| !arg.required)
        .map(|arg| format!("[{}={}]", arg.name, sample(arg)));
    let mut shape: Vec<String> = required.chain(optional).take(20).collect();
    if args.len() > shape.len() {
        shape.push("…".to_owned());
    }
    shape.join(" ")
}

fn sample(arg: &TemplateArg) -> String {
    if let Some(default) = &arg.default {
        return text::bounded(&super::value::render(default), 40).into_owned();
    }
    match &arg.ty {
        ValueType::String => "TEXT".to_owned(),
        ValueType::Path => "PATH".to_owned(),
        ValueType::Int => "1".to_owned(),
        ValueType::Number => "1.5".to_owned(),
        ValueType::Bool => "true".to_owned(),
        ValueType::Array => "'[\"…\"]'".to_owned(),
        ValueType::Enum(choices) => choices.join("|"),
    }
}

/// Adds a `key=value` word to the values. Parses a list as JSON if the argument is a list.
pub fn add_word(
    values: &mut Map<String, Value>,
    word: &str,
    args: &[TemplateArg],
) -> Result<(), Vec<Finding>> {
    let Some((name, given)) = word.split_once('=').filter(|(name, _)| is_name(name)) else {
        let message = format!("{} is no `key=value` word", text::quoted(word));
        let hint = match args {
            [] => "this template has no arguments".to_owned(),
            args => format!("expected: {}", call_shape(args)),
        };
        return Err(vec![Finding::error("invalid-word", message).hint(hint)]);
    };
    let list = args
        .iter()
        .any(|arg| arg.name == name && arg.ty == ValueType::Array);
    let items = list
        .then(|| serde_json::from_str::<Vec<Value>>(given).ok())
        .flatten();
    values.insert(
        name.to_owned(),
        items.map_or_else(|| given.into(), Value::Array),
    );
    Ok(())
}

/// The uses of one name over the whole template.
#[derive(Debug, Clone, Default)]
struct Use {
    required: bool,
    /// Whether the root document itself uses it, and not only its imports.
    at_home: bool,
    /// The type declared by the document that uses it first.
    declared: Option<ValueType>,
    inferred: BTreeMap<Inferred, ()>,
    default: Option<Value>,
}

/// The type that a use suggests, the stronger suggestion first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Inferred {
    Array,
    Int,
    Text,
    Bool,
}

#[cfg(test)]
mod tests;
