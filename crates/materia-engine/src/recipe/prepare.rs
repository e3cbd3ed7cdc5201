//! Turns a template and its values into a plan.
//!
//! Owns typing the arguments, the values of the host, and all checks before the first process
//! starts (T21). Starts nothing and reads no file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use materia_model::finding::{Finding, Source};
use materia_model::recipe::{self, RecipeArtifact, RecipeDocument, RecipeMetadata};
use materia_model::run::{DeclaredArtifact, RetireWhen};
use materia_model::template::{self, Expansion, HostFacts, Plan, Template, risk};
use serde_json::{Map, Value};

use super::{NotResolved, context};
use crate::library::{Library, Located, RecipeSource};
use crate::registry::sha256;

/// A template that was read, imports included, with the caller's values.
#[derive(Debug)]
pub struct LinkedTemplate {
    /// The template.
    pub template: Template,
    /// The caller's values, typed.
    pub values: Map<String, Value>,
    /// The recipe that the template belongs to.
    pub recipe: Option<LinkedRecipe>,
}

/// The recipe that a template belongs to.
#[derive(Debug)]
pub struct LinkedRecipe {
    /// Its name.
    pub name: String,
    /// Its file; none if it is part of the binary.
    pub file: Option<PathBuf>,
    /// Where it was found.
    pub found: RecipeSource,
    /// What it declares.
    pub document: RecipeMetadata,
    /// The documents it consists of.
    composition: Vec<RecipeDocument>,
    /// Their texts.
    texts: BTreeMap<String, Source>,
}

/// A plan that is ready to run, with the findings of its preparation.
#[derive(Debug)]
pub struct PreparedTemplate<'t> {
    /// The template that it was made from.
    pub linked: &'t LinkedTemplate,
    /// The plan.
    pub plan: Plan,
    /// Warnings about the values and the template.
    pub warnings: Vec<Finding>,
    /// What it declares about a run of it; empty in the foreground.
    pub declarations: RunDeclarations,
    /// The values that it was expanded with.
    values: Map<String, Value>,
}

/// What a recipe declares about a run of it.
#[derive(Debug, Clone, Default)]
pub struct RunDeclarations {
    /// The files that it declares to write.
    pub artifacts: BTreeMap<String, DeclaredArtifact>,
    /// What it accepts and emits.
    pub mailbox: Option<Value>,
    /// When a run of it ends by itself.
    pub retire_when: Option<RetireWhen>,
    /// The variables and values that are secret (S3).
    pub secrets: Vec<String>,
    /// What agents inside a run of it are given about it.
    pub context: Vec<Value>,
}

impl LinkedTemplate {
    /// Parses a bare template. `arguments` are `key=value` words; they override `values`.
    pub fn parse(
        source: &Source,
        values: Map<String, Value>,
        arguments: &[String],
    ) -> Result<Self, Vec<Finding>> {
        Self::typed(template::parse(source)?, values, arguments, None)
    }

    /// Links the template of a recipe that was found, with everything it imports.
    pub fn link(
        library: &Library,
        located: Located,
        values: Map<String, Value>,
        arguments: &[String],
    ) -> Result<Self, NotResolved> {
        let linked = library.link(&located).map_err(NotResolved::Invalid)?;
        let Located {
            name, file, found, ..
        } = located;
        if linked.recipe.disabled {
            return Err(NotResolved::Disabled { name, file });
        }
        let recipe = LinkedRecipe {
            name,
            file,
            found,
            document: linked.recipe,
            composition: linked.composition,
            texts: linked.texts,
        };
        Self::typed(linked.template, values, arguments, Some(recipe)).map_err(NotResolved::Invalid)
    }

    fn typed(
        template: Template,
        mut values: Map<String, Value>,
        arguments: &[String],
        recipe: Option<LinkedRecipe>,
    ) -> Result<Self, Vec<Finding>> {
        let wrong: Vec<Finding> = arguments
            .iter()
            .filter_map(|word| template::add_word(&mut values, word, template.args()).err())
            .flatten()
            .collect();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        Ok(Self {
            template,
            values,
            recipe,
        })
    }

    /// Makes the plan for the foreground.
    pub fn prepare(&self, facts: HostFacts<'_>) -> Result<PreparedTemplate<'_>, Vec<Finding>> {
        self.expand(facts, &Map::new())
    }

    /// Makes the plan for a run. The values of the host, such as `run_id`, override the caller's
    /// where the template uses them.
    pub fn prepare_run(
        &self,
        facts: HostFacts<'_>,
        host: &Map<String, Value>,
    ) -> Result<PreparedTemplate<'_>, Vec<Finding>> {
        let mut prepared = self.expand(facts, host)?;
        if let Some(recipe) = &self.recipe {
            let facts = HostFacts {
                host: Some(host),
                ..facts
            };
            prepared.declarations = recipe.declarations();
            for (name, artifact) in &recipe.document.artifacts {
                prepared.declare(name, declared(artifact), facts)?;
            }
            if recipe.document.state_dir.is_some() {
                let message = "`state_dir` is not used: every run has a directory of its own";
                let warning = Finding::warning("state-dir", message)
                    .hint("give it --as run:ID to know its name before");
                prepared.warnings.push(warning);
            }
        }
        Ok(prepared)
    }

    fn expand(
        &self,
        facts: HostFacts<'_>,
        host: &Map<String, Value>,
    ) -> Result<PreparedTemplate<'_>, Vec<Finding>> {
        let mut values = self.values.clone();
        for (name, value) in host {
            let args = self.template.args();
            if values.contains_key(name) || args.iter().any(|arg| arg.name == *name) {
                values.insert(name.clone(), value.clone());
            }
        }
        let facts = HostFacts {
            host: Some(host),
            ..facts
        };
        let Expansion { plan, warnings } = template::expand(&self.template, &values, facts)?;
        let read = self.template.warnings().iter().cloned();
        Ok(PreparedTemplate {
            linked: self,
            plan,
            warnings: read.chain(warnings).collect(),
            declarations: RunDeclarations::default(),
            values,
        })
    }

    /// The name and the fingerprint for the usage ledger, if it is a recipe of the user.
    pub fn ledger_entry(&self) -> Option<(&str, String)> {
        let recipe = self.recipe.as_ref()?;
        let fingerprint = || sha256(self.template.source().text().as_bytes());
        (recipe.found == RecipeSource::User).then(|| (recipe.name.as_str(), fingerprint()))
    }
}

impl LinkedRecipe {
    /// What it declares about a run of it, except the artifacts, whose paths may contain values.
    fn declarations(&self) -> RunDeclarations {
        let RecipeMetadata {
            mailbox,
            secrets,
            actor_context,
            retire_when,
            ..
        } = &self.document;
        RunDeclarations {
            artifacts: BTreeMap::new(),
            mailbox: mailbox
                .as_ref()
                .and_then(|mailbox| serde_json::to_value(mailbox).ok()),
            retire_when: retire_when
                .map(|recipe::RecipeRetirement::ChildrenTerminal| RetireWhen::ChildrenTerminal),
            secrets: secrets.clone(),
            context: if *actor_context {
                context::records(&self.composition, &self.texts)
            } else {
                Vec::new()
            },
        }
    }
}

/// Converts an artifact of a recipe to the form that a run declares.
fn declared(artifact: &RecipeArtifact) -> DeclaredArtifact {
    let field = |key: &str| artifact.more.get(key);
    let text = |key: &str| field(key).and_then(Value::as_str).map(str::to_owned);
    DeclaredArtifact {
        path: artifact.path.clone(),
        kind: text("kind"),
        media_type: text("media_type"),
        required: field("required").and_then(Value::as_bool).unwrap_or(false),
    }
}

impl PreparedTemplate<'_> {
    /// Declares an artifact. Its path may contain values, like every text of the template.
    pub fn declare(
        &mut self,
        name: &str,
        artifact: DeclaredArtifact,
        facts: HostFacts<'_>,
    ) -> Result<(), Vec<Finding>> {
        let path = template::fill(&self.linked.template, &artifact.path, &self.values, facts)
            .map_err(|mut wrong| {
                for finding in &mut wrong {
                    finding.path = Some(format!("artifacts.{name}"));
                }
                wrong
            })?;
        let artifact = DeclaredArtifact { path, ..artifact };
        self.declarations
            .artifacts
            .insert(name.to_owned(), artifact);
        Ok(())
    }

    /// All warnings and risks of the template, one sentence each.
    pub fn messages(&self) -> Vec<String> {
        let risks = risk::warnings(&self.linked.template);
        let findings = self.warnings.iter().chain(&risks);
        findings.map(|finding| finding.message.clone()).collect()
    }
}
