//! `loadout`: lists loadouts, and finds the one with a given name or the default.
//!
//! Owns the list, and refusing a loadout that is unknown or broken. Reads no file.

use materia_model::finding::{Finding, Severity};
use materia_model::loadout::layer::EditRight;
use materia_model::loadout::{CompiledLoadout, Config, ConfigLayer, Graph};
use serde::Serialize;

/// A loadout that cannot be used.
#[derive(Debug)]
pub enum LoadoutError {
    /// There is no loadout of this name.
    Unknown(Box<Finding>),
    /// It has errors, or a config file has.
    Broken(Vec<Finding>),
}

/// The answer to `loadout list`.
#[derive(Debug, Serialize)]
pub struct LoadoutsReport {
    /// Always true; problems of a loadout are listed with it.
    pub ok: bool,
    /// The name of the active loadout, if there is one.
    pub active: Option<String>,
    /// All loadouts, shipped ones first.
    pub loadouts: Vec<LoadoutSummary>,
    /// Problems of files, settings and materia.
    pub issues: Vec<Finding>,
}

/// One loadout of the list.
#[derive(Debug, Serialize)]
pub struct LoadoutSummary {
    /// Its name.
    pub name: String,
    /// Its stable id.
    pub id: String,
    /// The layer it comes from: `default`, `user`, `project` or `explicit`.
    pub source: &'static str,
    /// What it is for.
    pub description: Option<String>,
    /// Whether a cast uses it when none is named.
    pub active: bool,
    /// Whether it may be changed.
    pub editable: bool,
    /// Whether it can be cast.
    pub usable: bool,
    /// Its errors and warnings.
    pub issues: Vec<Finding>,
}

/// Lists all loadouts.
pub fn list(config: &Config<'_>) -> LoadoutsReport {
    let active = config.active();
    let mut issues = config.findings().to_vec();
    issues.extend(active.as_ref().err().map(|finding| (**finding).clone()));
    let active = active.ok().map(str::to_owned);
    let listed = config.loadouts().map(|one| {
        let compiled = config.compile(one.name);
        let usable = compiled
            .as_ref()
            .is_some_and(|compiled| compiled.graph.is_some());
        LoadoutSummary {
            active: active.as_deref() == Some(one.name),
            name: one.name.to_owned(),
            id: one.id,
            source: one.scope.as_str(),
            description: one.description.map(str::to_owned),
            editable: one.edit == EditRight::Open,
            usable,
            issues: compiled
                .map(|compiled| compiled.findings)
                .unwrap_or_default(),
        }
    });
    LoadoutsReport {
        ok: true,
        loadouts: listed.collect(),
        active,
        issues,
    }
}

/// The graph of the loadout of this name or id, or of the active one, and its warnings.
pub(crate) fn compiled(
    config: &Config<'_>,
    named: Option<&str>,
) -> Result<(Graph, Vec<Finding>), LoadoutError> {
    refuse_broken_files(config.layers())?;
    let name = choose(config, named)?;
    match config.compile(name) {
        None => Err(unknown(config, name)),
        Some(CompiledLoadout {
            graph: Some(graph),
            findings,
        }) => Ok((graph, findings)),
        Some(CompiledLoadout { findings, .. }) => Err(LoadoutError::Broken(findings)),
    }
}

/// The name of the loadout to use: the given one, else the active one.
pub(super) fn choose<'a>(
    config: &Config<'a>,
    named: Option<&str>,
) -> Result<&'a str, LoadoutError> {
    match named {
        Some(named) => config.find(named).ok_or_else(|| unknown(config, named)),
        None => config.active().map_err(LoadoutError::Unknown),
    }
}

pub(super) fn unknown(config: &Config<'_>, name: &str) -> LoadoutError {
    LoadoutError::Unknown(Box::new(config.unknown(name)))
}

/// Refuses invalid files: their content cannot be relied on.
pub(super) fn refuse_broken_files(layers: &[ConfigLayer]) -> Result<(), LoadoutError> {
    let found = layers.iter().flat_map(|layer| layer.document.findings());
    let errors: Vec<Finding> = found
        .filter(|finding| finding.severity == Severity::Error)
        .cloned()
        .collect();
    if errors.is_empty() {
        Ok(())
    } else {
        Err(LoadoutError::Broken(errors))
    }
}
