//! One recipe as discovery sees it.
//!
//! Owns what is known about a recipe file, valid or not. Never runs it.

use std::path::PathBuf;

use materia_model::finding::{Finding, Severity};
use materia_model::recipe::{RecipeDocument, RecipeLoadError, RecipeMetadata};
use materia_model::template::{TemplateArg, risk};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::library::{Library, Located, RecipeSource};

/// How a recipe stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum RecipeState {
    /// It can be used.
    Active,
    /// Another one of its name is used.
    Shadowed,
    /// It cannot be read.
    Invalid,
    /// It says that it is not to be used.
    Disabled,
}

/// A recipe and what is known about it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(
    feature = "typescript",
    derive(ts_rs::TS),
    ts(rename = "RecipeEntry", optional_fields)
)]
pub struct RegistryEntry {
    /// Its name.
    pub id: String,
    /// Its file, or `packaged:NAME`.
    pub path: String,
    /// Where it was found.
    pub source: RecipeSource,
    /// How it stands.
    pub state: RecipeState,
    /// Whether it can be called as a tool.
    pub tool: bool,
    /// The shelf it belongs to.
    pub kind: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it runs detached as a tool.
    #[serde(rename = "async")]
    pub detached: bool,
    /// Its public arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub args: Vec<TemplateArg>,
    /// What it imports, directly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub imports: Vec<String>,
    /// What it hides: the paths of recipes of the same name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub shadows: Vec<String>,
    /// Who hides it.
    #[serde(skip_serializing_if = "Option::is_none", rename = "shadowedBy")]
    pub shadowed_by: Option<String>,
    /// What it touches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub risks: Vec<&'static str>,
    /// What is wrong or strange.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional = nullable))]
    pub issues: Vec<Finding>,
    /// The digest of its text.
    pub sha256: String,
    /// The size of its text.
    pub size: usize,
    /// Everything that a change of would make it another tool.
    #[serde(skip)]
    pub fingerprint: String,
    /// What it imports, directly, under which alias and from where.
    #[serde(skip)]
    pub links: Vec<RecipeDocument>,
}

impl RegistryEntry {
    /// Describes a recipe that was found.
    pub(super) fn of(library: &Library, located: &Located, name_problem: Option<Finding>) -> Self {
        let text = located.source().text();
        let mut entry = Self::blank(&located.name, located.id(), located.found);
        if let Some(file) = &located.file {
            entry.path = file.to_string_lossy().into_owned();
        }
        (entry.sha256, entry.size) = (sha256(text.as_bytes()), text.len());
        match library.link(located) {
            Ok(linked) => {
                entry.describe(&linked.recipe);
                entry.args = linked.template.args().to_vec();
                entry.issues = linked.template.warnings().to_vec();
                let imports = linked.composition.iter().filter(|one| one.depth == 1);
                entry.imports = imports.map(|one| one.name.clone()).collect();
                entry.links = linked
                    .composition
                    .iter()
                    .filter(|one| one.depth == 1)
                    .cloned()
                    .collect();
                let mut risks: Vec<&str> = risk::labels(&linked.template)
                    .into_iter()
                    .map(risk::RiskLabel::as_str)
                    .collect();
                if linked.recipe.detached && !risks.contains(&risk::RiskLabel::LongRunning.as_str())
                {
                    risks.push(risk::RiskLabel::LongRunning.as_str());
                }
                entry.risks = risks;
                entry.state = if linked.recipe.disabled {
                    RecipeState::Disabled
                } else {
                    RecipeState::Active
                };
                let parts = linked
                    .composition
                    .iter()
                    .map(|one| one.file.as_str())
                    .collect::<Vec<_>>();
                entry.fingerprint = format!(
                    "{} {:?} {:?} {parts:?}",
                    entry.sha256, entry.args, entry.description
                );
            }
            Err(findings) => (entry.state, entry.issues) = (RecipeState::Invalid, findings),
        }
        if let Some(problem) = name_problem {
            entry.state = RecipeState::Invalid;
            entry.issues.insert(0, problem);
        }
        entry
            .issues
            .sort_by_key(|issue| std::cmp::Reverse(issue.severity));
        entry.tool = entry.state == RecipeState::Active && entry.source == RecipeSource::User;
        entry
    }

    /// Describes a file that cannot be read.
    pub(super) fn unreadable(name: &str, file: &std::path::Path, error: RecipeLoadError) -> Self {
        let mut entry = Self::blank(name, &file.to_string_lossy(), RecipeSource::User);
        entry.state = RecipeState::Invalid;
        entry
            .issues
            .push(Finding::error(error.code, error.message).hint(error.hint));
        entry
    }

    fn blank(name: &str, path: &str, source: RecipeSource) -> Self {
        Self {
            id: name.to_owned(),
            path: path.to_owned(),
            source,
            state: RecipeState::Active,
            tool: false,
            kind: kind_of(name).to_owned(),
            description: None,
            detached: false,
            args: Vec::new(),
            imports: Vec::new(),
            shadows: Vec::new(),
            shadowed_by: None,
            risks: Vec::new(),
            issues: Vec::new(),
            sha256: String::new(),
            size: 0,
            fingerprint: String::new(),
            links: Vec::new(),
        }
    }

    fn describe(&mut self, recipe: &RecipeMetadata) {
        self.description.clone_from(&recipe.description);
        self.detached = recipe.detached;
        if let Some(kind) = &recipe.kind {
            self.kind.clone_from(kind);
        }
    }

    /// The file; `None` for a packaged recipe.
    pub fn file(&self) -> Option<PathBuf> {
        (self.source != RecipeSource::Packaged).then(|| PathBuf::from(&self.path))
    }

    /// The first error, if any.
    pub fn problem(&self) -> Option<&Finding> {
        self.issues
            .iter()
            .find(|issue| issue.severity == Severity::Error)
    }
}

/// The category that a name suggests: the part before its first dash.
fn kind_of(name: &str) -> &str {
    match name.split_once('-') {
        Some(("subagent" | "subagents", _)) => "agent",
        Some((kind @ ("utility" | "pipeline"), _)) => kind,
        _ => "recipe",
    }
}

/// The SHA-256 digest in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
