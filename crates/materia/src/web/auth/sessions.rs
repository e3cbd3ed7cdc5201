//! The browsers that were let in, by the hash of their secret, kept so that a restart does not send
//! them away.

use std::path::PathBuf;

use materia_engine::clock::Clock;
use materia_engine::web_session;

/// The browsers that were let in.
#[derive(Debug)]
pub(in crate::web) struct Sessions {
    file: PathBuf,
    hashes: Vec<web_session::Known>,
}

impl Sessions {
    /// Those of an earlier server, as far as they are readable and not too old.
    pub(in crate::web) fn open(file: PathBuf, clock: &Clock) -> Self {
        Self {
            hashes: web_session::read(&file, clock),
            file,
        }
    }

    /// Lets a browser in. What cannot be kept is forgotten at the next start.
    pub(super) fn add(&mut self, secret: &str, clock: &Clock) {
        self.hashes = web_session::add(&self.file, std::mem::take(&mut self.hashes), secret, clock);
    }

    /// Whether a browser was let in.
    pub(super) fn has(&self, secret: &str) -> bool {
        web_session::has(&self.hashes, secret)
    }
}
