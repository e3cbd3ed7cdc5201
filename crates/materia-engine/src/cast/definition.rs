//! The definition that a cast runs by: one loadout with all its dependencies, as one document.
//!
//! Owns the choice of the loadout, the reasons to refuse it, and the resolved document: layers
//! merged, script paths made absolute. A new cast walks the graph of the config files. A resumed
//! cast walks the graph of its resolved document. Both graphs are the same. Never reads a file.

use std::path::Path;

use materia_model::finding::{Finding, Severity, Source};
use materia_model::loadout::{
    Config, ConfigDocument, ConfigLayer, ConfigScope, ConfigSettings, Graph,
};
use materia_model::materia::{Materia, MateriaBody, UtilityCommand};
use serde_json::{Map, Value};

use super::error::Error;
use crate::clock::Clock;
use crate::config::ConfigFiles;
use crate::home::Home;
use crate::trust;
use crate::utility::call::located;

/// A loadout with all its dependencies.
#[derive(Debug)]
pub struct Definition {
    graph: Graph,
    settings: ConfigSettings,
    text: String,
    sources: Vec<String>,
    warnings: Vec<Finding>,
    seal: Option<String>,
    notes: Map<String, Value>,
    data: Map<String, Value>,
}

impl Definition {
    /// Chooses a loadout, or the active one, from config files. `agent` plays the roles that name
    /// none, also when the cast is resumed.
    pub fn choose(
        files: &ConfigFiles,
        loadout: Option<&str>,
        agent: Option<&str>,
    ) -> Result<Self, Error> {
        let config = Config::load(files.layers());
        let layers = || files.layers().iter().map(|layer| &layer.document);
        let broken = errors(layers().flat_map(ConfigDocument::findings));
        if !broken.is_empty() {
            return Err(Error::Invalid(broken));
        }
        let name = match loadout {
            Some(given) => config
                .find(given)
                .ok_or_else(|| Box::new(config.unknown(given))),
            None => config.active(),
        };
        let name = name.map_err(Error::UnknownLoadout)?;
        let (mut graph, warnings) = compiled(&config, name)?;
        let mut document = config.resolved(&graph);
        graph.replace_materia(|materia| {
            let folder = files.path(materia.owner).and_then(Path::parent)?;
            let (field, value, materia) = resolved(materia, folder)?;
            document["materia"][&materia.id][field] = value;
            Some(materia)
        });
        let mut settings = config.settings().clone();
        if let Some(agent) = agent {
            document["agent"] = agent.into();
            settings.agent = Some(agent.to_owned()).filter(|agent| !agent.trim().is_empty());
        }
        let sources = layers().map(|document| document.source().name().to_owned());
        Ok(Self {
            text: serde_json::to_string_pretty(&document)?,
            sources: sources.collect(),
            warnings,
            ..Self::of(graph, settings)
        })
    }

    /// Parses the definition from a resolved document.
    pub fn reopen(text: &str) -> Result<Self, Error> {
        let document = ConfigDocument::parse(Source::new("config.resolved.json", text));
        let layers = [ConfigLayer {
            scope: ConfigScope::Flag,
            document,
        }];
        let config = Config::load(&layers);
        let name = config.active().map_err(Error::UnknownLoadout)?;
        let (graph, _) = compiled(&config, name)?;
        Ok(Self {
            text: text.to_owned(),
            ..Self::of(graph, config.settings().clone())
        })
    }

    fn of(graph: Graph, settings: ConfigSettings) -> Self {
        Self {
            graph,
            settings,
            text: String::new(),
            sources: Vec::new(),
            warnings: Vec::new(),
            seal: None,
            notes: Map::new(),
            data: Map::new(),
        }
    }

    /// The same definition with the user's seal on its text. The seal proves that this user began a
    /// cast that is resumed later (S1).
    pub fn sealed(self, home: Option<&Home>) -> Result<Self, Error> {
        let seal = match home
            .map(|home| trust::seal(home, &self.text, &Clock::system()))
            .transpose()
        {
            Ok(seal) => seal,
            // Without a writable directory for the key there is no seal, and resuming is refused.
            Err(error) if error.is_read_only() => None,
            Err(error) => return Err(error.into()),
        };
        Ok(Self { seal, ..self })
    }

    /// The seal.
    pub(super) fn seal(&self) -> Option<&str> {
        self.seal.as_deref()
    }

    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Budget, limits and directories.
    pub fn settings(&self) -> &ConfigSettings {
        &self.settings
    }

    /// The whole document.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The files it was built from.
    pub fn sources(&self) -> Value {
        self.sources.clone().into()
    }

    /// Warnings about it, and errors elsewhere in the config; none of them stops a cast (C13).
    pub fn warnings(&self) -> &[Finding] {
        &self.warnings
    }

    /// The same definition with a note about its origin, in the first event of the cast and in its
    /// state.
    #[must_use]
    pub fn noting(mut self, name: &str, note: Value) -> Self {
        self.notes.insert(name.to_owned(), note.clone());
        self.with_state(name, note)
    }

    /// The same definition with a value in the initial state of its cast.
    #[must_use]
    pub fn with_state(mut self, name: &str, value: Value) -> Self {
        self.data.insert(name.to_owned(), value);
        self
    }

    /// Additional fields of the first event, and the initial state.
    pub(super) fn beginning(&self) -> (Map<String, Value>, Map<String, Value>) {
        (self.notes.clone(), self.data.clone())
    }

    pub(super) fn into_parts(self) -> (Graph, ConfigSettings) {
        (self.graph, self.settings)
    }
}

/// Resolves a utility that names files relative to its config: the definition field that changes,
/// its new value, and the changed materia.
fn resolved(materia: &Materia, folder: &Path) -> Option<(&'static str, Value, Materia)> {
    let run = match &materia.utility()?.run {
        UtilityCommand::Command(argv) => UtilityCommand::Command(located(argv, folder)),
        UtilityCommand::Recipe(name) if name.contains('/') && folder.join(name).is_file() => {
            UtilityCommand::Recipe(folder.join(name).to_str()?.to_owned())
        }
        UtilityCommand::Recipe(_) | UtilityCommand::Template(_) | UtilityCommand::Shipped(_) => {
            return None;
        }
    };
    let (field, value) = match &run {
        UtilityCommand::Recipe(path) => ("recipe", path.clone().into()),
        UtilityCommand::Command(argv) => ("command", argv.clone().into()),
        UtilityCommand::Template(_) | UtilityCommand::Shipped(_) => return None,
    };
    let mut materia = materia.clone();
    if let MateriaBody::Utility(utility) = &mut materia.kind {
        utility.run = run;
    }
    Some((field, value, materia))
}

/// The graph of a loadout with all findings, or the errors that prevent one.
fn compiled(config: &Config<'_>, name: &str) -> Result<(Graph, Vec<Finding>), Error> {
    let compiled = config.compile(name);
    let (graph, mut findings) = compiled.map_or_else(Default::default, |compiled| {
        (compiled.graph, compiled.findings)
    });
    findings.extend_from_slice(config.findings());
    match graph {
        Some(graph) => Ok((graph, findings)),
        None => Err(Error::Invalid(errors(findings.iter()))),
    }
}

fn errors<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<Finding> {
    findings
        .filter(|finding| finding.severity == Severity::Error)
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(text: &str) -> ConfigFiles {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("materia.json");
        crate::store::atomic::write(&path, text.as_bytes()).unwrap();
        ConfigFiles::alone(Path::new("materia.json"), path).unwrap()
    }

    const TWO: &str = r#"{
        "activeLoadout": "Good",
        "budget": {"maxTokens": 5},
        "loadouts": {
            "Good": {"entry": "b", "sockets": {"b": {"materia": "a/b", "edges": [{"to": "a"}]}, "a": {"materia": "a/b"}}},
            "Bad": {"entry": "s", "sockets": {"s": {"materia": "nobody"}}}
        },
        "materia": {
            "a/b": {"type": "utility", "command": ["true"], "assign": {"z": "$", "a": "state.z"}},
            "broken": {"type": "utility"}
        }
    }"#;

    /// A graph as text, without the source files.
    fn shape(definition: &Definition) -> String {
        let mut graph = definition.graph().clone();
        graph.replace_materia(|materia| {
            Some(Materia {
                owner: 0,
                ..materia.clone()
            })
        });
        let sockets = graph.sockets();
        format!("{sockets:?} {:?} {:?}", graph.loops(), graph.cursors())
    }

    #[test]
    fn the_resolved_document_gives_the_same_graph_again() {
        let same = |files: &ConfigFiles, loadout: Option<&str>| {
            let chosen = Definition::choose(files, loadout, Some("pi")).unwrap();
            let again = Definition::reopen(chosen.text()).unwrap();
            assert_eq!(shape(&chosen), shape(&again), "{loadout:?}");
            assert_eq!(chosen.settings(), again.settings());
            assert_eq!(again.text(), chosen.text());
        };
        same(&files(TWO), None);
        let shipped = ConfigFiles::shipped();
        for loadout in Config::load(shipped.layers()).loadouts() {
            same(&shipped, Some(loadout.name));
        }
    }

    #[test]
    fn c13_what_is_broken_elsewhere_is_told_and_stops_nothing() {
        let chosen = Definition::choose(&files(TWO), None, None).unwrap();
        assert!(
            chosen
                .warnings()
                .iter()
                .any(|finding| finding.message.contains("`broken`"))
        );
        assert!(matches!(
            Definition::choose(&files(TWO), Some("Bad"), None),
            Err(Error::Invalid(_))
        ));
        assert!(matches!(
            Definition::choose(&files(TWO), Some("Goood"), None),
            Err(Error::UnknownLoadout(_))
        ));
        assert!(matches!(
            Definition::choose(&files("{"), None, None),
            Err(Error::Invalid(_))
        ));
    }
}
