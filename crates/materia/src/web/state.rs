//! State that every request needs: the engine, access control, and the shared lists.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use materia_engine::api::Engine;

use tokio::sync::watch as channel;

use super::auth::Door;

/// The lists that pages subscribe to, each with its last value.
pub(super) type Topics = Mutex<BTreeMap<Topic, channel::Sender<Arc<str>>>>;

/// A list that pages subscribe to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Topic {
    Casts,
    Needs,
    Runs,
    Quests,
    Library,
}

/// The server's state; clones share it.
#[derive(Debug, Clone)]
pub(super) struct State(Arc<Facts>);

/// State that lives as long as the server.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) engine: Engine,
    pub(super) door: Door,
    /// The lists that pages share.
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
