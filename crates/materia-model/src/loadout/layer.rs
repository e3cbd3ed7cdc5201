//! Config layers: several files as one, each definition with its file.
//!
//! Owns precedence (C19), which loadouts are shipped and readonly (C13), which one is active, and
//! compiling a name to a [`Graph`]. The caller passes the files, lowest first. Never decides where
//! files are and never writes one.

mod merge;
mod summary;
mod written;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::compile;
use super::contract::MateriaTable;
use super::document::{ConfigDocument, ConfigSection};
use super::graph::Graph;
use super::read;
use super::settings::{self, ConfigSettings};
use crate::document::{DocValue, Findings, ValuePath};
use crate::finding::{Finding, Severity};
use crate::materia::{self, Materia};
use crate::text;

use merge::{MergedDefinition, MergedLayers};
pub use summary::{EditRight, LayeredLoadout};
pub use written::WrittenDefinition;

/// The scope of a config file; later ones win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConfigScope {
    /// The config that ships with the program.
    Default,
    /// The user's profile.
    User,
    /// The project's own file.
    Project,
    /// The file that `MATERIA_CONFIG` names.
    Environment,
    /// The file that `--materia-config` names.
    Flag,
}

impl ConfigScope {
    /// The word for documents and ids.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::User => "user",
            Self::Project => "project",
            Self::Environment | Self::Flag => "explicit",
        }
    }
}

/// One config file with its precedence.
#[derive(Debug, Clone)]
pub struct ConfigLayer {
    /// Its precedence.
    pub scope: ConfigScope,
    pub document: ConfigDocument,
}

/// All layers as one config.
#[derive(Debug)]
pub struct Config<'a> {
    layers: &'a [ConfigLayer],
    merged: MergedLayers<'a>,
    settings: ConfigSettings,
    shelf: MateriaTable<'a>,
    findings: Vec<Finding>,
}

/// The result of compiling a loadout.
#[derive(Debug)]
pub struct CompiledLoadout {
    /// The graph, if there was no error.
    pub graph: Option<Graph>,
    pub findings: Vec<Finding>,
}

impl<'a> Config<'a> {
    /// Merges the layers, lowest first, and reads everything but the loadouts.
    pub fn load(layers: &'a [ConfigLayer]) -> Self {
        let mut findings: Vec<Finding> = layers
            .iter()
            .flat_map(|layer| layer.document.findings())
            .cloned()
            .collect();
        let merged = merge::merge(layers, &mut findings);
        let found = Findings::default();
        let settings = settings::read(&found, &merged.settings);
        findings.extend(found.take());
        let shelf = shelve(layers, &merged, &mut findings);
        Self {
            layers,
            merged,
            settings,
            shelf,
            findings,
        }
    }

    /// Budget, limits and places.
    pub fn settings(&self) -> &ConfigSettings {
        &self.settings
    }

    /// The findings outside of loadouts: files, settings, materia, readonly names.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The layers, lowest first; [`Materia::owner`] is a position in them.
    pub fn layers(&self) -> &'a [ConfigLayer] {
        self.layers
    }

    /// The materia without errors, in the order of their first definition.
    pub fn materia(&self) -> impl Iterator<Item = &Arc<Materia>> {
        self.merged
            .materia
            .live()
            .filter_map(|one| self.shelf.get(one.name)?.as_ref())
    }

    /// The loadouts, in the order of their first definition.
    pub fn loadouts(&self) -> impl Iterator<Item = LayeredLoadout<'_>> {
        self.merged
            .loadouts
            .live()
            .map(|one| summary::summary(one, self.layers[one.highest.layer].scope))
    }

    /// The name of the loadout with this name, else with this id. The highest layer wins.
    pub fn find(&self, given: &str) -> Option<&'a str> {
        if let Some(one) = self.merged.loadouts.get(given) {
            return Some(one.name);
        }
        let mut by_id: Vec<_> = self
            .merged
            .loadouts
            .live()
            .filter(|one| summary::has_id(one, self.layers[one.highest.layer].scope, given))
            .collect();
        by_id.sort_by_key(|one| self.layers[one.highest.layer].scope);
        by_id.last().map(|one| one.name)
    }

    /// The loadout of casts that name none, or the finding about an invalid choice.
    pub fn active(&self) -> Result<&'a str, Box<Finding>> {
        let (field, chosen) = match (self.merged.active, self.merged.active_id) {
            (Some(name), _) => ("activeLoadout", name),
            (None, Some(id)) => ("activeLoadoutId", id),
            (None, None) => {
                let message = format!("no loadout is active; there are {}", self.names());
                let finding =
                    Finding::error("no-active-loadout", message).hint("write `activeLoadout`");
                return Err(Box::new(finding));
            }
        };
        let given = chosen.node().as_str().unwrap_or_default();
        let unknown = || {
            self.unknown(given)
                .at(chosen.source, &chosen.node().span)
                .path(field)
        };
        self.find(given).ok_or_else(|| Box::new(unknown()))
    }

    /// The finding about an unknown loadout.
    pub fn unknown(&self, given: &str) -> Finding {
        let message = format!("there is no loadout {}", text::quoted(given));
        let near = text::closest(
            given,
            self.merged.loadouts.live().take(1000).map(|one| one.name),
        );
        let hint = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("there are {}", self.names()),
        };
        Finding::error("unknown-loadout", message).hint(hint)
    }

    /// Compiles the loadout of this name. `None` if there is none.
    pub fn compile(&self, name: &str) -> Option<CompiledLoadout> {
        let one = self.merged.loadouts.get(name)?;
        let value = definition(self.layers, ConfigSection::Loadouts, one, read::INVALID);
        let graph = if one.broken {
            value.expected("an object");
            None
        } else {
            let draft = read::read(&one.fields, &value.at);
            compile::compile(&draft, &self.shelf)
        };
        let findings = value.at.findings.take();
        Some(CompiledLoadout { graph, findings })
    }

    /// All findings: files, settings, materia and all loadouts.
    ///
    /// In the order of the files. A missing active loadout is a warning: another layer may have it.
    pub fn check(&self) -> Vec<Finding> {
        let mut all = self.findings.clone();
        let chosen = self
            .active()
            .err()
            .filter(|finding| finding.place.is_some());
        all.extend(chosen.map(|finding| Finding {
            severity: Severity::Warning,
            ..*finding
        }));
        for one in self.merged.loadouts.live() {
            all.extend(
                self.compile(one.name)
                    .map(|compiled| compiled.findings)
                    .unwrap_or_default(),
            );
        }
        all.sort_by(|one, other| place(one).cmp(&place(other)));
        all
    }

    /// The loadout with all its dependencies, as one config document.
    pub fn resolved(&self, graph: &Graph) -> Value {
        let mut document = Map::new();
        if let Ok(Value::Object(settings)) = serde_json::to_value(&self.settings) {
            document.extend(settings);
        }
        document.insert("activeLoadout".to_owned(), graph.name().into());
        let mut used: Vec<&str> = graph
            .sockets()
            .iter()
            .map(|socket| socket.materia.id.as_str())
            .collect();
        used.sort_unstable();
        used.dedup();
        let materia = used
            .into_iter()
            .filter_map(|name| self.merged.materia.get(name));
        let loadout = self.merged.loadouts.get(graph.name());
        document.insert("loadouts".to_owned(), written(loadout));
        document.insert("materia".to_owned(), written(materia));
        Value::Object(document)
    }

    fn names(&self) -> String {
        let names: Vec<String> = self
            .merged
            .loadouts
            .live()
            .take(20)
            .map(|one| text::quoted(one.name))
            .collect();
        if names.is_empty() {
            "none".to_owned()
        } else {
            text::list(&names, "and")
        }
    }
}

/// The position of a finding, for sorting.
fn place(finding: &Finding) -> Option<(&str, usize, usize)> {
    finding
        .place
        .as_ref()
        .map(|place| (&*place.file, place.line, place.column))
}

/// Reads a definition: the value of the highest layer, plus the findings of all layers that broke
/// it before it could be read.
fn definition<'a>(
    layers: &[ConfigLayer],
    section: ConfigSection,
    one: &MergedDefinition<'a>,
    code: &'static str,
) -> DocValue<'a> {
    let findings = Findings::default();
    let documents = layers.iter().map(|layer| &layer.document);
    documents
        .flat_map(|document| document.broken(section, one.name))
        .for_each(|found| findings.adopt(found.clone()));
    let path = ValuePath::Root.member(section.name());
    one.highest.value(&path, code, &findings)
}

/// Reads every materia. A broken one has a name but no definition.
fn shelve<'a>(
    layers: &[ConfigLayer],
    merged: &MergedLayers<'a>,
    findings: &mut Vec<Finding>,
) -> MateriaTable<'a> {
    let mut shelf = BTreeMap::new();
    for one in merged.materia.live() {
        let value = definition(layers, ConfigSection::Materia, one, materia::INVALID);
        let read = if one.broken {
            value.expected("an object");
            None
        } else {
            materia::read(&one.fields, &value.at)
        };
        let found = &value.at.findings;
        let good = found.errors() == 0;
        shelf.insert(one.name, read.filter(|_| good).map(Arc::new));
        findings.extend(found.take());
    }
    shelf
}

fn written<'a, 'd: 'a>(definitions: impl IntoIterator<Item = &'a MergedDefinition<'d>>) -> Value {
    let pairs = definitions.into_iter();
    Value::Object(
        pairs
            .map(|one| (one.name.to_owned(), written::value(one)))
            .collect(),
    )
}
