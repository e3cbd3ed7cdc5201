//! What the process was started with: arguments, variables, directory, terminals.
//!
//! Owns what `main.rs` read, as data, so that a test can call a front end as well as a person. Never
//! reads any of it itself.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use materia_engine::api::{Engine, Environment};

/// What the process was started with.
#[derive(Debug)]
pub struct World {
    /// The arguments, the program's own name first.
    pub args: Vec<OsString>,
    /// The environment.
    pub variables: BTreeMap<OsString, OsString>,
    /// The working directory, which may have been deleted.
    pub cwd: io::Result<PathBuf>,
    /// Which of the standard streams are terminals.
    pub terminals: Terminals,
    /// The engine, once a command asked for it.
    pub engine: OnceLock<Engine>,
}

/// Which standard streams are terminals.
#[derive(Debug, Clone, Copy, Default)]
pub struct Terminals {
    /// Standard input.
    pub stdin: bool,
    /// Standard output.
    pub stdout: bool,
    /// Standard error.
    pub stderr: bool,
}

impl World {
    /// A variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .get(OsStr::new(name))
            .map(OsString::as_os_str)
            .filter(|value| !value.is_empty())
    }

    /// Whether the terminal cannot move its cursor.
    pub fn is_dumb(&self) -> bool {
        self.variable("TERM").is_none_or(|term| term == "dumb")
    }

    /// The engine of this process.
    pub fn engine(&self) -> &Engine {
        self.engine.get_or_init(|| {
            let cwd = match &self.cwd {
                Ok(cwd) => Ok(cwd.clone()),
                Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
            };
            Engine::new(Environment {
                variables: self.variables.clone(),
                cwd,
                steps: materia_library::STEPS,
            })
        })
    }

    /// A path that was typed, relative to the working directory.
    pub fn path(&self, given: &Path) -> PathBuf {
        self.cwd
            .as_ref()
            .map_or_else(|_| given.to_owned(), |cwd| cwd.join(given))
    }
}
