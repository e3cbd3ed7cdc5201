//! Tools: what a host shows an agent, and the form of a call.
//!
//! Owns the schema of a tool and the text of the expected call. Never calls one.

use materia_model::template::value::ValueType;
use materia_model::template::{TemplateArg, schema};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::entry::RegistryEntry;
use super::survey::Survey;

/// A recipe that an agent can call.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ToolDefinition {
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Whether it answers at once with a run.
    #[serde(rename = "async")]
    pub detached: bool,
    /// The JSON Schema of its arguments.
    #[serde(rename = "inputSchema")]
    #[cfg_attr(
        feature = "typescript",
        ts(type = "{ properties?: Record<string, unknown>, required?: Array<string> }")
    )]
    pub input_schema: Value,
    /// Its file.
    pub path: String,
    /// Changes when the tool does.
    #[serde(skip)]
    pub fingerprint: String,
}

/// The recipes that are tools.
pub fn tools(survey: &Survey) -> Vec<ToolDefinition> {
    survey
        .entries
        .iter()
        .filter(|entry| entry.tool)
        .map(tool)
        .collect()
}

fn tool(entry: &RegistryEntry) -> ToolDefinition {
    let mut input_schema = schema(&entry.args);
    let takes_run = entry.detached && !entry.args.iter().any(|arg| arg.name == "run_id");
    if let Some(properties) = input_schema["properties"]
        .as_object_mut()
        .filter(|_| takes_run)
    {
        properties.insert(
            "run_id".to_owned(),
            json!({"type": "string", "description": "The id of the run"}),
        );
    }
    ToolDefinition {
        name: entry.id.clone(),
        description: entry
            .description
            .clone()
            .unwrap_or_else(|| format!("Runs the recipe {}", entry.id)),
        detached: entry.detached,
        input_schema,
        path: entry.path.clone(),
        fingerprint: entry.fingerprint.clone(),
    }
}

/// The help that an agent gets when its arguments are wrong: an example call and the required
/// arguments.
pub fn call_shape(name: &str, args: &[TemplateArg]) -> String {
    let sample: Map<String, Value> = args
        .iter()
        .map(|arg| (arg.name.clone(), sample(arg)))
        .collect();
    let sample = serde_json::to_string_pretty(&sample).unwrap_or_default();
    let names = |required: bool| {
        let names: Vec<&str> = args
            .iter()
            .filter(|arg| arg.required == required)
            .map(|arg| arg.name.as_str())
            .collect();
        if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(", ")
        }
    };
    format!(
        "Expected call shape for {name}:\n{name}({sample})\nRequired: {}\nOptional: {}",
        names(true),
        names(false)
    )
}

fn sample(arg: &TemplateArg) -> Value {
    if let Some(default) = &arg.default {
        return default.clone();
    }
    match &arg.ty {
        ValueType::String => format!("<{}>", arg.name).into(),
        ValueType::Path => format!("./{}", arg.name).into(),
        ValueType::Int => 1.into(),
        ValueType::Number => 1.5.into(),
        ValueType::Bool => true.into(),
        ValueType::Array => json!([format!("<{}>", arg.name)]),
        ValueType::Enum(choices) => choices.first().cloned().into(),
    }
}
