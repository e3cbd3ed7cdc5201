//! `steer`: going on with a cast and coming back at once, and looking at one while another process
//! drives it.
//!
//! Owns the order: the wish is recorded, so that it cannot be lost, and then a run is spawned that
//! drives the cast on.

use std::io::Read;
use std::path::Path;

use materia_model::cast::{self, Body, Event, State};
use materia_model::record::Record;
use materia_model::run::Cast;
use serde::Serialize;

use crate::cast::start::Wish;
use crate::cast::{Driver, Error, Folder, Hands};
use crate::clock::Clock;
use crate::process::{Command, Sink, SpawnError, spawn_detached};
use crate::store::artifact::Root;
use crate::store::journal::{Follower, From};

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

/// A cast that is looked at while it goes on: every event in order, and the state with them.
#[derive(Debug)]
pub struct Watched {
    follower: Follower,
    state: State,
}

impl Watched {
    /// Begins at the beginning.
    pub fn open(folder: &Folder) -> Result<Self, Error> {
        let follower = Follower::open(&folder.path().join("events.jsonl"), From::Beginning)?;
        Ok(Self {
            follower,
            state: State::default(),
        })
    }

    /// What happened since, without waiting. Afterwards the descriptor tells when to ask again.
    pub fn news(&mut self) -> Result<Vec<Record>, Error> {
        let records = self.follower.try_next()?;
        for record in &records {
            // What this version does not know is somebody else's note.
            if let Ok(Some(body)) = Body::read(&record.kind, record.data.clone()) {
                self.state.apply(&Event {
                    at: record.at,
                    body,
                });
            }
        }
        Ok(records)
    }

    /// What the events so far come to.
    pub fn state(&self) -> &State {
        &self.state
    }
}

impl std::os::fd::AsFd for Watched {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.follower.as_fd()
    }
}

/// The beginning of a file of a cast.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ArtifactReport {
    /// The file, by its path in the directory of the cast.
    pub path: String,
    /// The text; what is no text is replaced.
    pub text: String,
    /// How large it is in all.
    pub bytes: u64,
    /// Whether there is more.
    pub cut: bool,
}

/// Reads the beginning of a file of a cast; nothing outside of its directory can be named.
pub fn artifact(folder: &Folder, path: &str, most: u64) -> Result<ArtifactReport, Error> {
    let file = Root::open(folder.path())?.read(path)?;
    let bytes = file.metadata()?.len();
    let mut read = Vec::new();
    file.take(most).read_to_end(&mut read)?;
    let cut = bytes > read.len() as u64;
    Ok(ArtifactReport {
        path: path.to_owned(),
        text: String::from_utf8_lossy(&read).into_owned(),
        bytes,
        cut,
    })
}
