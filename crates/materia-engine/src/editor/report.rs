//! The report for an editor: loadouts, materia, and their files.
//!
//! Owns the report. Changes nothing.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use materia_model::document::path_member;
use materia_model::finding::Finding;
use materia_model::loadout::layer::{EditRight as Policy, WrittenDefinition};
use materia_model::loadout::{ConfigLayer, ConfigScope};
use serde::Serialize;
use serde_json::Value;

use super::{EditTarget, Section, is_locked, version};
use crate::config::{ConfigFiles, ConfigSnapshot};
use crate::editor::loadout::{self, LoadoutSummary};
use crate::home::Home;

/// Everything that can be edited.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct DefinitionsReport {
    /// The loadout that a cast uses when none is named.
    pub active: Option<String>,
    /// The loadouts.
    pub loadouts: Vec<LoadoutDefinition>,
    /// The materia.
    pub materia: Vec<MateriaDefinition>,
    /// The files, lowest layer first.
    pub files: Vec<ConfigFile>,
    /// What is wrong outside of loadouts.
    pub issues: Vec<Finding>,
}

/// A loadout as an editor shows it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LoadoutDefinition {
    /// Its name.
    pub name: String,
    /// Its stable id.
    pub id: String,
    /// The highest layer that says something about it: `default`, `user`, `project` or `explicit`.
    pub source: &'static str,
    /// Whether it ships with the program.
    pub shipped: bool,
    /// Whether it is locked against changes.
    pub locked: bool,
    /// Whether a cast uses it when none is named.
    pub active: bool,
    /// Whether it can be cast.
    pub usable: bool,
    /// What it is for.
    pub description: Option<String>,
    /// What all layers together say.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
    pub value: Value,
    /// The version of what each file says by itself, by scope.
    pub own: BTreeMap<&'static str, String>,
    /// What is wrong or strange with it.
    pub issues: Vec<Finding>,
}

/// A materia as an editor shows it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MateriaDefinition {
    /// Its name.
    pub name: String,
    /// The highest layer that says something about it.
    pub source: &'static str,
    /// Whether the program ships a materia of this name.
    pub shipped: bool,
    /// Whether it is locked against changes.
    pub locked: bool,
    /// What all layers together say.
    #[cfg_attr(feature = "typescript", ts(type = "Record<string, unknown>"))]
    pub value: Value,
    /// The version of what each file says by itself, by scope.
    pub own: BTreeMap<&'static str, String>,
    /// What is wrong or strange with it.
    pub issues: Vec<Finding>,
}

/// A config file.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ConfigFile {
    /// Its place among the layers.
    pub scope: &'static str,
    /// Where it is.
    pub path: PathBuf,
    /// Whether it is there.
    pub exists: bool,
}

/// Reports all definitions that can be edited.
pub fn definitions(
    snapshot: &ConfigSnapshot<'_>,
    home: &Home,
    project: &Path,
) -> DefinitionsReport {
    let (files, config) = (snapshot.files(), snapshot.config());
    let listing = loadout::list(config);
    let mut listed: BTreeMap<String, LoadoutSummary> = listing
        .loadouts
        .into_iter()
        .map(|one| (one.name.clone(), one))
        .collect();
    let loadouts = config.written_loadouts().into_iter().map(|one| {
        let policy = config.loadouts().find(|known| known.name == one.name);
        let policy = policy.map_or(Policy::Open, |known| known.edit);
        let listed = listed.remove(one.name);
        loadout_definition(files, one, policy, listed)
    });
    let loadouts = loadouts.collect();
    let materia = config.written_materia().into_iter();
    let materia = materia.map(|one| materia_definition(files, one, config.findings()));
    DefinitionsReport {
        active: listing.active,
        loadouts,
        materia: materia.collect(),
        files: config_files(files, home, project),
        issues: listing.issues,
    }
}

fn loadout_definition(
    files: &ConfigFiles,
    one: WrittenDefinition<'_>,
    policy: Policy,
    listed: Option<LoadoutSummary>,
) -> LoadoutDefinition {
    let (id, active, usable, description, issues) = match listed {
        Some(listed) => (
            listed.id,
            listed.active,
            listed.usable,
            listed.description,
            listed.issues,
        ),
        None => (String::new(), false, false, None, Vec::new()),
    };
    LoadoutDefinition {
        id,
        source: one.scope.as_str(),
        shipped: policy == Policy::Shipped,
        locked: policy == Policy::Locked,
        active,
        usable,
        description,
        own: versions(files.layers(), Section::Loadout, one.name),
        issues,
        name: one.name.to_owned(),
        value: one.value,
    }
}

fn materia_definition(
    files: &ConfigFiles,
    one: WrittenDefinition<'_>,
    findings: &[Finding],
) -> MateriaDefinition {
    let shipped = files.layer(ConfigScope::Default);
    MateriaDefinition {
        source: one.scope.as_str(),
        shipped: shipped.is_some_and(|layer| layer.document.own("materia", one.name).is_some()),
        locked: is_locked(&one.value),
        own: versions(files.layers(), Section::Materia, one.name),
        issues: about(Section::Materia, one.name, findings),
        name: one.name.to_owned(),
        value: one.value,
    }
}

/// The findings about one definition.
pub(super) fn about(section: Section, name: &str, findings: &[Finding]) -> Vec<Finding> {
    let prefix = path_member(section.name(), name);
    let own = |finding: &&Finding| {
        let path = finding.path.as_deref();
        let rest = path.and_then(|path| path.strip_prefix(&prefix));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    findings.iter().filter(own).cloned().collect()
}

fn versions(
    layers: &[ConfigLayer],
    section: Section,
    name: &str,
) -> BTreeMap<&'static str, String> {
    let editable = layers
        .iter()
        .filter(|layer| matches!(layer.scope, ConfigScope::User | ConfigScope::Project));
    editable
        .filter_map(|layer| Some((layer.scope.as_str(), version(layer, section, name)?)))
        .collect()
}

fn config_files(files: &ConfigFiles, home: &Home, project: &Path) -> Vec<ConfigFile> {
    let layer = |scope| files.layers().iter().position(|layer| layer.scope == scope);
    let own = [EditTarget::User, EditTarget::Project].map(|target| ConfigFile {
        scope: target.scope().as_str(),
        path: target.file(home, project),
        exists: layer(target.scope()).is_some(),
    });
    let named = [ConfigScope::Environment, ConfigScope::Flag]
        .into_iter()
        .filter_map(|scope| {
            let path = files.path(layer(scope)?)?.to_owned();
            let scope = scope.as_str();
            let exists = true;
            Some(ConfigFile {
                scope,
                path,
                exists,
            })
        });
    own.into_iter().chain(named).collect()
}
