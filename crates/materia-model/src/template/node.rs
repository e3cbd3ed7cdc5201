//! A template as read: the tree, its texts in pieces, every text with its origin.
//!
//! Owns the types between reading and expansion. Nothing here is resolved, and nothing is checked
//! again: a `Template` has passed every check that needs no values.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use super::interface::TemplateInterface;
use super::origin::TextOrigin;
use super::syntax::TemplateText;
use super::value::ValueType;
use crate::finding::{Finding, Source};

/// A command template that was read without an error.
#[derive(Debug, Clone)]
pub struct Template {
    pub(crate) source: Source,
    pub(crate) root: TemplateNode,
    /// The declarations and the location of the root document.
    pub(crate) realm: DocumentScope,
    /// The root's `args`, in the order written.
    pub(crate) declared: Vec<DeclaredArgument>,
    /// Whether any text names an earlier stage.
    pub(crate) uses_stages: bool,
    pub(crate) warnings: Vec<Finding>,
    /// Derived from the rest on first use.
    pub(crate) interface: OnceLock<TemplateInterface>,
}

impl Template {
    /// The warnings of the reader, such as unknown fields.
    pub fn warnings(&self) -> &[Finding] {
        &self.warnings
    }

    /// Adds warnings of the reader.
    pub(crate) fn noting(mut self, mut findings: Vec<Finding>) -> Self {
        findings.append(&mut self.warnings);
        Self {
            warnings: findings,
            ..self
        }
    }

    /// The text it was read from.
    pub fn source(&self) -> &Source {
        &self.source
    }
}

/// The declarations of one document of a template: imports have their own (T18).
#[derive(Debug, Clone, Default)]
pub(crate) struct DocumentScope {
    /// Every declared type, by name: in `args` or inline.
    pub(crate) types: BTreeMap<String, DeclaredValueType>,
    /// Values from the document's location: `recipe_dir`, `agent`. They have the lowest precedence.
    pub(crate) place: ValueSettings,
    /// The unique id of the document, if it is a recipe.
    pub(crate) part: Option<std::sync::Arc<str>>,
}

/// One node of a template.
#[derive(Debug, Clone)]
pub(crate) struct TemplateNode {
    pub(crate) body: NodeBody,
    pub(crate) origin: TextOrigin,
    pub(crate) parallel: bool,
    pub(crate) label: Option<LocatedText>,
    pub(crate) when: Option<NodeGuard>,
    pub(crate) repeat: Option<NumberField>,
    pub(crate) timeout: Option<NumberField>,
    pub(crate) delay: Option<NumberField>,
    pub(crate) retry: Option<NumberField>,
    pub(crate) concurrency: Option<NumberField>,
    pub(crate) min_successful: Option<NumberField>,
    pub(crate) failure: Option<FailurePolicy>,
    pub(crate) recover: Option<Box<TemplateNode>>,
    pub(crate) output: Option<LocatedText>,
    /// Its stdin, instead of the output of the step before.
    pub(crate) input: Option<LocatedText>,
    /// Defaults of the node's own `args`; they replace inherited ones.
    pub(crate) args: Option<ValueSettings>,
    pub(crate) defaults: ValueSettings,
    pub(crate) values: ValueSettings,
    /// Defaults from an importer. They override the node's own, and resolve in the scope around it.
    pub(crate) given: ValueSettings,
    /// The name of its output for later steps (R7).
    pub(crate) stage: Option<String>,
    /// Set on the root of an imported document.
    pub(crate) realm: Option<Box<DocumentScope>>,
}

/// The body of a node.
#[derive(Debug, Clone)]
pub(crate) enum NodeBody {
    Command {
        words: Vec<TemplateText>,
        raw: Vec<String>,
    },
    Children(Vec<TemplateNode>),
    Nested(Box<TemplateNode>),
}

/// The scope of a failure.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum FailurePolicy {
    /// Recorded; the sequence goes on.
    #[default]
    Continue,
    /// Stops the branch.
    Branch,
    /// Stops everything.
    Root,
}

/// A text with its position.
#[derive(Debug, Clone)]
pub(crate) struct LocatedText {
    pub(crate) text: TemplateText,
    pub(crate) origin: TextOrigin,
}

/// A control field that is a number, or evaluates to one.
#[derive(Debug, Clone)]
pub(crate) enum NumberField {
    Fixed(u64),
    Computed(LocatedText),
}

/// The condition of a node.
#[derive(Debug, Clone)]
pub(crate) enum NodeGuard {
    Always(bool),
    /// A placeholder whose value decides; negated where `true`.
    Value(LocatedText, bool),
}

/// Values by name, as a template sets them.
pub(crate) type ValueSettings = BTreeMap<String, ValueSetting>;

/// A default or a bound value.
#[derive(Debug, Clone)]
pub(crate) struct ValueSetting {
    pub(crate) content: SettingContent,
    pub(crate) origin: TextOrigin,
}

/// A literal value, or a text with references (T3).
#[derive(Debug, Clone)]
pub(crate) enum SettingContent {
    Plain(Value),
    Reference(TemplateText),
}

/// A declared type, with the position of its declaration.
#[derive(Debug, Clone)]
pub(crate) struct DeclaredValueType {
    pub(crate) ty: ValueType,
    pub(crate) origin: TextOrigin,
    pub(crate) at: usize,
}

/// One entry of `args`: `name:type=default`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DeclaredArgument {
    pub(crate) name: String,
    pub(crate) ty: Option<ValueType>,
    pub(crate) default: Option<String>,
    /// The offset of the entry in its text.
    pub(crate) at: usize,
}
