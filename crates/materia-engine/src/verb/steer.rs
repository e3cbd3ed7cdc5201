//! `steer`: going on with a cast and coming back at once, and looking at one while another process drives it.
//!
//! Owns the order: the wish is recorded, so that it cannot be lost, and then a process is started that drives the
//! cast on. What is refused is refused before anything is recorded.

use std::ffi::OsString;
use std::io::Read;

use materia_model::cast::{self, Body, Event, State};
use materia_model::record::Record;

use super::cast::Wish;
use crate::cast::{self as cast_room, Driver, Error, Folder, Hands};
use crate::store::artifact::Root;
use crate::store::journal::{Follower, From};

/// Does what the person wishes with a cast that nobody drives, and lets another process drive it on; `words` are what
/// that one is told besides the cast.
pub fn go_on_detached(
    folder: Folder,
    wish: Wish<'_>,
    words: Vec<OsString>,
    hands: Hands<'_>,
) -> Result<(), Error> {
    let (run_dir, cwd) = (folder.path().to_owned(), hands.cwd.to_owned());
    let mut driver = Driver::open(folder, hands)?;
    let state = driver.state();
    let cast_id = state.cast_id.clone();
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
    }
    // The log is ours until the driver is gone.
    drop(driver);
    cast_room::detach(&run_dir, &cast_id, &cwd, words)
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
        Ok(Self { follower, state: State::default() })
    }

    /// What happened since, without waiting. Afterwards the descriptor tells when to ask again.
    pub fn news(&mut self) -> Result<Vec<Record>, Error> {
        let records = self.follower.try_next()?;
        for record in &records {
            // What this version does not know is somebody else's note.
            if let Ok(Some(body)) = Body::read(&record.kind, record.data.clone()) {
                self.state.apply(&Event { at: record.at, body });
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

/// The beginning of an artifact.
#[derive(Debug)]
pub struct Excerpt {
    /// The text; what is no text is replaced.
    pub text: String,
    /// How large it is in all.
    pub bytes: u64,
    /// Whether there is more.
    pub cut: bool,
}

/// Reads the beginning of a file of a cast; nothing outside of its directory can be named.
pub fn artifact(folder: &Folder, path: &str, most: u64) -> Result<Excerpt, Error> {
    let file = Root::open(folder.path())?.read(path)?;
    let bytes = file.metadata()?.len();
    let mut read = Vec::new();
    file.take(most).read_to_end(&mut read)?;
    let cut = bytes > read.len() as u64;
    Ok(Excerpt { text: String::from_utf8_lossy(&read).into_owned(), bytes, cut })
}
