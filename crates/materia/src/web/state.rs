//! What every request needs: the engine, who may come in, and what pages look at together.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use materia_engine::api::Engine;

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
    /// Who may come in.
    pub(super) door: Door,
    /// What pages look at together.
    pub(super) topics: Topics,
}

impl State {
    pub(super) fn new(facts: Facts) -> Self {
        Self(Arc::new(facts))
    }
}

impl std::ops::Deref for State {
    type Target = Facts;

    fn deref(&self) -> &Facts {
        &self.0
    }
}
