//! What a cast is driven with, from here: the same hands as at the command line, and nobody who listens.

use std::ffi::OsString;
use std::path::PathBuf;

use materia_engine::agent::{Backend, Scripted};
use materia_engine::cast::{Error, Hands, Silent};
use materia_engine::config;
use materia_engine::process::Nursery;
use materia_model::finding::Source;

use super::state::State;
use crate::failure::Failure;

/// Who plays the agents of a cast.
#[derive(Debug, Default)]
pub(super) struct Player {
    /// The file of a scripted agent.
    pub(super) script: Option<PathBuf>,
}

impl Player {
    /// A player by the words of the page; a relative path is seen from the project.
    pub(super) fn new(state: &State, script: Option<&str>) -> Self {
        let script = script.map(str::trim).filter(|path| !path.is_empty());
        Self { script: script.map(|path| state.project().join(path)) }
    }

    /// The words by which another process gets the same player.
    pub(super) fn words(&self) -> Vec<OsString> {
        self.script.iter().flat_map(|file| ["--agent-script".into(), file.into()]).collect()
    }

    /// Does something with a cast.
    pub(super) fn play<T>(
        &self,
        state: &State,
        drive: impl FnOnce(Hands<'_>) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        let mut scripted = match &self.script {
            None => None,
            Some(file) => {
                let source = Source::new(&file.to_string_lossy(), &config::read(file)?);
                Some(Scripted::read(&source).map_err(Failure::from_findings)?)
            }
        };
        // One that adopts orphans would take a detached driver for one.
        let mut nursery = Nursery::new();
        let hands = Hands {
            cwd: state.project(),
            home: state.user_home.as_deref(),
            variables: &state.variables,
            clock: &state.clock,
            agent: scripted.as_mut().map(|agent| agent as &mut dyn Backend),
            nursery: &mut nursery,
            listener: &mut Silent,
        };
        drive(hands).map_err(|error| (&error).into())
    }
}
