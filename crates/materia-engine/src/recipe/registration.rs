//! A request to register a recipe as a tool.
//!
//! Owns the order in which a file, fields and options make up the recipe. Registers nothing.

use std::path::PathBuf;

use materia_model::finding::Source;
use materia_model::recipe;
use serde_json::{Map, Value, json};

use super::source::{SourceContext, SourceError, is_json};
use crate::registry::Registration;
use crate::store::text::read_file;

/// A recipe that becomes a tool, or changes to one. Absent fields stay unchanged.
#[derive(Debug, Clone, Default)]
pub struct RegisterToolRequest {
    /// The tool's name.
    pub name: String,
    /// Whether an existing tool of this name is changed.
    pub update: bool,
    /// A file with the whole recipe.
    pub file: Option<PathBuf>,
    /// Fields of the recipe; they override those in the file.
    pub fields: Map<String, Value>,
    /// A template: a command line, or JSON when it begins with `{`, `[` or `"`.
    pub template: Option<String>,
    /// The name or path of a recipe to import instead.
    pub from: Option<String>,
    /// Its purpose.
    pub description: Option<String>,
    /// Its arguments: `name`, `name:type` or `name:type=default`.
    pub args: Option<Vec<String>>,
    /// Whether it runs detached.
    pub detached: Option<bool>,
}

impl RegisterToolRequest {
    /// Reads the file and merges the fields.
    pub fn read(self, context: &SourceContext<'_>) -> Result<Registration, SourceError> {
        let mut fields = Map::new();
        if let Some(path) = &self.file {
            let name = path.to_string_lossy();
            let source = Source::new(&name, &read_file(&context.path(path), &name)?);
            let recipe = recipe::parse(&source).map_err(SourceError::Invalid)?;
            if let Value::Object(object) = recipe.to_value() {
                fields = object;
            }
        }
        fields.extend(self.fields);
        let template = self.template.map(template_field);
        let mut set = |name: &str, value: Option<Value>| {
            fields.extend(value.map(|value| (name.to_owned(), value)));
        };
        set("template", template);
        if let Some(from) = self.from {
            set("imports", Some(json!({"recipe": from})));
            set("template", Some(json!({"name": "recipe"})));
        }
        set("description", self.description.map(Value::from));
        set("args", self.args.map(Value::from));
        set("async", self.detached.map(Value::from));
        // The template is the last field, so that a reader sees the flags first.
        if let Some(template) = fields.shift_remove("template") {
            fields.insert("template".to_owned(), template);
        }
        Ok(Registration {
            name: self.name,
            fields,
            update: self.update,
        })
    }
}

/// A template as a field of a recipe: JSON if it looks like JSON, otherwise one command.
fn template_field(text: String) -> Value {
    let json = is_json(&text).then(|| serde_json::from_str(&text).ok());
    json.flatten().unwrap_or_else(|| text.into())
}
