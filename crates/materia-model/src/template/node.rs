//! A template as it was read: the tree, its texts in pieces, every text with its origin.
//!
//! Owns the shapes that reading produces and expansion consumes. Nothing here is resolved, and
//! nothing is checked again: what a `Template` holds has passed every check that needs no values.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde_json::Value;

use super::interface::Interface;
use super::origin::Origin;
use super::syntax::Text;
use super::value::Type;
use crate::finding::{Finding, Source};

/// A command template that was read without an error.
#[derive(Debug, Clone)]
pub struct Template {
    pub(crate) source: Source,
    pub(crate) root: Node,
    /// What the root document declares and where it stands.
    pub(crate) realm: Realm,
    /// The root's `args`, in the order written.
    pub(crate) declared: Vec<Argument>,
    /// Whether any text names an earlier stage.
    pub(crate) uses_stages: bool,
    pub(crate) warnings: Vec<Finding>,
    /// Derived when it is first asked for.
    pub(crate) interface: OnceLock<Interface>,
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
pub(crate) struct Realm {
    /// Every type that is declared, by name: in `args` or inline.
    pub(crate) types: BTreeMap<String, Declared>,
    /// What the place of the document gives: `recipe_dir`, `agent`. Anything else wins over it.
    pub(crate) place: Settings,
    /// What tells the document from every other, where it is a recipe.
    pub(crate) part: Option<std::sync::Arc<str>>,
}

/// One node of a template.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) body: Body,
    pub(crate) origin: Origin,
    pub(crate) parallel: bool,
    pub(crate) label: Option<Located>,
    pub(crate) when: Option<Guard>,
    pub(crate) repeat: Option<Amount>,
    pub(crate) timeout: Option<Amount>,
    pub(crate) delay: Option<Amount>,
    pub(crate) retry: Option<Amount>,
    pub(crate) concurrency: Option<Amount>,
    pub(crate) min_successful: Option<Amount>,
    pub(crate) failure: Option<Failure>,
    pub(crate) recover: Option<Box<Node>>,
    pub(crate) output: Option<Located>,
    /// What it reads instead of what flows to it.
    pub(crate) input: Option<Located>,
    /// Defaults of the node's own `args`; they replace inherited ones.
    pub(crate) args: Option<Settings>,
    pub(crate) defaults: Settings,
    pub(crate) values: Settings,
    /// Defaults that an importer sets: they win over the node's own, and mean what they mean around
    /// it.
    pub(crate) given: Settings,
    /// What later steps call its output (R7).
    pub(crate) stage: Option<String>,
    /// Set on the root of an imported document.
    pub(crate) realm: Option<Box<Realm>>,
}

/// What a node runs.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    Command { words: Vec<Text>, raw: Vec<String> },
    Children(Vec<Node>),
    Nested(Box<Node>),
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
pub enum Failure {
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
pub(crate) struct Located {
    pub(crate) text: Text,
    pub(crate) origin: Origin,
}

/// A control field that is a number, or becomes one.
#[derive(Debug, Clone)]
pub(crate) enum Amount {
    Fixed(u64),
    Computed(Located),
}

/// When a node runs.
#[derive(Debug, Clone)]
pub(crate) enum Guard {
    Always(bool),
    /// A placeholder whose value decides; negated where `true`.
    Value(Located, bool),
}

/// Values by name, as a template sets them.
pub(crate) type Settings = BTreeMap<String, Setting>;

/// A default or a bound value.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) content: Content,
    pub(crate) origin: Origin,
}

/// A value that is ready, or a text that refers to others (T3).
#[derive(Debug, Clone)]
pub(crate) enum Content {
    Plain(Value),
    Reference(Text),
}

/// A declared type, with the place of its declaration.
#[derive(Debug, Clone)]
pub(crate) struct Declared {
    pub(crate) ty: Type,
    pub(crate) origin: Origin,
    pub(crate) at: usize,
}

/// One entry of `args`: `name:type=default`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Argument {
    pub(crate) name: String,
    pub(crate) ty: Option<Type>,
    pub(crate) default: Option<String>,
    /// Where the entry begins in its text.
    pub(crate) at: usize,
}
