//! Config files: which layers exist, their order, and their texts.
//!
//! Owns the five layers of C19 (shipped, the user's, the project's, `MATERIA_CONFIG`, `--config`),
//! reading them bounded, and an editor's changes to one of them. `materia_model::loadout` parses
//! the texts. Never reads the environment: the caller passes the paths. Never decides whether a
//! project's file is trusted (S1).

mod spell;
mod edit;
mod read;
mod snapshot;

use std::path::{Path, PathBuf};

use materia_model::finding::Source;
use materia_model::loadout::{ConfigDocument, ConfigLayer, ConfigScope};

use crate::home::Home;

pub use edit::{with_active, with_definition};
#[cfg(any(test, feature = "testing"))]
pub use read::take_read_counts;
pub use read::{ConfigReadError, read};
pub use snapshot::ConfigSnapshot;

/// The name of the shipped config in findings.
pub const SHIPPED_NAME: &str = "shipped/loadouts.json";

/// The project's own config, relative to the project.
pub const PROJECT_FILE: &str = ".pi/pi-materia.json";

/// The paths of config files.
#[derive(Debug, Clone, Copy)]
pub struct Places<'a> {
    /// The user's directories, if there are any.
    pub home: Option<&'a Home>,
    /// The project's directory; relative paths are resolved against it.
    pub project: &'a Path,
    /// The file in `MATERIA_CONFIG`.
    pub environment: Option<&'a Path>,
    /// The file of `--config`.
    pub flag: Option<&'a Path>,
}

/// The layers that exist, lowest first, each with its file.
#[derive(Debug)]
pub struct ConfigFiles {
    layers: Vec<ConfigLayer>,
    paths: Vec<Option<PathBuf>>,
}

impl ConfigFiles {
    /// Reads all layers, each file once. A file that the user named must exist; the others may be
    /// missing.
    pub fn find(places: Places<'_>) -> Result<Self, ConfigReadError> {
        let mut files = Self {
            layers: vec![shipped()],
            paths: vec![None],
        };
        if let Some(home) = places.home {
            files.add_found(ConfigScope::User, home.config())?;
        }
        files.add_found(ConfigScope::Project, places.project.join(PROJECT_FILE))?;
        for (scope, named) in [
            (ConfigScope::Environment, places.environment),
            (ConfigScope::Flag, places.flag),
        ] {
            if let Some(named) = named {
                files.add(scope, named, places.project.join(named))?;
            }
        }
        Ok(files)
    }

    /// The shipped layer only.
    pub fn shipped() -> Self {
        Self {
            layers: vec![shipped()],
            paths: vec![None],
        }
    }

    /// The shipped config and one file on top, for `validate`.
    pub fn alone(named: &Path, path: PathBuf) -> Result<Self, ConfigReadError> {
        let mut files = Self {
            layers: vec![shipped()],
            paths: vec![None],
        };
        files.add(ConfigScope::Flag, named, path)?;
        Ok(files)
    }

    /// The same files with one more text on top that is not in a file.
    pub fn with_text(&self, name: &str, text: &str) -> Self {
        let document = ConfigDocument::parse(Source::new(name, text));
        let mut layers = self.layers.clone();
        layers.push(ConfigLayer {
            scope: ConfigScope::Flag,
            document,
        });
        Self {
            layers,
            paths: self.paths.iter().cloned().chain([None]).collect(),
        }
    }

    /// The layers, for `loadout::Config::load`.
    pub fn layers(&self) -> &[ConfigLayer] {
        &self.layers
    }

    /// The layers with their merged config, merged once.
    pub fn snapshot(&self) -> ConfigSnapshot<'_> {
        ConfigSnapshot::new(self)
    }

    /// The layer of this scope, if it exists.
    pub fn layer(&self, scope: ConfigScope) -> Option<&ConfigLayer> {
        self.layers.iter().find(|layer| layer.scope == scope)
    }

    /// The file of a layer; the shipped one has none.
    pub fn path(&self, layer: usize) -> Option<&Path> {
        self.paths.get(layer)?.as_deref()
    }

    /// The same layers with another text for the file at `path`, which belongs to `scope` and may
    /// be new.
    pub fn drafted(mut self, scope: ConfigScope, path: &Path, text: &str) -> Self {
        let name = path.to_string_lossy();
        let document = ConfigDocument::parse(Source::new(&name, text));
        match self.layers.iter().position(|layer| layer.scope == scope) {
            Some(at) => self.layers[at].document = document,
            None => {
                let at = self.layers.partition_point(|layer| layer.scope < scope);
                self.layers.insert(at, ConfigLayer { scope, document });
                self.paths.insert(at, Some(path.to_owned()));
            }
        }
        self
    }

    fn add_found(&mut self, scope: ConfigScope, path: PathBuf) -> Result<(), ConfigReadError> {
        match path.metadata() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            // The user did not name it, so it must not block the caller as a pipe would.
            Ok(found) if !found.is_file() => Err(ConfigReadError::NotAFile { file: path }),
            _ => self.add(scope, &path.clone(), path),
        }
    }

    fn add(
        &mut self,
        scope: ConfigScope,
        named: &Path,
        path: PathBuf,
    ) -> Result<(), ConfigReadError> {
        let text = read(&path)?;
        let document = ConfigDocument::parse(Source::new(&named.to_string_lossy(), &text));
        self.layers.push(ConfigLayer { scope, document });
        self.paths.push(Some(path));
        Ok(())
    }
}

/// The config that ships with the program.
pub fn shipped() -> ConfigLayer {
    let source = Source::new(SHIPPED_NAME, include_str!("../assets/loadouts.json"));
    ConfigLayer {
        scope: ConfigScope::Default,
        document: ConfigDocument::parse(source),
    }
}

#[cfg(test)]
mod tests;
