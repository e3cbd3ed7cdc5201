//! `browser`: opens a URL in the user's browser.
//!
//! Owns the choice of the program that does it. That program outlives us, and its exit status is
//! not checked.

use crate::process::{Command, SpawnError, StreamSink, spawn_detached};

/// Programs that open a URL with the user's preferred application.
const OPENERS: [&str; 3] = ["xdg-open", "open", "wslview"];

/// Opens a URL. Fails if none of the programs is found.
pub fn open(url: &str) -> Result<(), SpawnError> {
    let mut last = None;
    for opener in OPENERS {
        let mut command = Command::new([opener, url]);
        command.stdout = StreamSink::Null;
        command.stderr = StreamSink::Null;
        match spawn_detached(command, "browser") {
            Ok(_) => return Ok(()),
            Err(error) => last = Some(error),
        }
    }
    last.map_or(Ok(()), Err)
}
