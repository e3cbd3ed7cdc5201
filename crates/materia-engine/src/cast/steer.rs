//! Looking at a cast while another process drives it: its events, and its artifacts.

use std::io::Read;

use materia_model::cast::{Body, Event, State};
use materia_model::record::Record;
use serde::Serialize;

use crate::cast::{Error, Folder};
use crate::store::artifact::Root;
use crate::store::journal::{Follower, From};

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
