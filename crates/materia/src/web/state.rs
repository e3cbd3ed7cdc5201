//! What every request needs: the engine, who may come in, and what pages look at together.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use materia_engine::api::Engine;
use materia_engine::clock::Clock;
use materia_engine::config::{Files, Places, ReadError};
use materia_engine::home::Home;
use materia_engine::library::Library;

use tokio::sync::watch as channel;

use super::auth::Door;

/// The lists that pages look at, each with what it last said.
pub(super) type Topics = Mutex<BTreeMap<Topic, channel::Sender<Arc<str>>>>;

/// A list that pages look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    Casts,
    Needs,
    Runs,
    Quests,
    Library,
}

/// The server's own facts; clones share them.
#[derive(Debug, Clone)]
pub(super) struct State(Arc<Facts>);

/// What stays the same while the server runs.
#[derive(Debug)]
pub(super) struct Facts {
    /// The engine.
    pub(super) engine: Engine,
    /// The project directory.
    pub(super) project: PathBuf,
    /// The person's directories.
    pub(super) home: Home,
    /// What `MATERIA_CONFIG` names.
    pub(super) config: Option<PathBuf>,
    /// Whether the person accepts everything that the project brings (`MATERIA_TRUST=1`).
    pub(super) trusting: bool,
    /// The person's home directory.
    pub(super) user_home: Option<PathBuf>,
    /// The environment, for the values in it that must not be written down (S3).
    pub(super) variables: BTreeMap<OsString, OsString>,
    /// The clock.
    pub(super) clock: Clock,
    /// Who may come in.
    pub(super) door: Door,
    /// What pages look at together.
    pub(super) topics: Topics,
}

impl State {
    pub(super) fn new(facts: Facts) -> Self {
        Self(Arc::new(facts))
    }

    /// All config files as they are now.
    pub(super) fn files(&self) -> Result<Files, ReadError> {
        Files::find(Places {
            home: Some(&self.0.home),
            project: &self.0.project,
            environment: self.0.config.as_deref(),
            flag: None,
        })
    }

    /// Where recipes are looked for.
    pub(super) fn library(&self) -> Library {
        Library::new(&self.0.home, self.0.user_home.as_deref())
    }

    /// The project directory.
    pub(super) fn project(&self) -> &Path {
        &self.0.project
    }
}

impl std::ops::Deref for State {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.0
    }
}
