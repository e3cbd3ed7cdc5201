//! `explain`, and what `run` does before anything starts: a template and its values become a plan.
//!
//! Owns the order of it: read, type the words, expand. Starts nothing and reads no file.

use std::collections::BTreeMap;
use std::path::PathBuf;

use materia_model::finding::{Finding, Source};
use materia_model::run::{Declared, RetireWhen};
use materia_model::template::{self, Arg, Expansion, Explained, Facts, Plan, Template, risk};
use serde::Serialize;
use serde_json::{Map, Value};

/// What a person or a program wants to run or have explained.
#[derive(Debug)]
pub struct Asked<'a> {
    /// The template's text and where it came from.
    pub source: &'a Source,
    /// Values from a document.
    pub values: Map<String, Value>,
    /// Values as `key=value` words; they win.
    pub words: &'a [String],
    /// What the expansion must be told about the machine.
    pub facts: Facts<'a>,
}

/// A plan that is ready, with everything that was noticed on the way.
#[derive(Debug)]
pub struct Prepared {
    /// The template as it was read.
    pub template: Template,
    /// What would run.
    pub plan: Plan,
    /// What the caller gave, typed.
    pub values: Map<String, Value>,
    /// What was strange about the values or the template.
    pub strange: Vec<Finding>,
    /// What is risky about it, advice only.
    pub risks: Vec<Finding>,
    /// The person's recipe that it is: its name and the digest of its text, for the ledger.
    pub own: Option<(String, String)>,
    /// What the recipe that it is says about itself, for a run of it.
    pub recipe: Option<Described>,
}

/// What a recipe says about runs of it.
#[derive(Debug, Clone, Default)]
pub struct Described {
    /// Its name.
    pub name: String,
    /// Its file; none for one that comes with the binary.
    pub file: Option<PathBuf>,
    /// What it promises to write.
    pub artifacts: BTreeMap<String, Declared>,
    /// What it takes and sends.
    pub mailbox: Option<Value>,
    /// When a run of it ends by itself.
    pub retire_when: Option<RetireWhen>,
    /// The variables and values that are secret (S3).
    pub secrets: Vec<String>,
    /// What agents inside a run of it are told about it.
    pub context: Vec<Value>,
}

/// The answer to `explain`.
#[derive(Debug, Serialize)]
pub struct Explanation<'p> {
    /// Always true; a template that cannot be explained is a failure.
    pub ok: bool,
    /// The whole expanded tree.
    pub tree: Explained<'p>,
    /// The template's public arguments.
    pub args: Vec<Arg>,
    /// Everything noticed, one sentence each.
    pub warnings: Vec<String>,
}

/// Reads, types and expands; everything that can be known before the first process starts is
/// checked here (T21).
pub fn prepare(asked: Asked<'_>) -> Result<Prepared, Vec<Finding>> {
    prepare_with(asked, &Map::new())
}

/// The same with values of ours, which win over the caller's where the template wants them.
pub fn prepare_with(asked: Asked<'_>, ours: &Map<String, Value>) -> Result<Prepared, Vec<Finding>> {
    let template = template::parse(asked.source)?;
    let mut values = asked.values;
    let args = template.args();
    let mut findings = Vec::new();
    for word in asked.words {
        findings.extend(
            template::add_word(&mut values, word, &args)
                .err()
                .into_iter()
                .flatten(),
        );
    }
    if !findings.is_empty() {
        return Err(findings);
    }
    let given = values.clone();
    overrule(&mut values, ours, &args);
    let facts = Facts {
        host: Some(ours),
        ..asked.facts
    };
    let Expansion { plan, warnings } = template::expand(&template, &values, facts)?;
    let strange = template
        .warnings()
        .iter()
        .cloned()
        .chain(warnings)
        .collect();
    let risks = risk::warnings(&template);
    Ok(Prepared {
        template,
        plan,
        values: given,
        strange,
        risks,
        own: None,
        recipe: None,
    })
}

/// What is wrong with the path of an artifact, and with which.
pub(crate) fn about_artifact(name: &str, mut wrong: Vec<Finding>) -> Vec<Finding> {
    wrong
        .iter_mut()
        .for_each(|finding| finding.path = Some(format!("artifacts.{name}")));
    wrong
}

/// Puts values of ours in the place of the caller's, and where the template asks for them.
pub(crate) fn overrule(values: &mut Map<String, Value>, ours: &Map<String, Value>, args: &[Arg]) {
    for (name, value) in ours {
        if values.contains_key(name) || args.iter().any(|arg| arg.name == *name) {
            values.insert(name.clone(), value.clone());
        }
    }
}

impl Prepared {
    /// Promises more artifacts. A path may name values, ours among them, as every text of the
    /// template may.
    pub fn promise(
        &mut self,
        artifacts: &BTreeMap<String, Declared>,
        ours: &Map<String, Value>,
    ) -> Result<(), Vec<Finding>> {
        let mut values = self.values.clone();
        overrule(&mut values, ours, &self.template.args());
        let facts = Facts {
            host: Some(ours),
            ..Facts::default()
        };
        for (name, declared) in artifacts {
            let path = template::fill(&self.template, &declared.path, &values, facts)
                .map_err(|wrong| about_artifact(name, wrong))?;
            let promised = &mut self.recipe.get_or_insert_default().artifacts;
            promised.insert(
                name.clone(),
                Declared {
                    path,
                    ..declared.clone()
                },
            );
        }
        Ok(())
    }

    /// What would run.
    pub fn explanation(&self) -> Explanation<'_> {
        Explanation {
            ok: true,
            tree: template::explain(&self.plan),
            args: self.template.args(),
            warnings: self.warnings(),
        }
    }

    /// Everything noticed, one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        self.strange
            .iter()
            .chain(&self.risks)
            .map(|finding| finding.message.clone())
            .collect()
    }
}
