//! What a cast is driven with, from here: the same hands as at the command line, and nobody who
//! listens.

use std::path::PathBuf;

use materia_engine::cast::{Error, Hands, Silent};
use materia_engine::launch::spawn::{self, RunSettings};
use materia_engine::process::Nursery;
use materia_engine::run::Root;
use materia_model::loadout::Settings;
use materia_model::run::{Cast, Origin};

use super::state::State;
use crate::door;
use materia_engine::api::ApiError;

/// Who plays the agents of a cast.
#[derive(Debug, Default)]
pub(super) struct Player(door::Player);

impl Player {
    /// A player by the words of the page; a relative path is seen from the project.
    pub(super) fn new(state: &State, script: Option<&str>, agent: Option<&str>) -> Self {
        let said = |word: Option<&str>| {
            word.map(str::trim)
                .filter(|word| !word.is_empty())
                .map(str::to_owned)
        };
        let script = said(script).map(|path| state.project().join(path));
        Self(door::Player {
            script,
            agent: said(agent),
        })
    }

    /// The words by which another process gets the same player.
    pub(super) fn words(&self) -> Vec<String> {
        self.0.words()
    }

    /// Does something with a cast.
    pub(super) fn play<T>(
        &self,
        state: &State,
        settings: &Settings,
        drive: impl FnOnce(Hands<'_>) -> Result<T, Error>,
    ) -> Result<T, ApiError> {
        let mut agent = self.0.backend(settings, state.project())?;
        let library = state.library();
        // One that adopts orphans would take the supervisor of a run for one.
        let mut nursery = Nursery::new();
        let hands = Hands {
            cwd: state.project(),
            library: Some(&library),
            home: state.user_home.as_deref(),
            variables: &state.variables,
            clock: &state.clock,
            agent: Some(&mut *agent),
            nursery: &mut nursery,
            listener: &mut Silent,
        };
        drive(hands).map_err(|error| (&error).into())
    }

    /// Lets a run drive a cast on (A12).
    pub(super) fn drive_on(&self, state: &State, cast: Cast) -> Result<(), ApiError> {
        let spool = state
            .variables
            .get(std::ffi::OsStr::new("TMPDIR"))
            .map(PathBuf::from);
        let wanted = RunSettings {
            origin: Origin::Cast,
            cwd: state.project().to_owned(),
            clock: state.clock.clone(),
            spool: spool
                .filter(|dir| dir.is_dir())
                .unwrap_or_else(|| "/tmp".into()),
            ..RunSettings::default()
        };
        spawn::spawn_cast(&Root::new(state.home.runs()), &wanted, cast, self.words())?;
        Ok(())
    }
}
