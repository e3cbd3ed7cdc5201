//! Reads a template from its document: checks every field and reports every problem with its
//! position (T21).
//!
//! Owns the shapes of a node and the findings about them. Parses texts here, so that a broken
//! placeholder is found before any value is needed. Never resolves a value and never loads an
//! import: a node that names a recipe is an error unless a recipe reader passes the imported
//! document.

pub(crate) mod field;
mod guard;
mod setting;
mod import;

use std::collections::BTreeMap;
use std::sync::OnceLock;

pub(crate) use field::{IMPORT_NODE, NODE, Range};

use super::node::{
    DeclaredArgument, DeclaredValueType, DocumentScope, NodeBody, SettingContent, Template,
    TemplateNode,
};
use super::origin::{TextOrigin, TextProblem};
use super::syntax::{CommandWord, PlaceholderForm, TemplateText, word};
use super::unit::TemplateUnit;
use crate::document::{self, path_index, path_member};
use crate::finding::{Finding, Severity, Source};
use crate::text;

/// The maximum number of nodes of a template.
pub const MAX_NODES: usize = 100_000;
/// The maximum number of findings.
const MAX_FINDINGS: usize = 100;

/// Additional fields of the root, for users and editors.
const ROOT_FIELDS: &[&str] = &["$schema", "description", "name"];

/// Parses a template from a source: JSON if the text begins with `{`, `[` or `"`, otherwise one
/// command.
pub fn parse(source: &Source) -> Result<Template, Vec<Finding>> {
    if source
        .text()
        .trim_start_matches('\u{feff}')
        .trim_start()
        .starts_with(['{', '[', '"'])
    {
        let node = document::parse(source).map_err(|findings| as_json_string(source, findings))?;
        return read(source, &node, ROOT_FIELDS);
    }
    let mut reader = TemplateReader::new(source, &[]);
    let root = reader.command(source.text(), TextOrigin::whole(source));
    reader.finish(root)
}

/// Reads a template from a node of a document. `root_fields` are the host's own fields of the root.
pub fn read(
    source: &Source,
    node: &document::JsonNode,
    root_fields: &[&str],
) -> Result<Template, Vec<Finding>> {
    let mut reader = TemplateReader::new(source, root_fields);
    let root = reader.template(node, "");
    reader.finish(root)
}

/// Reads a template from a document with imports. `root_fields` are the fields of such documents
/// that a node does not have.
pub fn read_unit(unit: &TemplateUnit, root_fields: &[&str]) -> Result<Template, Vec<Finding>> {
    let mut reader = TemplateReader::of_unit(unit, root_fields);
    let root = reader.template(&unit.root, "");
    reader.finish(root)
}

/// A command that begins with a placeholder looks like JSON; adds a hint how to write it.
fn as_json_string(source: &Source, mut findings: Vec<Finding>) -> Vec<Finding> {
    let placeholder = source
        .text()
        .trim_start()
        .strip_prefix('{')
        .is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '!'))
        });
    if let Some(first) = findings.first_mut().filter(|_| placeholder) {
        let string = serde_json::Value::from(text::bounded(source.text(), 80).into_owned());
        first.hint = Some(format!(
            "a command that begins with a brace is written as a JSON string: {string}"
        ));
    }
    findings
}

/// Reads the nodes of one document and of its imports.
pub(crate) struct TemplateReader<'a> {
    source: &'a Source,
    root_fields: &'a [&'a str],
    unit: Option<&'a TemplateUnit>,
    findings: Vec<Finding>,
    types: BTreeMap<String, DeclaredValueType>,
    declared: Vec<DeclaredArgument>,
    nodes: usize,
    depth: usize,
    errors: usize,
    uses_stages: bool,
}

impl<'a> TemplateReader<'a> {
    fn new(source: &'a Source, root_fields: &'a [&'a str]) -> Self {
        let (findings, types, declared) = (Vec::new(), BTreeMap::new(), Vec::new());
        let (nodes, depth, errors, uses_stages) = (0, 0, 0, false);
        Self {
            source,
            root_fields,
            unit: None,
            findings,
            types,
            declared,
            nodes,
            depth,
            errors,
            uses_stages,
        }
    }

    fn of_unit(unit: &'a TemplateUnit, root_fields: &'a [&'a str]) -> Self {
        Self {
            unit: Some(unit),
            ..Self::new(&unit.source, root_fields)
        }
    }

    fn finish(mut self, root: Option<TemplateNode>) -> Result<Template, Vec<Finding>> {
        let Some(mut root) = root.filter(|_| self.errors == 0) else {
            return Err(self.findings);
        };
        self.fit_settings(&mut root);
        if self.errors > 0 {
            return Err(self.findings);
        }
        let place = self.place();
        let realm = DocumentScope {
            types: self.types,
            place,
            part: self.unit.map(|unit| unit.id.as_str().into()),
        };
        let (source, warnings) = (self.source.clone(), self.findings);
        Ok(Template {
            source,
            root,
            realm,
            declared: self.declared,
            uses_stages: self.uses_stages,
            warnings,
            interface: OnceLock::new(),
        })
    }

    /// A template at any level: a command, a list of nodes or a node.
    fn template(&mut self, node: &document::JsonNode, path: &str) -> Option<TemplateNode> {
        match &node.content {
            document::JsonContent::Array(items) => self.list(node, items, path),
            _ => self.node(node, path),
        }
    }

    fn list(
        &mut self,
        node: &document::JsonNode,
        items: &[document::JsonNode],
        path: &str,
    ) -> Option<TemplateNode> {
        let children = self.children(node, items, path)?;
        Some(TemplateNode::plain(
            NodeBody::Children(children),
            TextOrigin::json(self.source, &node.span, path),
        ))
    }

    fn children(
        &mut self,
        node: &document::JsonNode,
        items: &[document::JsonNode],
        path: &str,
    ) -> Option<Vec<TemplateNode>> {
        if items.is_empty() {
            self.error(
                node,
                path,
                "empty-template",
                "the list has no commands",
                "write at least one command",
            );
            return None;
        }
        let children: Vec<_> = items
            .iter()
            .enumerate()
            .map_while(|(index, item)| {
                (self.errors < MAX_FINDINGS).then(|| self.node(item, &path_index(path, index)))
            })
            .collect();
        children.into_iter().collect()
    }

    /// A node: a command or an object.
    fn node(&mut self, node: &document::JsonNode, path: &str) -> Option<TemplateNode> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            if self.nodes == MAX_NODES + 1 {
                let message = format!("the template has more than {MAX_NODES} nodes");
                self.error(
                    node,
                    path,
                    "too-large",
                    message,
                    "use `repeat`, or split it into recipes",
                );
            }
            return None;
        }
        match &node.content {
            document::JsonContent::String(text) => {
                self.command(text, TextOrigin::json(self.source, &node.span, path))
            }
            document::JsonContent::Object(_) => self.object(node, path),
            document::JsonContent::Array(_) => {
                let hint = "write {\"template\": [ … ]} for a sequence inside a sequence";
                self.error(
                    node,
                    path,
                    "invalid-template",
                    "a list cannot stand directly in a list",
                    hint,
                );
                None
            }
            _ => {
                let message = format!("{} is no template", node.kind());
                self.error(
                    node,
                    path,
                    "invalid-template",
                    message,
                    "write a command, a list or an object",
                );
                None
            }
        }
    }

    fn command(&mut self, text: &str, origin: TextOrigin) -> Option<TemplateNode> {
        let words = word::split(text)
            .map_err(|problem| self.problem(&origin, problem))
            .ok()?;
        if words.is_empty() {
            let hint = "write a command, such as `echo hi`".to_owned();
            let message = "the command is empty".to_owned();
            self.problem(
                &origin,
                TextProblem {
                    code: "empty-command",
                    message,
                    hint,
                    at: 0,
                },
            );
            return None;
        }
        let texts: Vec<_> = words
            .iter()
            .map(|word| self.text(word, text, &origin))
            .collect();
        let texts = texts.into_iter().collect::<Option<Vec<_>>>()?;
        let raw = words.into_iter().map(|word| word.text).collect();
        Some(TemplateNode::plain(
            NodeBody::Command { words: texts, raw },
            origin,
        ))
    }

    /// Parses a word into pieces, and records types that are declared inline.
    fn text(
        &mut self,
        word: &CommandWord,
        whole: &str,
        origin: &TextOrigin,
    ) -> Option<TemplateText> {
        if self.errors >= MAX_FINDINGS {
            return None;
        }
        let text = TemplateText::parse(word, whole, self.unit);
        let text = text.map_err(|problem| self.problem(origin, problem)).ok()?;
        self.uses_stages |= text
            .placeholders()
            .any(|placeholder| matches!(placeholder.form, PlaceholderForm::Stage { .. }));
        self.declare_inline(&text, origin);
        self.warn_nested(word, &text, whole, origin);
        Some(text)
    }

    fn object(&mut self, node: &document::JsonNode, path: &str) -> Option<TemplateNode> {
        let root = path.is_empty();
        self.check_fields(node, path, root);
        let before = self.errors;
        self.depth += 1;
        let mut read = self.controls(node, path, root);
        let body = match node.get("template") {
            Some(template) => self.body(template, &path_member(path, "template"), &mut read),
            None => self.import(node, path, &mut read),
        };
        self.depth -= 1;
        self.check_effects(node, path, &read, body.as_ref());
        read.body = body?;
        if root {
            self.hoist(node, &mut read);
        }
        (self.errors == before).then_some(read)
    }

    fn body(
        &mut self,
        template: &document::JsonNode,
        path: &str,
        read: &mut TemplateNode,
    ) -> Option<NodeBody> {
        match &template.content {
            document::JsonContent::Array(items) => {
                self.children(template, items, path).map(NodeBody::Children)
            }
            document::JsonContent::String(_) => {
                let command = self.node(template, path)?;
                read.origin = command.origin;
                Some(command.body)
            }
            _ => self
                .node(template, path)
                .map(|inner| NodeBody::Nested(Box::new(inner))),
        }
    }

    fn problem(&mut self, origin: &TextOrigin, problem: TextProblem) {
        if self.no_room_for_errors() {
            return;
        }
        self.push(origin.error(problem), "");
    }

    fn error(
        &mut self,
        node: &document::JsonNode,
        path: &str,
        code: &'static str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        if self.no_room_for_errors() {
            return;
        }
        self.push(
            Finding::error(code, message)
                .hint(hint)
                .at(self.source, &node.span),
            path,
        );
    }

    /// Counts an error beyond the limit. It is dropped, so the caller need not compute its
    /// position.
    fn no_room_for_errors(&mut self) -> bool {
        let full = self.errors >= MAX_FINDINGS;
        self.errors += usize::from(full);
        full
    }

    fn no_room_for_warnings(&self) -> bool {
        self.findings.len() >= MAX_FINDINGS / 2
    }

    /// Adds a finding. Warnings leave space for later errors.
    fn push(&mut self, finding: Finding, path: &str) {
        let error = finding.severity == Severity::Error;
        self.errors += usize::from(error);
        if self.findings.len() < MAX_FINDINGS && (error || !self.no_room_for_warnings()) {
            self.findings.push(if path.is_empty() {
                finding
            } else {
                finding.path(path)
            });
        }
    }
}

impl TemplateNode {
    fn plain(body: NodeBody, origin: TextOrigin) -> Self {
        Self {
            body,
            origin,
            parallel: false,
            label: None,
            when: None,
            repeat: None,
            timeout: None,
            delay: None,
            retry: None,
            concurrency: None,
            min_successful: None,
            failure: None,
            recover: None,
            output: None,
            input: None,
            args: None,
            defaults: BTreeMap::new(),
            values: BTreeMap::new(),
            given: BTreeMap::new(),
            stage: None,
            realm: None,
        }
    }
}

impl SettingContent {
    fn plain_mut(&mut self) -> Option<&mut serde_json::Value> {
        if let Self::Plain(value) = self {
            Some(value)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests;
