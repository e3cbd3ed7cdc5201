//! The contract of a socket's JSON output, and the issues of an invalid one (C6).
//!
//! Owns the fields of a handoff, their types, obsolete names, and the messages. Checks to the end:
//! a repair turn lists all issues. Never searches a text for JSON: `extract` does.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::handoff::path;
use crate::materia::StateAssign;
use crate::text;

/// The author of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputAuthor {
    /// A model: only the fields of the contract are allowed.
    Agent,
    /// A program: any documented field is allowed.
    Utility,
}

/// The contract of a socket's JSON output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputContract {
    pub author: OutputAuthor,
    /// Whether `workItems` is required.
    pub generator: bool,
    /// Whether a boolean `satisfied` is required.
    pub needs_satisfied: bool,
    /// The assignments to the state, in order.
    pub assign: Vec<StateAssign>,
}

/// One issue of an output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputIssue {
    /// The path of the value, such as `$.workItems.0.title`; `$` is the whole output.
    pub path: String,
    /// What is wrong and what to write instead.
    pub message: String,
}

impl OutputIssue {
    /// An issue about the value at a path.
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
        }
    }
}

/// The step that rejected an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputStage {
    /// No JSON object was found.
    JsonParse,
    /// An object was found, but it violates the contract.
    HandoffValidation,
}

/// An output that violates the contract of its socket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub struct InvalidOutput {
    /// The step that rejected it.
    pub kind: OutputStage,
    /// All issues, never empty.
    pub issues: Vec<OutputIssue>,
}

impl fmt::Display for InvalidOutput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let messages: Vec<&str> = self
            .issues
            .iter()
            .map(|issue| issue.message.as_str())
            .collect();
        f.write_str(&messages.join("; "))
    }
}

/// An output that satisfies the contract.
#[derive(Debug, Clone, PartialEq)]
pub struct AcceptedOutput {
    /// The payload, without the dropped fields.
    pub payload: Map<String, Value>,
    /// The dropped fields, with the reasons.
    pub warnings: Vec<String>,
}

impl AcceptedOutput {
    /// The outcome that guards read.
    pub fn outcome(&self) -> Option<bool> {
        self.payload.get("satisfied").and_then(Value::as_bool)
    }
}

/// The maximum number of reported issues per output.
const MAX_ISSUES: usize = 20;

impl OutputContract {
    /// Checks an object against the contract.
    pub fn check(&self, mut payload: Map<String, Value>) -> Result<AcceptedOutput, InvalidOutput> {
        let mut issues = Vec::new();
        let mut warnings = Vec::new();
        self.check_satisfied(&payload, &mut issues);
        self.check_context(&payload, &mut issues);
        self.check_work_items(&mut payload, &mut issues, &mut warnings);
        self.check_consumed(&payload, &mut issues);
        self.check_unknown(&payload, &mut issues);
        if issues.is_empty() {
            return Ok(AcceptedOutput { payload, warnings });
        }
        if issues.len() > MAX_ISSUES {
            let rest = issues.len() - MAX_ISSUES;
            issues.truncate(MAX_ISSUES);
            issues.push(OutputIssue::new(
                "$",
                format!("and {}", text::count(rest, "more issue")),
            ));
        }
        Err(InvalidOutput {
            kind: OutputStage::HandoffValidation,
            issues,
        })
    }

    fn check_satisfied(&self, payload: &Map<String, Value>, issues: &mut Vec<OutputIssue>) {
        match payload.get("satisfied") {
            Some(Value::Bool(_)) => {}
            Some(other) => issues.push(OutputIssue::new(
                "$.satisfied",
                format!("`satisfied` must be true or false, not {}", kind(other)),
            )),
            None if self.needs_satisfied => {
                let alias = if payload.contains_key("passed") {
                    "; `passed` is not read, write `satisfied`"
                } else {
                    ""
                };
                issues.push(OutputIssue::new(
                    "$.satisfied",
                    format!(
                        "`satisfied` (true or false) is missing; the route depends on it{alias}"
                    ),
                ));
            }
            None => {}
        }
    }

    fn check_context(&self, payload: &Map<String, Value>, issues: &mut Vec<OutputIssue>) {
        if let (OutputAuthor::Agent, Some(other)) = (self.author, payload.get("context"))
            && !other.is_string()
        {
            issues.push(OutputIssue::new(
                "$.context",
                format!("`context` must be a text, not {}", kind(other)),
            ));
        }
    }

    fn check_work_items(
        &self,
        payload: &mut Map<String, Value>,
        issues: &mut Vec<OutputIssue>,
        warnings: &mut Vec<String>,
    ) {
        match payload.get_mut("workItems") {
            Some(Value::Array(items)) if self.checks_items() => {
                for (index, item) in items.iter_mut().enumerate() {
                    check_item(index, item, issues, warnings);
                }
            }
            Some(Value::Array(_)) => {}
            Some(other) if self.checks_items() || self.needs_work_items() => {
                issues.push(OutputIssue::new(
                    "$.workItems",
                    format!("`workItems` must be a list, not {}", kind(other)),
                ));
            }
            Some(_) => {}
            None if self.needs_work_items() => {
                issues.push(OutputIssue::new(
                    "$.workItems",
                    "`workItems` (a list) is missing",
                ));
            }
            None => {}
        }
    }

    /// Items of models and generators must have the standard shape; other programs may use their
    /// own.
    fn checks_items(&self) -> bool {
        self.author == OutputAuthor::Agent || self.generator
    }

    /// Whether the payload must have a list of work items.
    pub fn needs_work_items(&self) -> bool {
        let assigned = |assign: &StateAssign| {
            assign.target == "workItems" && assign.source.trim() == "$.workItems"
        };
        self.generator || self.assign.iter().any(assigned)
    }

    /// The sources of `assign` must exist. `satisfied` and `context` stay optional, as everywhere.
    fn check_consumed(&self, payload: &Map<String, Value>, issues: &mut Vec<OutputIssue>) {
        for source in self.required_paths() {
            let rest = source.trim_start_matches("$.");
            let (head, below) = rest.split_once('.').unwrap_or((rest, ""));
            if payload
                .get(head)
                .and_then(|value| path::below(value, below))
                .is_none()
            {
                issues.push(OutputIssue::new(
                    source,
                    format!("`{source}` is missing; the socket copies it"),
                ));
            }
        }
    }

    /// The payload paths that must exist, in order and without duplicates.
    pub fn required_paths(&self) -> Vec<&str> {
        let mut paths: Vec<&str> = Vec::new();
        for source in self.assign.iter().map(|assign| assign.source.trim()) {
            let canonical = matches!(source, "$.workItems" | "$.satisfied" | "$.context");
            if source.starts_with("$.") && !canonical && !paths.contains(&source) {
                paths.push(source);
            }
        }
        paths
    }

    fn check_unknown(&self, payload: &Map<String, Value>, issues: &mut Vec<OutputIssue>) {
        if self.author == OutputAuthor::Utility {
            return;
        }
        let consumed: Vec<&str> = self
            .assign
            .iter()
            .filter_map(|assign| path::consumed(&assign.source))
            .collect();
        if consumed.contains(&"") {
            return;
        }
        for name in payload
            .keys()
            .filter(|name| !FIELDS.contains(&name.as_str()))
        {
            if !consumed.contains(&name.as_str()) {
                issues.push(OutputIssue::new(format!("$.{name}"), unknown_field(name)));
            }
        }
    }
}

/// The fields of a handoff.
pub const FIELDS: [&str; 3] = ["workItems", "satisfied", "context"];

fn unknown_field(name: &str) -> String {
    let advice = match name {
        "passed" | "ok" | "success" | "approved" => "write `satisfied` instead",
        "tasks" | "task" | "work" | "items" => "write `workItems` instead",
        "architecture" | "architectureGuidance" => "write it into the `context` of the work items",
        "state" => "only programs patch the state",
        "summary" | "guidance" | "decisions" | "risks" | "feedback" | "missing" | "reason"
        | "failure" | "rework" => "it is obsolete, write it into `context`",
        _ => "only `workItems`, `satisfied` and `context` are read",
    };
    format!(
        "{} is not part of the handoff: {advice}",
        text::quoted(name)
    )
}

fn check_item(
    index: usize,
    item: &mut Value,
    issues: &mut Vec<OutputIssue>,
    warnings: &mut Vec<String>,
) {
    let place = format!("$.workItems.{index}");
    let Value::Object(fields) = item else {
        let message = format!(
            "work item {} must be an object, not {}",
            index + 1,
            kind(item)
        );
        return issues.push(OutputIssue::new(place, message));
    };
    if fields.shift_remove("id").is_some() {
        warnings.push(format!(
            "the `id` of work item {} was dropped: keys come from the position",
            index + 1
        ));
    }
    for name in ["title", "context"] {
        let problem = match fields.get(name) {
            Some(Value::String(text)) if !text.trim().is_empty() => continue,
            Some(Value::String(_)) => "must not be blank".to_owned(),
            Some(other) => format!("must be a text, not {}", kind(other)),
            None => "is missing".to_owned(),
        };
        let message = format!("`{name}` of work item {} {problem}", index + 1);
        issues.push(OutputIssue::new(format!("{place}.{name}"), message));
    }
    for name in fields
        .keys()
        .filter(|name| !matches!(name.as_str(), "title" | "context"))
    {
        let message = format!(
            "{} of work item {} is not read: only `title` and `context` are",
            text::quoted(name),
            index + 1
        );
        issues.push(OutputIssue::new(format!("{place}.{name}"), message));
    }
}

/// The kind of a value, for messages.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests;
