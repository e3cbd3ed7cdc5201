//! A template as it was read: the tree, its texts in pieces, every text with its origin.
//!
//! Owns the shapes that reading produces and expansion consumes. Nothing here is resolved, and
//! nothing is checked again: what a `Template` holds has passed every check that needs no values.

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
    /// What the root document declares and where it stands.
    pub(crate) realm: DocumentScope,
    /// The root's `args`, in the order written.
    pub(crate) declared: Vec<DeclaredArgument>,
    /// Whether any text names an earlier stage.
    pub(crate) uses_stages: bool,
    pub(crate) warnings: Vec<Finding>,
    /// Derived from the rest when it is first asked for.
    pub(crate) interface: OnceLock<TemplateInterface>,
}

impl Template {
    /// What reading found that the template survives, such as unknown fields.
    pub fn warnings(&self) -> &[Finding] {
        &self.warnings
    }

    /// The same template, with more that its reader noticed.
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

/// What one document of a template declares for itself: imports have their own (T18).
#[derive(Debug, Clone, Default)]
pub(crate) struct DocumentScope {
    /// Every type that is declared, by name: in `args` or inline.
    pub(crate) types: BTreeMap<String, DeclaredValueType>,
    /// What the place of the document gives: `recipe_dir`, `agent`. Anything else wins over it.
    pub(crate) place: ValueSettings,
    /// What tells the document from every other, where it is a recipe.
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
    /// What it reads instead of what flows to it.
    pub(crate) input: Option<LocatedText>,
    /// Defaults of the node's own `args`; they replace inherited ones.
    pub(crate) args: Option<ValueSettings>,
    pub(crate) defaults: ValueSettings,
    pub(crate) values: ValueSettings,
    /// Defaults that an importer sets: they win over the node's own, and mean what they mean around
    /// it.
    pub(crate) given: ValueSettings,
    /// What later steps call its output (R7).
    pub(crate) stage: Option<String>,
    /// Set on the root of an imported document.
    pub(crate) realm: Option<Box<DocumentScope>>,
}

/// What a node runs.
#[derive(Debug, Clone)]
pub(crate) enum NodeBody {
    Command {
        words: Vec<TemplateText>,
        raw: Vec<String>,
    },
    Children(Vec<TemplateNode>),
    Nested(Box<TemplateNode>),
}

/// How far a failure reaches.
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

/// A text with its place.
#[derive(Debug, Clone)]
pub(crate) struct LocatedText {
    pub(crate) text: TemplateText,
    pub(crate) origin: TextOrigin,
}

/// A control field that is a number, or becomes one.
#[derive(Debug, Clone)]
pub(crate) enum NumberField {
    Fixed(u64),
    Computed(LocatedText),
}

/// When a node runs.
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

/// A value that is ready, or a text that refers to others (T3).
#[derive(Debug, Clone)]
pub(crate) enum SettingContent {
    Plain(Value),
    Reference(TemplateText),
}

/// A declared type, with the place of its declaration.
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
    /// Where the entry begins in its text.
    pub(crate) at: usize,
}
