//! `steer`: going on with a cast and coming back at once.
//!
//! Owns the order: the wish is recorded, so that it cannot be lost, and then a run is spawned that
//! drives the cast on.

use std::path::Path;

use materia_model::cast;
use materia_model::run::Cast;

use crate::cast::start::Wish;
use crate::cast::{Driver, Error, Folder, Hands};
use crate::clock::Clock;
use crate::process::{Command, Sink, SpawnError, spawn_detached};

/// Records what the person wishes of a cast that nobody drives; a run of its own drives it on from
/// there. What is refused is refused before anything is recorded.
pub fn wish(folder: Folder, wish: Wish<'_>, hands: Hands<'_>) -> Result<Cast, Error> {
    let dir = folder.path().to_string_lossy().into_owned();
    let mut driver = Driver::open(folder, hands)?;
    let state = driver.state();
    let cast = Cast {
        id: state.cast_id.clone(),
        dir,
        loadout: state.loadout.clone(),
    };
    let body = match wish {
        Wish::Resume | Wish::Abort if state.status.is_end() => {
            return Err(cast::Refusal::Ended(state.status.as_str()).into());
        }
        Wish::Resume => None,
        Wish::Continue(said) => Some(state.go_on_with(said)?),
        Wish::Recast => Some(state.recast()?),
        Wish::Revive => Some(state.revive()?),
        Wish::Abort => Some(state.abort()?),
    };
    driver.ready()?;
    if let Some(body) = body {
        driver.record(body)?;
        driver.promise()?;
    }
    Ok(cast)
}

/// Lets a process of its own run the quests of a project; `words` are what it is told besides.
pub fn run_quests(project: &Path, words: Vec<String>) -> Result<(), SpawnError> {
    let own = [
        "/proc/self/exe".to_owned(),
        "quest".to_owned(),
        "run".to_owned(),
    ];
    let mut command = Command::new(own.into_iter().chain(words));
    command.cwd = Some(project.to_owned());
    command.stdout = Sink::Null;
    command.stderr = Sink::Null;
    spawn_detached(command, &format!("quests-{}", Clock::system().fresh_id())).map(drop)
}
