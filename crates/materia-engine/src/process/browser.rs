//! `browser`: shows an address in the person's browser.
//!
//! Owns which program does it. It outlives us, and whether it worked is between it and the person.

use crate::process::{Command, SpawnError, StreamSink, spawn_detached};

/// The programs that open an address with whatever the person prefers.
const OPENERS: [&str; 3] = ["xdg-open", "open", "wslview"];

/// Opens an address; fails where no program for that is found.
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
