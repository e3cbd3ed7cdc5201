//! The definition that a cast runs by: one loadout with everything it needs, as one document.
//!
//! Owns the choice of the loadout, what refuses it, and the resolved document: layers merged,
//! scripts named in full. The graph is always compiled from that document, so that a cast that is
//! taken up later walks the very same graph as the one that began. Never reads a file.

use std::path::Path;

use materia_model::finding::{Finding, Severity, Source};
use materia_model::loadout::{Config, Document, Graph, Layer, Scope, Settings};
use materia_model::materia::Run;
use serde_json::{Map, Value, json};

use super::error::Error;
use crate::clock::Clock;
use crate::config::Files;
use crate::home::Home;
use crate::trust;
use crate::utility::call::located;

/// A loadout with everything it needs.
#[derive(Debug)]
pub struct Definition {
    graph: Graph,
    settings: Settings,
    text: String,
    sources: Vec<String>,
    strange: Vec<Finding>,
    seal: Option<String>,
    notes: Map<String, Value>,
    data: Map<String, Value>,
}

impl Definition {
    /// Chooses a loadout from the config files that were found.
    pub fn choose(files: &Files, loadout: Option<&str>) -> Result<Self, Error> {
        let config = Config::load(files.layers());
        let broken = errors(
            files
                .layers()
                .iter()
                .flat_map(|layer| layer.document.findings()),
        );
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
        let (graph, strange) = compiled(&config, name)?;
        let mut document = config.resolved(&graph);
        for socket in graph.sockets() {
            let materia = &socket.materia;
            let run = materia.utility().map(|utility| &utility.run);
            if let (Some(Run::Command(argv)), Some(folder)) =
                (run, files.path(materia.owner).and_then(Path::parent))
                && let Some(written) =
                    document.pointer_mut(&format!("/materia/{}", escaped(&materia.id)))
            {
                written["command"] = json!(located(argv, folder));
            }
            if let (Some(Run::Recipe(name)), Some(folder)) =
                (run, files.path(materia.owner).and_then(Path::parent))
                && name.contains('/')
                && folder.join(name).is_file()
                && let Some(written) =
                    document.pointer_mut(&format!("/materia/{}", escaped(&materia.id)))
            {
                written["recipe"] = json!(folder.join(name));
            }
        }
        let sources = files
            .layers()
            .iter()
            .map(|layer| layer.document.source().name().to_owned())
            .collect();
        let text = serde_json::to_string_pretty(&document)?;
        Ok(Self {
            sources,
            strange,
            ..Self::reopen(&text)?
        })
    }

    /// The definition that a resolved document says.
    pub fn reopen(text: &str) -> Result<Self, Error> {
        let document = Document::parse(Source::new("config.resolved.json", text));
        let layers = [Layer {
            scope: Scope::Flag,
            document,
        }];
        let config = Config::load(&layers);
        let name = config.active().map_err(Error::UnknownLoadout)?;
        let (graph, _) = compiled(&config, name)?;
        Ok(Self {
            graph,
            settings: config.settings().clone(),
            text: text.to_owned(),
            sources: Vec::new(),
            strange: Vec::new(),
            seal: None,
            notes: Map::new(),
            data: Map::new(),
        })
    }

    /// The same definition, with the agent that plays roles which name none; as it was where nobody
    /// was named.
    pub fn played_by(self, agent: Option<&str>) -> Result<Self, Error> {
        let Some(agent) = agent else { return Ok(self) };
        let mut document: Value = serde_json::from_str(&self.text)?;
        document["agent"] = agent.into();
        let text = serde_json::to_string_pretty(&document)?;
        Ok(Self {
            sources: self.sources,
            strange: self.strange,
            ..Self::reopen(&text)?
        })
    }

    /// The same definition with our seal on its text, by which a cast that is taken up is known to
    /// be ours (S1).
    pub fn sealed(self, home: Option<&Home>) -> Result<Self, Error> {
        let seal = match home
            .map(|home| trust::seal(home, &self.text, &Clock::system()))
            .transpose()
        {
            Ok(seal) => seal,
            // Without a place for the key there is no seal, and taking the cast up asks for trust.
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

    /// Budget, limits and places.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The whole document.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The files it was made from.
    pub fn sources(&self) -> Value {
        self.sources.clone().into()
    }

    /// What is strange about it, and what is wrong elsewhere in the config, none of which stops a
    /// cast (C13).
    pub fn strange(&self) -> &[Finding] {
        &self.strange
    }

    /// The same definition with a note about where it comes from: in the beginning of the cast and
    /// in its state.
    #[must_use]
    pub fn noting(mut self, name: &str, note: Value) -> Self {
        self.notes.insert(name.to_owned(), note.clone());
        self.with_state(name, note)
    }

    /// The same definition with something in the state that its cast begins with.
    #[must_use]
    pub fn with_state(mut self, name: &str, value: Value) -> Self {
        self.data.insert(name.to_owned(), value);
        self
    }

    /// What the beginning of the cast says besides, and the state it begins with.
    pub(super) fn beginning(&self) -> (Map<String, Value>, Map<String, Value>) {
        (self.notes.clone(), self.data.clone())
    }

    pub(super) fn into_parts(self) -> (Graph, Settings) {
        (self.graph, self.settings)
    }
}

/// The graph of a loadout, and what else was found; or everything that may be the reason why there
/// is none.
fn compiled(config: &Config<'_>, name: &str) -> Result<(Graph, Vec<Finding>), Error> {
    let compiled = config.compile(name);
    let found = compiled
        .iter()
        .flat_map(|compiled| &compiled.findings)
        .chain(config.findings());
    match compiled
        .as_ref()
        .and_then(|compiled| compiled.graph.clone())
    {
        Some(graph) => Ok((graph, found.cloned().collect())),
        None => Err(Error::Invalid(errors(found))),
    }
}

fn errors<'a>(findings: impl Iterator<Item = &'a Finding>) -> Vec<Finding> {
    findings
        .filter(|finding| finding.severity == Severity::Error)
        .cloned()
        .collect()
}

/// A key as JSON pointers spell it.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(text: &str) -> Files {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("materia.json");
        crate::store::atomic::write(&path, text.as_bytes()).unwrap();
        Files::alone(Path::new("materia.json"), path).unwrap()
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

    #[test]
    fn the_resolved_document_gives_the_same_graph_again() {
        let chosen = Definition::choose(&files(TWO), None).unwrap();
        let again = Definition::reopen(chosen.text()).unwrap();
        let ids = |one: &Definition| -> Vec<String> {
            one.graph()
                .sockets()
                .iter()
                .map(|socket| socket.id.to_string())
                .collect()
        };
        assert_eq!(
            (ids(&chosen), ids(&again)),
            (vec!["b".to_owned(), "a".to_owned()], ids(&chosen))
        );
        let assign = |one: &Definition| one.graph().sockets()[0].contract.assign.clone();
        assert_eq!(assign(&chosen).len(), 2);
        assert_eq!(assign(&chosen), assign(&again));
        assert_eq!(chosen.settings(), again.settings());
        assert_eq!(again.text(), chosen.text());
    }

    #[test]
    fn c13_what_is_broken_elsewhere_is_told_and_stops_nothing() {
        let chosen = Definition::choose(&files(TWO), None).unwrap();
        assert!(
            chosen
                .strange()
                .iter()
                .any(|finding| finding.message.contains("`broken`"))
        );
        assert!(matches!(
            Definition::choose(&files(TWO), Some("Bad")),
            Err(Error::Invalid(_))
        ));
        assert!(matches!(
            Definition::choose(&files(TWO), Some("Goood")),
            Err(Error::UnknownLoadout(_))
        ));
        assert!(matches!(
            Definition::choose(&files("{"), None),
            Err(Error::Invalid(_))
        ));
    }
}
