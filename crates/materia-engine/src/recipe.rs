//! `recipe`: what a name or a path means, linked and with its values; the one way in for run,
//! spawn, tools, MCP and UI.
//!
//! Owns the order of it: find, link, refuse what is disabled, type the words. Starts nothing.

pub mod prepare;
pub mod tool;
mod context;
mod shelf;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use materia_model::finding::{Finding, Source};
use materia_model::recipe::{Artifact, Composed, LoadError, Recipe, RetireWhen};
use materia_model::run::Declared;
use materia_model::template::{self, Arg, Expansion, Facts, Template, risk};
use materia_model::text;
use serde_json::{Map, Value};

use crate::library::{Found, Library, Located};
use crate::recipe::prepare::{Described, Prepared, about_artifact, overrule};

pub(crate) use shelf::listing;
pub use shelf::{
    Imported, Imports, IntegrityEntry, RecipeBrief, RecipeDoctorReport, RecipeListReport,
    RecipeReport, doctor, imports, list, show,
};

/// What a person or a program wants of a recipe.
#[derive(Debug)]
pub struct Asked<'a> {
    /// Where recipes are looked for.
    pub library: &'a Library,
    /// Where paths are seen from.
    pub cwd: &'a Path,
    /// A name, `skill/recipe`, or a path.
    pub name: &'a str,
    /// Values from a document.
    pub values: Map<String, Value>,
    /// Values as `key=value` words; they win.
    pub words: &'a [String],
}

/// A recipe that is ready to be expanded.
#[derive(Debug)]
pub struct Resolved {
    /// What people call it.
    pub name: String,
    /// Its file; none when it comes with the binary.
    pub file: Option<PathBuf>,
    /// Where it was found.
    pub source: Found,
    /// What it says about itself.
    pub recipe: Recipe,
    /// What it runs, imports included.
    pub template: Template,
    /// Its public arguments.
    pub args: Vec<Arg>,
    /// The caller's values.
    pub values: Map<String, Value>,
    /// The documents it consists of.
    pub composition: Vec<Composed>,
    /// Their texts.
    texts: BTreeMap<String, Source>,
    /// What was strange about it.
    pub warnings: Vec<Finding>,
}

/// Why there is no recipe to run.
#[derive(Debug, thiserror::Error)]
pub enum NotResolved {
    /// Nothing of that name is there, or it cannot be read.
    #[error("{}", .0.message)]
    NotFound(LoadError),
    /// Something is wrong with it, with an import or with the words.
    #[error("{}", .0.first().map_or("the recipe is invalid", |finding| &finding.message))]
    Invalid(Vec<Finding>),
    /// It is not to be used.
    #[error("the recipe {} is disabled", text::quoted(name))]
    Disabled {
        /// Its name.
        name: String,
        /// Its file.
        file: Option<PathBuf>,
    },
}

/// Finds, links and types; whatever launches a recipe begins here (R2).
pub fn resolve(asked: Asked<'_>) -> Result<Resolved, NotResolved> {
    let located = asked
        .library
        .find(asked.name, asked.cwd)
        .map_err(NotResolved::NotFound)?;
    link(asked.library, located, asked.values, asked.words)
}

/// The same for a recipe that was found.
pub fn link(
    library: &Library,
    located: Located,
    mut values: Map<String, Value>,
    words: &[String],
) -> Result<Resolved, NotResolved> {
    let linked = library.link(&located).map_err(NotResolved::Invalid)?;
    let Located {
        name, file, found, ..
    } = located;
    if linked.recipe.disabled {
        return Err(NotResolved::Disabled { name, file });
    }
    let args = linked.template.args();
    let mut wrong = Vec::new();
    for word in words {
        wrong.extend(
            template::add_word(&mut values, word, &args)
                .err()
                .into_iter()
                .flatten(),
        );
    }
    if !wrong.is_empty() {
        return Err(NotResolved::Invalid(wrong));
    }
    let warnings = linked.template.warnings().to_vec();
    Ok(Resolved {
        name,
        file,
        source: found,
        recipe: linked.recipe,
        template: linked.template,
        args,
        values,
        composition: linked.composition,
        texts: linked.texts,
        warnings,
    })
}

impl Resolved {
    /// What it would run.
    pub fn expand(&self, facts: Facts<'_>) -> Result<Expansion, Vec<Finding>> {
        template::expand(&self.template, &self.values, facts)
    }

    /// What it promises to write, its placeholders resolved.
    pub fn artifacts(&self, facts: Facts<'_>) -> Result<BTreeMap<String, Artifact>, Vec<Finding>> {
        let fill = |(name, artifact): (&String, &Artifact)| {
            let path = template::fill(&self.template, &artifact.path, &self.values, facts)
                .map_err(|wrong| about_artifact(name, wrong))?;
            Ok((
                name.clone(),
                Artifact {
                    path,
                    more: artifact.more.clone(),
                },
            ))
        };
        self.recipe.artifacts.iter().map(fill).collect()
    }

    /// A plan with everything that was noticed, as for a template.
    pub fn prepare(self, facts: Facts<'_>) -> Result<Prepared, Vec<Finding>> {
        self.prepare_with(facts, &Map::new())
    }

    /// The same with values of ours, which win over the caller's where the recipe wants them.
    pub fn prepare_with(
        mut self,
        facts: Facts<'_>,
        ours: &Map<String, Value>,
    ) -> Result<Prepared, Vec<Finding>> {
        let given = self.values.clone();
        overrule(&mut self.values, ours, &self.args);
        let Expansion { plan, warnings } = self.expand(Facts {
            host: Some(ours),
            ..facts
        })?;
        let recipe = (!ours.is_empty())
            .then(|| {
                self.described(Facts {
                    host: Some(ours),
                    ..facts
                })
            })
            .transpose()?;
        let risks = risk::warnings(&self.template);
        let own = (self.source == Found::User).then(|| (self.name.clone(), self.fingerprint()));
        let elsewhere = self.recipe.state_dir.filter(|_| !ours.is_empty()).map(|_| {
            Finding::warning(
                "state-dir",
                "`state_dir` is not used: every run has a directory of its own",
            )
            .hint("give it --as run:ID to know its name before")
        });
        let strange = self
            .warnings
            .into_iter()
            .chain(warnings)
            .chain(elsewhere)
            .collect();
        Ok(Prepared {
            template: self.template,
            plan,
            values: given,
            strange,
            risks,
            own,
            recipe,
        })
    }

    /// What it says about a run of it.
    fn described(&self, facts: Facts<'_>) -> Result<Described, Vec<Finding>> {
        let declared = |(name, artifact): (String, Artifact)| {
            let text = |key: &str| {
                artifact
                    .more
                    .get(key)
                    .and_then(Value::as_str)
                    .map(str::to_owned)
            };
            let required = artifact
                .more
                .get("required")
                .and_then(Value::as_bool)
                .unwrap_or(false);
            let (kind, media_type) = (text("kind"), text("media_type"));
            (
                name,
                Declared {
                    path: artifact.path,
                    kind,
                    media_type,
                    required,
                },
            )
        };
        Ok(Described {
            name: self.name.clone(),
            file: self.file.clone(),
            artifacts: self.artifacts(facts)?.into_iter().map(declared).collect(),
            mailbox: self
                .recipe
                .mailbox
                .as_ref()
                .and_then(|mailbox| serde_json::to_value(mailbox).ok()),
            secrets: self.recipe.secrets.clone(),
            context: if self.recipe.actor_context {
                context::records(&self.composition, &self.texts)
            } else {
                Vec::new()
            },
            retire_when: self.recipe.retire_when.map(|RetireWhen::ChildrenTerminal| {
                materia_model::run::RetireWhen::ChildrenTerminal
            }),
        })
    }
}
